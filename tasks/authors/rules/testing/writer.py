"""Writes the test plan for one state."""

from collections.abc import Iterator, Sequence

from schemas.logic_models import LogicModel, Operation
from tasks.authors.base import TestCase, TestPlan
from tasks.authors.rules.spec import State
from tasks.authors.rules.testing.expectations import NOTHING_CHANGED
from tasks.authors.rules.testing.guard_cases import GuardCases
from tasks.authors.rules.testing.guards import Attempt
from tasks.authors.rules.testing.rule_cases import RuleCases
from tasks.authors.rules.testing.tries import Tries

_SUCCESSES, _QUERY_SUCCESSES = 3, 10
"""Cases per tool, those at limits not counted."""
_ALLOWED = "It is allowed."


def written_plan(tries: Tries, state: State) -> TestPlan:
    """Cases from this state; what no case was found for is said in `untested`."""
    tries.session.init(state)
    state = tries.session.snapshot()
    guards, rules = GuardCases(tries), RuleCases(tries)
    cases: list[TestCase] = []
    for operation in tries.model.operations:
        cases += _tool_cases(tries, guards, rules, operation, state)
    cases += rules.searched(state)
    return TestPlan(cases=tuple(cases), untested=rules.untested())


def _tool_cases(
    tries: Tries, guards: GuardCases, rules: RuleCases, operation: Operation, state: State
) -> Iterator[TestCase]:
    successes, refusals = tries.many(operation, state)
    yield from _positives(tries.model, guards, operation, state, successes)
    if not successes:
        yield from guards.allowed(operation, state, refusals)
    yield from rules.among(operation, state, refusals)
    yield from guards.of(operation, state, successes, refusals)
    yield from guards.edges(operation, state, successes, refusals)
    if successes and operation.kind == "state_change":
        cases, second = rules.again(operation, state, successes[0])
        yield from cases
        if second is not None and not cases:
            yield second


def _positives(
    model: LogicModel, guards: GuardCases, operation: Operation, state: State, successes: Sequence[Attempt]
) -> list[TestCase]:
    """Cases that succeed; of a state change those that change something, as far as there are some."""
    most = min(len(operation.parameters) + 2, _QUERY_SUCCESSES) if operation.kind == "query" else _SUCCESSES
    ranked = _different(model, operation, state, successes)[: most * 2]
    cases = [guards.success(state, each, {}, _ALLOWED) for each in ranked]
    if operation.kind == "state_change":
        cases.sort(key=lambda case: NOTHING_CHANGED in str(case.holds))
    return cases[:most]


def _different(model: LogicModel, operation: Operation, state: State, successes: Sequence[Attempt]) -> list[Attempt]:
    """Successes that differ in which arguments they give or in the conditions that they meet, then in their records.

    Those on other records than the first come first, and of a query those that find much but not everything.
    """
    firsts = {next(iter(state[each.collection]), "") for each in model.entities}
    most = max((_shown(each) for each in successes), default=0)
    ranked = sorted(successes, key=lambda each: _rank(operation, each, firsts, most))
    shapes: dict[str, list[Attempt]] = {}
    for each in ranked:
        shapes.setdefault(f"{sorted(each.arguments)} {each.fired}", []).append(each)
    rounds = max((len(each) for each in shapes.values()), default=0)
    return [each[number] for number in range(rounds) for each in shapes.values() if number < len(each)]


def _rank(operation: Operation, success: Attempt, firsts: set[str], most: int) -> tuple[bool, bool, int]:
    is_first = any(value in firsts for value in success.arguments.values() if isinstance(value, str))
    shown = _shown(success) if operation.kind == "query" else 0
    return is_first, shown == most, -shown


def _shown(success: Attempt) -> int:
    return len(str(success.result.get("data") or ""))
