"""Cases for the conditions that refuse calls: for each a call that nothing else refuses."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from schemas.logic_models import Operation
from tasks.authors.base import SetupCall, TestCase
from tasks.authors.rules.testing.edge_cases import EdgeCases
from tasks.authors.rules.testing.edits import Edit, edits_for
from tasks.authors.rules.testing.guards import Attempt, attempt, attempts, in_turn
from tasks.authors.rules.testing.rule_cases import RuleCases
from tasks.authors.rules.testing.scenes import Scene, refused_case
from tasks.authors.rules.testing.tries import Tries
from tasks.authors.rules.testing.variations import Arguments, conditions

_SAME = 3
"""Refusals by the same conditions that are tried without one of them."""
_BASES, _EDITED_BASES, _STEP_BASES = 3, 6, 2
_EDITS_TRIED, _TWO_EDITS_TRIED = 5, 2
"""Edits under which the same conditions refuse a call that are looked at, per call; and with a second edit each."""
_STEPS_TRIED = 2
"""Allowed calls of another tool that are tried before a call, per tool."""
_OTHERS = 2
"""Refusals, per tool, by several conditions of which none alone is to blame."""
_UNFIT = "It has an argument that does not fit the plan."


class GuardCases:
    """Looks for the cases of one tool at a time."""

    def __init__(self, tries: Tries, rules: RuleCases) -> None:
        self._tries = tries
        self._rules = rules
        self._edges = EdgeCases(tries, rules)
        self._done: set[int] = set()
        """Conditions that have a case."""

    def of(
        self, operation: Operation, scene: Scene, successes: Sequence[Attempt], refusals: Sequence[Attempt]
    ) -> Iterator[TestCase]:
        """Refused calls, two at least.

        Args:
            operation: The tool.
            scene: What the cases start from.
            successes: Calls that are allowed in it.
            refusals: Calls that are refused in it.
        """
        cases = [
            *self._alone(operation, scene, successes, refusals),
            *self._edited(operation, scene, successes),
            *self._stepped(operation, scene, successes),
        ]
        told = {str(each.arguments) for each in cases}
        others = {each.fired: each for each in reversed(refusals) if str(each.arguments) not in told}
        cases += [
            refused_case(scene, each) for each in list(others.values())[:_OTHERS] if not set(each.fired) <= self._done
        ]
        yield from cases
        if len(cases) < 2:
            yield from _unfit(operation, scene, refusals[0].arguments if refusals else {}, 2 - len(cases))

    def _is_open(self, operation: Operation) -> bool:
        return not self._tries.guards[operation.name] <= self._done

    def _alone(
        self, operation: Operation, scene: Scene, successes: Sequence[Attempt], refusals: Sequence[Attempt]
    ) -> Iterator[TestCase]:
        """A refused call for every condition without which it would succeed."""
        counts: Counter[tuple[int, ...]] = Counter()
        bases = [each.arguments for each in _bases(scene, successes)[:_BASES]]
        for each in sorted(refusals, key=lambda each: _distance(each.arguments, bases)):
            counts[each.fired] += 1
            if counts[each.fired] <= _SAME and self._is_to_blame(scene, each, {}):
                yield from self._rules.cases(operation, scene, each)

    def _is_to_blame(self, scene: Scene, refused: Attempt, given: dict[str, Any]) -> bool:
        """Whether a condition without a case refused a call that would succeed without it; it then has one."""
        for number in refused.fired:
            if number not in self._done:
                off = attempts(
                    self._tries.session, scene.state, refused.tool, [refused.arguments], off=[number], edits=[given]
                )[0]
                if not off.is_refusal:  # it may also raise: the condition was there for that
                    self._done.update(refused.fired)
                    return True
        return False

    def _edited(self, operation: Operation, scene: Scene, successes: Sequence[Attempt]) -> Iterator[TestCase]:
        """An allowed call that is refused by one of the other conditions when the state is a little different."""
        for good in _bases(scene, successes)[: 0 if scene.setup else _EDITED_BASES]:
            if not self._is_open(operation):
                return
            edits = list(edits_for(self._tries.model, scene.state, good.arguments))
            given = [{path: value} for path, value in edits]
            tried = attempts(
                self._tries.session, scene.state, operation.name, [good.arguments] * len(edits), edits=given
            )
            counts: Counter[tuple[int, ...]] = Counter()
            unsound: list[tuple[Edit, Attempt]] = []
            for edit, each in zip(edits, tried, strict=True):
                if each.is_refusal and not set(each.fired) <= self._done and counts[each.fired] < _EDITS_TRIED:
                    counts[each.fired] += 1
                    found = list(self._sound_cases(operation, scene, good, edit))
                    unsound += [] if found else [(edit, each)]
                    yield from found
            yield from self._twice_edited(operation, scene, good, unsound)

    def _sound_cases(self, operation: Operation, scene: Scene, good: Attempt, edit: Edit) -> Iterator[TestCase]:
        """The case of a call that is refused on an edited state, where such a state can be; at an edge both cases."""
        edge = self._edges.around(operation, scene, good, edit)
        if edge is not None:
            self._done.update(edge[1].fired)
            yield from edge[0]
            return
        for given in self._tries.sound(scene.state, edit, alone=True):
            yield from self._refused_when(operation, scene, good, given)

    def _twice_edited(
        self, operation: Operation, scene: Scene, good: Attempt, unsound: Sequence[tuple[Edit, Attempt]]
    ) -> Iterator[TestCase]:
        """The same with a second edit, where the first alone breaks a rule: an account must be empty to be closed."""
        counts: Counter[tuple[int, ...]] = Counter()
        for edit, each in unsound:
            if set(each.fired) <= self._done or counts[each.fired] >= _TWO_EDITS_TRIED:
                continue
            counts[each.fired] += 1
            for given in self._tries.sound(scene.state, edit):
                found = list(self._refused_when(operation, scene, good, given))
                yield from found
                if found:
                    break

    def _refused_when(
        self, operation: Operation, scene: Scene, good: Attempt, given: dict[str, Any]
    ) -> Iterator[TestCase]:
        refused = attempts(self._tries.session, scene.state, operation.name, [good.arguments], edits=[given])[0]
        if refused.is_refusal and self._is_to_blame(scene, refused, given):
            yield from self._rules.cases(operation, scene.edited(given), refused)

    def _stepped(self, operation: Operation, scene: Scene, successes: Sequence[Attempt]) -> Iterator[TestCase]:
        """An allowed call that is refused after one more call on the same records."""
        for good in _bases(scene, successes)[:_STEP_BASES]:
            for other in (each for each in self._tries.model.operations if each.kind == "state_change"):
                if not self._is_open(operation):
                    return
                for step in self._steps(other, scene, good.arguments):
                    calls = [(other.name, step), (operation.name, good.arguments)]
                    _, second = in_turn(self._tries.session, scene.state, calls)
                    if second.is_refusal and not set(second.fired) <= self._done:
                        attempt(self._tries.session, scene.state, other.name, step)
                        setup = SetupCall(tool=other.name, arguments=step)
                        later = scene.after(self._tries.session.snapshot(), setup)
                        if self._is_to_blame(later, second, {}):
                            yield from self._rules.cases(operation, later, second)

    def _steps(self, other: Operation, scene: Scene, base: Arguments) -> list[Arguments]:
        """Calls of a tool that are allowed, on records that a call names, or that these refer to."""
        near = _near(self._tries.model.entities, scene.state, base)
        pins = [
            (each.name, key) for each in other.parameters if each.type == "reference" for key in near[each.to or ""]
        ]
        sensible = self._tries.sensible(other, scene.state)[:_STEPS_TRIED] if pins else []
        calls = [{**each, name: key} for name, key in pins for each in sensible]
        tried = attempts(self._tries.session, scene.state, other.name, calls)
        return [each.arguments for each in tried if each.is_success][:_STEPS_TRIED]


def _near(entities: Sequence[Any], state: dict[str, Any], base: Arguments) -> dict[str, list[str]]:
    """Collection -> ids of the records that a call names, and of those that these refer to."""
    near: dict[str, list[str]] = {each.collection: [] for each in entities}
    for entity in entities:
        for key in (value for value in base.values() if isinstance(value, str) and value in state[entity.collection]):
            near[entity.collection].append(key)
            for attribute in entity.attributes:
                value = state[entity.collection][key].get(attribute.name)
                if attribute.type == "reference" and value is not None:
                    near[attribute.to].append(value)
    return near


def _bases(scene: Scene, successes: Sequence[Attempt]) -> list[Attempt]:
    """The same, first one of each kind: on records in other conditions, or with other arguments given."""
    met, given = Counter[str](), Counter[str]()
    ranked: list[tuple[int, int, Attempt]] = []
    for each in successes:
        told, shape = conditions(scene.state, each.arguments), str(sorted(each.arguments))
        ranked.append((met[told], given[shape], each))
        met[told] += 1
        given[shape] += 1
    return [each for _, _, each in sorted(ranked, key=lambda found: found[:2])]


def _distance(arguments: Arguments, bases: Sequence[Arguments]) -> int:
    """In how many arguments a call differs from the nearest of others."""
    return min(
        (sum(arguments.get(name) != base.get(name) for name in {**arguments, **base}) for base in bases), default=0
    )


def _unfit(operation: Operation, scene: Scene, given: Arguments, count: int) -> Iterator[TestCase]:
    unfit = [{**given, each.name: {"a": "record"}} for each in operation.parameters]
    unfit += [{**given, "unheard_of": number} for number in (1, 2)]
    for arguments in unfit[:count]:
        yield refused_case(scene, Attempt(operation.name, arguments, {}, ()), why=_UNFIT)
