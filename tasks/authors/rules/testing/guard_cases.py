"""Cases for the conditions that refuse calls: a call that nothing else refuses, and the edge where refusing begins."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from schemas.logic_models import Operation, Parameter
from tasks.authors.base import SetupCall, TestCase
from tasks.authors.rules.spec import State
from tasks.authors.rules.testing.edits import edits_for
from tasks.authors.rules.testing.expectations import expectation
from tasks.authors.rules.testing.guards import Attempt, attempt, attempts
from tasks.authors.rules.testing.tries import Tries, refused_case
from tasks.authors.rules.testing.variations import Arguments, between
from tasks.runtime.paths import with_values

_SAME = 3
"""Refusals by the same conditions that are tried without one of them."""
_BASES = 3
_LIMIT_BASES, _REFUSED_BASES = 8, 6
_EDITS_TRIED = 5
"""Edits under which the same conditions refuse a call that are looked at, per call."""
_FAR, _STEPS = 10**7, range(1, 9)
_MOST_LIMITS = 8
"""Edges in arguments, per tool."""
_OTHERS = 2
"""Refusals, per tool, by several conditions of which none alone is to blame."""
_UNFIT = "It has an argument that does not fit the plan."

Given = dict[str, Any]


class GuardCases:
    """Looks for the cases of one tool at a time."""

    def __init__(self, tries: Tries) -> None:
        self._tries = tries
        self._done: set[int] = set()
        """Conditions that have a case."""

    def of(
        self, operation: Operation, state: State, successes: Sequence[Attempt], refusals: Sequence[Attempt]
    ) -> Iterator[TestCase]:
        """Refused calls, two at least."""
        cases = [*self._alone(operation, state, refusals), *self._edited(operation, state, successes)]
        told = {str(each.arguments) for each in cases}
        others = {each.fired: each for each in reversed(refusals) if str(each.arguments) not in told}
        cases += [refused_case(each) for each in list(others.values())[:_OTHERS] if not set(each.fired) <= self._done]
        yield from cases
        if len(cases) < 2:
            yield from _unfit(operation, refusals[0].arguments if refusals else {}, 2 - len(cases))

    def edges(
        self, operation: Operation, state: State, successes: Sequence[Attempt], refusals: Sequence[Attempt]
    ) -> Iterator[TestCase]:
        """The last value of an argument that is accepted and the first that is not, at every limit that was hit."""
        told: set[str] = set()
        for good in _on_different_records(operation, successes)[:_LIMIT_BASES]:
            for bad in [*refusals, *self._pushed(operation, state, good)]:
                parameter = _only_difference(operation, good.arguments, bad.arguments)
                if parameter is None or len(told) >= _MOST_LIMITS or _limit(parameter, good.arguments, bad) in told:
                    continue
                found = self._edge(state, parameter, good.arguments, bad)
                if found is not None and _limit(parameter, good.arguments, found[1]) not in told:
                    told.add(_limit(parameter, good.arguments, found[1]))
                    yield self.success(state, found[0], {}, f"The last {parameter.name} that is allowed.")
                    yield refused_case(found[1], why=f"The first {parameter.name} that is not allowed.")

    def allowed(self, operation: Operation, state: State, refusals: Sequence[Attempt]) -> Iterator[TestCase]:
        """A call that is refused, and allowed when the state is a little different: for tools that refuse all else."""
        for bad in refusals[:_REFUSED_BASES]:
            given = [{path: value} for path, value in edits_for(self._tries.model, state, bad.arguments)]
            tried = attempts(self._tries.session, state, operation.name, [bad.arguments] * len(given), edits=given)
            for edit, each in zip(given, tried, strict=True):
                (found,) = edit.items()
                if each.is_success and self._tries.sound(state, found, alone=True):
                    yield self.success(state, each, edit, "It is allowed in this state.")
                    return
            made = list(self._on_new_record(operation, state, bad.arguments))
            if made:
                yield made[0]
                return

    def _on_new_record(self, operation: Operation, state: State, base: Arguments) -> Iterator[TestCase]:
        """The call on a record that was made just before: nothing stands in its way."""
        operations = {each.name: each for each in self._tries.model.operations}
        for parameter in (each for each in operation.parameters if each.type == "reference"):
            for deed in (each for each in self._tries.draft.deeds if each.creates == parameter.to):
                for arguments in self._tries.sensible(operations[deed.tool], state)[:2]:
                    made = attempt(self._tries.session, state, deed.tool, arguments)
                    after = self._tries.session.snapshot()
                    new = [key for key in after[parameter.to or ""] if key not in state[parameter.to or ""]]
                    tried = attempts(
                        self._tries.session, after, operation.name, [{**base, parameter.name: key} for key in new[:1]]
                    )
                    if made.is_success and tried and tried[0].is_success:
                        setup = (SetupCall(tool=deed.tool, arguments=arguments),)
                        yield self.success(after, tried[0], {}, "It is allowed on a new record.", setup)
                        return

    def success(
        self, state: State, tried: Attempt, given: Given, why: str, setup: tuple[SetupCall, ...] = ()
    ) -> TestCase:
        """The case of a call that succeeds, with all that is true afterwards.

        Args:
            state: The state that the setup has led to.
            tried: The call.
            given: Edits of that state; none where there is a setup.
            why: What the case tries.
            setup: The calls before.
        """
        before = with_values(state, given)
        again = attempt(self._tries.session, before, tried.tool, tried.arguments)
        holds = expectation(self._tries.model, before, self._tries.session.snapshot(), again.result)
        return TestCase(
            tool=again.tool,
            arguments=again.arguments,
            given=given,
            setup=setup,
            expected="success",
            holds=holds,
            why=why,
        )

    def _alone(self, operation: Operation, state: State, refusals: Sequence[Attempt]) -> Iterator[TestCase]:
        """A refused call for every condition without which it would succeed."""
        counts: dict[tuple[int, ...], int] = {}
        for each in refusals:
            counts[each.fired] = counts.get(each.fired, 0) + 1
            open_numbers = [number for number in each.fired if number not in self._done]
            for number in open_numbers if counts[each.fired] <= _SAME else ():
                off = attempts(self._tries.session, state, operation.name, [each.arguments], off=[number])[0]
                if off.result.get("success") is not False:  # it may also raise: the condition was there for that
                    self._done.update(each.fired)
                    yield refused_case(each)
                    break

    def _edited(self, operation: Operation, state: State, successes: Sequence[Attempt]) -> Iterator[TestCase]:
        """An allowed call that is refused by one of the other conditions when the state is a little different."""
        for good in successes[:_BASES]:
            if self._tries.guards[operation.name] <= self._done:
                return
            edits = list(edits_for(self._tries.model, state, good.arguments))
            given = [{path: value} for path, value in edits]
            calls = [good.arguments] * len(edits)
            tried = attempts(self._tries.session, state, operation.name, calls, edits=given)
            counts: Counter[tuple[int, ...]] = Counter()
            for edit, each in zip(edits, tried, strict=True):
                if each.is_refusal and not set(each.fired) <= self._done and counts[each.fired] < _EDITS_TRIED:
                    counts[each.fired] += 1
                    yield from self._sound_case(operation, state, good, edit)

    def _sound_case(
        self, operation: Operation, state: State, good: Attempt, edit: tuple[str, Any]
    ) -> Iterator[TestCase]:
        """The case of a call that is refused on an edited state, where such a state can be."""
        edge = list(self._edited_edge(operation, state, good, edit))
        if edge:
            yield from edge
            return
        for given in self._tries.sound(state, edit, alone=True):
            refused = self._on_edited(operation, state, good, given)
            if refused.is_refusal:
                self._done.update(refused.fired)
                yield refused_case(refused, given=given)

    def _edited_edge(
        self, operation: Operation, state: State, good: Attempt, edit: tuple[str, Any]
    ) -> Iterator[TestCase]:
        """The last number in the state with which a call is allowed, and the first with which it is not."""
        path, bad = edit
        low = _at(state, path)
        if type(bad) is not int or type(low) is not int:
            return
        while abs(bad - low) > 1:
            middle = (low + bad) // 2
            is_allowed = self._on_edited(operation, state, good, {path: middle}).is_success
            low, bad = (middle, bad) if is_allowed else (low, middle)
        if all(self._tries.sound(state, (path, value), alone=True) for value in (low, bad)):
            refused = self._on_edited(operation, state, good, {path: bad})
            if refused.is_refusal:
                self._done.update(refused.fired)
                yield self.success(state, good, {path: low}, "The last number with which it is allowed.")
                yield refused_case(refused, given={path: bad}, why="The first number with which it is not allowed.")

    def _on_edited(self, operation: Operation, state: State, good: Attempt, given: Given) -> Attempt:
        return attempts(self._tries.session, state, operation.name, [good.arguments], edits=[given])[0]

    def _pushed(self, operation: Operation, state: State, good: Attempt) -> list[Attempt]:
        """The call with each of its numbers larger and smaller: which condition refuses it first varies."""
        calls = [
            {**good.arguments, each.name: value}
            for each in operation.parameters
            if each.type == "integer" and each.name in good.arguments
            for value in (_FAR, -1, *(good.arguments[each.name] + step for step in _STEPS))
        ]
        return [each for each in attempts(self._tries.session, state, operation.name, calls) if each.is_refusal]

    def _edge(
        self, state: State, parameter: Parameter, good: Arguments, bad: Attempt
    ) -> tuple[Attempt, Attempt] | None:
        name, accepted = parameter.name, good[parameter.name]
        session = self._tries.session
        try:
            while (value := between(parameter, accepted, bad.arguments[name])) is not None:
                tried = attempts(session, state, bad.tool, [{**good, name: value}])[0]
                if tried.is_success:
                    accepted = value
                elif tried.is_refusal:
                    bad = tried
                else:
                    return None
        except (ValueError, TypeError):
            return None  # one of the two is no date or number at all
        return Attempt(bad.tool, {**good, name: accepted}, {"success": True}, ()), bad


def _on_different_records(operation: Operation, successes: Sequence[Attempt]) -> list[Attempt]:
    names = [each.name for each in operation.parameters if each.type == "reference"]
    different = {str([each.arguments.get(name) for name in names]): each for each in reversed(successes)}
    return list(reversed(different.values()))


def _unfit(operation: Operation, given: Arguments, count: int) -> Iterator[TestCase]:
    unfit = [{**given, each.name: {"a": "record"}} for each in operation.parameters]
    unfit += [{**given, "unheard_of": number} for number in (1, 2)]
    for arguments in unfit[:count]:
        yield TestCase(tool=operation.name, arguments=arguments, expected="refused", why=_UNFIT)


def _only_difference(operation: Operation, one: Arguments, other: Arguments) -> Parameter | None:
    """The parameter in which two calls differ, when it is the only one and has an order; null otherwise."""
    differing = [each for each in operation.parameters if one.get(each.name) != other.get(each.name)]
    if len(differing) == 1 and differing[0].type in ("integer", "date", "datetime"):
        name = differing[0].name
        return differing[0] if name in one and name in other else None
    return None


def _limit(parameter: Parameter, good: Arguments, bad: Attempt) -> str:
    """What is the same for all refusals beyond one limit: the parameter, on which side, and who refuses."""
    return f"{parameter.name} {bad.arguments[parameter.name] > good[parameter.name]} {bad.fired}"


def _at(state: State, path: str) -> Any:
    value: Any = state
    for name in path.split("."):
        value = value[name]
    return value
