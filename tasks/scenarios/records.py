"""Whether the records of a state are what the logic model says they are. Nothing is executed here."""

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from schemas.logic_models import Attribute, Entity, LogicModel
from tasks.scenarios.plain_json import flaw_of

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_DATETIME = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2})?")


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong with an item of an author: a reason code, and what exactly."""

    reason: str
    detail: str


def state_finding(state: object, logic_model: LogicModel) -> Finding | None:
    """The first thing that is wrong with a state; null when its records fit the logic model.

    Reason codes, in the order of the search: state_not_json, collection_missing, now_invalid, settings_missing,
    state_empty, record_not_object, key_mismatch, id_pattern, attribute_missing, attribute_unknown, wrong_type,
    not_in_enum, out_of_bounds, too_long, dangling_reference.
    """
    if not isinstance(state, Mapping):
        return Finding("state_not_json", "The state is not a JSON object.")
    if (flaw := flaw_of(state)) is not None:
        return Finding("state_not_json", f"The state is not plain JSON: {flaw}.")
    if (finding := _frame_finding(state, logic_model)) is not None:
        return finding
    return next(_record_findings(state, logic_model), None)


def count_records(state: Mapping[str, Any], logic_model: LogicModel) -> int:
    """Records in all collections; a collection that is missing or no object counts as empty."""
    collections = (state.get(entity.collection) for entity in logic_model.entities)
    return sum(len(each) for each in collections if isinstance(each, Mapping))


def id_pattern(entity: Entity) -> re.Pattern[str]:
    """Ids of an entity: its prefix, a hyphen, at least four digits."""
    return re.compile(rf"{re.escape(entity.id_prefix)}-[0-9]{{4,}}")


def _frame_finding(state: Mapping[str, Any], logic_model: LogicModel) -> Finding | None:
    for entity in logic_model.entities:
        if not isinstance(state.get(entity.collection), Mapping):
            return Finding("collection_missing", f'"{entity.collection}" is missing or no object of id -> record.')
    if not _is_datetime(state.get("now")):
        shown = _shown(state.get("now"))
        return Finding("now_invalid", f'"now" must be a datetime like "2025-06-10T11:45", not {shown}.')
    settings = state.get("settings", {})
    absent = [name for name in logic_model.settings if not isinstance(settings, Mapping) or name not in settings]
    if absent:
        return Finding("settings_missing", f'"settings" lacks {", ".join(absent)}.')
    if count_records(state, logic_model) == 0:
        return Finding("state_empty", "The state has no record in any collection.")
    return None


def _record_findings(state: Mapping[str, Any], logic_model: LogicModel) -> Iterator[Finding]:
    for entity in logic_model.entities:
        pattern = id_pattern(entity)
        known = {attribute.name for attribute in entity.attributes}
        for key, record in state[entity.collection].items():
            where = f"{entity.collection}.{key}"
            if not isinstance(record, Mapping):
                yield Finding("record_not_object", f"{where} is not an object.")
                continue
            if record.get(entity.key) != key:
                yield Finding("key_mismatch", f"{where}.{entity.key} is {_shown(record.get(entity.key))}.")
            if not pattern.fullmatch(key):
                yield Finding("id_pattern", f"{where}: ids look like {entity.id_prefix}-0001.")
            if unknown := sorted(set(record) - known):
                yield Finding("attribute_unknown", f"{where}.{unknown[0]} is not in the logic model.")
            for attribute in entity.attributes:
                if attribute.name not in record:
                    yield Finding("attribute_missing", f"{where}.{attribute.name} is missing.")
                elif (wrong := _value_finding(record[attribute.name], attribute, state)) is not None:
                    yield Finding(wrong.reason, f"{where}.{attribute.name}: {wrong.detail}")


def _value_finding(value: object, attribute: Attribute, state: Mapping[str, Any]) -> Finding | None:
    if value is None:
        return None if attribute.nullable else Finding("wrong_type", "it is null, which is not allowed.")
    if attribute.type != "list":
        return _item_finding(value, attribute.type, attribute, state)
    if not isinstance(value, list):
        return Finding("wrong_type", f"{_shown(value)} is not a list.")
    kind = attribute.items or "string"
    findings = (_item_finding(each, kind, attribute, state) for each in value)
    return next((each for each in findings if each is not None), None)


def _item_finding(value: object, kind: str, attribute: Attribute, state: Mapping[str, Any]) -> Finding | None:
    if not _TYPES[kind](value):
        return Finding("wrong_type", f"{_shown(value)} is not a valid {kind}.")
    if kind == "enum" and value not in attribute.values:
        return Finding("not_in_enum", f"{_shown(value)} is none of {', '.join(attribute.values)}.")
    if kind == "reference" and attribute.to and value not in state.get(attribute.to, {}):
        return Finding("dangling_reference", f"{_shown(value)} is no record of {attribute.to}.")
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _bounds_finding(value, attribute)
    if isinstance(value, str) and attribute.max_length is not None and len(value) > attribute.max_length:
        return Finding("too_long", f"{len(value)} characters, at most {attribute.max_length} are allowed.")
    return None


def _bounds_finding(value: float, attribute: Attribute) -> Finding | None:
    if attribute.minimum is not None and value < attribute.minimum:
        return Finding("out_of_bounds", f"{value} is below {attribute.minimum:g}.")
    if attribute.maximum is not None and value > attribute.maximum:
        return Finding("out_of_bounds", f"{value} is above {attribute.maximum:g}.")
    return None


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _is_date(value: object) -> bool:
    if not isinstance(value, str) or not _DATE.fullmatch(value):
        return False
    try:
        date.fromisoformat(value)
    except ValueError:
        return False
    return True


def _is_datetime(value: object) -> bool:
    if not isinstance(value, str) or not _DATETIME.fullmatch(value):
        return False
    try:
        datetime.fromisoformat(value)
    except ValueError:
        return False
    return True


_TYPES: Mapping[str, Callable[[object], bool]] = {
    "string": _is_text,
    "enum": _is_text,
    "reference": _is_text,
    "integer": _is_whole,
    "number": _is_number,
    "boolean": lambda value: isinstance(value, bool),
    "date": _is_date,
    "datetime": _is_datetime,
    "object": lambda value: isinstance(value, Mapping),
}


def _shown(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= 60 else text[:57] + "..."
