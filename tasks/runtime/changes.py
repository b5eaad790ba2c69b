"""The difference of two states of one environment, record by record."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from schemas.logic_models import Attribute, Entity, LogicModel

State = Mapping[str, Any]
_ABSENT = object()
_CONSTANTS = ("now", "settings")
"""State attributes beside the collections that are no counters."""


@dataclass(frozen=True, slots=True)
class RecordKey:
    """Where a record stands: collection and id."""

    collection: str
    key: str


@dataclass(frozen=True, slots=True)
class RecordChange:
    """An existing record whose values differ; attributes in the order of the logic model."""

    record: RecordKey
    attributes: tuple[str, ...]
    timestamps: tuple[str, ...]
    """Attributes of type datetime that were set to the current time; not among `attributes`."""


@dataclass(frozen=True, slots=True)
class StateChange:
    """The difference of two states, record by record, in the order of the logic model and then of the ids."""

    changed: tuple[RecordChange, ...]
    added: tuple[RecordKey, ...]
    removed: tuple[RecordKey, ...]
    others: tuple[str, ...]
    """Changed state attributes that are neither collections nor counters, such as "now"."""
    counters: tuple[str, ...]
    """State attributes that hold nothing but counters of ids, changed or not."""


def state_change(logic_model: LogicModel, before: State, after: State) -> StateChange:
    """Compare two states of one environment. Neither is changed."""
    changed, added, removed = [], [], []
    for entity in logic_model.entities:
        old, new = before.get(entity.collection, {}), after.get(entity.collection, {})
        for key in sorted({*old, *new}):
            record = RecordKey(entity.collection, key)
            if key not in old:
                added.append(record)
            elif key not in new:
                removed.append(record)
            elif old[key] != new[key]:
                changed.append(_record_change(entity, record, before, after))
    collections = {entity.collection for entity in logic_model.entities}
    rest = sorted({*before, *after} - collections)
    counters = tuple(name for name in rest if name not in _CONSTANTS and _counts(after.get(name, before.get(name))))
    others = (name for name in rest if before.get(name, _ABSENT) != after.get(name, _ABSENT) and name not in counters)
    return StateChange(tuple(changed), tuple(added), tuple(removed), tuple(others), counters)


def written_fields(change: StateChange) -> tuple[str, ...]:
    """What was written to, whichever records it is; sorted, each once.

    "bookings.status" for an attribute that differs in some record, timestamps included; "bookings.<new>" and
    "bookings.<gone>" for records made and deleted. Counters of ids are left out: they follow from the doing.
    """
    names = {f"{each.record.collection}.{name}" for each in change.changed for name in each.attributes}
    names |= {f"{each.record.collection}.{name}" for each in change.changed for name in each.timestamps}
    names |= {f"{record.collection}.<new>" for record in change.added}
    names |= {f"{record.collection}.<gone>" for record in change.removed}
    return tuple(sorted({*names, *change.others}))


def attribute_of(entity: Entity | None, name: str) -> Attribute | None:
    """The attribute of this name; null where the entity is unknown or has none."""
    return next((each for each in entity.attributes if each.name == name), None) if entity else None


def is_stamp(attribute: Attribute | None, value: Any, before: State, after: State) -> bool:
    """Whether the value of a datetime attribute says no more than when the call was made."""
    earliest, latest = before.get("now"), after.get("now")
    if attribute is None or attribute.type != "datetime":
        return False
    if not (isinstance(value, str) and isinstance(earliest, str) and isinstance(latest, str)):
        return False
    return earliest <= value and value[: len(latest)] <= latest  # a stamp may have seconds that the clock leaves out


def _record_change(entity: Entity, record: RecordKey, before: State, after: State) -> RecordChange:
    old, new = before[record.collection][record.key], after[record.collection][record.key]
    declared = [attribute.name for attribute in entity.attributes]
    names = [*declared, *sorted({*old, *new} - {*declared})]
    different = [name for name in names if old.get(name, _ABSENT) != new.get(name, _ABSENT)]
    stamps = tuple(name for name in different if is_stamp(attribute_of(entity, name), new.get(name), before, after))
    return RecordChange(record, tuple(name for name in different if name not in stamps), stamps)


def _counts(value: Any) -> bool:
    """Whether a value is a counter, or a mapping of counters."""
    if isinstance(value, Mapping):
        return all(_counts(each) for each in value.values())
    return isinstance(value, int) and not isinstance(value, bool)
