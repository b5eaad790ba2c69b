"""Calls for tests: sensible ones, and the same with one argument replaced by something that may not be allowed."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import combinations
from random import Random
from typing import Any

from schemas.logic_models import LogicModel, Operation, Parameter
from tasks.authors.rules.populate import any_offered
from tasks.authors.rules.spec import Deed, Pick, State, Value, World
from tasks.sandbox.base import EnvironmentSession

_MOST_IDS, _MOST_PAIRS = 10, 15
_DRAWS_PER_SHAPE, _MOST_ON_LIMITS = 3, 6
_MOST_COPIES, _COPIES_ALIKE = 12, 3
"""Records that arguments are taken from, and those of the same condition."""
_LONG_TEXT, _LONG_WORD = "long " * 60, "x" * 300
_MOMENT_FORMAT = "%Y-%m-%dT%H:%M"
_DAYS = (-400, -30, -1, 0, 1, 2, 7, 30, 400)
_HOURS = (0, 5, 23)
_QUARTERS = (-1, 1, 2, 4, 8)
_WHOLE = (-1, 0, 1, 2, 10, 100, 1_000, 2_000_000_000)

Arguments = dict[str, Any]


def sensible(
    deed: Deed, state: State, session: EnvironmentSession, rng: Random, parameters: frozenset[str], *, strict: bool
) -> Arguments | None:
    """Arguments of a deed, or null when nothing makes sense. With `strict` off, records may be in any condition.

    Args:
        deed: What is to be done.
        state: The state that the session is in.
        session: Asked for what only a query knows.
        rng: Chooses.
        parameters: Names of those of the deed's tool.
        strict: Whether the conditions of the deed's records count.
    """
    world = World(rng, state, {}, {})
    for slot in deed.slots:
        if isinstance(slot, Pick):
            value = _picked(slot, world, strict)
            world.records |= {slot.param: state[slot.collection][value]} if value is not None else {}
        elif isinstance(slot, Value):
            value = _made(slot, world)
        else:
            value = any_offered(slot, world, session)
        if value is None:
            return None
        world.chosen[slot.param] = value
    return {name: value for name, value in world.chosen.items() if name in parameters}


def _picked(slot: Pick, world: World, strict: bool) -> str | None:
    records = world.state[slot.collection]
    is_fit = slot.where if strict and slot.where is not None else lambda record, world: True
    fitting = [key for key, record in records.items() if is_fit(record, world)]
    return fitting[world.rng.randrange(len(fitting))] if fitting else None


def _made(slot: Value, world: World) -> Any:
    try:
        told = slot.make(world)
    except (KeyError, TypeError, ValueError, IndexError):
        return None  # it relies on the condition that the record was not chosen by
    return told.value if told is not None else None


class Variations:
    """Values for the parameters of one environment, on one state."""

    def __init__(self, model: LogicModel, state: State, rng: Random) -> None:
        self._model, self._state, self._rng = model, state, rng
        self._prefixes = {each.collection: each.id_prefix for each in model.entities}

    def drawn(self, operation: Operation, *, optional: float) -> Arguments:
        """Every required argument, and some of the others, at random."""
        return {
            each.name: self._rng.choice(self.values(operation, each, None))
            for each in operation.parameters
            if each.required or self._rng.random() < optional
        }

    def shaped(self, operation: Operation) -> Iterator[Arguments]:
        """Every required argument, with none, one and two of the others in turn, where some are optional."""
        optional = [each.name for each in operation.parameters if not each.required]
        pairs = list(combinations(optional, 2))[:_MOST_PAIRS]
        for names in ((), *((name,) for name in optional), *pairs) if optional else ():
            given = [each for each in operation.parameters if each.required or each.name in names]
            for _ in range(_DRAWS_PER_SHAPE):
                yield {each.name: self._rng.choice(self._likely(operation, each)) for each in given}

    def replaced(self, operation: Operation, base: Arguments) -> Iterator[Arguments]:
        """The base with one argument replaced, added or left out."""
        for parameter in operation.parameters:
            if not parameter.required and parameter.name in base:
                yield {name: value for name, value in base.items() if name != parameter.name}
            for value in self.values(operation, parameter, base.get(parameter.name)):
                if value != base.get(parameter.name):
                    yield {**base, parameter.name: value}

    def limited(self, operation: Operation, base: Arguments, found: Any) -> Iterator[Arguments]:
        """The base with one number, day or time that stands in a record that it finds: on the very limit."""
        records = [each for each in found if isinstance(each, dict)] if isinstance(found, list) else []
        for parameter in operation.parameters:
            limits = [_limit(parameter, value) for each in records for value in each.values()]
            shown = list(dict.fromkeys(each for each in limits if each is not None))
            for value in self._rng.sample(shown, min(len(shown), _MOST_ON_LIMITS)):
                yield {**base, parameter.name: value}

    def copied(self, operation: Operation, base: Arguments) -> Iterator[Arguments]:
        """The base with what records say that the tool may write: all of it, and one day or time alone.

        Records that have to do with those that the base names come first, and those that differ in their conditions.
        """
        for entity in (each for each in self._model.entities if each.collection in operation.writes):
            names = [each.name for each in entity.attributes if each.name in {one.name for one in operation.parameters}]
            values = [name for name in names if name != entity.key and entity.collection in self._state]
            for record in self._alike(entity.collection, base) if values else ():
                told = {name: record[name] for name in values if record[name] is not None}
                own = {name: value for name, value in told.items() if base.get(name) != value}
                if entity.key in names:
                    yield {**base, entity.key: record[entity.key], **told}
                yield {**base, **told}
                yield from ({**base, name: value} for name, value in own.items() if is_time(value))

    def _alike(self, collection: str, base: Arguments) -> list[dict[str, Any]]:
        """Records of a collection, few, those first that share most with a call."""
        near = set(map(str, base.values()))
        near |= {str(value) for each in base.values() for value in _record_values(self._state, each)}
        ranked = sorted(
            self._state[collection].values(),
            key=lambda record: -sum(str(value) in near for value in record.values() if isinstance(value, str)),
        )
        groups: dict[str, list[dict[str, Any]]] = {}
        for each in ranked:
            groups.setdefault(str([value for value in each.values() if is_condition(value)]), []).append(each)
        return [each for group in groups.values() for each in group[:_COPIES_ALIKE]][:_MOST_COPIES]

    def values(self, operation: Operation, parameter: Parameter, usual: Any) -> list[Any]:
        """What a parameter may be given: values of the state and of the plan, and the ones around the usual value."""
        match parameter.type:
            case "reference":
                return self._ids(parameter.to or "")
            case "enum":
                return list(parameter.values)
            case "boolean":
                return [True, False]
            case "integer" | "number":
                near = [usual - 1, usual + 1, usual * 2] if isinstance(usual, int | float) else []
                return [*near, *_WHOLE]
            case "date" | "datetime":
                return self._dates(parameter, usual)
            case "list":
                return self._lists(operation, parameter, usual)
            case _:
                texts = self._texts(parameter)
                return ["", _LONG_TEXT, f"{_LONG_WORD}{usual or texts[0]}", *texts]

    def _ids(self, collection: str) -> list[Any]:
        """Ids of records that differ in their conditions, the newest first, one that does not exist, a foreign one."""
        records = self._state[collection]
        ids = list(records)
        told: dict[str, str] = {}
        for key in reversed(ids):
            told.setdefault(str([value for value in records[key].values() if is_condition(value)]), key)
        shown = [*told.values()][:_MOST_IDS]
        shown += [key for key in ids if key not in shown][: _MOST_IDS - len(shown)]
        foreign = next((key for name in self._prefixes if name != collection for key in self._state[name]), "X-0001")
        return [*shown, f"{self._prefixes[collection]}-9999", foreign]

    def _dates(self, parameter: Parameter, usual: Any) -> list[Any]:
        is_day = parameter.type == "date"
        now = datetime.fromisoformat(str(self._state["now"]))
        anchors = [now]
        if isinstance(usual, str):
            anchors.append(_as_moment(usual, now))
        moments = [anchor + timedelta(days=days) for anchor in anchors for days in _DAYS]
        if not is_day:
            moments += [anchor + timedelta(minutes=15 * each) for anchor in anchors for each in _QUARTERS]
            moments += [anchors[-1] + timedelta(minutes=7)]
            moments += [anchors[-1].replace(hour=hour, minute=0) for hour in _HOURS]
        texts = [each.date().isoformat() if is_day else each.strftime(_MOMENT_FORMAT) for each in moments]
        return [*dict.fromkeys(texts), "2025-02-30" if is_day else "2025-02-30T10:00"]

    def _likely(self, operation: Operation, parameter: Parameter) -> list[Any]:
        """Values that are seldom refused for themselves."""
        if parameter.type == "reference":
            return list(self._state[parameter.to or ""]) or self.values(operation, parameter, None)
        if parameter.type in ("date", "datetime"):
            now = datetime.fromisoformat(str(self._state["now"]))
            days = [now + timedelta(days=days) for days in range(1, 8)]
            return [
                each.date().isoformat() if parameter.type == "date" else each.strftime(_MOMENT_FORMAT) for each in days
            ]
        return self.values(operation, parameter, None)

    def _texts(self, parameter: Parameter) -> list[str]:
        """Texts that stand in the state under a name like the parameter's, whole and in part, and a new one."""
        bare = parameter.name.removeprefix("new_").removesuffix("_contains")
        found = [
            record[attribute.name]
            for entity in self._model.entities
            for attribute in entity.attributes
            if attribute.type == "string" and (attribute.name == bare or attribute.name.endswith(f"_{bare}"))
            for record in self._state[entity.collection].values()
            if isinstance(record.get(attribute.name), str)
        ]
        shown = list(dict.fromkeys(found))
        shown = self._rng.sample(shown, min(len(shown), 4))
        return [*shown, *(text.split()[0] for text in shown[:2] if text.split()), "something new"]

    def _lists(self, operation: Operation, parameter: Parameter, usual: Any) -> list[Any]:
        if parameter.items == "object" or parameter.items is None:
            return [[], *([usual, usual * 2, usual[:1]] if isinstance(usual, list) and usual else [])]
        item = parameter.model_copy(update={"type": parameter.items, "items": None})
        values = self.values(operation, item, None)
        return [[], values[:1], values[:1] * 2, values[:2], values[1:4], values[-2:]]


