"""Whether the arguments of a call fit the schema of its tool. Types are taken strictly: true is never a number."""

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import repeat
from typing import Any

from tasks.sandbox.inside.plain import NotJson, require_plain

_SHOWN = 60
_NAMES = {
    "string": "a string",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}
_IS: dict[str, Callable[[Any], bool]] = {
    "string": lambda value: type(value) is str,
    "integer": lambda value: type(value) is int,
    "number": lambda value: type(value) is int or (type(value) is float and math.isfinite(value)),
    "boolean": lambda value: type(value) is bool,
    "array": lambda value: type(value) is list,
    "object": lambda value: type(value) is dict,
    "null": lambda value: value is None,
}

Schema = Mapping[str, Any]


def problem_with(arguments: Mapping[str, Any], schema: Schema) -> str | None:
    """What is wrong with the arguments, as a sentence for the caller that says what is allowed; null when they fit.

    Args:
        arguments: Name -> value, as decoded from JSON; other values are refused.
        schema: The parameters of a function declaration: an object schema as `tools_of` makes it.
    """
    properties: Mapping[str, Schema] = schema.get("properties", {})
    for name in arguments:
        if name not in properties:
            allowed = ", ".join(properties) or "none"
            return f"Unknown argument {name!r:.60}. Allowed: {allowed}."
    for name in schema.get("required", ()):
        if name not in arguments:
            return f"Missing argument {name!r}: {_wanted(properties[name])}."
    for name, value in arguments.items():
        if problem := _misfit(value, properties[name], name):
            return problem
    try:
        require_plain(dict(arguments))
    except NotJson as flaw:
        return f"Not a JSON value: {flaw}."
    return None


def _misfit(value: object, schema: Schema, place: str) -> str | None:
    """The first problem with one value, which stands at `place`."""
    if "anyOf" in schema:
        fits = any(_misfit(value, option, place) is None for option in schema["anyOf"])
        return None if fits else _message(place, schema, value)
    if "type" in schema and not any(_IS[name](value) for name in _types(schema)):
        return _message(place, schema, value)
    if "enum" in schema and not any(type(value) is type(member) and value == member for member in schema["enum"]):
        return _message(place, schema, value)
    if isinstance(value, list) and "items" in schema:
        places = (f"{place}[{index}]" for index in range(len(value)))
        problems = map(_misfit, value, repeat(schema["items"]), places)
        return next(filter(None, problems), None)
    return _object_misfit(value, schema, place) if isinstance(value, dict) else None


def _object_misfit(value: dict[str, Any], schema: Schema, place: str) -> str | None:
    properties: Mapping[str, Schema] = schema.get("properties", {})
    others = schema.get("additionalProperties", {})
    rest: Schema = others if isinstance(others, dict) else {}
    for name in schema.get("required", ()):
        if name not in value:
            return f"Argument {place!r} lacks {name!r}: {_wanted(properties[name])}."
    for name, inner in value.items():
        if name not in properties and others is False:
            return f"Argument {place!r} has an unknown key {name!r:.60}. Allowed: {', '.join(properties) or 'none'}."
        if problem := _misfit(inner, properties.get(name, rest), f"{place}.{name}"):
            return problem
    return None


def _message(place: str, schema: Schema, value: object) -> str:
    shown = repr(value)
    shown = shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}..."
    return f"Argument {place!r} must be {_wanted(schema)}, not {shown}."


def _wanted(schema: Schema) -> str:
    if "anyOf" in schema:
        return " or ".join(_wanted(option) for option in schema["anyOf"])
    if "enum" in schema:
        return "one of " + ", ".join("null" if member is None else repr(member) for member in schema["enum"])
    if "type" not in schema:
        return "any JSON value"
    names = [_NAMES[name] for name in _types(schema)]
    if "items" in schema:
        names = [f"a list, each of it {_wanted(schema['items'])}" if name == "a list" else name for name in names]
    return " or ".join(names)


def _types(schema: Schema) -> Sequence[str]:
    named: str | list[str] = schema["type"]
    return [named] if isinstance(named, str) else named
