"""Cases on both sides of an edge: the last value with which a call is allowed, and the first with which it is not."""

from collections.abc import Iterator, Sequence
from typing import Any

from schemas.logic_models import Operation, Parameter
from tasks.authors.base import TestCase
from tasks.authors.rules.spec import State
from tasks.authors.rules.testing.edits import Edit, edits_for
from tasks.authors.rules.testing.guards import Attempt, attempts
from tasks.authors.rules.testing.rule_cases import RuleCases
from tasks.authors.rules.testing.scenes import Scene, allowed_case
from tasks.authors.rules.testing.tries import Tries
from tasks.authors.rules.testing.variations import Arguments, between, is_time

_LIMIT_BASES, _STATE_BASES = 8, 2
_MOST_LIMITS, _MOST_STATE_LIMITS = 8, 2
"""Edges in arguments and in the state, per tool."""
_FAR, _STEPS = 2 * 10**9, range(1, 9)
_ORDERED = ("integer", "date", "datetime")
_LENGTHS = {len("2025-06-19"): "date", len("2025-06-19T10:00"): "datetime"}


class EdgeCases:
    """Looks for edges where a call is allowed on one side."""

    def __init__(self, tries: Tries, rules: RuleCases) -> None:
        self._tries = tries
        self._rules = rules

    def in_arguments(
        self, operation: Operation, scene: Scene, successes: Sequence[Attempt], refusals: Sequence[Attempt]
    ) -> Iterator[TestCase]:
        """At every limit of an argument that was hit."""
        told: set[str] = set()
        for good in _on_different_records(operation, successes)[:_LIMIT_BASES]:
            for bad in [*refusals, *self._pushed(operation, scene.state, good)]:
                parameter = _only_difference(operation, good.arguments, bad.arguments)
                if parameter is None or len(told) >= _MOST_LIMITS or _limit(parameter, good.arguments, bad) in told:
                    continue
                found = self._edge(scene.state, parameter, good.arguments, bad)
                if found is not None and _limit(parameter, good.arguments, found[1]) not in told:
                    told.add(_limit(parameter, good.arguments, found[1]))
                    yield allowed_case(self._tries, scene, found[0], f"The last {parameter.name} that is allowed.")
                    first = f"The first {parameter.name} that is not allowed."
                    yield from self._rules.cases(operation, scene, found[1], why=first)

    def in_state(self, operation: Operation, scene: Scene, successes: Sequence[Attempt]) -> Iterator[TestCase]:
        """At limits in the clock, the settings and the records that a call names, where these may be so."""
        told: set[str] = set()
        for good in _on_different_records(operation, successes)[: 0 if scene.setup else _STATE_BASES]:
            edits = [
                (path, value)
                for path, value in edits_for(self._tries.model, scene.state, good.arguments)
                if _kind(value) in _ORDERED and _kind(_at(scene.state, path)) == _kind(value)
            ]
            calls = [good.arguments] * len(edits)
            given = [{path: value} for path, value in edits]
            tried = attempts(self._tries.session, scene.state, operation.name, calls, edits=given)
            for edit, each in zip(edits, tried, strict=True):
                limit = f"{_attribute(edit[0])} {edit[1] > _at(scene.state, edit[0])} {each.fired}"
                if each.is_refusal and limit not in told and len(told) < _MOST_STATE_LIMITS:
                    pair = self.around(operation, scene, good, edit)
                    if pair is not None:
                        told.add(limit)
                        yield from pair[0]

    def around(
        self, operation: Operation, scene: Scene, good: Attempt, edit: Edit
    ) -> tuple[list[TestCase], Attempt] | None:
        """The cases on both sides of an edge in the state, and the refused call; null where no such edge can be.

        Args:
            operation: The tool.
            scene: One that may be edited.
            good: A call that is allowed in it.
            edit: A value in the state with which it is not.
        """
        path, bad = edit
        low, kind = _at(scene.state, path), _kind(bad)
        if kind not in _ORDERED or _kind(low) != kind:
            return None
        while (middle := between(kind, low, bad)) is not None:
            is_allowed = self._on(operation, scene, good, {path: middle}).is_success
            low, bad = (middle, bad) if is_allowed else (low, middle)
        if not all(self._tries.sound(scene.state, (path, value), alone=True) for value in (low, bad)):
            return None
        refused = self._on(operation, scene, good, {path: bad})
        if not refused.is_refusal:
            return None
        last = allowed_case(self._tries, scene.edited({path: low}), good, "The last value with which it is allowed.")
        beyond = scene.edited({path: bad})
        first = self._rules.cases(operation, beyond, refused, why="The first value with which it is not allowed.")
        return [last, *first], refused

    def _on(self, operation: Operation, scene: Scene, good: Attempt, given: dict[str, Any]) -> Attempt:
        return attempts(self._tries.session, scene.state, operation.name, [good.arguments], edits=[given])[0]

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
            while (value := between(parameter.type, accepted, bad.arguments[name])) is not None:
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
    """The first success on each combination of records, in their order."""
    names = [each.name for each in operation.parameters if each.type == "reference"]
    different: dict[str, Attempt] = {}
    for each in successes:
        different.setdefault(str([each.arguments.get(name) for name in names]), each)
    return list(different.values())


def _only_difference(operation: Operation, one: Arguments, other: Arguments) -> Parameter | None:
    """The parameter in which two calls differ, when it is the only one and has an order; null otherwise."""
    differing = [each for each in operation.parameters if one.get(each.name) != other.get(each.name)]
    if len(differing) == 1 and differing[0].type in _ORDERED:
        name = differing[0].name
        return differing[0] if name in one and name in other else None
    return None


def _limit(parameter: Parameter, good: Arguments, bad: Attempt) -> str:
    """What is the same for all refusals beyond one limit: the parameter, on which side, and who refuses."""
    return f"{parameter.name} {bad.arguments[parameter.name] > good[parameter.name]} {bad.fired}"


def _kind(value: Any) -> str:
    """The type of a value that has an order; empty for others."""
    if type(value) is int:
        return "integer"
    return _LENGTHS.get(len(value), "") if is_time(value) else ""


def _attribute(path: str) -> str:
    """The path without the id of the record."""
    first, *_, last = path.split(".") if "." in path else (path, path)
    return f"{first}.{last}"


def _at(state: State, path: str) -> Any:
    value: Any = state
    for name in path.split("."):
        value = value[name]
    return value
