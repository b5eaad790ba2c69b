"""Arguments of a tool as a person types them: `key=value ...`, or one JSON object."""

import json
import shlex
from collections.abc import Mapping
from typing import Any

from schemas.errors import UsageError

Schema = Mapping[str, Any]


def typed_arguments(text: str, parameters: Schema) -> dict[str, Any]:
    """The arguments in a line; whether they fit is for the environment to say.

    A value is a text where the tool takes a text, else JSON if it can be read so: `days=7`, `note="two words"`.

    Args:
        text: What stands behind the tool's name.
        parameters: JSON schema of the tool's arguments.

    Raises:
        UsageError: it is neither form.
    """
    if text.lstrip().startswith("{"):
        return _json_object(text)
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise UsageError(f"Can't read the arguments: {error}.") from error
    arguments: dict[str, Any] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not name:
            raise UsageError(f"{word!r} is no key=value. Arguments are typed as key=value ..., or as one JSON object.")
        if name in arguments:
            raise UsageError(f"{name!r} is given twice.")
        arguments[name] = _value(value, parameters.get("properties", {}).get(name, {}))
    return arguments


def _json_object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"The arguments are no JSON: {error}.") from error
    if not isinstance(value, dict):
        raise UsageError("The arguments must be one JSON object.")
    return value


def _value(text: str, schema: Schema) -> Any:
    types = _types(schema)
    if "string" in types and not (text == "null" and "null" in types):
        return text
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _types(schema: Schema) -> set[str]:
    if "anyOf" in schema:
        return {name for option in schema["anyOf"] for name in _types(option)}
    named = schema.get("type", [])
    return {named} if isinstance(named, str) else set(named)
