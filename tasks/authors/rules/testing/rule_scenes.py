"""Scenes in which a rule is at stake: a record edited, a number brought near its limit, something done just before."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from schemas.logic_models import Operation, Rule
from tasks.authors.base import SetupCall
from tasks.authors.rules.spec import State
from tasks.authors.rules.testing.breaks import broken_rules, concerns, names_in
from tasks.authors.rules.testing.edits import Edit, edits_for
from tasks.authors.rules.testing.guards import Attempt, attempt, attempts, go_on
from tasks.authors.rules.testing.scenes import Scene
from tasks.authors.rules.testing.tries import Tries
from tasks.authors.rules.testing.variations import Arguments, Variations, conditions, is_condition
from tasks.runtime.paths import with_values

_VARIED, _CALLS, _STEP_BASES = 12, 2, 2
"""Calls per tool that are tried with other arguments, with edits of the state, and after steps."""
_SAME_EDITS = 2
"""Edits of an attribute that let the same condition refuse a call of a tool."""
_STEPS = 3
"""Steps per tool that are tried before a call, which differ in what they change."""
_SHARING = 10
"""Records of a kind that are made to refer to the same as a call."""
_LIMITS = 8
"""Records of a kind whose numbers are brought near."""

AtStake = tuple[Operation, Scene, Sequence[Attempt]]
"""Calls of a tool that are refused in a scene."""


class RuleScenes:
    """Looks in states that differ a little from one; for rules that are no preconditions."""

    def __init__(self, tries: Tries, state: State) -> None:
        self._tries, self._state = tries, state
        self._tried: dict[str, list[Attempt]] = {}
        self._replaced: dict[str, list[Attempt]] = {}

    def of(self, rule: Rule) -> Iterator[AtStake]:
        """Refused calls of the tools that enforce a rule, the cheaper to find first."""
        operations = [each for each in self._tries.model.operations if rule.id in each.enforces]
        for operation in operations:
            yield operation, Scene(self._state), [each for each in self._varied(operation) if each.is_refusal]
        yield from chain.from_iterable(self._edited(rule, each) for each in operations)
        yield from chain.from_iterable(self._stepped(rule, each) for each in operations)
        settings = ((scene, self._varied) for scene in self.near_limits(rule))
        records = ((scene, self._few) for scene in self._near_records(rule))
        for scene, calls in chain(settings, records):
            for operation in operations:
                given = [each.arguments for each in calls(operation)]
                tried = attempts(self._tries.session, scene.state, operation.name, given)
                yield operation, scene, [each for each in tried if each.is_refusal]

    def near_limits(self, rule: Rule) -> Iterator[Scene]:
        """For each whole number among the settings that a rule names, the state with the smallest that fits it.

        A state may have too few records to come to a limit.
        """
        named = names_in(rule)
        return self._near([f"settings.{name}" for name in self._state.get("settings", {}) if name in named])

    def _near_records(self, rule: Rule) -> Iterator[Scene]:
        """The same for the whole numbers of records."""
        named = names_in(rule)
        return self._near(
            f"{entity.collection}.{key}.{attribute.name}"
            for entity in self._tries.model.entities
            if entity.collection in named
            for attribute in entity.attributes
            if attribute.name in named and attribute.type == "integer"
            for key in list(self._state[entity.collection])[-_LIMITS:]
        )

    def _near(self, paths: Iterable[str]) -> Iterator[Scene]:
        for path in paths:
            present = value_at(self._state, path)
            nearest = self._nearest(path, present) if type(present) is int else present
            if nearest != present:
                yield Scene(self._state).edited({path: nearest})

    def _nearest(self, path: str, present: int) -> int:
        unfit, fit = 0, present
        middle = present - 1  # most numbers that are the sum of others may not be smaller at all
        while fit - unfit > 1:
            is_fit = bool(self._tries.sound(self._state, (path, middle), alone=True))
            unfit, fit = (unfit, middle) if is_fit else (middle, fit)
            middle = (unfit + fit) // 2
        return fit

    def _few(self, operation: Operation) -> list[Attempt]:
        if operation.name not in self._tried:
            self._tried[operation.name] = self._tries.few(operation, self._state)
        return self._tried[operation.name]

    def _varied(self, operation: Operation) -> list[Attempt]:
        """Calls on all kinds of records, each also with one argument replaced."""
        if operation.name not in self._replaced:
            variations = Variations(self._tries.model, self._state, self._tries.rng)
            bases = [each.arguments for each in self._bases(operation)[:_VARIED]]
            calls = [each for base in bases for each in (base, *variations.replaced(operation, base))]
            self._replaced[operation.name] = attempts(self._tries.session, self._state, operation.name, calls)
        return self._replaced[operation.name]

    def _bases(self, operation: Operation) -> list[Attempt]:
        """Calls of a tool, allowed ones first, those on records in different conditions before more of the same."""
        met = Counter[tuple[bool, str]]()
        ranked: list[tuple[int, bool, Attempt]] = []
        for each in self._few(operation):
            kind = each.is_refusal, conditions(self._state, each.arguments)
            ranked.append((met[kind], each.is_refusal, each))
            met[kind] += 1
        return [each for _, _, each in sorted(ranked, key=lambda found: found[:2])]

    def _edited(self, rule: Rule, operation: Operation) -> Iterator[AtStake]:
        """A call that is refused when something that the rule names is different, and does something otherwise.

        Where the edit alone breaks a rule, with another one that mends it.
        """
        seen = Counter[str]()
        for base in self._bases(operation)[:_CALLS]:
            edits = self._edits(rule, base.arguments)
            for edit in self._refusing(rule, operation, base.arguments, edits, seen):
                options = self._tries.sound(self._state, edit, others=edits)
                for scene in (Scene(self._state).edited(given) for given in options):
                    tried = attempt(self._tries.session, scene.state, operation.name, base.arguments)
                    yield operation, scene, [tried] if tried.is_refusal else []

    def _edits(self, rule: Rule, arguments: Arguments) -> list[Edit]:
        """Edits of what the rule names, first those after which a record refers to the same as a call."""
        named = names_in(rule)
        edits = edits_for(self._tries.model, self._state, arguments, rule)
        near = [(path, value) for path, value in edits if path.split(".")[-1] in named]
        return [*self._shared(named, arguments), *near]

    def _shared(self, named: frozenset[str], arguments: Arguments) -> Iterator[Edit]:
        """Edits after which a record refers to what a call names, or to what a record that it names refers to."""
        given = {value for value in arguments.values() if isinstance(value, str)}
        for entity in (each for each in self._tries.model.entities if each.collection in named):
            records = self._state[entity.collection]
            for attribute in (each for each in entity.attributes if each.type == "reference" and each.name in named):
                targets = [key for key in sorted(given) if key in self._state[attribute.to or ""]]
                targets += [records[key][attribute.name] for key in sorted(given) if key in records]
                for key in list(records)[-_SHARING:] if attribute.to != entity.collection else ():
                    now = records[key][attribute.name]
                    yield from (
                        (f"{entity.collection}.{key}.{attribute.name}", target)
                        for target in targets
                        if target is not None and target != now and key not in given
                    )

    def _refusing(
        self, rule: Rule, operation: Operation, arguments: Arguments, edits: Sequence[Edit], seen: Counter[str]
    ) -> Iterator[Edit]:
        """The edits with which a call is refused and would break a rule, whether or not such a state can be."""
        tool, session, named = operation.name, self._tries.session, names_in(rule)
        given = [{path: value} for path, value in edits]
        refused = attempts(session, self._state, tool, [arguments] * len(given), edits=given)
        for number in sorted({number for each in refused if each.is_refusal for number in each.fired}):
            met = [(edit, each) for edit, each in zip(edits, refused, strict=True) if number in each.fired]
            given = [{path: value} for (path, value), _ in met]
            without = attempts(session, self._state, tool, [arguments] * len(given), off=[number], edits=given)
            for (edit, tried), each in zip(met, without, strict=True):
                kind = f"{number} {_kind(edit)}"
                if concerns(each, named) and seen[kind] < _SAME_EDITS:
                    seen[kind] += 1
                    edited = with_values(self._state, dict([edit]))
                    if broken_rules(self._tries, operation, edited, [rule], [tried]):
                        yield edit

    def _stepped(self, rule: Rule, operation: Operation) -> Iterator[AtStake]:
        """An allowed call that is refused after one more on the same records, which changes what the rule names."""
        named = names_in(rule)
        good = [each for each in self._bases(operation) if each.is_success]
        for base in good[:_STEP_BASES]:
            for other in self._tries.model.operations:
                for step in self._steps(other, operation, base.arguments) if named & set(other.writes) else ():
                    attempt(self._tries.session, self._state, other.name, step.arguments)
                    later = self._tries.session.snapshot()
                    second = go_on(self._tries.session, operation.name, base.arguments)
                    setup = SetupCall(tool=other.name, arguments=step.arguments)
                    yield operation, Scene(self._state).after(later, setup), [second] if second.is_refusal else []

    def _steps(self, other: Operation, operation: Operation, arguments: Arguments) -> list[Attempt]:
        """Allowed calls of a tool on the records that a call names, which differ in what they change."""
        pinned = {
            own.name: arguments[each.name]
            for own in other.parameters
            for each in operation.parameters
            if own.type == each.type == "reference" and own.to == each.to and each.name in arguments
        }
        calls = [{**each.arguments, **pinned} for each in self._few(other)] if pinned else []
        different: dict[tuple[str, ...], Attempt] = {}
        for each in attempts(self._tries.session, self._state, other.name, calls):
            if each.is_success:
                different.setdefault(each.touched, each)
        return list(different.values())[:_STEPS]


def value_at(state: Mapping[str, Any], path: str) -> Any:
    """What stands at a path in a state."""
    value: Any = state
    for name in path.split("."):
        value = value[name]
    return value


def _kind(edit: Edit) -> str:
    """What is the same for edits that may do the same: which attribute, and the value where it is a condition."""
    path, value = edit
    first, *_, last = path.split(".") if "." in path else (path, path)
    return f"{first} {last} {value if is_condition(value) else ''}"
