"""Reads Google-style docstrings."""

import re
from dataclasses import dataclass

_SECTION = re.compile(
    r"(Args|Arguments|Parameters|Returns?|Raises|Yields|Notes?|Examples?|Attributes|Side effects|Errors):\s*(.*)", re.I
)
_ENTRY = re.compile(r"\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s*(.*)")


@dataclass(frozen=True)
class Docstring:
    """What a docstring says to someone who calls the method."""

    summary: str
    """The text before the first section, on one line."""
    parameters: dict[str, str]
    """Parameter -> description, on one line, in the order of the text."""


def read_docstring(text: str) -> Docstring:
    """Take a cleaned docstring apart. Sections other than the arguments are left out."""
    lines = text.splitlines()
    start = next((number for number, line in enumerate(lines) if _SECTION.fullmatch(line)), len(lines))
    return Docstring(summary=_one_line(lines[:start]), parameters=_parameters(lines[start:]))


def _parameters(lines: list[str]) -> dict[str, str]:
    found: dict[str, list[str]] = {}
    current: list[str] | None = None
    inside, entry_indent = False, None
    for line in lines:
        if section := _SECTION.fullmatch(line):
            inside, entry_indent, current = section[1].lower() in ("args", "arguments", "parameters"), None, None
            continue
        if not inside or not line.strip():
            continue
        indent = len(line) - len(line.lstrip())
        entry_indent = indent if entry_indent is None else entry_indent
        entry = _ENTRY.fullmatch(line.strip())
        if entry and indent <= entry_indent:
            current = found[entry[1]] = [entry[2]]
        elif current is not None:
            current.append(line)
    return {name: _one_line(parts) for name, parts in found.items()}


def _one_line(lines: list[str]) -> str:
    return " ".join(" ".join(lines).split())
