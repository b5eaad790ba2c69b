"""From a deed to a reference solution: find the records, then do it, everything executed on the live environment."""

import re
from dataclasses import dataclass, field
from random import Random
from typing import Any

from schemas.scenarios import Binding, ReferenceStep
from tasks.authors.rules.nouns import with_article
from tasks.authors.rules.populate import at_path
from tasks.authors.rules.spec import Deed, Draft, Filter, Finder, FromQuery, Pick, Record, State, Value, World
from tasks.authors.rules.spoken import day_words, euro_words, pick
from tasks.sandbox.base import EnvironmentSession

_TRIES_PER_PICK = 6


@dataclass(frozen=True)
class Found:
    """A record, where an earlier result holds its id, and how the task describes it."""

    key: str
    binding: Binding
    words: str


@dataclass(frozen=True)
class Done:
    """A deed that was carried out: how the task asks for it and how it is reported."""

    deed: Deed
    asks: str
    reports: str


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

    def carry_out(self, deed: Deed) -> bool:
        """Add a deed to the plan: its look-ups and its call. False, and nothing added, when it can't be done."""
        before = (len(self.steps), dict(self._found))
        world = World(self.rng, self.state, {}, {})
        bindings: dict[str, Binding] = {}
        words: dict[str, str] = {}
        fits = all(self._fill(slot, deed, world, bindings, words) for slot in deed.slots)
        if not fits or not self._call(deed, world, bindings, words):
            del self.steps[before[0] :], self.results[before[0] :]
            self._found = before[1]
            return False
        return True

    def _fill(
        self,
        slot: Pick | Value | FromQuery,
        deed: Deed,
        world: World,
        bindings: dict[str, Binding],
        words: dict[str, str],
    ) -> bool:
        if isinstance(slot, Pick):
            found = self._pick(slot, deed, world)
            if found is None:
                return False
            world.chosen[slot.param], bindings[slot.param], words[slot.param] = found.key, found.binding, found.words
            world.records[slot.param] = self.state[slot.collection][found.key]
            return True
        if isinstance(slot, Value):
            told = slot.make(world)
            if told is None:
                return False
            world.chosen[slot.param], words[slot.param] = told.value, told.words
            return True
        literals = {param: world.chosen[source] for param, source in slot.arguments if source not in bindings}
        bound = {param: bindings[source] for param, source in slot.arguments if source in bindings}
        step = self._look_up(ReferenceStep(tool=slot.tool, literals=literals, bindings=bound))
        value = at_path(self.results[step], slot.path) if step is not None else None
        if value is None or step is None:
            return False
        world.chosen[slot.param], words[slot.param] = value, slot.words
        bindings[slot.param] = Binding(step=step, path=slot.path)
        return True

    def _pick(self, slot: Pick, deed: Deed, world: World) -> Found | None:
        created = self._created.get(slot.collection)
        if created and created[0] in deed.follows:
            record = self.state[slot.collection][created[1].key]
            return created[1] if slot.where is None or slot.where(record, world) else None
        fitting = [
            key
            for key, record in self.state[slot.collection].items()
            if key not in self._touched and (slot.where is None or slot.where(record, world))
        ]
        self.rng.shuffle(fitting)
        for key in fitting[:_TRIES_PER_PICK]:
            found = self._find(slot.collection, key)
            if found is not None:
                return found
        return None

    def _find(self, collection: str, key: str) -> Found | None:
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
                target = self._find(self._target(collection, each), record[each.attribute])
                if target is None:
                    return None
                bindings[each.param], words[each.param] = target.binding, target.words
            else:
                literals[each.param], words[each.param] = self._said(collection, each, record)
        step = self._look_up(ReferenceStep(tool=finder.tool, literals=literals, bindings=bindings))
        rows = at_path(self.results[step], ("data",)) if step is not None else None
        noun = self.draft.entities[collection].noun
        if step is None or not isinstance(rows, list) or [row.get(noun.key) for row in rows] != [key]:
            del self.steps[before:], self.results[before:]
            self._found = {at: each for at, each in self._found.items() if each.binding.step < before}
            return None
        template = pick(self.rng, finder.says)
        return Found(key, Binding(step=step, path=("data", 0, noun.key)), template.format(**words))

    def _look_up(self, step: ReferenceStep) -> int | None:
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
        said = {name: each for name, each in words.items() if f"{{{name}}}" in deed.reports}
        asks = _with_articles(pick(self.rng, deed.asks).format(**words))
        self.done.append(Done(deed, asks, deed.reports.format(**said)))
        return True

    def _remember_created(self, deed: Deed, number: int, key: str) -> None:
        noun = self.draft.entities[str(deed.creates)].noun
        binding = Binding(step=number, path=("data", noun.key))
        self._created[noun.many] = (deed.tool, Found(key, binding, f"that new {noun.spoken}"))

    def _target(self, collection: str, each: Filter) -> str:
        attributes = self.draft.entities[collection].attributes
        return next(str(attribute.to) for attribute in attributes if attribute.name == each.attribute)

    def _said(self, collection: str, each: Filter, record: Record) -> tuple[Any, str]:
        """A filter's value, and how the task says it."""
        value = record[each.attribute]
        attribute = next(a for a in self.draft.entities[collection].attributes if a.name == each.attribute)
        if each.form == "day":
            return value[:10], day_words(value[:10])
        if attribute.type == "date":
            return value, day_words(value)
        if attribute.type == "enum":
            return value, value.replace("_", " ")
        if each.attribute.endswith("_cents"):
            return value, euro_words(value)
        return value, str(value)


def _with_articles(text: str) -> str:
    """ "a investment consultation" -> "an investment consultation"."""
    return re.sub(r"\ban? (?=(\w+))", lambda found: with_article(found.group(1)).removesuffix(found.group(1)), text)
