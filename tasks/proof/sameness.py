"""Whether two episodes end alike: what they changed, without generated ids, timestamps and counters."""

import re
from collections.abc import Mapping
from typing import Any

from schemas.ids import canonical_json, digest
from schemas.logic_models import LogicModel
from tasks.runtime.changes import RecordKey, State, attribute_of, is_stamp, state_change

_ROUNDS = 4
"""How far references from one new record to the next are followed."""


def outcome_digest(logic_model: LogicModel, before: State, after: State) -> str:
    """Digest of what was changed between two states. Equal ones ended alike, whatever ids their new records have."""
    change = state_change(logic_model, before, after)
    names = _names_of_new(logic_model, before, after, change.added)

    def content(record: RecordKey, attributes: Any) -> dict[str, Any]:
        values = after[record.collection][record.key]
        return {name: _renamed(values.get(name), names) for name in attributes}

    changed = [
        [each.record.collection, each.record.key, content(each.record, each.attributes)] for each in change.changed
    ]
    return digest(
        [each for each in changed if each[2]],
        sorted(names[record.key] for record in change.added),
        [[record.collection, record.key] for record in change.removed],
        {name: after.get(name) for name in change.others},
    )


def _names_of_new(logic_model: LogicModel, before: State, after: State, added: tuple[RecordKey, ...]) -> dict[str, str]:
    """Generated id -> a name that says what the record holds."""
    names = {record.key: f"new {record.collection}" for record in added}
    contents: dict[str, dict[str, Any]] = {}
    for record in added:
        entity = logic_model.entity_of(record.collection)
        values = after[record.collection][record.key]
        contents[record.key] = {
            name: value
            for name, value in values.items()
            if not (entity and name == entity.key) and not is_stamp(attribute_of(entity, name), value, before, after)
        }
    for _ in range(min(_ROUNDS, len(added))):
        names = {
            record.key: f"new {record.collection} {digest(_renamed(contents[record.key], names))}" for record in added
        }
    return names


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    """The value with every generated id replaced, also within texts and lists."""
    if not names:
        return value
    if isinstance(value, str):
        return names.get(value) or _pattern(names).sub(lambda found: names[found[0]], value)
    if isinstance(value, Mapping):
        return {names.get(key, key): _renamed(each, names) for key, each in value.items()}
    if isinstance(value, list):
        renamed = [_renamed(each, names) for each in value]
        # The order in which new records were made is no difference.
        return (
            sorted(renamed, key=canonical_json)
            if any(each in names for each in value if isinstance(each, str))
            else renamed
        )
    return value


def _pattern(names: Mapping[str, str]) -> re.Pattern[str]:
    return re.compile("|".join(rf"(?<![\w-]){re.escape(key)}(?![\w-])" for key in sorted(names)))
