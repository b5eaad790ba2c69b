"""Calls for tests: sensible ones, and the same with one argument replaced by something that may not be allowed."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from random import Random
from typing import Any

from schemas.logic_models import LogicModel, Operation, Parameter
from tasks.authors.rules.populate import any_offered
from tasks.authors.rules.spec import Deed, Pick, State, Value, World
from tasks.sandbox.base import EnvironmentSession

_MOST_IDS = 10
_LONG_TEXT = "long " * 60
_MOMENT_FORMAT = "%Y-%m-%dT%H:%M"
_DAYS = (-400, -30, -1, 0, 1, 2, 7, 30, 400)
_QUARTERS = (-1, 1, 2, 4, 8)
_WHOLE = (-1, 0, 1, 2, 10, 100, 1_000, 10_000_000)

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

    def replaced(self, operation: Operation, base: Arguments) -> Iterator[Arguments]:
        """The base with one argument replaced, added or left out."""
        for parameter in operation.parameters:
            if not parameter.required and parameter.name in base:
                yield {name: value for name, value in base.items() if name != parameter.name}
            for value in self.values(operation, parameter, base.get(parameter.name)):
                if value != base.get(parameter.name):
                    yield {**base, parameter.name: value}

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
                return ["", _LONG_TEXT, *self._texts(parameter)]

    def _ids(self, collection: str) -> list[Any]:
        """Ids of records that differ in their conditions, the newest first, one that does not exist, a foreign one."""
        records = self._state[collection]
        ids = list(records)
        told: dict[str, str] = {}
        for key in reversed(ids):
            told.setdefault(str([value for value in records[key].values() if _is_condition(value)]), key)
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
        texts = [each.date().isoformat() if is_day else each.strftime(_MOMENT_FORMAT) for each in moments]
        return [*dict.fromkeys(texts), "2025-02-30" if is_day else "2025-02-30T10:00"]

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


def _is_condition(value: Any) -> bool:
    """Whether a value says in which condition a record is, and does not just tell it from others."""
    return value is None or isinstance(value, bool) or (isinstance(value, str) and value.isidentifier())


def _as_moment(text: str, other: datetime) -> datetime:
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return other


def between(parameter: Parameter, good: Any, bad: Any) -> Any:
    """The value halfway from one that is accepted to one that is refused; null when there is none in between."""
    if parameter.type == "integer":
        middle = (good + bad) // 2
        return None if middle in (good, bad) else middle
    if parameter.type in ("date", "datetime"):
        unit = timedelta(days=1) if parameter.type == "date" else timedelta(minutes=15)
        first, last = datetime.fromisoformat(good), datetime.fromisoformat(bad)
        steps = int((last - first) / unit / 2)
        middle = first + steps * unit
        text = middle.date().isoformat() if parameter.type == "date" else middle.strftime(_MOMENT_FORMAT)
        return None if steps == 0 or text in (good, bad) else text
    return None
