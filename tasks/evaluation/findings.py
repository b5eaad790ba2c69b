"""What a check found: bad output of an author, as data."""

from collections.abc import Iterable
from dataclasses import dataclass

_LONGEST_DETAIL = 300
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong."""

    reason: str
    """Reason code."""
    detail: str
    """What exactly is wrong, where, and what was expected: the author repairs from this text."""


def shorten(text: str, longest: int = _LONGEST_DETAIL) -> str:
    """The text on one line, cut in its middle where it is longer than `longest` characters."""
    line = " ".join(text.split())
    if len(line) <= longest:
        return line
    half = (longest - 5) // 2
    return f"{line[:half]} ... {line[-half:]}"


def summary(findings: Iterable[Finding]) -> str:
    """The first findings as one text for the column `detail`, and how many more there are."""
    details = [shorten(each.detail) for each in findings]
    more = f" (and {len(details) - _SHOWN} more)" if len(details) > _SHOWN else ""
    return "; ".join(details[:_SHOWN]) + more
