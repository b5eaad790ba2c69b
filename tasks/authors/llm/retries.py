"""How long to wait before a request is sent again."""

import math
import random
from collections.abc import Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime

LONGEST_WAIT_S = 60.0
"""What an endpoint says about when to come back is heeded up to this."""
FIRST_WAIT_S = 0.5
LONGEST_GUESS_S = 20.0
"""Longest wait where the endpoint does not say."""
_SPREAD = 0.1
"""Requests that were told the same wait must not come back all at once."""


def named_wait(headers: Mapping[str, str], now: datetime) -> float | None:
    """Seconds from now until the endpoint wants to be asked again; null when it does not say.

    Args:
        headers: With names in lower case, or of a mapping that does not care.
        now: With a time zone; what a date in the header is counted from.
    """
    for name, unit_s in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = headers.get(name, "").strip()
        wait = _number(value)
        if wait is None and unit_s == 1.0:
            wait = _until(value, now)
        if wait is not None:
            return wait * unit_s
    return None


def wait_s(attempt: int, named_s: float | None, chance: random.Random) -> float:
    """Seconds to wait after a failed attempt.

    Args:
        attempt: Which one failed, counted from 1.
        named_s: What the endpoint says; null when it says nothing.
        chance: Where the spread comes from.
    """
    if named_s is not None:
        return min(named_s * (1 + _SPREAD * chance.random()), LONGEST_WAIT_S)
    guess: float = min(FIRST_WAIT_S * 2 ** (attempt - 1), LONGEST_GUESS_S)
    return guess * (0.5 + chance.random())


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) and number >= 0 else None


def _until(text: str, now: datetime) -> float | None:
    try:
        date = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    if date.tzinfo is None:  # "-0000": the date does not say where it holds
        date = date.replace(tzinfo=now.tzinfo)
    return max(0.0, (date - now).total_seconds())
