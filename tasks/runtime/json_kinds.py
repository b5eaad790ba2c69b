"""What JSON values are called to people."""

from collections.abc import Mapping


def kind_of(value: object) -> str:
    """What a value is, with its article: "a number", "a list", "null"."""
    match value:
        case None:
            return "null"
        case bool():
            return "true or false"
        case int() | float():
            return "a number"
        case str():
            return "a text"
        case list() | tuple():
            return "a list"
        case Mapping():
            return "an object"
        case _:
            return f"of the type {type(value).__name__}"
