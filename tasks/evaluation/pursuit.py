"""Works towards one successful call of a tool that has refused so far.

A good refusal names the record that is in the way. So other tools are tried on that record, and then the same call
again; or the call is made with other records: new ones, or ones in the condition that the refusal asks for.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

from schemas.logic_models import Entity, LogicModel, Operation
from tasks.evaluation.arguments import ArgumentMaker
from tasks.evaluation.explore import Explorer, State
from tasks.evaluation.observed import Observed
from tasks.sandbox.base import Call

_STARTS = 8
_ROUNDS = 40
_TRIES_PER_CHANGE = 3
_CREATE, _FIND, _REDRAW = 0.2, 0.4, 0.6
"""Chances, added up: to make a new record for the call, to find one that fits, to draw others; else one is changed."""
_STAY = 0.9
"""Chance to change the record that a refusal names beside those of the call, rather than any of the above."""
_FITTING, _TOLD, _HELPED = 5, 5, 5
"""How much more often a tool is tried that takes the record in the way, that the refusal seems to speak of, and that
was of help against such a refusal before."""
_STEM = 4
_SPEAKS = 0.5
_NEWEST = 10
_TOKEN = re.compile(r"[\w-]+")
_WORD = re.compile(r"[^\W_]+")


@dataclass
class Pursuit:
    """The search for one successful call. Everything that it calls is remembered by the explorer."""

    operation: Operation
    explorer: Explorer
    maker: ArgumentMaker
    model: LogicModel
    rng: Random
    _helped: Counter[tuple[str, str]] = field(default_factory=Counter)
    """(Tool, kind of refusal) -> how often the refusal was another one after the tool had succeeded."""

    def run(self) -> Observed | None:
        """The successful call; null when some hundred tries did not lead to one."""
        states = self.explorer.record.states
        needed = [self.maker.target(each) for each in self.operation.parameters if each.required]
        filled = [digest for digest, state in states.items() if all(state[name] for name in needed if name is not None)]
        reached = filled or list(states)
        for number in range(_STARTS):
            self.explorer.go_to(reached[0] if number == 0 else self.rng.choice(reached))
            arguments, error, helper = self._arguments(newest=()), "", None
            for _ in range(_ROUNDS):
                seen = self._call(self.operation, arguments)
                if seen.outcome == "success":
                    return seen
                if helper is not None and seen.error != error:
                    self._helped[helper, _kind(error)] += 1
                error = seen.error or ""
                arguments, helper = self._next(arguments, error)
        return None

    def _next(self, arguments: dict[str, Any], error: str) -> tuple[dict[str, Any], str | None]:
        """Do something about a refusal; the arguments to go on with, and the tool that changed something for them."""
        named, obstacle = self._obstacle(error, arguments)
        targets = [target for each in self.operation.parameters if (target := self.maker.target(each)) is not None]
        roll = 1.0 if named and self.rng.random() < _STAY else self.rng.random()
        if targets and roll < _CREATE:
            created = self.rng.choice(targets)
            self._try(self._creators(created), {})
            return self._arguments(newest=(created,)), None
        if roll < _FIND and (found := self._fitting(error, arguments, targets)) is not None:
            digest, collection, key = found
            self.explorer.go_to(digest)
            state = self.explorer.state
            return self.maker.draw(self.operation, state, optional=0.5, chosen={collection: key}), None
        if obstacle is None or roll < _REDRAW:
            return self._arguments(newest=()), None
        return arguments, self._try(self._others(), dict([obstacle]), error)

    def _arguments(self, *, newest: tuple[str, ...]) -> dict[str, Any]:
        """New arguments, with the newest record of each of these collections."""
        keys = {name: next(reversed(self.explorer.state[name]), "") for name in newest}
        return self.maker.draw(self.operation, self.explorer.state, optional=0.5, chosen=keys)

    def _others(self) -> list[Operation]:
        return [each for each in self.model.operations if each.kind == "state_change" and each != self.operation]

    def _fitting(self, error: str, arguments: Mapping[str, Any], targets: list[str]) -> tuple[str, str, str] | None:
        """State, collection and id of a record with a value that the refusal speaks of: "needs one that is on hold".

        What the refused record has is not what the refusal asks for. Newer places come up more often: the records of
        the initial states may all be used up.
        """
        text, found = _plain(error), []
        for (collection, name, value), places in self.explorer.record.conditions.items():
            if collection in targets and _plain(value) in text:
                records = self.explorer.state[collection]
                if all(records[key].get(name) != value for key in arguments.values() if _is_in(key, records)):
                    found.append((collection, places))
        if not found:
            return None
        collection, places = self.rng.choice(found)
        digest, key = self.rng.choice(places[-_NEWEST:] if self.rng.random() < 1 / 2 else places)
        return digest, collection, key

    def _spoken(self, error: str, state: State, collection: str) -> Iterator[tuple[str, dict[str, str]]]:
        """Ids of the records with an enum value that a text speaks of, and these values by attribute."""
        text = _plain(error)
        names = [each.name for each in self.maker.entities[collection].attributes if each.type == "enum"]
        for key, record in state[collection].items():
            spoken = {name: record[name] for name in names if record.get(name) and _plain(record[name]) in text}
            if spoken:
                yield key, spoken

    def _creators(self, collection: str) -> list[Operation]:
        """The other operations that were seen to add a record to a collection."""
        states = self.explorer.record.states
        seen = {
            each.call.tool
            for each in self.explorer.record.observed
            if each.is_change
            and each.before in states
            and each.after in states
            and len(states[each.after][collection]) > len(states[each.before][collection])
        }
        return [each for each in self._others() if each.name in seen]

    def _obstacle(self, error: str, arguments: Mapping[str, Any]) -> tuple[bool, tuple[str, str] | None]:
        """Whether a refusal names another record than the call does, and the record that is most likely in the way.

        The record is one that the refusal names, else one that it speaks of, else one that the call names, else null.
        """
        own = [value for value in arguments.values() if isinstance(value, str)]
        words = [word for word in dict.fromkeys(_TOKEN.findall(error)) if word not in own]
        named = [(each.collection, key) for each in self.model.entities for key in words if self._exists(each, key)]
        records = named
        if not records and self.rng.random() < _SPEAKS:
            records = self._most_spoken(error)
        if not records:
            records = [(each.collection, key) for each in self.model.entities for key in own if self._exists(each, key)]
        return bool(named), self.rng.choice(records) if records else None

    def _most_spoken(self, error: str) -> list[tuple[str, str]]:
        """The records of which a refusal speaks with the most values: "The engine is off"."""
        spoken = [
            (len(values), (entity.collection, key))
            for entity in self.model.entities
            for key, values in self._spoken(error, self.explorer.state, entity.collection)
        ]
        most = max((count for count, _ in spoken), default=0)
        return [record for count, record in spoken if count == most]

    def _exists(self, entity: Entity, key: str) -> bool:
        return key in self.explorer.state[entity.collection]

    def _try(self, operations: list[Operation], chosen: Mapping[str, str], error: str = "") -> str | None:
        """Call one of these operations on the chosen records; the one that succeeded, null when none of some tries did.

        A tool that takes one of the records, or whose name shares a word with the last refusal, is tried more often.
        """
        for _ in range(_TRIES_PER_CHANGE if operations else 0):
            other = self.rng.choices(operations, [self._weight(each, chosen, error) for each in operations])[0]
            arguments = self.maker.draw(other, self.explorer.state, optional=0.3, chosen=chosen)
            seen = self._call(other, arguments)
            if seen.outcome == "success":
                return other.name
            error = seen.error or error
        return None

    def _weight(self, operation: Operation, chosen: Mapping[str, str], error: str) -> int:
        is_fitting = any(self.maker.target(parameter) in chosen for parameter in operation.parameters)
        is_told = bool(_stems(operation.name) & _stems(error))
        helped = self._helped[operation.name, _kind(error)]
        return (_FITTING if is_fitting else 1) * (_TOLD if is_told else 1) * (1 + _HELPED * helped)

    def _call(self, operation: Operation, arguments: dict[str, Any]) -> Observed:
        seen = self.explorer.call("sequence", Call(operation.name, arguments))
        self.maker.hints.learn(operation, arguments, seen.error)
        return seen


def _is_in(key: Any, records: Mapping[str, Any]) -> bool:
    return isinstance(key, str) and key in records


def _plain(text: str) -> str:
    """Its words, in lower case, each between blanks."""
    return f" {' '.join(_WORD.findall(text.lower()))} "


def _kind(error: str) -> str:
    """A refusal without the words that hold digits: ids, dates, amounts."""
    return " ".join(word for word in error.split() if not any(letter.isdigit() for letter in word))


def _stems(text: str) -> set[str]:
    """Beginnings of the longer words of a name or sentence."""
    return {word[:_STEM] for word in _WORD.findall(text.lower()) if len(word) >= _STEM}
