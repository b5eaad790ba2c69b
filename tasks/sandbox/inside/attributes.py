"""States that differ in little from one to the next: their digests, and what is kept of them."""

import marshal
from collections.abc import Sequence
from typing import Any

from schemas.ids import canonical_json, text_digest
from tasks.sandbox.inside.plain import NotJson, require_plain

_NO_SHARING = 2
"""Version of the marshal format whose bytes depend on nothing but the values and their types."""


def lettered(value: Any) -> bytes:
    """What is the same for values that are equal to the letter: to Python 1, 1.0 and true are equal too.

    Types and the order of keys count. It is several times faster than JSON.

    Raises:
        ValueError: something in the value is of no built-in type, or nested too deeply.
    """
    return marshal.dumps(value, _NO_SHARING)


class Kept:
    """A state that is gone back to and compared with, attribute by attribute. Nothing can change it."""

    def __init__(self, state: dict[str, Any]) -> None:
        """Keep a state that came as JSON."""
        self._parts = {name: marshal.dumps(value) for name, value in state.items()}
        """Attribute -> its value, marshalled."""
        self._compared: dict[str, bytes] = {}
        """The same without sharing, of those that were compared."""

    def state(self) -> dict[str, Any]:
        """A fresh copy."""
        return {name: marshal.loads(data) for name, data in self._parts.items()}

    def changed(self, names: Sequence[str], changed: dict[str, Any], shares: bool) -> "Kept":
        """The state with these attributes, in this order.

        Args:
            names: Of the attributes.
            changed: Those that this state does not have, or has differently.
            shares: Whether there may be others, which this state has.
        """
        other = Kept(changed)
        if not shares:
            return other
        known = {**self._parts, **other._parts}
        other._parts = {name: known[name] for name in names}
        other._compared = {name: data for name, data in self._compared.items() if name not in changed}
        return other

    def has(self, name: str, value: Any, data: bytes | None = None) -> bool:
        """Whether the state has this very value, types and order of keys included, under this name.

        Args:
            name: Of the attribute.
            value: Its value.
            data: The same, marshalled without sharing, where that is known.
        """
        if name not in self._parts:
            return False
        if name not in self._compared:
            self._compared[name] = lettered(marshal.loads(self._parts[name]))
        try:
            return (data or lettered(value)) == self._compared[name]
        except ValueError:  # of no built-in type, or nested too deeply
            return False


class StateDigests:
    """Makes them. An attribute that is as it was the last time is neither checked nor written as JSON again."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[bytes, str]] = {}
        """Attribute -> its value, marshalled, and as canonical JSON."""
        self.latest: dict[str, bytes] = {}
        """The attributes of the latest state, marshalled; empty when it was not plain JSON."""

    def of(self, state: dict[str, Any]) -> str:
        """The digest of the public attributes.

        Raises:
            NotJson: the state is not plain JSON.
        """
        self.latest = {}
        if any(type(name) is not str for name in state):
            require_plain(state)
        try:
            members = [f"{canonical_json(name)}:{self._text(name, state[name])}" for name in sorted(state)]
        except NotJson:
            require_plain(state)  # it says where, from the attribute on
            raise
        self.latest = {name: self._known[name][0] for name in state if name in self._known}
        return text_digest(f"[{{{','.join(members)}}}]")

    def _text(self, name: str, value: Any) -> str:
        require_plain(name)
        try:
            data = lettered(value)
        except ValueError:  # of no built-in type, or nested too deeply
            self._known.pop(name, None)
            require_plain(value, 1)
            return canonical_json(value)
        known = self._known.get(name)
        if known is None or known[0] != data:
            require_plain(value, 1)
            known = self._known[name] = data, canonical_json(value)
        return known[1]
