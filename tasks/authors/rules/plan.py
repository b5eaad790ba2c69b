"""From a deed to a reference solution: find the records, then do it, everything executed on the live environment."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from random import Random
from types import MappingProxyType
from typing import Any

from schemas.scenarios import Binding, ReferenceStep
from tasks.authors.rules.describe import Found, known_detail, phrase, with_unit, words_for
from tasks.authors.rules.populate import at_path
from tasks.authors.rules.spec import Deed, Draft, Filter, Finder, FromQuery, Pick, Record, State, Told, Value, World
from tasks.authors.rules.spoken import pick
from tasks.authors.rules.vague import vague_wish
from tasks.sandbox.base import EnvironmentSession

_TRIES_PER_PICK = 6
NEW = "that new "
"""How a task speaks of a record that one of its earlier wishes makes."""
Given = Mapping[str, Found | Told]
"""Slots that are decided already: param -> record or value."""
_NOTHING: Given = MappingProxyType({})


@dataclass(frozen=True)
class Done:
    """A goal that was carried out: how the task asks for it, how it is reported, what the person knows about it."""

    deed: Deed
    asks: str
    reports: str
    vague: str
    """The same wish without any detail."""
    knows: tuple[str, ...]
    """The details, one each: "patient: Anna Smith"."""
    template: str
    """Of `asks`, with slots in braces."""
    words: dict[str, str]
    """Param -> how the task says it."""
    world: World
    """What was chosen, and the state before."""
    step: int
    """Number of its call."""


@dataclass(frozen=True)
class Mark:
    """How far a plan was, as long as nothing but look-ups is added."""

    steps: int
    found: dict[tuple[str, str], Found]


@dataclass
class Plan:
    """A reference solution in the making. Steps were executed in this order, on this session."""

    draft: Draft
    session: EnvironmentSession
    parameters: dict[str, frozenset[str]]
    rng: Random
    state: State
    steps: list[ReferenceStep] = field(default_factory=list)
    results: list[Any] = field(default_factory=list)
    done: list[Done] = field(default_factory=list)
    _found: dict[tuple[str, str], Found] = field(default_factory=dict)
    _touched: set[str] = field(default_factory=set)
    _created: dict[str, tuple[str, Found]] = field(default_factory=dict)
    """Collection -> the tool that made its newest record, and that record."""

    def carry_out(self, deed: Deed, given: Given = _NOTHING) -> bool:
        """Add a deed to the plan: its look-ups and its call. False, and nothing added, when it can't be done.

        What is `given` is taken as it is, as far as it makes sense for the deed.
        """
        mark = self.mark()
        world = World(self.rng, self.state, {}, {})
        bindings: dict[str, Binding] = {}
        words: dict[str, str] = {}
        fits = all(self._fill(slot, deed, world, bindings, words, given) for slot in deed.slots)
        if not fits or changes_nothing(deed, world) or not self._call(deed, world, bindings, words):
            self.back_to(mark)
            return False
        return True

    @contextmanager
    def elsewhere(self) -> "Iterator[Plan]":
        """The same plan on a copy of the state; what is done there happens nowhere else."""
        with self.session.branch() as session:
            yield replace(
                self,
                session=session,
                steps=[*self.steps],
                results=[*self.results],
                done=[*self.done],
                _found={**self._found},
                _touched={*self._touched},
                _created={**self._created},
            )

    def mark(self) -> Mark:
        """How far the plan is."""
        return Mark(len(self.steps), dict(self._found))

    def back_to(self, mark: Mark) -> None:
        """Forget the look-ups since then."""
        del self.steps[mark.steps :], self.results[mark.steps :]
        self._found = dict(mark.found)

    def merge(self, first: int, done: Done) -> None:
        """Let one goal stand for all from this one on."""
        self.done[first:] = [done]

    def is_touched(self, key: str) -> bool:
        """Whether the plan has changed this record; it is then described by nothing any more."""
        return key in self._touched

    def found(self, collection: str, key: str) -> Found | None:
        """A record that was looked up; null where it was not."""
        return self._found.get((collection, key))

    def created(self) -> Mapping[str, tuple[str, Found]]:
        """Collection -> the tool that made its newest record, and that record."""
        return self._created

    def _fill(
        self,
        slot: Pick | Value | FromQuery,
        deed: Deed,
        world: World,
        bindings: dict[str, Binding],
        words: dict[str, str],
        given: Given,
    ) -> bool:
        known = given.get(slot.param)
        if isinstance(slot, Pick):
            found = self._agreed(slot, known, world) if isinstance(known, Found) else self._pick(slot, deed, world)
            if found is None:
                return False
            world.chosen[slot.param], bindings[slot.param], words[slot.param] = found.key, found.binding, found.words
            world.records[slot.param] = self.state[slot.collection][found.key]
            return True
        if isinstance(slot, Value):
            told = known if isinstance(known, Told) else slot.make(world)
            if told is None:
                return False
            world.chosen[slot.param], words[slot.param] = told.value, told.words
            return True
        literals = {param: world.chosen[source] for param, source in slot.arguments if source not in bindings}
        bound = {param: bindings[source] for param, source in slot.arguments if source in bindings}
        step = self.look_up(ReferenceStep(tool=slot.tool, literals=literals, bindings=bound))
        value = at_path(self.results[step], slot.path) if step is not None else None
        if value is None or step is None:
            return False
        world.chosen[slot.param], words[slot.param] = value, slot.words
        bindings[slot.param] = Binding(step=step, path=slot.path)
        return True

    def _agreed(self, slot: Pick, found: Found, world: World) -> Found | None:
        record = self.state[slot.collection].get(found.key)
        return found if record is not None and (slot.where is None or slot.where(record, world)) else None

    def _pick(self, slot: Pick, deed: Deed, world: World) -> Found | None:
        created = self._created.get(slot.collection)
        if created and created[0] in deed.follows:
            return self._agreed(slot, created[1], world)
        fitting = [
            key
            for key, record in self.state[slot.collection].items()
            if key not in self._touched and (slot.where is None or slot.where(record, world))
        ]
        self.rng.shuffle(fitting)
        for key in fitting[:_TRIES_PER_PICK]:
            found = self.find(slot.collection, key)
            if found is not None:
                return found
        return None

    def find(self, collection: str, key: str) -> Found | None:
        """Look a record up the way its description allows; null when no description selects it alone."""
        if (collection, key) in self._found:
            return self._found[collection, key]
        finders = [each for each in self.draft.finders if each.collection == collection]
        fewest = {id(each): (len(each.filters), at) for at, each in enumerate(finders)}
        for finder in sorted(finders, key=lambda each: fewest[id(each)]):
            found = self._find_by(finder, collection, key)
            if found is not None:
                self._found[collection, key] = found
                return found
        return None

    def _find_by(self, finder: Finder, collection: str, key: str) -> Found | None:
        record = self.state[collection][key]
        literals: dict[str, Any] = {}
        bindings: dict[str, Binding] = {}
        words: dict[str, str] = {}
        before = len(self.steps)
        for each in finder.filters:
            if record.get(each.attribute) is None:
                return None
            if each.form == "reference":
                target = self.find(self._target(collection, each), record[each.attribute])
                if target is None:
                    return None
                bindings[each.param], words[each.param] = target.binding, target.words
            else:
                told = words_for(self.draft, collection, each, record)
                literals[each.param], words[each.param] = told.value, told.words
        step = self.look_up(ReferenceStep(tool=finder.tool, literals=literals, bindings=bindings))
        rows = at_path(self.results[step], ("data",)) if step is not None else None
        noun = self.draft.entities[collection].noun
        if step is None or not isinstance(rows, list) or [row.get(noun.key) for row in rows] != [key]:
            del self.steps[before:], self.results[before:]
            self._found = {at: each for at, each in self._found.items() if each.binding.step < before}
            return None
        template = pick(self.rng, finder.says)
        return Found(key, Binding(step=step, path=("data", 0, noun.key)), phrase(template, words))

    def look_up(self, step: ReferenceStep) -> int | None:
        """Number of the step that asks this; a question that was asked since the last change is not asked again."""
        for number in range(len(self.steps) - 1, -1, -1):
            if self.steps[number] == step:
                return number
            if self.steps[number].tool in {each.deed.tool for each in self.done}:
                break
        return self._execute(step)

    def _execute(self, step: ReferenceStep) -> int | None:
        bound = {name: at_path(self.results[each.step], each.path) for name, each in step.bindings.items()}
        result = self.session.step(step.tool, {**step.literals, **bound}).result
        if not isinstance(result, dict) or result.get("success") is not True:
            return None
        self.steps.append(step)
        self.results.append(result)
        return len(self.steps) - 1

    def _call(self, deed: Deed, world: World, bindings: dict[str, Binding], words: dict[str, str]) -> bool:
        takes = self.parameters[deed.tool]
        literals = {name: value for name, value in world.chosen.items() if name in takes and name not in bindings}
        bound = {name: each for name, each in bindings.items() if name in takes}
        number = self._execute(ReferenceStep(tool=deed.tool, literals=literals, bindings=bound))
        if number is None:
            return False
        before, self.state = self.state, self.session.snapshot()
        for many in self.draft.entities:
            changed = [key for key, record in self.state[many].items() if before[many].get(key) != record]
            self._touched.update(changed)
            if many == deed.creates:
                self._remember_created(deed, number, changed[-1])
        self.done.append(self._told(deed, world, words, number))
        return True

    def _told(self, deed: Deed, world: World, words: dict[str, str], number: int) -> Done:
        template = pick(self.rng, deed.asks)
        named = [slot for slot in deed.slots if f"{{{slot.param}}}" in template and not isinstance(slot, FromQuery)]
        new = {param: said for param, said in words.items() if said.startswith(NEW)}
        return Done(
            deed=deed,
            asks=phrase(template, words),
            reports=phrase(deed.reports, words),
            vague=vague_wish(self.draft, deed, template, new),
            knows=tuple(
                known_detail(slot.param, with_unit(slot.param, words[slot.param], deed.asks))
                for slot in named
                if slot.param in words and slot.param not in new
            ),
            template=template,
            words=words,
            world=world,
            step=number,
        )

    def _remember_created(self, deed: Deed, number: int, key: str) -> None:
        noun = self.draft.entities[str(deed.creates)].noun
        binding = Binding(step=number, path=("data", noun.key))
        self._created[noun.many] = (deed.tool, Found(key, binding, f"{NEW}{noun.spoken}"))

    def _target(self, collection: str, each: Filter) -> str:
        attributes = self.draft.entities[collection].attributes
        return next(str(attribute.to) for attribute in attributes if attribute.name == each.attribute)


def changes_nothing(deed: Deed, world: World) -> bool:
    """Whether a picked record holds every value of the wish already: "move the visit on 18 September to 18 September".

    Another time on the same day counts as nothing: the task could not say what is to change.
    """
    values = {slot.param: world.chosen[slot.param] for slot in deed.slots if isinstance(slot, Value)}
    return bool(values) and any(
        all(_holds(record, param, value) for param, value in values.items()) for record in world.records.values()
    )


def _holds(record: Record, param: str, value: Any) -> bool:
    if param == "day" and "day" not in record:
        return bool(str(record.get("start"))[:10] == value)
    return param in record and bool(record[param] == value)
