"""Arguments that are likely to be accepted: drawn from the declared types and from the records of a state.

Nothing here knows what a tool does. What makes a draw likely is context: ids that exist, records that belong together,
dates around the environment's clock, numbers that stand somewhere in the chosen records.
"""

import math
import re
from collections.abc import Callable, Mapping
from datetime import MAXYEAR, MINYEAR, datetime, timedelta
from random import Random
from typing import Any

from schemas.logic_models import Attribute, Entity, LogicModel, Operation, Parameter
from tasks.evaluation.hints import Hints
from tasks.evaluation.states import is_date, is_moment
from tasks.evaluation.texts import example_in, invented_text

State = Mapping[str, Any]
Record = Mapping[str, Any]

_DAY_OFFSETS = (0, 1, 2, 3, 5, 7, 10, 14, 21, 30, 60, 120, -1, -7, -30, -400)
_SMALL = (1, 2, 3, 4, 5, 10, 12, 20, 25, 30, 45, 50, 60, 90, 100, 250, 1000)
_HOURS = range(8, 18)
_MINUTES = (0, 0, 15, 30, 30, 45)
_FIRST_YEARS = (MINYEAR, MINYEAR + 1)
_RECENT = 3
_HINT = 0.4
_AFFIXES = re.compile(r"^(new|from|to|min|max|old)_|_(contains|from|to|query|text|prefix)$")


def _words(name: str) -> str:
    return name.replace("_", " ")


class ArgumentMaker:
    """Draws arguments for operations of one logic model. The same seed draws the same arguments."""

    def __init__(self, model: LogicModel, rng: Random) -> None:
        self._model = model
        self._rng = rng
        self.hints = Hints()
        """What the calls so far have said. Whoever makes a call lets it learn."""
        self.entities: Mapping[str, Entity] = {entity.collection: entity for entity in model.entities}

    def draw(
        self, operation: Operation, state: State, *, optional: float, chosen: Mapping[str, str] | None = None
    ) -> dict[str, Any]:
        """Arguments for one call on this state.

        Args:
            operation: What is to be called.
            state: The valid state that the call will meet; it is only read.
            optional: Chance of each optional parameter to be given, 0 to 1.
            chosen: Collection -> id; the first parameter that points into the collection is given this id.
        """
        draw = _Draw(self, self._rng, operation, state)
        fixed = {
            parameter.name: key
            for collection, key in (chosen or {}).items()
            for parameter in operation.parameters
            if self.target(parameter) == collection
        }
        given = [
            each
            for each in operation.parameters
            if each.required or each.name in fixed or self._rng.random() < optional
        ]
        return draw.arguments(given, fixed)

    def target(self, parameter: Parameter) -> str | None:
        """The collection whose ids a parameter takes, declared or by its name or description; null for other values."""
        if parameter.type == "reference":
            return parameter.to
        if parameter.type != "string":
            return None
        for entity in self._model.entities:
            if entity.key == parameter.name or f"id of the {_words(entity.name)}" in parameter.description.lower():
                return entity.collection
        alike = (each for entity in self._model.entities for each in entity.attributes if each.name == parameter.name)
        return next((each.to for each in alike if each.type == "reference"), None)

    def like(
        self, operation: Operation, parameter: Parameter, kind: str, state: State
    ) -> tuple[Attribute | None, list[Any]]:
        """The attribute that a parameter is most likely about, and its values in the state that are not null.

        Looked for in what the operation writes, then in what it reads, then anywhere; "name" also finds "full_name".
        """
        bare = _AFFIXES.sub("", parameter.name)
        order = dict.fromkeys((*operation.writes, *operation.reads, *self.entities))
        for entity in (self.entities[name] for name in order if name in self.entities):
            for attribute in entity.attributes:
                is_alike = attribute.name in (parameter.name, bare) or attribute.name.endswith(f"_{bare}")
                if is_alike and attribute.type == kind:
                    values = [record.get(attribute.name) for record in records_in(state, entity.collection).values()]
                    return attribute, [value for value in values if value is not None]
        return None, []


