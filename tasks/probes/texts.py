"""Values that stand in a text: names, amounts, days, times, addresses; and its words, to be compared with others."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import TypeVar

ValueT = TypeVar("ValueT")

_MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_MONTH = "|".join(_MONTHS)
_ISO = re.compile(r"\b(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}:\d{2}))?")
_DAY_FIRST = re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ({_MONTH})\b(?:,? (\d{{4}}))?", re.IGNORECASE)
_MONTH_FIRST = re.compile(rf"\b({_MONTH}) (\d{{1,2}})(?:st|nd|rd|th)?\b(?:,? (\d{{4}}))?", re.IGNORECASE)
_TIME = re.compile(r"\b([01]?\d|2[0-3]):([0-5]\d)\b")
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_PHONE = re.compile(r"\+\d[\d ]{6,}\d")
_NUMBER = re.compile(r"(?<![\w.+:-])\d+(?:\.\d+)?(?![\w:-])")
_QUOTED = re.compile(r"[\"“']([^\"”']{2,80})[\"”'](?!\w)")
_NAME = re.compile(r"[A-Z0-9][\w&-]*(?:\.\w+)*(?:(?: | to | of | and | the | de )[A-Z0-9][\w&-]*(?:\.\w+)*)*")
_WORD = re.compile(r"[a-z]+|\d+")
_CALENDAR = frozenset({*_MONTHS, "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"})
_IDLE = frozenset({
    "a", "all", "also", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can", "could", "do", "does",
    "else", "everybody", "everything", "first", "for", "from", "has", "have", "he", "her", "hi", "him", "his", "i",
    "if", "in", "into", "is", "it", "its", "last", "let", "like", "me", "more", "my", "need", "new", "next", "no",
    "not", "nothing", "now", "of", "off", "on", "one", "only", "or", "other", "others", "our", "out", "please", "set",
    "she", "should", "so", "some", "tell", "thank", "thanks", "that", "the", "their", "them", "then", "there", "they",
    "this", "those", "to", "too", "up", "us", "want", "was", "we", "were", "what", "when", "whether", "which", "who",
    "will", "with", "would", "you", "your",
})  # fmt: skip
"""Words that say nothing about what a task is about."""
_ENDINGS = ("ations", "ation", "ings", "ing", "ions", "ion", "ies", "ed", "es", "s", "e", "y")
_SHORTEST_STEM = 3
_TEXTS_KEPT = 4096
"""All agents read the same tasks, tools and records."""


@dataclass(frozen=True, slots=True)
class TextValues:
    """What a text names, each in the order in which it stands there."""

    names: tuple[str, ...]
    """Quoted words and words in capitals."""
    numbers: tuple[int | float, ...]
    days: tuple[str, ...]
    """As YYYY-MM-DD."""
    times: tuple[str, ...]
    """As HH:MM."""
    emails: tuple[str, ...]
    phones: tuple[str, ...]


@lru_cache(maxsize=_TEXTS_KEPT)
def values_in(text: str, *, year: int) -> TextValues:
    """Everything that a text names.

    Args:
        text: What somebody wrote.
        year: Of days that are named without one.
    """
    return TextValues(
        names=_distinct(_names(_without_days(text))),
        numbers=_distinct(_number(found[0]) for found in _NUMBER.finditer(_without_days(text))),
        days=_distinct(_days(text, year)),
        times=_distinct(f"{int(found[1]):02d}:{found[2]}" for found in _TIME.finditer(text)),
        emails=_distinct(_EMAIL.findall(text)),
        phones=_distinct(found.replace(" ", "") for found in _PHONE.findall(text)),
    )


@lru_cache(maxsize=_TEXTS_KEPT)
def stems(text: str) -> frozenset[str]:
    """The words of a text that say something, without their endings: "cancels_bookings" -> {"cancel", "book"}."""
    words = _WORD.findall(text.lower().replace("_", " "))
    return frozenset(_stem(word) for word in words if word not in _IDLE and len(word) > 1)


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            return word[: -len(ending)]
    return word


def _names(text: str) -> Iterator[str]:
    yield from _QUOTED.findall(text)
    for found in _NAME.finditer(text):
        words = found[0].rstrip("-").split()
        # The first word of a sentence is in capitals whatever it is.
        is_first = text[: found.start()].rstrip()[-1:] in ("", ".", "!", "?", ":")
        while words and words[0].lower() in _IDLE | _CALENDAR:
            words, is_first = words[1:], False
        for name in (words, words[1:]) if is_first and len(words) > 1 else (words,):
            told = " ".join(name).removesuffix("'s")
            if any(each.isalpha() for each in told) and not (is_first and len(words) == 1):
                yield told


def _days(text: str, year: int) -> Iterator[str]:
    for found in _ISO.finditer(text):
        yield from _day(int(found[1]), int(found[2]), int(found[3]))
    for found in _DAY_FIRST.finditer(text):
        yield from _day(int(found[3] or year), _MONTHS.index(found[2].lower()) + 1, int(found[1]))
    for found in _MONTH_FIRST.finditer(text):
        yield from _day(int(found[3] or year), _MONTHS.index(found[1].lower()) + 1, int(found[2]))


def _without_days(text: str) -> str:
    """The number of a day is no amount."""
    for pattern in (_ISO, _DAY_FIRST, _MONTH_FIRST, _PHONE):
        text = pattern.sub(" , ", text)
    return text


def _day(year: int, month: int, day: int) -> Iterator[str]:
    try:
        yield date(year, month, day).isoformat()
    except ValueError:  # 30 February: nobody means that
        return


def _number(text: str) -> int | float:
    return float(text) if "." in text else int(text)


def _distinct(values: Iterable[ValueT]) -> tuple[ValueT, ...]:
    return tuple(dict.fromkeys(values))
