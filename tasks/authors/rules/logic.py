"""The logic model of a finished draft.

Operations are read off the rendered methods, so that the plan and the code of the built-in author can't disagree.
"""

import re
from typing import Any

from schemas.logic_models import Attribute, AttributeType, Entity, ItemType, LogicModel, Operation, Parameter
from tasks.authors.rules.spec import Draft
from tasks.runtime.signature import ToolSignature, tools_of

_JSON_TYPES: dict[str, AttributeType] = {
    "string": "string",
    "integer": "integer",
    "number": "number",
    "boolean": "boolean",
    "array": "list",
}
_ITEM_TYPES: dict[str, ItemType] = {"string": "string", "integer": "integer", "number": "number", "object": "object"}


def logic_model_of(draft: Draft, code: str) -> LogicModel:
    """The plan that the draft's class was rendered from."""
    return LogicModel(
        title=draft.title,
        class_name=draft.class_name,
        summary=draft.summary,
        settings=draft.settings,
        entities=tuple(_entity(spec.noun.one, draft) for spec in draft.entities.values()),
        rules=tuple(draft.rules),
        operations=tuple(_operation(each, draft, code) for each in tools_of(code, draft.class_name)),
    )


def _entity(role: str, draft: Draft) -> Entity:
    noun = draft.noun(role)
    spec = draft.entities[noun.many]
    key = Attribute(name=noun.key, type="string", description=f"Own id, such as {noun.prefix}-0001.", max_length=20)
    return Entity(
        name=noun.one,
        collection=noun.many,
        key=noun.key,
        id_prefix=noun.prefix,
        description=spec.description,
        attributes=(key, *spec.attributes),
    )


def _operation(tool: ToolSignature, draft: Draft, code: str) -> Operation:
    return Operation(
        name=tool.name,
        kind="state_change" if tool.writes else "query",
        description=tool.summary,
        parameters=tuple(
            _parameter(name, schema, name in tool.parameters.get("required", ()), draft)
            for name, schema in tool.parameters["properties"].items()
        ),
        reads=tool.reads,
        writes=tool.writes,
        errors=_errors(tool.name, code),
        enforces=tuple(rule for rule, tools in draft.enforced_by.items() if tool.name in tools),
    )


def _parameter(name: str, schema: dict[str, Any], required: bool, draft: Draft) -> Parameter:
    schema = _not_null(schema)
    item = _not_null(schema.get("items", {}))
    description = schema.get("description", "")
    kind = _JSON_TYPES[schema["type"]]
    to = _refers_to(name, draft)
    values = tuple(each for each in schema.get("enum") or item.get("enum") or () if each is not None)
    if kind == "string" and values:
        kind = "enum"
    elif kind == "string" and to in draft.entities:
        kind = "reference"
    elif kind == "string" and "YYYY-MM-DDTHH:MM" in description:
        kind = "datetime"
    elif kind == "string" and "YYYY-MM-DD" in description:
        kind = "date"
    items = ("enum" if values else _ITEM_TYPES[item["type"]]) if kind == "list" else None
    return Parameter(
        name=name,
        type=kind,
        description=description,
        required=required,
        values=values,
        to=to if kind == "reference" else None,
        items=items,
    )


def _refers_to(parameter: str, draft: Draft) -> str | None:
    """The collection that a parameter of this name points into, by the entities' keys and reference attributes."""
    by_key = {noun.key: noun.many for noun in draft.nouns.values()}
    for spec in draft.entities.values():
        by_key |= {each.name: each.to for each in spec.attributes if each.type == "reference" and each.to}
    if parameter in by_key:
        return by_key[parameter]
    return next((many for key, many in by_key.items() if parameter.endswith(f"_{key}")), None)


def _not_null(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema without its null option: {"type": ["string", "null"]} and {"anyOf": [...]} become the other option."""
    if "anyOf" in schema:
        option = next(each for each in schema["anyOf"] if each.get("type") != "null")
        return {**option, **{key: value for key, value in schema.items() if key != "anyOf"}}
    if isinstance(schema.get("type"), list):
        return {**schema, "type": next(each for each in schema["type"] if each != "null")}
    return schema


def _errors(tool: str, code: str) -> tuple[str, ...]:
    """The refusals of one method, as they stand in its source."""
    body = re.search(rf"^    def {tool}\(.*?(?=^    (?:def|@)|\Z)", code, flags=re.MULTILINE | re.DOTALL)
    if body is None:
        return ()
    found = re.findall(r'_fail\(f?"((?:[^"\\]|\\.)*)"', body.group())
    return tuple(dict.fromkeys(re.sub(r"\{[^}]*\}", "...", text) for text in found))
