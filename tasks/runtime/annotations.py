"""Annotations as JSON schemas, read from the syntax tree and never evaluated."""

import ast
from collections.abc import Iterable, Mapping
from typing import Any

from tasks.runtime.parsing import parse_expression

_SIMPLE = {"str": "string", "int": "integer", "float": "number", "bool": "boolean", "None": "null"}
_JSON_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean", type(None): "null"}
_DEEPEST = 20
"""An alias that leads to itself stops here."""

Definitions = Mapping[str, ast.expr | ast.ClassDef]


class Unsupported(Exception):
    """The annotation says nothing that a JSON argument could be. The text names the part."""


def definitions_of(bodies: Iterable[list[ast.stmt]]) -> dict[str, ast.expr | ast.ClassDef]:
    """What a name may stand for in an annotation: `Kind = Literal[...]`, `Kind: TypeAlias = ...`, a TypedDict class."""
    found: dict[str, ast.expr | ast.ClassDef] = {}
    for body in bodies:
        for node in body:
            if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                found[node.targets[0].id] = node.value
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
                found[node.target.id] = node.value
            elif isinstance(node, ast.ClassDef) and any(_plain_name(base) == "TypedDict" for base in node.bases):
                found[node.name] = node
            elif type(node).__name__ == "TypeAlias":  # `type Kind = ...`, known to the parser from Python 3.12 on
                found[node.name.id] = node.value  # type: ignore[attr-defined]
    return found


def schema_of(annotation: ast.expr, definitions: Definitions, depth: int = 0) -> dict[str, Any]:
    """The JSON schema of an annotation. An enum lists its members; null is allowed only where the annotation says so.

    Raises:
        Unsupported: it is no type that JSON can carry.
    """
    if depth > _DEEPEST:
        raise Unsupported(f"{ast.unparse(annotation)} leads to itself")
    if isinstance(annotation, ast.Constant):
        return _constant(annotation, definitions, depth)
    if isinstance(annotation, ast.BinOp) and isinstance(annotation.op, ast.BitOr):
        return _union([annotation.left, annotation.right], definitions, depth)
    if isinstance(annotation, ast.Subscript):
        return _subscript(annotation, definitions, depth)
    return _named(annotation, definitions, depth)


def _constant(annotation: ast.Constant, definitions: Definitions, depth: int) -> dict[str, Any]:
    if annotation.value is None:
        return {"type": "null"}
    if isinstance(annotation.value, str):
        try:
            quoted = parse_expression(annotation.value).body
        except SyntaxError:
            raise Unsupported(repr(annotation.value)) from None
        return schema_of(quoted, definitions, depth + 1)
    raise Unsupported(repr(annotation.value))


def _named(annotation: ast.expr, definitions: Definitions, depth: int) -> dict[str, Any]:
    name = _plain_name(annotation)
    definition = definitions.get(name) if isinstance(annotation, ast.Name) else None
    if isinstance(definition, ast.ClassDef):
        return _typed_dict(definition, definitions, depth)
    if definition is not None:
        return schema_of(definition, definitions, depth + 1)
    if name in _SIMPLE:
        return {"type": _SIMPLE[name]}
    if name in ("list", "List"):
        return {"type": "array"}
    if name in ("dict", "Dict"):
        return {"type": "object"}
    if name in ("Any", "object"):
        return {}
    raise Unsupported(ast.unparse(annotation))


def _subscript(annotation: ast.Subscript, definitions: Definitions, depth: int) -> dict[str, Any]:
    name = _plain_name(annotation.value)
    inner = annotation.slice.elts if isinstance(annotation.slice, ast.Tuple) else [annotation.slice]
    if name == "Literal":
        return _literal(inner)
    if name in ("list", "List") and len(inner) == 1:
        return {"type": "array", "items": schema_of(inner[0], definitions, depth + 1)}
    if name in ("dict", "Dict") and len(inner) == 2:
        if schema_of(inner[0], definitions, depth + 1).get("type") != "string":
            raise Unsupported(f"{ast.unparse(annotation)} (keys must be str)")
        values = schema_of(inner[1], definitions, depth + 1)
        return {"type": "object", "additionalProperties": values} if values else {"type": "object"}
    if name == "Optional" and len(inner) == 1:
        return _union([inner[0], ast.Constant(None)], definitions, depth)
    if name == "Union":
        return _union(inner, definitions, depth)
    if name in ("Annotated", "Required", "NotRequired"):
        return schema_of(inner[0], definitions, depth + 1)
    raise Unsupported(ast.unparse(annotation))


def _literal(members: list[ast.expr]) -> dict[str, Any]:
    values = []
    for member in members:
        if not isinstance(member, ast.Constant) or type(member.value) not in _JSON_TYPES:
            raise Unsupported(f"Literal[{ast.unparse(member)}]")
        values.append(member.value)
    return {"type": _type_of(_JSON_TYPES[type(value)] for value in values), "enum": values}


def _union(members: list[ast.expr], definitions: Definitions, depth: int) -> dict[str, Any]:
    options: list[dict[str, Any]] = []
    for member in members:
        schema = schema_of(member, definitions, depth + 1)
        options += [each for each in schema.get("anyOf", [schema]) if each not in options]
    if not all(options):  # one of them allows anything
        return {}
    rich = [each for each in options if each.keys() != {"type"}]
    if len(rich) == 0:
        return {"type": _type_of(name for each in options for name in _names(each))}
    if len(rich) == 1 and all(each is rich[0] or each == {"type": "null"} for each in options):
        return _nullable(rich[0]) if len(options) > 1 else rich[0]
    return {"anyOf": options}


def _nullable(schema: dict[str, Any]) -> dict[str, Any]:
    widened = {**schema, "type": _type_of([*_names(schema), "null"])}
    if "enum" in schema and None not in schema["enum"]:
        widened["enum"] = [*schema["enum"], None]
    return widened


def _typed_dict(definition: ast.ClassDef, definitions: Definitions, depth: int) -> dict[str, Any]:
    is_total = not any(
        each.arg == "total" and isinstance(each.value, ast.Constant) and each.value.value is False
        for each in definition.keywords
    )
    properties: dict[str, Any] = {}
    required: list[str] = []
    for node in definition.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            properties[node.target.id] = schema_of(node.annotation, definitions, depth + 1)
            mark = _plain_name(node.annotation.value) if isinstance(node.annotation, ast.Subscript) else ""
            if mark == "Required" or (is_total and mark != "NotRequired"):
                required.append(node.target.id)
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _names(schema: dict[str, Any]) -> list[str]:
    names: str | list[str] = schema["type"]
    return [names] if isinstance(names, str) else names


def _type_of(names: Iterable[str]) -> str | list[str]:
    """One name, or a list without repetitions in the given order."""
    distinct = list(dict.fromkeys(names))
    return distinct[0] if len(distinct) == 1 else distinct


def _plain_name(node: ast.expr) -> str:
    """ "Literal" for `Literal` and `typing.Literal`; empty for anything else."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return node.attr
    return ""
