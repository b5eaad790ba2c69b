"""Other records that could be taken for the right one, and other values that could be given by mistake."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any

from schemas.logic_models import Entity, LogicModel
from tasks.runtime.arguments import Schema
from tasks.runtime.changes import State

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DATETIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2})?")
_TIME = re.compile(r"([01][0-9]|2[0-3]):[0-5][0-9]")
_SHORTEST_WORD = 3
"""Shorter words in a name say nothing about likeness."""


def entity_holding(logic_model: LogicModel, state: State, value: Any) -> Entity | None:
    """The entity that has a record with this id; null when the value is no id."""
    if not isinstance(value, str):
        return None
    return next((each for each in logic_model.entities if value in state.get(each.collection, {})), None)


def neighbours(logic_model: LogicModel, state: State, entity: Entity, key: str) -> tuple[list[str], list[str]]:
    """Ids of near-twins of a record, and of the other records of its kind, the most similar first.

    A near-twin has a word of its name in common, or refers to the same record.
    """
    records = state.get(entity.collection, {})
    own = records.get(key, {})
    ranked = sorted((key_ for key_ in records if key_ != key), key=lambda each: (-_likeness(own, records[each]), each))
    twins = [each for each in ranked if _is_twin(entity, own, records[each])]
    return twins, [each for each in ranked if each not in set(twins)]


def other_values(value: Any, schema: Schema) -> Iterator[Any]:
    """Values of the same type that a person could have meant by mistake, the likeliest first."""
    members = [each for option in _options(schema) for each in option.get("enum", ())]
    if members:
        yield from (each for each in members if each != value and each is not None)
    elif isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from (each for each in (value + 1, value - 1, value * 2, value // 2) if each != value)
    elif isinstance(value, float):
        yield from (each for each in (value + 1, value - 1, value * 2, value / 2) if each != value)
    elif isinstance(value, str):
        yield from _other_texts(value)
    elif isinstance(value, list):
        yield from _other_lists(value, schema)


def _other_texts(value: str) -> Iterator[str]:
    try:
        if _DATETIME.fullmatch(value):
            moment, form = (
                datetime.fromisoformat(value),
                "seconds" if len(value) > len("2025-01-01T00:00") else "minutes",
            )
            for step in (timedelta(days=1), timedelta(hours=1), timedelta(minutes=30), timedelta(days=7)):
                yield (moment + step).isoformat(timespec=form)
                yield (moment - step).isoformat(timespec=form)
            return
        if _DATE.fullmatch(value):
            day = date.fromisoformat(value)
            for days in (1, -1, 7, -7):
                yield (day + timedelta(days=days)).isoformat()
            return
    except (ValueError, OverflowError):
        pass
    if _TIME.fullmatch(value):
        hour = int(value[:2])
        yield from (f"{other:02d}{value[2:]}" for other in (hour + 1, hour - 1) if 0 <= other <= 23)
        return
    if "@" in value:
        yield f"other.{value}"
    if value and value[-1].isdigit():
        yield value[:-1] + str((int(value[-1]) + 1) % 10)
    yield f"{value} two" if value else "something"
    yield f"{value[:-1]}x"


def _other_lists(value: list[Any], schema: Schema) -> Iterator[list[Any]]:
    if len(value) > 1:
        yield value[:-1]
    items: Schema = next((option["items"] for option in _options(schema) if "items" in option), {})
    yield from ([*value, each] for each in items.get("enum", ()) if each not in value)
    if value:
        yield from ([*value[:-1], each] for each in other_values(value[-1], items))
        yield []


def _options(schema: Schema) -> Sequence[Schema]:
    options: Sequence[Schema] = schema.get("anyOf", [schema])
    return options


def _likeness(one: Mapping[str, Any], other: Mapping[str, Any]) -> int:
    return sum(other.get(name) == value for name, value in one.items())


def _is_twin(entity: Entity, one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    for attribute in entity.attributes:
        mine, theirs = one.get(attribute.name), other.get(attribute.name)
        if attribute.name == entity.key or not isinstance(mine, str) or not isinstance(theirs, str):
            continue
        if attribute.type == "reference" and mine == theirs:
            return True
        if attribute.type == "string" and "name" in attribute.name and _words(mine) & _words(theirs):
            return True
        if attribute.type == "string" and attribute.name in ("title", "label") and _words(mine) & _words(theirs):
            return True
    return False


def _words(text: str) -> frozenset[str]:
    found = re.findall(r"[^\W_]+", text.casefold())
    return frozenset(each for each in found if len(each) >= _SHORTEST_WORD)