class _Draw:
    """One draw of arguments; what was chosen first guides what is chosen next."""

    def __init__(self, maker: ArgumentMaker, rng: Random, operation: Operation, state: State) -> None:
        self._maker, self._entities, self._rng = maker, maker.entities, rng
        self._operation, self._state = operation, state
        self._chosen: list[tuple[Entity, Record]] = []
        self._makers: Mapping[str, Callable[[Parameter], Any]] = {
            "string": self._string,
            "integer": self._integer,
            "number": self._number,
            "boolean": lambda parameter: rng.random() < 0.5,
            "date": lambda parameter: self._date(parameter).isoformat()[:10],
            "datetime": lambda parameter: self._clock_text(self._date(parameter)),
            "enum": self._enum,
            "list": self._list,
        }

    def arguments(self, parameters: list[Parameter], fixed: Mapping[str, str]) -> dict[str, Any]:
        # Records first, those that are given before those that are drawn: they guide the other values.
        targets = {parameter.name: self._maker.target(parameter) for parameter in parameters}
        ordered = sorted(parameters, key=lambda each: (each.name not in fixed, targets[each.name] is None))
        values: dict[str, Any] = {}
        for parameter in ordered:
            target = targets[parameter.name]
            hints = self._maker.hints.of(self._operation, parameter)
            if target is None and hints and self._rng.random() < _HINT:
                values[parameter.name] = self._hinted(hints)
            elif target is None:
                values[parameter.name] = self._makers[parameter.type](parameter)
            else:
                values[parameter.name] = self._pick(target, fixed.get(parameter.name))
        for kind in ("date", "datetime"):  # a start before its end
            names = [parameter.name for parameter in parameters if parameter.type == kind]
            moments = sorted(values[name] for name in names)
            values |= dict(zip(names, moments, strict=True))
        return {parameter.name: values[parameter.name] for parameter in parameters}

    def _hinted(self, hints: list[Any]) -> Any:
        """One of the values that a refusal named, or a whole number between two of them."""
        numbers = [value for value in hints if type(value) is int]
        if len(numbers) > 1 and self._rng.random() < 0.3:
            return self._rng.randint(min(numbers), max(numbers))
        return self._rng.choice(hints)

    def _pick(self, collection: str, wanted: str | None = None) -> str:
        """The id of a record: the wanted one, else one that exists, often one that a chosen record refers to."""
        records = self._records(collection)
        entity = self._entities[collection]
        if wanted is not None and wanted in records:
            self._chosen.append((entity, records[wanted]))
            return wanted
        if not records:
            return f"{entity.id_prefix}-0001"
        related = [
            record[attribute.name]
            for owner, record in self._chosen
            for attribute in owner.attributes
            if attribute.to == collection and attribute.type == "reference" and record.get(attribute.name) in records
        ]
        ids = list(records)
        if related and self._rng.random() < 0.5:
            ids = related
        elif self._rng.random() < 0.25:
            ids = ids[-_RECENT:]
        key = self._rng.choice(ids)
        self._chosen.append((entity, records[key]))
        return str(key)

    def _enum(self, parameter: Parameter) -> str:
        return self._rng.choice(parameter.values)

    def _list(self, parameter: Parameter) -> list[Any]:
        count = self._rng.choice((1, 1, 2, 3))
        if parameter.items == "enum":
            return self._rng.sample(parameter.values, min(count, len(parameter.values)))
        if parameter.items == "reference":
            return list(dict.fromkeys(self._pick(parameter.to or "") for _ in range(count)))
        if parameter.items == "object":
            return self._objects(parameter)
        make = self._makers[parameter.items or "string"]
        return [make(parameter) for _ in range(count)]

    def _objects(self, parameter: Parameter) -> list[Any]:
        """Objects have no declared shape; those that stand in the state are the only examples."""
        _, existing = self._like(parameter, "list")
        lists = [value for value in existing if value]
        return list(self._rng.choice(lists)) if lists else [{}]

    def _integer(self, parameter: Parameter) -> int:
        attribute, existing = self._like(parameter, "integer")
        roll = self._rng.random()
        if existing and roll < 0.35:
            return int(self._rng.choice(existing))
        if attribute is not None and attribute.minimum is not None and roll < 0.55:
            low = math.ceil(attribute.minimum)
            high = int(attribute.maximum) if attribute.maximum is not None else low + 20
            return self._rng.randint(low, max(low, high))
        chosen = [value for _, record in self._chosen for value in record.values() if type(value) is int and value > 0]
        if chosen and roll < 0.8:
            value = self._rng.choice(chosen)
            return self._rng.choice((value, max(1, value // 2), self._rng.randint(1, value)))
        return self._rng.choice(_SMALL[: self._rng.choice((3, 8, len(_SMALL)))])

    def _number(self, parameter: Parameter) -> float:
        attribute, existing = self._like(parameter, "number")
        roll = self._rng.random()
        if attribute is not None and attribute.minimum is not None and roll < 0.4:
            high = attribute.maximum if attribute.maximum is not None else attribute.minimum + 50
            return round(self._rng.uniform(attribute.minimum, high), 1)
        if existing and roll < 0.7:
            number: float = self._rng.choice(existing)
            return number
        return self._rng.choice(_SMALL) + self._rng.choice((0.0, 0.5, 0.25))

    def _date(self, parameter: Parameter) -> datetime:
        """A moment around now, or one that stands in the state; a whole quarter of an hour within office hours."""
        _, existing = self._like(parameter, parameter.type)
        if existing and self._rng.random() < 0.3:
            return datetime.fromisoformat(str(self._rng.choice(existing)))
        anchor = self._now()
        own = [value for _, record in self._chosen for value in record.values() if is_date(value) or is_moment(value)]
        if own and self._rng.random() < 0.4:  # most dates of a call continue a date of its record
            anchor = datetime.fromisoformat(self._rng.choice(own))
        offset = timedelta(days=self._rng.choice(_DAY_OFFSETS[: self._rng.choice((4, 8, len(_DAY_OFFSETS)))]))
        is_at_the_edge = anchor.year in (*_FIRST_YEARS, MAXYEAR)  # of what dates can say; records may hold such dates
        moment = anchor if is_at_the_edge else anchor + offset
        return moment.replace(hour=self._rng.choice(_HOURS), minute=self._rng.choice(_MINUTES), second=0)

    def _clock_text(self, moment: datetime) -> str:
        """In the form in which the environment writes its own clock."""
        has_seconds = len(str(self._state.get("now"))) > len("2025-06-19T10:00")
        return moment.isoformat(timespec="seconds" if has_seconds else "minutes")

    def _now(self) -> datetime:
        return datetime.fromisoformat(str(self._state["now"]))

    def _string(self, parameter: Parameter) -> str:
        attribute, existing = self._like(parameter, "string")
        roll = self._rng.random()
        if existing and self._operation.kind == "query" and roll < 0.8:
            value = str(self._rng.choice(existing))
            return self._rng.choice(value.split() or [""]) if "contains" in parameter.name else value
        if existing and roll < 0.15:
            return str(self._rng.choice(existing))
        example = example_in(parameter.description)
        if example is not None and roll < 0.5:
            return example
        longest = attribute.max_length if attribute is not None else None
        return invented_text(parameter.name, self._rng)[:longest]

    def _like(self, parameter: Parameter, kind: str) -> tuple[Attribute | None, list[Any]]:
        return self._maker.like(self._operation, parameter, kind, self._state)

    def _records(self, collection: str) -> Mapping[str, Record]:
        return records_in(self._state, collection)


def records_in(state: State, collection: str) -> Mapping[str, Record]:
    """The records of a collection; none where the state holds something else."""
    records = state.get(collection)
    return records if isinstance(records, dict) else {}
