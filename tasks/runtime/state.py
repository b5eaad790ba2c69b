"""States of an environment as plain JSON: their one text, their digest, and what differs between two of them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from schemas.ids import canonical_json, digest

State = Mapping[str, Any]
_ABSENT = object()


@dataclass(frozen=True, slots=True)
class Change:
    """One leaf that differs. A list is a leaf as a whole, and so is an empty object."""

    path: tuple[str, ...]
    before: Any
    """Null when it was added; `kind` tells that from a null that was there."""
    after: Any
    """Null when it was removed."""
    kind: Literal["added", "removed", "changed"]


def state_digest(state: State) -> str:
    """Digest of a state; the same that a session computes with `watch`.

    Raises:
        TypeError, ValueError: the state is not plain JSON.
    """
    return digest(state)


def difference(before: State, after: State) -> tuple[Change, ...]:
    """All leaves that differ, ordered by path. 1, 1.0 and true are three different values.

    Raises:
        TypeError, ValueError: a state is not plain JSON.
    """
    return tuple(_changes(before, after, ()))


def _changes(before: Any, after: Any, path: tuple[str, ...]) -> Iterator[Change]:
    old, new = _inner(before, after), _inner(after, before)
    if old is not None and new is not None and (old or new):
        for key in sorted(old.keys() | new.keys()):
            yield from _changes(old.get(key, _ABSENT), new.get(key, _ABSENT), (*path, key))
    elif before is _ABSENT:
        yield Change(path, None, after, "added")
    elif after is _ABSENT:
        yield Change(path, before, None, "removed")
    elif canonical_json(before) != canonical_json(after):
        yield Change(path, before, after, "changed")


def _inner(value: Any, other: Any) -> Mapping[str, Any] | None:
    """The leaves to walk: those of an object, and none of what is absent beside an object with leaves."""
    if isinstance(value, Mapping):
        return value
    return {} if value is _ABSENT and isinstance(other, Mapping) and other else None
