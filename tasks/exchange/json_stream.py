"""The entries of a large JSON file, one at a time: of a list, of an object of entries, or one object per line."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LONGEST_ENTRY = 32_000_000
"""Characters. What is longer ends the reading of its file: nothing else bounds the memory."""
_CHUNK = 1 << 20
_BLANKS = " \t\r\n"


class NotReadable(Exception):
    """The file can't be read on from here. The text says where and why."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a file."""

    number: int
    """Counted from 1."""
    key: str | None
    """Its key in an object of entries; null elsewhere."""
    value: Any


def read_entries(path: Path, fields: frozenset[str]) -> Iterator[Entry]:
    """Every entry of a file; of memory, one entry and a little more is used.

    Args:
        path: A text in UTF-8.
        fields: Keys of a single entry. An object that begins with one of them is an entry itself.

    Raises:
        NotReadable: the file is no JSON from some place on; the entries before were yielded.
    """
    try:
        with path.open(encoding="utf-8-sig") as file:
            yield from _Reader(file, path.name).entries(fields)
    except UnicodeDecodeError as error:
        raise NotReadable(f"{path.name} is no UTF-8 text: {error.reason} near byte {error.start}") from error
    except OSError as error:
        raise NotReadable(f"{path} can't be read: {error.strerror or error}") from error


class _Reader:
    def __init__(self, file: Any, name: str) -> None:
        self._file, self._name = file, name
        self._text, self._at, self._line, self._is_over = "", 0, 1, False

    def entries(self, fields: frozenset[str]) -> Iterator[Entry]:
        number = 0
        while (mark := self._peek()) or number == 0:
            for key, value in self._list() if mark == "[" else self._object(fields) if mark == "{" else self._nothing():
                number += 1
                yield Entry(number, key, value)
            if self._peek() == "":
                return

    def _nothing(self) -> Iterator[tuple[str | None, Any]]:
        what = "is empty" if self._peek() == "" else f"holds no list and no object at line {self._line}"
        raise NotReadable(f"{self._name} {what}")
        yield None, None

    def _list(self) -> Iterator[tuple[str | None, Any]]:
        self._take("[")
        while self._peek() != "]":
            yield None, self._value()
            if self._peek() != "]":
                self._take(",")
        self._take("]")

    def _object(self, fields: frozenset[str]) -> Iterator[tuple[str | None, Any]]:
        self._take("{")
        single: dict[str, Any] = {}
        first = True
        while self._peek() != "}":
            key = self._value()
            if not isinstance(key, str):
                raise NotReadable(f"{self._name}: a key that is no text at line {self._line}")
            self._take(":")
            value = self._value()
            if single or (first and key in fields):
                single[key] = value
            else:
                yield key, value
            first = False
            if self._peek() != "}":
                self._take(",")
        self._take("}")
        if single:
            yield None, single

    def _take(self, mark: str) -> None:
        found = self._peek()
        if found != mark:
            what = repr(found) if found else "the end of the file"
            raise NotReadable(f"{self._name} is no JSON at line {self._line}: {mark!r} is expected, not {what}")
        self._at += 1

    def _peek(self) -> str:
        """The next character that is no blank; empty at the end."""
        while True:
            while self._at < len(self._text) and self._text[self._at] in _BLANKS:
                self._line += self._text[self._at] == "\n"
                self._at += 1
            if self._at < len(self._text) or not self._more():
                return self._text[self._at : self._at + 1]

    def _value(self) -> Any:
        self._peek()
        while True:
            try:
                value, end = json.JSONDecoder().raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                is_cut = error.pos > len(self._text) - 20 or error.msg.startswith("Unterminated string")
                if is_cut and len(self._text) - self._at < LONGEST_ENTRY and self._more(double=True):
                    continue
                if is_cut and not self._is_over:
                    size = f"{LONGEST_ENTRY // 10**6} million characters"
                    raise NotReadable(f"{self._name}: the entry at line {self._line} has more than {size}") from None
                line = self._line + self._text.count("\n", self._at, error.pos)
                raise NotReadable(f"{self._name} is no JSON at line {line}: {error.msg}") from None
            except (RecursionError, ValueError) as error:
                raise NotReadable(f"{self._name}: the entry at line {self._line} can't be read: {error}") from None
            if end < len(self._text) or not self._more():  # a number might go on
                self._line += self._text.count("\n", self._at, end)
                self._at = end
                return value

    def _more(self, *, double: bool = False) -> bool:
        """Read on; whether there was anything."""
        if self._is_over:
            return False
        left = self._text[self._at :]
        chunk = self._file.read(max(_CHUNK, len(left)) if double else _CHUNK)
        self._is_over = not chunk
        self._text, self._at = left + chunk, 0
        return bool(chunk)
