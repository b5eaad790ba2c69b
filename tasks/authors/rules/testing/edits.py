"""Small edits of a state that may make a call break a rule: another status, another day, a lower limit."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from schemas.logic_models import Attribute, Entity, LogicModel, Rule
from tasks.runtime.paths import with_values

State = Mapping[str, Any]
Edit = tuple[str, Any]
"""Path and value, as in `TestCase.given`."""

EDITED = (
    "{**base, **{name: {**base[name], **part} if isinstance(part, dict) else part for name, part in edited.items()}}"
)
"""The state `base` with edits, as an expression. It is the same text for all edits: each text is compiled once."""

_DAYS = (-400, -60, -8, -2, -1, 1, 2, 8, 60, 400)
_OF_RULE, _MOST_RECORDS = 8, 24
_SMALL = 10
_COUNTS = (0, 1, 2, 3, 4, 5, 8, 10, 100, 100_000)


def edits_for(
    model: LogicModel, state: State, arguments: Mapping[str, Any], rule: Rule | None = None
) -> Iterator[Edit]:
    """Edits of the clock, of the records that a call names or a rule looks at, of those around, and of the settings."""
    for days in _DAYS:
        yield "now", _moved(str(state["now"]), days)
    for entity, key in _named(model, state, arguments, rule):
        yield from edits_of(entity, key, state)
    for name, value in state.get("settings", {}).items():
        if type(value) is int:
            yield from ((f"settings.{name}", other) for other in _other_settings(value, arguments))


def edits_of(entity: Entity, key: str, state: State) -> Iterator[Edit]:
    """Edits of one record. What refers to its own kind stays: a circle of parents has no end."""
    for attribute in entity.attributes:
        if attribute.name != entity.key and attribute.to != entity.collection:
            for value in _others(attribute, state, state[entity.collection][key][attribute.name]):
                yield f"{entity.collection}.{key}.{attribute.name}", value


def edited_parts(state: State, edits: Sequence[Edit]) -> dict[str, Any]:
    """What `EDITED` names `edited`: the records, settings or clock that these edits leave."""
    whole = with_values(state, dict(edits))
    parts: dict[str, Any] = {}
    for path, value in edits:
        name, *inner = path.split(".")
        if inner:
            parts.setdefault(name, {})[inner[0]] = whole[name][inner[0]]
        else:
            parts[name] = value
    return parts


def _named(
    model: LogicModel, state: State, arguments: Mapping[str, Any], rule: Rule | None
) -> list[tuple[Entity, str]]:
    """The records that arguments name, those that these refer to or that refer to them, and those of the rule."""
    ids = [value for value in arguments.values() if isinstance(value, str)]
    first = [(entity, key) for entity in model.entities for key in ids if key in state[entity.collection]]
    around: list[tuple[Entity, str]] = []
    for entity, key in first:
        record = state[entity.collection][key]
        around += [
            (other, record[attribute.name])
            for attribute in entity.attributes
            for other in model.entities
            if attribute.type == "reference" and attribute.to == other.collection and record[attribute.name] is not None
        ]
        around += [
            (other, other_key)
            for other in model.entities
            for other_key, each in list(state[other.collection].items())[-30:]
            if any(each.get(attribute.name) == key for attribute in other.attributes if attribute.type == "reference")
        ]
    looked_at = [
        (entity, key)
        for entity in model.entities
        if rule is not None and re.search(rf"\b{entity.collection}\b", rule.predicate or "")
        for key in list(state[entity.collection])[-_OF_RULE:]
    ]
    unique = {(entity.collection, key): (entity, key) for entity, key in (*first, *looked_at, *around)}
    return list(unique.values())[:_MOST_RECORDS]


def _others(attribute: Attribute, state: State, value: Any) -> Iterator[Any]:
    """Other values that an attribute may have."""
    if attribute.nullable and value is not None:
        yield None
    match attribute.type:
        case "enum":
            yield from (each for each in attribute.values if each != value)
        case "boolean":
            yield not value
        case "integer" | "number":
            yield from _other_numbers(attribute)
        case "date" | "datetime":
            yield from _other_dates(attribute, str(state["now"]), value)
        case "string" if value is None:
            yield "for a test"
        case "list" if value:
            yield []
        case "reference":
            yield from list(state[attribute.to or ""])[:3]


def _other_settings(value: int, arguments: Mapping[str, Any]) -> Iterator[int]:
    """Other values of a setting: near it, and around the numbers of a call. Never 0, which may be a step of loops."""
    small = (1, 2, 3) if value <= _SMALL else ()
    given = [each - less for each in arguments.values() if type(each) is int for less in (0, 1)]
    found = dict.fromkeys((value // 2, value * 2, value - 1, value + 1, *small, *given))
    yield from (each for each in found if each > 0 and each != value)


def _other_numbers(attribute: Attribute) -> Iterator[int]:
    low, high = attribute.minimum, attribute.maximum
    bounds = [int(each) for each in (low, high) if each is not None]
    for each in (*bounds, *_COUNTS):
        if (low is None or each >= low) and (high is None or each <= high):
            yield each


def _other_dates(attribute: Attribute, now: str, value: Any) -> Iterator[str]:
    end = 10 if attribute.type == "date" else None
    for base in dict.fromkeys((str(value or now), now)):
        yield from (_moved(base, days)[:end] for days in _DAYS)


def _moved(text: str, days: int) -> str:
    """A date or moment so many days later, in its own form."""
    moved = datetime.fromisoformat(text) + timedelta(days=days)
    return moved.date().isoformat() if len(text) == len("2025-06-19") else moved.strftime("%Y-%m-%dT%H:%M")
