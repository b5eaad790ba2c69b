"""Test cases for an environment that is known well: what must come of a call is what comes of it in the author's mind.

Calls are drawn from the plan and the state, and tried on the class that the plan was written for, which is never the
class that is tested: the tester has not seen that one.
"""

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

from schemas.ids import canonical_json, seed_for
from schemas.logic_models import Operation
from tasks.authors.base import TestCase
from tasks.authors.rules.author import Environment
from tasks.authors.rules.plan import Plan
from tasks.evaluation.arguments import ArgumentMaker
from tasks.runtime.episode import PlayedCall, bound_arguments
from tasks.sandbox.base import CheckSession, EnvironmentSession, Sandbox

State = dict[str, Any]
_DRAWS = 40
"""Calls of a tool that are drawn from the state."""
_SUCCESSES, _REFUSALS, _PER_RULE = 2, 3, 1
_NO_SUCH = "NONE-9999"


def test_cases(known: Environment, state: State, sandbox: Sandbox) -> Iterator[TestCase]:
    """Cases for every tool: calls that succeed, as far as some were found, and calls that are refused."""
    with sandbox.environment(known.code, known.draft.class_name) as session, sandbox.checks() as checks:
        tester = _Tester(known, state, session, checks)
        for operation in known.logic_model.operations:
            yield from tester.cases(operation)


class _Tester:
    def __init__(self, known: Environment, state: State, session: EnvironmentSession, checks: CheckSession) -> None:
        self._known, self._state, self._session, self._checks = known, state, session, checks
        self._rng = Random(seed_for("cases", known.draft.class_name, state))
        self._maker = ArgumentMaker(known.logic_model, self._rng)
        self._planned = self._planned_calls()

    def cases(self, operation: Operation) -> Iterator[TestCase]:
        fitting = [*self._planned.get(operation.name, ()), *self._drawn(operation)]
        base = fitting[0]
        unfit = [*_unfit(operation, base)]
        succeeded, refused = 0, 0
        told: set[str] = set()
        for arguments, why in [*((each, "fits the plan") for each in fitting), *unfit]:
            if canonical_json(arguments) in told:
                continue
            told.add(canonical_json(arguments))
            is_refused = self._is_refused(operation, arguments)
            rules = self._broken(operation, arguments) if is_refused and why == "fits the plan" else []
            new = [each for each in rules if each not in told][:_PER_RULE]
            if not is_refused and succeeded < _SUCCESSES:
                succeeded += 1
                yield TestCase(tool=operation.name, arguments=arguments, expected="success", why=f"It {why}.")
            elif is_refused and (new or (why != "fits the plan" and refused < _REFUSALS)):
                refused += not new
                told.update(new)
                rule = new[0] if new else None
                text = f"It breaks '{rule}'." if rule else f"It has {why}."
                yield TestCase(tool=operation.name, arguments=arguments, expected="refused", rule_id=rule, why=text)

    def _drawn(self, operation: Operation) -> list[dict[str, Any]]:
        return [self._maker.draw(operation, self._state, optional=0.3) for _ in range(_DRAWS)]

    def _planned_calls(self) -> Mapping[str, Sequence[dict[str, Any]]]:
        """Tool -> arguments of calls that do something sensible on the state."""
        found: dict[str, list[dict[str, Any]]] = {}
        for deed in self._known.draft.deeds:
            self._session.init(self._state)
            plan = Plan(self._known.draft, self._session, self._known.parameters, self._rng, self._session.snapshot())
            if not plan.carry_out(deed):
                continue
            calls: list[PlayedCall] = []
            for step, result in zip(plan.steps, plan.results, strict=True):
                calls.append(PlayedCall(step.tool, bound_arguments(step, calls), result, "done"))
            for call in calls:
                found.setdefault(call.tool, []).append(call.arguments)
        return found

    def _is_refused(self, operation: Operation, arguments: dict[str, Any]) -> bool:
        self._session.init(self._state)
        result = self._session.step(operation.name, arguments).result
        return not (isinstance(result, dict) and result.get("success") is True)

    def _broken(self, operation: Operation, arguments: dict[str, Any]) -> list[str]:
        """The preconditions that the call does not meet."""
        rules = [
            rule
            for rule in self._known.logic_model.rules
            if rule.id in operation.enforces and rule.kind == "precondition" and rule.predicate is not None
        ]
        given = {each.name: arguments.get(each.name) for each in operation.parameters}
        names = {"state": self._state, "args": given, "now": self._state["now"]}
        verdicts = self._checks.evaluate([str(rule.predicate) for rule in rules], names) if rules else []
        return [
            rule.id for rule, verdict in zip(rules, verdicts, strict=True) if not verdict.passed and not verdict.error
        ]


def _unfit(operation: Operation, base: Mapping[str, Any]) -> Iterator[tuple[dict[str, Any], str]]:
    """Arguments that no state makes right, and what is wrong with them."""
    for each in operation.parameters:
        if each.type == "reference":
            yield {**base, each.name: _NO_SUCH}, f"no record for {each.name}"
        elif each.type == "enum":
            yield {**base, each.name: "no_such_value"}, f"no value of {each.name}"
        elif each.type in ("date", "datetime"):
            yield {**base, each.name: "2025-02-30"}, f"no day of the calendar for {each.name}"
    for each in operation.parameters:
        yield {**base, each.name: {"a": "record"}}, f"no value of the right type for {each.name}"
        if each.required:
            yield {name: value for name, value in base.items() if name != each.name}, f"no {each.name}"
    yield {**base, "unheard_of": 1}, "an argument that the plan does not know"
