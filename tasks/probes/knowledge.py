"""What an agent knows: the task, and all that its calls have shown. Argument values are taken from nowhere else."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tasks.probes.agents import Brief
from tasks.probes.texts import TextValues, stems, values_in
from tasks.runtime.arguments import Schema
from tasks.runtime.episode import PlayedCall

_ID = re.compile(r"[A-Z]{1,6}[-_]?\d{2,}")
_YEAR = re.compile(r"(20\d\d)-\d\d-\d\d")
_THIS_YEAR = 2025
"""Where nothing that was seen holds a day."""
_RECORDS_PER_RESULT = 50
_CLOCK = re.compile(r"HH:MM")
_DATE = re.compile(r"YYYY-MM-DD")
_DATE_NAME = re.compile(r"(?:^|_)(?:day|date|on|until|since|due|from)(?:_|$)")
_CENTS = 100


class Knowledge:
    """Learns from every call, and knows for each argument what would fit."""

    def __init__(self, brief: Brief) -> None:
        """Begin with the task alone."""
        self._brief = brief
        self._learned = 0
        self._years: Counter[int] = Counter()
        self.task_stems = stems(brief.task)
        self.by_key: dict[str, dict[Any, None]] = {}
        """Name of a member of a result -> its values, each once, in the order of showing."""
        self.records: list[Mapping[str, Any]] = []
        """Every object that a result showed, once."""
        self._known_records: set[str] = set()
        self.said: TextValues = values_in(brief.task, year=_THIS_YEAR)
        """What the task names."""

    def learn(self, calls: Sequence[PlayedCall]) -> None:
        """Take in the calls that are new."""
        for call in calls[self._learned :]:
            for record in _records_in(call.result.get("data")):
                self._see(record)
        if self._learned < len(calls):
            self._settle_year()
        self._learned = len(calls)

    def fitting(self, name: str, schema: Schema) -> list[Any]:
        """Values for an argument, the likeliest first: from results under its name, from the task, of its type.

        Args:
            name: Of the argument.
            schema: Of the argument.
        """
        values: list[Any] = []
        for option in schema.get("anyOf", [schema]):
            values += self._of_option(name, option, str(schema.get("description", "")))
        return _distinct(values)

    def closeness(self, record: Mapping[str, Any]) -> int:
        """How many words of the task stand in a record."""
        texts = [str(value) for value in record.values() if isinstance(value, str | int | float)]
        return len(stems(" ".join(texts)) & self.task_stems)

    def has_shown(self, value: Any) -> bool:
        """Whether some record holds the value; of a text also as a part of another."""
        return any(
            value == each or (isinstance(value, str) and isinstance(each, str) and value in each)
            for record in self.records
            for each in record.values()
        )

    def _of_option(self, name: str, option: Schema, description: str) -> Iterator[Any]:
        if "enum" in option:
            known = [each for each in option["enum"] if each is not None]
            yield from sorted(known, key=lambda each: not stems(str(each)) & self.task_stems)
            return
        declared = option.get("type", ())
        kinds = [declared] if isinstance(declared, str) else declared
        for kind in kinds:
            match kind:
                case "boolean":
                    yield from (True, False)
                case "integer" | "number":
                    yield from self._numbers(name, is_whole=kind == "integer")
                case "string":
                    yield from self._texts(name, description)
                case "array":
                    yield from ([each] for each in self.fitting(name.removesuffix("s"), option.get("items", {})))
                case "object":
                    yield {}

    def _numbers(self, name: str, *, is_whole: bool) -> Iterator[int | float]:
        scale = _CENTS if name.endswith("_cents") else 1
        for each in self.said.numbers:
            scaled = each * scale
            if not is_whole or float(scaled).is_integer():
                yield int(scaled) if is_whole else scaled
        for each in self._shown(name):
            if type(each) is int or (type(each) is float and not is_whole):
                yield each
        yield 1

    def _texts(self, name: str, description: str) -> Iterator[str]:
        shown = [each for each in self._shown(name) if isinstance(each, str)]
        if name.endswith("_id") or name == "id":
            yield from shown
            return
        has_clock, has_date = _CLOCK.search(description), _DATE.search(description) or _DATE_NAME.search(name)
        if has_clock and has_date:
            yield from shown
            yield from (f"{day}T{time}" for day in self.said.days for time in self.said.times)
        elif has_clock:
            yield from self.said.times
        elif has_date:
            yield from self.said.days
        elif "email" in name:
            yield from self.said.emails
        elif "phone" in name:
            yield from self.said.phones
        else:
            yield from self.said.names
        yield from shown

    def _shown(self, name: str) -> list[Any]:
        """Values under this name; for "from_account_id" and "new_status" those under the shorter names, too."""
        found = list(self.by_key.get(name, ()))
        while not found and "_" in name:
            name = name.split("_", 1)[1]
            found = [] if name == "id" else list(self.by_key.get(name, ()))
        return found

    def _see(self, record: Mapping[str, Any]) -> None:
        text = repr(record)
        if text in self._known_records:
            return
        self._known_records.add(text)
        self.records.append(record)
        for key, value in record.items():
            if isinstance(value, str | int | float):
                self.by_key.setdefault(key, {})[value] = None
            if isinstance(value, str) and (found := _YEAR.match(value)):
                self._years[int(found[1])] += 1

    def _settle_year(self) -> None:
        """Days are named without a year; most of what was seen is of the one that is meant."""
        year = max(self._years, key=lambda each: (self._years[each], each), default=_THIS_YEAR)
        self.said = values_in(self._brief.task, year=year)


def is_id(value: object) -> bool:
    """Whether a value looks like the id of a record."""
    return isinstance(value, str) and _ID.fullmatch(value) is not None


def _records_in(data: Any) -> Iterator[Mapping[str, Any]]:
    """The objects of a result; a plain value is one with the name "value"."""
    if isinstance(data, Mapping):
        yield data
        for inner in data.values():
            if isinstance(inner, list | Mapping):
                yield from _records_in(inner)
    elif isinstance(data, list):
        for each in data[:_RECORDS_PER_RESULT]:
            if isinstance(each, Mapping):
                yield from _records_in(each)
            elif isinstance(each, str | int | float):
                yield {"value": each}


def _distinct(values: list[Any]) -> list[Any]:
    kept: dict[str, Any] = {}
    for each in values:
        kept.setdefault(repr(each), each)  # 1, 1.0 and true are three values
    return list(kept.values())
