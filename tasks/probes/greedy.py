"""The agent that goes by words: the tools and values that the task names, looked up before anything is written."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tasks.probes.agents import Brief, Final
from tasks.probes.knowledge import Knowledge, is_id
from tasks.probes.reports import report_on
from tasks.probes.texts import stems
from tasks.runtime.arguments import Schema, problem_with
from tasks.runtime.episode import PlayedCall
from tasks.sandbox.base import Call

_LOOKING = frozenset({
    "browse", "check", "compare", "count", "describe", "fetch", "find", "get", "list", "look", "lookup", "preview",
    "quote", "read", "retrieve", "search", "show", "track", "verify", "view",
})  # fmt: skip
"""How the name of a tool begins that changes nothing. An agent is not told which tools do."""
_MOST_LOOKUPS = 5
_FOR_WRITES = 2
"""Calls that are left for changes."""
_AS_CLEAR = 0.75
"""A further change is made where its tool matches this well, compared to the best one."""
_TRIES = 2
"""Changes that are tried after the first refusal."""
_SAID_IN_NAME = 2.0


class Greedy:
    """Looks up what the task names, makes the change whose tool matches best, and says what it has found.

    Nothing in it is drawn: it plays a scenario in one way.
    """

    def __init__(self, brief: Brief) -> None:
        """Rank the tools."""
        self._brief, self._known = brief, Knowledge(brief)
        ranks = _ranks(brief)
        ordered = sorted(brief.schemas, key=lambda name: (-ranks[name], name))
        self._lookups = [name for name in ordered if name.split("_")[0] in _LOOKING]
        writes = [name for name in ordered if name.split("_")[0] not in _LOOKING and ranks[name] > 0]
        best = ranks[writes[0]] if writes else 0.0
        self._writes = [name for name in writes if ranks[name] >= _AS_CLEAR * best]
        self._tried: set[str] = set()
        self._lookup_count = self._write_count = self._refusals = 0

    def act(self, seen: Sequence[PlayedCall], calls_left: int) -> Sequence[Call] | Final:
        """See `Agent`."""
        self._known.learn(seen)
        call = self._lookup() if calls_left > _FOR_WRITES and self._lookup_count < _MOST_LOOKUPS else None
        if call is not None:
            self._lookup_count += 1
        elif calls_left:
            call = self._write(seen)
        if call is None:
            return Final(report_on([each for each in seen if each.outcome != "invalid"][-_MOST_LOOKUPS:]))
        self._tried.add(repr(call))
        return (call,)

    def _lookup(self) -> Call | None:
        """The best look-up that was not made yet and is about something that the task names."""
        for tool in self._lookups:
            for arguments in self._filled(tool):
                call = Call(tool, arguments)
                if any(map(self._is_worth_a_look, arguments.values())) and repr(call) not in self._tried:
                    return call
        return None

    def _is_worth_a_look(self, value: Any) -> bool:
        """Whether the task names it and no record shows it yet, or it leads from one record to others."""
        return is_id(value) or (self._is_said(value) and not self._known.has_shown(value))

    def _write(self, seen: Sequence[PlayedCall]) -> Call | None:
        """The best change that was not tried yet, until one is refused too often or all that match are made."""
        if self._write_count and seen[-1].outcome != "done":
            self._refusals += 1
        elif self._write_count:
            self._writes = self._writes[1:]
        if self._refusals > _TRIES:
            return None
        for tool in self._writes:
            for arguments in self._filled(tool):
                call = Call(tool, arguments)
                if repr(call) not in self._tried:
                    self._write_count += 1
                    return call
        return None

    def _filled(self, tool: str) -> Iterator[dict[str, Any]]:
        """Arguments for a tool, the likeliest first; one value is exchanged at a time."""
        schema = self._brief.schemas[tool]
        properties: Mapping[str, Schema] = schema.get("properties", {})
        choices: dict[str, list[Any]] = {}
        for name, declared in properties.items():
            values = self._ordered(name, self._known.fitting(name, declared))
            if name in schema.get("required", ()):
                choices[name] = values
            elif grounded := [each for each in values if self._is_grounded(each)]:
                choices[name] = grounded
        if not all(choices.values()):
            return
        first = {name: values[0] for name, values in choices.items()}
        others = ({**first, name: value} for name, values in choices.items() for value in values[1:])
        for arguments in (first, *others):
            if problem_with(arguments, schema) is None:
                yield arguments

    def _ordered(self, name: str, values: list[Any]) -> list[Any]:
        """Ids of the records that share most words with the task first."""
        if not any(map(is_id, values)):
            return values
        closeness: dict[Any, int] = {}
        for record in self._known.records:
            for key, value in record.items():
                if isinstance(value, str) and (key == name or name.endswith(f"_{key}")):
                    closeness[value] = max(closeness.get(value, 0), self._known.closeness(record))
        return sorted(values, key=lambda each: -closeness.get(each, 0))

    def _is_grounded(self, value: Any) -> bool:
        """Whether an optional argument has a reason: the task says its value, or it names a record that fits."""
        if is_id(value):
            return any(value in record.values() and self._known.closeness(record) > 1 for record in self._known.records)
        return self._is_said(value)

    def _is_said(self, value: Any) -> bool:
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            return False
        said = self._known.said
        if isinstance(value, str) and value in (*said.names, *said.days, *said.times, *said.emails, *said.phones):
            return True
        words = stems(str(value))
        return bool(words) and words <= self._known.task_stems


def _ranks(brief: Brief) -> dict[str, float]:
    """How well each tool matches the task: shared words, rare ones for more, those in its name for most."""
    task = stems(brief.task)
    texts = {name: stems(f"{name} {brief.descriptions.get(name, '')}") for name in brief.schemas}
    frequency = Counter(word for words in texts.values() for word in words)
    ranks: dict[str, float] = {}
    for name, words in texts.items():
        in_name = stems(name)
        shared = sorted(words & task)
        weights = (math.log(1 + len(texts) / frequency[w]) * (_SAID_IN_NAME if w in in_name else 1) for w in shared)
        ranks[name] = sum(weights)
    return ranks
