"""Whether a state is what the logic model says it is: types, keys, references and bounds of every record.

Rules with predicates are executed elsewhere (`predicates.py`); this is what follows from the declarations alone.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from types import MappingProxyType
from typing import Any

from schemas.logic_models import Attribute, Entity, LogicModel

State = Mapping[str, Any]

_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_MOMENT = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2})?")


@dataclass(frozen=True, slots=True)
class Contradiction:
    """One way in which a state is not what the logic model says."""

    reason: str
    """now_invalid, settings_missing, collection_missing, record_not_object, key_mismatch, attribute_missing,
    attribute_unknown, wrong_type, not_in_enum, dangling_reference, too_long or out_of_bounds."""
    text: str
    """A sentence that names the place."""


def contradictions(model: LogicModel, state: State, *, since: State | None = None) -> Iterator[Contradiction]:
    """What contradicts the logic model, the frame of the state first; nothing when the state is valid.

    With `since`, a valid earlier state of the same environment, records that are that state's own objects are not
    looked at.
    """
    yield from _frame_problems(model, state)
    earlier = since or {}
    # A record that was removed may leave references behind in records that did not change.
    is_smaller = any(key not in _records(state, each) for each in model.entities for key in _records(earlier, each))
    for entity in model.entities:
        known = {} if is_smaller else _records(earlier, entity)
        for key, record in _records(state, entity).items():
            if known.get(key) is not record:
                yield from _record_problems(entity, key, record, state)


def state_problems(model: LogicModel, state: State, *, since: State | None = None) -> tuple[str, ...]:
    """The sentences of all contradictions; see there."""
    return tuple(each.text for each in contradictions(model, state, since=since))


def is_date(value: Any) -> bool:
    """Whether a value is a strict "YYYY-MM-DD" text."""
    return isinstance(value, str) and _DATE.fullmatch(value) is not None and _exists(value)


def is_moment(value: Any) -> bool:
    """Whether a value is a strict "YYYY-MM-DDTHH:MM" text, seconds allowed, no zone."""
    return isinstance(value, str) and _MOMENT.fullmatch(value) is not None and _exists(value)


def _exists(text: str) -> bool:
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _frame_problems(model: LogicModel, state: State) -> Iterator[Contradiction]:
    now, settings = state.get("now"), state.get("settings", {})
    if not is_moment(now):
        yield Contradiction(
            "now_invalid", f"state attribute 'now' must be a moment such as 2025-06-19T10:00, got {_show(now)}"
        )
    if not isinstance(settings, dict):
        yield Contradiction("settings_missing", f"state attribute 'settings' must be an object, got {_show(settings)}")
    else:
        for name in model.settings:
            if name not in settings:
                yield Contradiction("settings_missing", f"state attribute 'settings' lacks '{name}'")
    for entity in model.entities:
        if not isinstance(state.get(entity.collection), dict):
            yield Contradiction(
                "collection_missing", f"state attribute '{entity.collection}' must be an object of records by id"
            )


def _records(state: State, entity: Entity) -> Mapping[str, Any]:
    records = state.get(entity.collection)
    return records if isinstance(records, dict) else {}


def _record_problems(entity: Entity, key: str, record: Any, state: State) -> Iterator[Contradiction]:
    where = f"{entity.collection}[{key}]"
    if not isinstance(record, dict):
        yield Contradiction("record_not_object", f"{where} must be an object, got {_show(record)}")
        return
    if record.get(entity.key) != key:
        own = _show(record.get(entity.key))
        yield Contradiction("key_mismatch", f"{where}: '{entity.key}' must repeat the id, got {own}")
    for attribute in entity.attributes:
        if attribute.name not in record:
            yield Contradiction("attribute_missing", f"{where} lacks '{attribute.name}'")
            continue
        flaw = _value_flaw(attribute, record[attribute.name], state)
        if flaw is not None:
            yield Contradiction(flaw.reason, f"{where}.{attribute.name} {flaw.text}")
    declared = {attribute.name for attribute in entity.attributes}
    for name in record:
        if name not in declared:
            yield Contradiction("attribute_unknown", f"{where} has '{name}', which the entity does not declare")


def _value_flaw(attribute: Attribute, value: Any, state: State) -> Contradiction | None:
    """What is wrong with a value; its text lacks the place."""
    if value is None:
        return None if attribute.nullable else Contradiction("wrong_type", "must not be null")
    if attribute.type != "list":
        return _typed_flaw(attribute.type, attribute, value, state)
    if not isinstance(value, list):
        return Contradiction("wrong_type", f"must be a list, got {_show(value)}")
    flaws = (_typed_flaw(attribute.items or "object", attribute, item, state) for item in value)
    return next((Contradiction(each.reason, f"holds an item that {each.text}") for each in flaws if each), None)


def _typed_flaw(kind: str, attribute: Attribute, value: Any, state: State) -> Contradiction | None:
    described, fits = _KINDS[kind]
    if not fits(value):
        return Contradiction("wrong_type", f"must be {described}, got {_show(value)}")
    if kind == "enum" and value not in attribute.values:
        return Contradiction("not_in_enum", f"must be one of {', '.join(attribute.values)}, got {_show(value)}")
    if kind == "reference" and value not in (state.get(attribute.to or "") or ()):
        return Contradiction("dangling_reference", f"refers to {_show(value)}, which is not in '{attribute.to}'")
    if isinstance(value, str) and attribute.max_length is not None and len(value) > attribute.max_length:
        return Contradiction("too_long", f"is longer than {attribute.max_length} characters")
    if kind in ("integer", "number"):
        if attribute.minimum is not None and value < attribute.minimum:
            return Contradiction("out_of_bounds", f"must be at least {attribute.minimum:g}, got {value}")
        if attribute.maximum is not None and value > attribute.maximum:
            return Contradiction("out_of_bounds", f"must be at most {attribute.maximum:g}, got {value}")
    return None


def _show(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_integer(value: Any) -> bool:
    return type(value) is int


def _is_number(value: Any) -> bool:
    return type(value) is int or (type(value) is float and math.isfinite(value))


_KINDS: Mapping[str, tuple[str, Callable[[Any], bool]]] = MappingProxyType(
    {
        "string": ("a text", _is_text),
        "integer": ("a whole number", _is_integer),
        "number": ("a number", _is_number),
        "boolean": ("true or false", lambda value: isinstance(value, bool)),
        "date": ("a date such as 2025-06-19", is_date),
        "datetime": ("a moment such as 2025-06-19T10:00", is_moment),
        "enum": ("a text", _is_text),
        "reference": ("an id", _is_text),
        "object": ("an object", lambda value: isinstance(value, dict)),
    }
)
"""Type -> how it is called, and what fits it."""
