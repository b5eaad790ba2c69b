"""The logic model of foreign code: what can be read off it and off its states. It promises nothing, so it has no rules.

The kind of an operation is what its author declares; else what its name says, if that is plain; else what is read in
its code.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from schemas.logic_models import (
    Attribute,
    AttributeType,
    Entity,
    ItemType,
    LogicModel,
    Operation,
    OperationKind,
    Parameter,
)
from tasks.evaluation.explore import is_collection
from tasks.evaluation.foreign_values import singular
from tasks.exchange.adapter import Adapted
from tasks.exchange.foreign_class import ForeignClass

_QUERY_NAME = re.compile(r"^(get|list|search|find|count|is|has|lookup|retrieve|query|show|display|view)(_|$)")
_CHANGE_NAME = re.compile(
    r"^(add|create|update|set|delete|remove|cancel|insert|rename|register|assign|unassign|book|reserve|move|transfer|"
    r"archive|approve|reject)(_|$)"
)
_TYPES: Mapping[str, AttributeType] = {
    "string": "string", "integer": "integer", "number": "number", "boolean": "boolean", "array": "list",
}  # fmt: skip
_ITEMS: Mapping[str, ItemType] = {"string": "string", "integer": "integer", "number": "number", "object": "object"}
_NO_NAME = re.compile(r"\W+")


def claimed_kind(name: str) -> OperationKind | None:
    """What the name of a method says about it; null when it says nothing."""
    if _QUERY_NAME.match(name):
        return "query"
    return "state_change" if _CHANGE_NAME.match(name) else None


def derived_model(
    foreign: ForeignClass,
    adapted: Adapted,
    states: Sequence[Mapping[str, Any]],
    *,
    title: str,
    summary: str,
    kinds: Mapping[str, OperationKind],
) -> LogicModel:
    """The minimal logic model of an adapted class.

    Args:
        foreign: The class, read.
        adapted: Its adapter.
        states: States that it has, at least one; what is an object of records by id in all of them is an entity.
        title: What people call it.
        summary: What it is for.
        kinds: Operation -> kind, where somebody has said it.
    """
    entities = entities_in(states)
    return LogicModel(
        title=title,
        class_name=adapted.class_name,
        summary=summary,
        entities=entities,
        rules=(),
        operations=tuple(_operation(foreign, adapted, tool, entities, kinds.get(tool)) for tool in adapted.tools),
    )


def entities_in(states: Sequence[Mapping[str, Any]]) -> tuple[Entity, ...]:
    """One entity per state attribute that holds records by id in every state, and at least one record in some."""
    names = [name for name in (states[0] if states else {}) if name.isidentifier()]
    return tuple(
        _entity(name, [record for state in states for record in state[name].items()])
        for name in names
        if all(is_collection(state.get(name)) for state in states) and any(state[name] for state in states)
    )


def _entity(collection: str, records: Sequence[tuple[str, Mapping[str, Any]]]) -> Entity:
    name = singular(collection)
    shared = [each for each in records[0][1] if all(each in record for _, record in records)]
    key = next((each for each in shared if all(record[each] == key for key, record in records)), None)
    attributes = [_attribute(each, [record[each] for _, record in records]) for each in shared]
    if key is None:
        key = f"{name}_id"
        attributes.append(Attribute(name=key, type="string", description=f"Key of the {name}."))
    prefix = _NO_NAME.split(records[0][0])[0] or name
    described = f"What the state holds under {collection}."
    return Entity(
        name=name, collection=collection, key=key, id_prefix=prefix, description=described, attributes=tuple(attributes)
    )


def _attribute(name: str, values: Sequence[Any]) -> Attribute:
    given = [value for value in values if value is not None]
    kinds = {_kind_of(value) for value in given}
    kind = kinds.pop() if len(kinds) == 1 else "number" if kinds == {"integer", "number"} else None
    words = f"The {name.replace('_', ' ').strip()}."
    if kind is None or kind == "object":  # it has no word in a logic model, or several
        return Attribute(name=name, type="list", items="object", description=words, nullable=True)
    named: AttributeType = kind
    items: ItemType | None = None
    if kind == "list":
        inner = {_kind_of(each) for value in given for each in value}
        items = _ITEMS.get(inner.pop(), "object") if len(inner) == 1 else "object"
    return Attribute(name=name, type=named, items=items, description=words, nullable=len(given) < len(values))


def _kind_of(value: Any) -> AttributeType | Literal["object"]:
    """The word of a logic model for a value; it has none for an object."""
    if isinstance(value, bool):
        return "boolean"
    kinds: dict[type, AttributeType] = {str: "string", int: "integer", float: "number", list: "list"}
    return kinds.get(type(value), "object")


def _operation(
    foreign: ForeignClass, adapted: Adapted, tool: str, entities: Sequence[Entity], kind: OperationKind | None
) -> Operation:
    method = foreign.methods[tool]
    attributes = [entity.collection for entity in entities]
    parameters = []
    for name, schema in adapted.schemas[tool].items():
        parameter = _parameter(
            name, schema, is_required=not any(a.arg == name and d is not None for a, d in method.parameters)
        )
        if parameter is not None:
            described = method.docstring.parameters.get(name) if method.docstring else None
            parameters.append(parameter.model_copy(update={"description": described or parameter.description}))
    return Operation(
        name=tool,
        kind=kind or claimed_kind(tool) or ("state_change" if method.writes else "query"),
        description=method.docstring.summary if method.docstring else "",
        parameters=tuple(parameters),
        reads=tuple(name for name in method.reads if name in attributes),
    )


def _parameter(name: str, schema: Mapping[str, Any], *, is_required: bool) -> Parameter | None:
    """The parameter; null where a logic model has no word for its type."""
    words = f"The {name.replace('_', ' ').strip()}."
    values = [each for each in schema.get("enum", ()) if each is not None]
    if values and all(isinstance(each, str) for each in values):
        return Parameter(name=name, type="enum", values=tuple(values), description=words, required=is_required)
    named = schema.get("type", [])
    kinds = [each for each in ([named] if isinstance(named, str) else named) if each != "null"]
    if len(kinds) != 1 or kinds[0] not in _TYPES:
        return None
    items: ItemType | None = None
    if kinds[0] == "array":
        inner = schema.get("items", {}).get("type")
        items = _ITEMS.get(inner, "object") if isinstance(inner, str) else "object"
    return Parameter(name=name, type=_TYPES[kinds[0]], items=items, description=words, required=is_required)
