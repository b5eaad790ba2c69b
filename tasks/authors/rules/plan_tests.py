"""The test plan of an environment that the author knows: searched for on its own class, never on the one to be tested.

For every tool, calls that succeed, with what is true afterwards, and one refused call for every condition that refuses
one. A rule's case is a refused call that would have broken the rule: a precondition that does not hold, or any other
rule that is broken afterwards when the condition that refused the call is switched off.
"""

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from schemas.logic_models import LogicModel, Operation, Parameter, Rule
from tasks.authors.base import SetupCall, TestCase, TestPlan, UntestedRule
from tasks.authors.rules.edits import Edit, edited_state, edits_for, edits_of
from tasks.authors.rules.expectations import expectation
from tasks.authors.rules.guards import Attempt, attempt, attempts, go_on
from tasks.authors.rules.spec import Deed, Draft, State
from tasks.authors.rules.variations import Arguments, Variations, between, sensible
from tasks.runtime.paths import with_values
from tasks.sandbox.base import CheckSession, EnvironmentSession

_SUCCESSES, _QUERY_SUCCESSES, _REFUSALS = 3, 4, 6
"""Cases per tool, those for rules and for limits not counted."""
_BASES = 6
_DRAWS = 24
_WALKS, _WALK_STEPS = 4, 4
"""Walks from the state through sensible deeds, for rules that no single call breaks, and their length."""
_MOST_TRIES = 600
"""Calls that are tried on walks, all together."""
_EDITED_CALLS = 12
"""Calls per tool and rule for which a state is looked for in which they break the rule."""
_MOST_EDITS, _MOST_EDITS_PER_RULE = 4, 16
"""Edits of the state under which a call breaks a rule that are tried, per call and altogether."""
_MOST_SECOND_EDITS = 25
_PILE = 8
"""How often something is done again, to reach a limit."""
_SAME_ABLATIONS = 2
"""Refusals by the same conditions that are tried without one of them, per rule."""
_FEW = 5
_MOST_LIMITS = 4
"""Accepted and refused values on both sides of a limit, per tool."""

_ON_CALL = "[(\n{predicate}\n) for state, args in [({state}, {args})] for now in [state['now']]][0]"
_ON_STATE = "[(\n{predicate}\n) for state in [{state}] for now in [state['now']]][0]"
_ON_CHANGE = "[(\n{predicate}\n) for before, state in [({before}, {state})] for now in [state['now']]][0]"


