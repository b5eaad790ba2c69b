"""Argument values that must be refused, and values that a careless tool stumbles over.

A wrong value does not fit the declared type: no tool may accept it. An odd value fits, or nearly fits: a tool may
accept or refuse it, but it must not raise, and what it keeps must fit the logic model.
"""

from collections.abc import Mapping
from datetime import date
from types import MappingProxyType
from typing import Any

from schemas.logic_models import LogicModel, Parameter
from tasks.evaluation.states import is_date, is_moment

LONG_TEXT = "lorem ipsum " * 8334
"""A little over 100,000 characters."""

_WRONG: Mapping[str, tuple[Any, ...]] = MappingProxyType(
    {
        "string": (7, ["text"], {"text": 1}),
        "integer": ("7", True, 2.5, [7]),
        "number": ("7.5", True, [7.5]),
        "boolean": ("true", 1, [True]),
        "array": ("text", 7, {"text": 1}),
        "object": ("text", 7, ["text"]),
    }
)
_ODD_TEXTS = ("", "Žofie 張偉 עברית 👩‍🚀\n\t", LONG_TEXT)
_ODD_DATES = ("2025-02-30", "9999-12-31", "0001-01-01", "")
_ODD_MOMENTS = ("2025-02-30T10:00", "9999-12-31T23:59", "0001-01-01T00:00", "")
_DATE = "2025-06-19"
_MOMENT = "2025-06-19T10:00"
_ODD_INTEGERS = (-1, 0, 10**12, 10**30)
_ODD_NUMBERS = (-0.5, 0, 1e300, 10**30)


def wrong_values(schema: Mapping[str, Any]) -> tuple[Any, ...]:
    """Values that do not fit the JSON schema of one parameter, as `tasks.runtime.signature` writes it."""
    types = _types(schema)
    if not types:
        return ()  # anything goes
    values = [value for value in _WRONG.get(types[0], ()) if not any(_fits(value, each) for each in types)]
    if "null" not in types:
        values.append(None)
    if "enum" in schema:
        values.append("no such value")
    if types[0] == "array":
        values += [[value] for value in wrong_values(schema.get("items", {}))[:2]]
    return tuple(values)


def odd_values(model: LogicModel, parameter: Parameter, usual: Any) -> tuple[Any, ...]:
    """Values that nearly fit one parameter.

    Args:
        model: Knows the ids of other entities.
        parameter: What the values are for.
        usual: A value that the tool may accept; dates are also written in the lax forms of this one.
    """
    match parameter.type:
        case "string":
            return _ODD_TEXTS
        case "date":
            return (*_lax_dates(usual if is_date(usual) else _DATE), *_ODD_DATES)
        case "datetime":
            return (*_lax_moments(usual if is_moment(usual) else _MOMENT), *_ODD_MOMENTS)
        case "integer":
            return _ODD_INTEGERS
        case "number":
            return _ODD_NUMBERS
        case "reference":
            return ("", *_foreign_ids(model, parameter))
        case "list":
            return _odd_lists(model, parameter)
        case _:
            return ()


def _foreign_ids(model: LogicModel, parameter: Parameter) -> tuple[str, ...]:
    """The first id of another entity, which most states hold, and an own id that no state holds."""
    ids = [f"{entity.id_prefix}-0001" for entity in model.entities if entity.collection != parameter.to][:1]
    ids += [f"{entity.id_prefix}-9999999" for entity in model.entities if entity.collection == parameter.to]
    return tuple(ids)


def _odd_lists(model: LogicModel, parameter: Parameter) -> tuple[Any, ...]:
    if parameter.items == "enum":
        return ([], [parameter.values[0]] * 2)
    if parameter.items == "object":
        return ([], [{}], [{"unknown": None}])
    item = Parameter(name=parameter.name, type=parameter.items or "string", description="", to=parameter.to)
    return ([], *([value] for value in odd_values(model, item, None) if value != LONG_TEXT))


def _lax_dates(text: str) -> tuple[str, ...]:
    """What `date.fromisoformat` also reads, and what `datetime.fromisoformat` does."""
    year, week, weekday = date.fromisoformat(text).isocalendar()
    return (text.replace("-", ""), f"{year:04d}-W{week:02d}-{weekday}", f"{text} 10:00", f"{text}T10:00")


def _lax_moments(text: str) -> tuple[str, ...]:
    """What `datetime.fromisoformat` also reads."""
    day, clock = text.split("T")
    return (f"{day} {clock}", f"{day.replace('-', '')}T{clock.replace(':', '')}", f"{text}+14:00", day)


def _types(schema: Mapping[str, Any]) -> list[str]:
    """The types that a schema allows, null last; empty when it allows anything."""
    options = schema.get("anyOf", [schema])
    names = [name for each in options for name in _names(each)]
    return sorted(dict.fromkeys(names), key=lambda name: name == "null")


def _names(schema: Mapping[str, Any]) -> list[str]:
    name: str | list[str] = schema.get("type", [])
    return [name] if isinstance(name, str) else list(name)


def _fits(value: Any, name: str) -> bool:
    match name:
        case "string":
            return isinstance(value, str)
        case "integer":
            return type(value) is int
        case "number":
            return type(value) in (int, float)
        case "boolean":
            return isinstance(value, bool)
        case "array":
            return isinstance(value, list)
        case "object":
            return isinstance(value, dict)
        case _:
            return value is None
