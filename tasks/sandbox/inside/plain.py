"""Plain JSON: null, bool, int, finite float, text, list, dict with text keys; exactly these types, no subclasses."""

import math
from collections.abc import Callable
from typing import Any

from tasks.sandbox.frames import encode_json
from tasks.sandbox.inside.code import type_name

_MAX_DEPTH = 100
_MAX_BITS = 14_000
"""An integer of more bits has no text: Python stops at 4300 digits."""


class NotJson(Exception):
    """A value is not plain JSON. `str()` says why and where."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why
        self.path: list[str | int] = []

    def __str__(self) -> str:
        place = "".join(f"[{key!r:.60}]" for key in reversed(self.path))
        return f"{self.why} at {place}" if place else self.why


def to_json(value: object) -> str:
    """The JSON text of a plain value, keys in their own order.

    Raises:
        NotJson: the value holds something else. A tuple counts as something else: it would come back as a list.
    """
    require_plain(value)
    return encode_json(value)


def require_plain(value: object, depth: int = 0) -> None:
    """Raise NotJson unless the value is plain JSON. `depth` counts the containers around it."""
    require = _REQUIREMENTS.get(id(type(value)))
    if require is None:
        raise NotJson(f"a {type_name(value)} is not plain JSON")
    require(value, depth)


def _dict(value: dict[Any, object], depth: int) -> None:
    _depth(depth)
    for key, inner in value.items():
        if type(key) is not str:
            raise NotJson(f"a key of type {type_name(key)} (keys must be text)")
        if not key.isascii():
            _text(key, depth)
        if inner is None or inner is True or inner is False or (type(inner) is str and inner.isascii()):
            continue  # most leaves are one of these, and a call each is what takes the time
        try:
            require_plain(inner, depth + 1)
        except NotJson as flaw:
            flaw.path.append(key)
            raise


def _list(value: list[object], depth: int) -> None:
    _depth(depth)
    for index, inner in enumerate(value):
        try:
            require_plain(inner, depth + 1)
        except NotJson as flaw:
            flaw.path.append(index)
            raise


def _depth(depth: int) -> None:
    if depth == _MAX_DEPTH:
        raise NotJson(f"nested more than {_MAX_DEPTH} levels deep")


def _text(value: str, depth: int) -> None:
    if not value.isascii():
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            raise NotJson("text with a lone surrogate") from None


def _float(value: float, depth: int) -> None:
    if not math.isfinite(value):
        raise NotJson(f"{value!r} is not a JSON number")


def _int(value: int, depth: int) -> None:
    if value.bit_length() > _MAX_BITS:
        raise NotJson("an integer of thousands of digits")


def _anything(value: object, depth: int) -> None:
    """Null and bool."""


_PLAIN: dict[type, Callable[[Any, int], None]] = {
    str: _text,
    dict: _dict,
    list: _list,
    int: _int,
    float: _float,
    bool: _anything,
    type(None): _anything,
}
_REQUIREMENTS = {id(kind): require for kind, require in _PLAIN.items()}
"""By identity: a class may claim to equal another one."""
