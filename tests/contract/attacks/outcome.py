"""What became of an attack, and how the processes that try attacks report it."""

import json
import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from tasks.sandbox.base import FaultReason

_DEEPEST = 200
_LONGEST_INTEGER_BITS = 14_000
MIB = 1 << 20
_SCALARS = (str, int, float, bool, type(None))  # compared by identity: a class may lie about being equal


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one attack got."""

    name: str
    reached: bool
    detail: str
    """What stopped it, or what it got."""
    ended: FaultReason | None = None
    """How its session died; null when it went on."""


def write_outcomes(path: Path, outcomes: Iterable[Outcome]) -> None:
    """One JSON object per line."""
    path.write_text("".join(json.dumps(asdict(outcome)) + "\n" for outcome in outcomes))


def read_outcomes(path: Path) -> dict[str, Outcome]:
    """By the name of the attack."""
    outcomes = [Outcome(**json.loads(line)) for line in path.read_text().splitlines()]
    return {outcome.name: outcome for outcome in outcomes}


def why_not_plain(value: Any) -> str | None:
    """What keeps a value from being plain JSON that any reader takes; null when nothing does."""
    pending: list[tuple[Any, int]] = [(value, 0)]
    while pending:
        value, depth = pending.pop()
        if depth > _DEEPEST:
            return "deeper than 200"
        if type(value) is dict:
            pending += ((part, depth + 1) for item in value.items() for part in item)
            if not all(type(key) is str for key in value):
                return "a key that is no text"
        elif type(value) is list:
            pending += ((part, depth + 1) for part in value)
        elif type(value) is float and not math.isfinite(value):
            return "not a finite number"
        elif type(value) is int and value.bit_length() > _LONGEST_INTEGER_BITS:
            return "a number of thousands of digits"
        elif type(value) is str and any("\ud800" <= letter <= "\udfff" for letter in value):
            return "a surrogate"
        elif not any(type(value) is kind for kind in _SCALARS):
            return "another type"
    return None