@dataclass
class TestWriter:
    """Writes the plan for one state."""

    __test__ = False  # pytest takes classes of this name for tests

    draft: Draft
    model: LogicModel
    parameters: dict[str, frozenset[str]]
    session: EnvironmentSession
    """Has the class with switches (`guards`)."""
    checks: CheckSession
    rng: Random
    _cases: list[TestCase] = field(default_factory=list)
    _open: dict[str, Rule] = field(default_factory=dict)
    """Rules that are enforced, and broken by no case so far."""
    _tries: int = 0
    _ablated: Counter[tuple[str, str, tuple[int, ...]]] = field(default_factory=Counter)

    def plan(self, state: State) -> TestPlan:
        """Cases from this state; what no case was found for is said in `untested`."""
        self.session.init(state)
        state = self.session.snapshot()
        enforced = {rule_id for operation in self.model.operations for rule_id in operation.enforces}
        self._open = {rule.id: rule for rule in self.model.rules if rule.id in enforced and rule.predicate}
        for operation in self.model.operations:
            self._cases += self._tool_cases(operation, state)
        for rule in list(self._open.values()):
            # What holds for whole states is broken by no edit that keeps the other rules, but it can be piled up to.
            for finds in (self._edited_case, self._piled_up_case) if rule.kind == "precondition" else (self._piled_up_case,):
                if rule.id in self._open:
                    self._cases += itertools.islice(finds(rule, state), 1)
        self._tries = 0
        for _ in range(_WALKS):
            self._walk(state)
        untested = [UntestedRule(rule_id=each.id, why=_why_untested(each)) for each in self._open.values()]
        return TestPlan(cases=tuple(self._cases), untested=tuple(untested))

    def _tool_cases(self, operation: Operation, state: State) -> Iterator[TestCase]:
        successes, refusals = self._tried(operation, state)
        yield from self._positives(operation, state, successes)
        yield from self._negatives(operation, refusals)
        yield from self._rule_cases(operation, state, refusals, ())
        yield from self._limits(operation, state, successes, refusals)
        if successes and operation.kind == "state_change":
            cases, second = self._again(operation, state, successes[0], ())
            yield from cases
            if second.is_refusal and not cases:
                setup = [SetupCall(tool=second.tool, arguments=second.arguments)]
                yield _refused(second, setup=setup)

    def _tried(self, operation: Operation, state: State) -> tuple[list[Attempt], list[Attempt]]:
        """Calls that succeed and calls that are refused, different ones, the sensible ones first."""
        variations = Variations(self.model, state, self.rng)
        bases = [*self._sensible(operation, state), *({} for _ in range(not operation.parameters))]
        bases += [variations.drawn(operation, optional=0.3) for _ in range(_DRAWS // (3 if bases else 1))]
        successes: dict[str, Attempt] = {}
        refusals: dict[str, Attempt] = {}
        for each in attempts(self.session, state, operation.name, bases):
            self._sort(each, successes, refusals)
        base = next(iter(successes.values()), None)
        replaced = list(variations.replaced(operation, base.arguments if base else bases[0]))
        for each in attempts(self.session, state, operation.name, replaced):
            self._sort(each, successes, refusals)
        return list(successes.values()), list(refusals.values())

    def _sort(self, tried: Attempt, successes: dict[str, Attempt], refusals: dict[str, Attempt]) -> None:
        if tried.is_success:
            successes.setdefault(repr(tried.arguments), tried)
        elif tried.is_refusal:
            refusals.setdefault(repr(tried.arguments), tried)

    def _sensible(self, operation: Operation, state: State) -> list[Arguments]:
        deeds = [deed for deed in self.draft.deeds if deed.tool == operation.name]
        takes = self.parameters[operation.name]
        self.session.init(state)
        tries = [
            sensible(deed, state, self.session, self.rng, takes, strict=number < _BASES - 2)
            for deed in deeds
            for number in range(_BASES)
        ]
        return [each for each in tries if each is not None]

    def _positives(self, operation: Operation, state: State, successes: Sequence[Attempt]) -> Iterator[TestCase]:
        """Successes that differ in the arguments that they give, then in what they do."""
        most = _QUERY_SUCCESSES if operation.kind == "query" else _SUCCESSES
        told: set[str] = set()
        ranked = sorted(successes, key=lambda each: -len(str(each.result.get("data") or "")))
        for each in ranked if operation.kind == "query" else successes:
            shape = f"{sorted(each.arguments)} {each.fired}"
            if shape not in told and len(told) < most:
                told.add(shape)
                yield self._success(operation, state, each)

    def _success(
        self, operation: Operation, state: State, tried: Attempt, why: str = "It is allowed."
    ) -> TestCase:
        again = attempt(self.session, state, tried.tool, tried.arguments)
        holds = expectation(self.model, state, self.session.snapshot(), again.result)
        return TestCase(tool=operation.name, arguments=tried.arguments, expected="success", holds=holds, why=why)

    def _negatives(self, operation: Operation, refusals: Sequence[Attempt]) -> Iterator[TestCase]:
        """One call for every condition, or set of conditions, that refuses one; others where these are too few."""
        told: dict[tuple[int, ...], Attempt] = {}
        for each in refusals:
            told.setdefault(each.fired, each)
        chosen = list(told.values())
        for each in chosen:
            yield _refused(each)
        if len(chosen) < 2:
            base = next(iter(refusals), None)
            given = base.arguments if base else {}
            unfit = [{**given, each.name: {"a": "record"}} for each in operation.parameters]
            unfit += [{**given, "unheard_of": number} for number in (1, 2)]
            for arguments in unfit[: 2 - len(chosen)]:
                why = "It has an argument that does not fit the plan."
                yield TestCase(tool=operation.name, arguments=arguments, expected="refused", why=why)

    def _rule_cases(
        self,
        operation: Operation,
        state: State,
        refusals: Sequence[Attempt],
        setup: Sequence[SetupCall],
    ) -> Iterator[TestCase]:
        rules = [self._open[each] for each in operation.enforces if each in self._open]
        for rule in rules:
            broken = next(self._broken(rule, operation, state, refusals), None)
            if broken is not None:
                del self._open[rule.id]
                yield _refused(broken, rule, setup)

    def _broken(
        self, rule: Rule, operation: Operation, state: State, refusals: Sequence[Attempt]
    ) -> Iterator[Attempt]:
        """The refused calls that would break a rule."""
        if rule.kind == "precondition":
            names = [each.name for each in operation.parameters]
            given = [{**dict.fromkeys(names), **each.arguments} for each in refusals]
            predicates = [
                _ON_CALL.format(predicate=rule.predicate, state="states[0]", args=f"calls[{number}]")
                for number in range(len(given))
            ]
            yield from self._failing(predicates, {"states": [state], "calls": given}, refusals)
            return
        for each in refusals:
            self._ablated[rule.id, each.tool, each.fired] += 1
            if self._ablated[rule.id, each.tool, each.fired] > _SAME_ABLATIONS:
                continue
            for number in each.fired:
                self._tries += 1
                off = attempt(self.session, state, each.tool, each.arguments, [number])
                if off.is_success:
                    names = {"before": state, "after": self.session.snapshot()}
                    predicate = _ON_CHANGE.format(predicate=rule.predicate, before="before", state="after")
                    yield from self._failing([predicate], names, [each])

    def _failing(
        self, predicates: Sequence[str], names: dict[str, Any], tried: Sequence[Attempt]
    ) -> Iterator[Attempt]:
        verdicts = self.checks.evaluate(predicates, names) if predicates else []
        for each, verdict in zip(tried, verdicts, strict=True):
            if not verdict.passed and verdict.error is None:
                yield each

    def _limits(
        self, operation: Operation, state: State, successes: Sequence[Attempt], refusals: Sequence[Attempt]
    ) -> Iterator[TestCase]:
        """The last value that is accepted and the first that is not, on both sides of every limit that was hit."""
        told: set[str] = set()
        for good in successes[:2]:
            for bad in refusals:
                parameter = _only_difference(operation, good.arguments, bad.arguments)
                if parameter is None or len(told) >= _MOST_LIMITS:
                    continue
                edges = self._edges(operation, state, parameter, good, bad)
                if edges is not None and (key := f"{parameter.name} {edges[1].fired}") not in told:
                    told.add(key)
                    yield self._success(operation, state, edges[0], f"The last {parameter.name} that is allowed.")
                    yield _refused(edges[1], why=f"The first {parameter.name} that is not allowed.")

    def _edges(
        self, operation: Operation, state: State, parameter: Parameter, good: Attempt, bad: Attempt
    ) -> tuple[Attempt, Attempt] | None:
        try:
            while (value := between(parameter, good.arguments[parameter.name], bad.arguments[parameter.name])) is not None:
                tried = attempt(self.session, state, operation.name, {**good.arguments, parameter.name: value})
                if tried.is_success:
                    good = tried
                elif tried.is_refusal:
                    bad = tried
                else:
                    return None
        except (ValueError, TypeError):
            return None  # one of the two is no date or number at all
        return good, bad

    def _again(
        self, operation: Operation, state: State, first: Attempt, before: Sequence[SetupCall]
    ) -> tuple[list[TestCase], Attempt]:
        """The same call twice: the cases of rules that the second one would break, and what came of it."""
        attempt(self.session, state, first.tool, first.arguments)
        middle = self.session.snapshot()
        second = go_on(self.session, first.tool, first.arguments)
        setup = [*before, SetupCall(tool=first.tool, arguments=first.arguments)]
        refusals = [second] if second.is_refusal else []
        return list(self._rule_cases(operation, middle, refusals, setup)), second

    def _edited_case(self, rule: Rule, state: State) -> Iterator[TestCase]:
        """A call that breaks a precondition when the state is a little different, no other rule being broken."""
        edits_left = _MOST_EDITS_PER_RULE
        for operation, arguments in self._likely(rule, state):
            edits = list(edits_for(self.model, state, rule, arguments))
            blanks = dict.fromkeys(each.name for each in operation.parameters)
            names = {"state": state, "args": {**blanks, **arguments}}
            for edit in self._breaking(rule, edits, names)[: min(_MOST_EDITS, edits_left)]:
                edits_left -= 1
                for given in self._sound(state, edit):
                    tried = attempt(self.session, with_values(state, given), operation.name, arguments)
                    if tried.is_refusal:
                        self._open.pop(rule.id, None)
                        yield _refused(tried, rule, given=given)

    def _sound(self, state: State, edit: Edit) -> list[dict[str, Any]]:
        """The edit as it is, where it breaks no rule over whole states, or with one more edit of the same record."""
        kept = [each for each in self.model.rules if each.kind in ("invariant", "uniqueness") and each.predicate]
        options: list[list[Edit]] = [[edit]]
        match edit[0].split("."):
            case [collection, key, _]:
                entity = next(each for each in self.model.entities if each.collection == collection)
                options += [[edit, other] for other in edits_of(entity, key, state) if other[0] != edit[0]]
        predicates = [
            f"all([{', '.join(_ON_STATE.format(predicate=each.predicate, state=edited_state(option)) for each in kept)}])"
            for option in options
        ]
        verdicts = self.checks.evaluate(predicates[:1], {"state": state})
        if not verdicts[0].passed:
            verdicts += self.checks.evaluate(predicates[1:_MOST_SECOND_EDITS], {"state": state})
        return [dict(option) for option, verdict in zip(options, verdicts, strict=False) if verdict.passed]

    def _breaking(self, rule: Rule, edits: Sequence[Edit], names: dict[str, Any]) -> list[Edit]:
        """The edits of the state under which the arguments break a precondition."""
        predicates = [
            _ON_CALL.format(predicate=rule.predicate, state=edited_state([edit]), args="args") for edit in edits
        ]
        verdicts = self.checks.evaluate(predicates, names) if predicates else []
        return [
            edit
            for edit, verdict in zip(edits, verdicts, strict=True)
            if not verdict.passed and verdict.error is None
        ]

    def _likely(self, rule: Rule, state: State) -> Iterator[tuple[Operation, Arguments]]:
        """Calls of the operations that enforce a rule, on different records: allowed ones first."""
        for operation in self.model.operations:
            if rule.id in operation.enforces:
                tried = [each for each in self._few(operation, state) if each.is_success or each.is_refusal]
                chosen: dict[str, Arguments] = {}
                for each in sorted(tried, key=_is_refused):
                    chosen.setdefault(str(next(iter(each.arguments.values()), None)), each.arguments)
                yield from ((operation, arguments) for arguments in list(chosen.values())[:_EDITED_CALLS])

    def _piled_up_case(self, rule: Rule, state: State) -> Iterator[TestCase]:
        """The same sensible thing over and over for one record, until a rule refuses it."""
        for operation in self.model.operations:
            references = [each.name for each in operation.parameters if each.type == "reference" and each.required]
            if rule.id not in operation.enforces:
                continue
            first = next((each for each in self._few(operation, state) if each.is_success), None)
            for name in references if first is not None else ():
                pinned = {name: first.arguments[name]} if first is not None else {}
                yield from self._pile(rule, operation, state, pinned)

    def _pile(self, rule: Rule, operation: Operation, state: State, pinned: Arguments) -> Iterator[TestCase]:
        setup: list[SetupCall] = []
        for _ in range(_PILE):
            tries = [{**each, **pinned} for each in self._sensible(operation, state)]
            done = attempts(self.session, state, operation.name, tries)
            refusals = [each for each in done if each.is_refusal]
            yield from self._rule_cases(operation, state, refusals, setup)
            success = next((each for each in done if each.is_success), None)
            if success is None or rule.id not in self._open:
                return
            attempt(self.session, state, operation.name, success.arguments)
            state = self.session.snapshot()
            setup.append(SetupCall(tool=operation.name, arguments=success.arguments))

    def _walk(self, state: State) -> None:
        """Do something sensible a few times, and look for open rules after each step."""
        setup: list[SetupCall] = []
        for _ in range(_WALK_STEPS):
            step = self._step(state) if self._open and self._tries < _MOST_TRIES else None
            if step is None:
                return
            setup.append(SetupCall(tool=step.tool, arguments=step.arguments))
            state = self.session.snapshot()
            self._look(state, setup)

    def _look(self, state: State, setup: Sequence[SetupCall]) -> None:
        """Look for cases of open rules on another state than the one that was given."""
        for operation in self.model.operations:
            if any(rule_id in self._open for rule_id in operation.enforces) and self._tries < _MOST_TRIES:
                tried = self._few(operation, state)
                refusals = [each for each in tried if each.is_refusal]
                self._cases += self._rule_cases(operation, state, refusals, setup)
                success = next((each for each in tried if each.is_success), None)
                if success is not None:
                    self._cases += self._again(operation, state, success, setup)[0]

    def _few(self, operation: Operation, state: State) -> list[Attempt]:
        """Calls, fewer than `_tried` makes."""
        variations = Variations(self.model, state, self.rng)
        sensible_ones = self._sensible(operation, state)
        tries = [*sensible_ones, *(variations.drawn(operation, optional=0.3) for _ in range(_FEW))]
        for base in sensible_ones[:1]:
            tries += [
                {**base, each.name: key}
                for each in operation.parameters
                if each.type == "reference"
                for key in variations.values(operation, each, None)
            ]
        done = attempts(self.session, state, operation.name, tries)
        self._tries += len(done)
        return done

    def _step(self, state: State) -> Attempt | None:
        deeds: list[Deed] = [deed for deed in self.draft.deeds if deed.weight > 0]
        for _ in range(12 if deeds else 0):
            deed = self.rng.choice(deeds)
            self.session.init(state)
            arguments = sensible(deed, state, self.session, self.rng, self.parameters[deed.tool], strict=True)
            if arguments is not None:
                done = attempt(self.session, state, deed.tool, arguments)
                if done.is_success:
                    return done
        return None


def _refused(
    tried: Attempt,
    rule: Rule | None = None,
    setup: Sequence[SetupCall] = (),
    *,
    why: str | None = None,
    given: dict[str, Any] | None = None,
) -> TestCase:
    said = rule.text if rule is not None else str(tried.result.get("error"))
    return TestCase(
        tool=tried.tool,
        arguments=tried.arguments,
        given=given or {},
        setup=tuple(setup),
        expected="refused",
        rule_id=rule.id if rule is not None else None,
        why=why or said,
    )


def _is_refused(tried: Attempt) -> bool:
    return tried.is_refusal


def _only_difference(operation: Operation, one: Arguments, other: Arguments) -> Parameter | None:
    """The parameter in which two calls differ, when it is the only one and has an order; null otherwise."""
    differing = [each for each in operation.parameters if one.get(each.name) != other.get(each.name)]
    if len(differing) == 1 and differing[0].type in ("integer", "date", "datetime"):
        name = differing[0].name
        return differing[0] if name in one and name in other else None
    return None


def _why_untested(rule: Rule) -> str:
    if rule.kind == "precondition":
        return "no call was found that breaks it"
    return "no refused call was found that would break it: the tools keep it by what they write"