def _record_values(state: State, key: Any) -> Iterator[Any]:
    """The texts in the records with this id."""
    for records in state.values():
        if isinstance(key, str) and isinstance(records, dict) and isinstance(records.get(key), dict):
            yield from (value for value in records[key].values() if isinstance(value, str))


def conditions(state: State, arguments: Arguments) -> str:
    """In which conditions the records are that a call names: two calls for which it is the same may go the same way."""
    told = [
        value
        for key in arguments.values()
        for records in state.values()
        if isinstance(key, str) and isinstance(records, dict) and isinstance(records.get(key), dict)
        for value in records[key].values()
        if is_condition(value)
    ]
    return str(told)


def _limit(parameter: Parameter, value: Any) -> Any:
    """A value of a record in the form of a parameter that has an order; null for any other."""
    has_form = is_time(value)
    match parameter.type:
        case "integer" | "number":
            return value if type(value) is int else None
        case "date":
            return value[: len("2025-06-19")] if has_form else None
        case "datetime":
            return value if has_form and len(value) == len("2025-06-19T10:00") else None
    return None


def is_time(value: Any) -> bool:
    """Whether a value has the form of a date or moment."""
    return isinstance(value, str) and value[4:5] == "-" and value[7:8] == "-"


def is_condition(value: Any) -> bool:
    """Whether a value says in which condition a record is, and does not just tell it from others."""
    is_word = isinstance(value, str) and value.isidentifier()
    return value is None or isinstance(value, bool) or value == 0 or is_word


def _as_moment(text: str, other: datetime) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return other


def between(kind: str, good: Any, bad: Any) -> Any:
    """The value halfway from one that is accepted to one that is refused; null when there is none in between.

    Args:
        kind: Type of both; only "integer", "date" and "datetime" have values in between.
        good: The value that is accepted.
        bad: The one that is not.
    """
    if kind == "integer":
        middle = (good + bad) // 2
        return None if middle in (good, bad) else middle
    if kind in ("date", "datetime"):
        unit = timedelta(days=1) if kind == "date" else timedelta(minutes=15)
        first, last = datetime.fromisoformat(good), datetime.fromisoformat(bad)
        steps = int((last - first) / unit / 2)
        middle = first + steps * unit
        text = middle.date().isoformat() if kind == "date" else middle.strftime(_MOMENT_FORMAT)
        return None if steps == 0 or text in (good, bad) else text
    return None
