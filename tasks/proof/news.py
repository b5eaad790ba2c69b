"""The facts of a message that its task does not hold: found, exchanged, and buried among others."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_NAME = r"(?<=[\w,;:] )[A-Z][\w'-]+(?: [A-Z][\w'-]+)*"
FACT = re.compile(rf"\d[\d.,:-]*\d|\d|\b(?:{'|'.join((*_MONTHS, *_DAYS))})\b|{_NAME}")
"""Numbers, amounts, dates, times; names within a sentence."""
_WHOLE = re.compile(
    rf"(?P<day>\d{{4}}-\d\d-\d\d|(?:(?:{'|'.join(_DAYS)}),? )?\d{{1,2}} (?:{'|'.join(_MONTHS)})(?: \d{{4}})?)"
    r"|(?P<time>\d{1,2}:\d\d)"
    r"|(?P<number>(?<![\w.,-])\d+(?:[.,]\d+)*(?![\w-]|[.,]\d))"
    rf"|(?P<name>{_NAME})"
)
"""A fact as a whole, by its type."""
_LISTED = range(61)
_MOST_SWAPPED = 2


@dataclass(frozen=True, slots=True)
class News:
    """A fact of a message that its task does not hold."""

    kind: str
    """day, time, number or name."""
    text: str

    def replaced(self, message: str, text: str) -> str:
        """The message with another text wherever this fact stands."""
        return re.sub(_as_whole(self.text), lambda _: text, message)


def news_in(message: str, task: str) -> list[News]:
    """The facts in their order, each once."""
    known = {found[0] for found in _WHOLE.finditer(task)}
    found = {each[0]: str(each.lastgroup) for each in _WHOLE.finditer(message) if each[0] not in known}
    return [News(kind, text) for text, kind in found.items() if kind != "name" or text not in task]


def other(text: str) -> str:
    """A text with another one for each of its facts."""
    return FACT.sub(lambda found: _other(found[0]), text)


def listed(message: str, asked: Sequence[News]) -> Iterator[tuple[str, str]]:
    """What is wrong, and the text: all small numbers instead of the right one, where one is asked for."""
    small = next((each for each in asked if each.kind == "number" and each.text in map(str, _LISTED)), None)
    if small is not None:
        every = ", ".join(map(str, _LISTED))
        yield "the message lists all numbers from 0 to 60", every
        yield f'the message lists all numbers from 0 to 60 for "{small.text}"', small.replaced(message, every)


def swapped(message: str, asked: Sequence[News]) -> Iterator[tuple[str, str]]:
    """What is wrong, and the text: two facts of one type that change places."""
    pairs = [pair for pair in combinations(asked, 2) if pair[0].kind == pair[1].kind and not _are_one(message, *pair)]
    for one, two in pairs[:_MOST_SWAPPED]:
        places = {one.text: two.text, two.text: one.text}
        either = f"{_as_whole(one.text)}|{_as_whole(two.text)}"
        text = re.sub(either, lambda found, places=places: places[found[0]], message)  # type: ignore[misc]
        yield f'"{one.text}" and "{two.text}" have changed places in the message', text


def _are_one(message: str, one: News, two: News) -> bool:
    """Whether the two are told as one fact, "on 3 and 5 May", so that they have no places of their own."""
    between = rf"{_as_whole(one.text)}(?:,|,? and|,? or) {_as_whole(two.text)}"
    return re.search(between, message) is not None


def _as_whole(text: str) -> str:
    return rf"(?<![\w-])(?<!\d[.,:]){re.escape(text)}(?![\w-]|[.,:]\d)"


def _other(fact: str) -> str:
    if fact in _MONTHS:
        return _MONTHS[(_MONTHS.index(fact) + 1) % len(_MONTHS)]
    if fact in _DAYS:
        return _DAYS[(_DAYS.index(fact) + 1) % len(_DAYS)]
    if fact[0].isdigit():
        return re.sub(r"\d", lambda digit: str(int(digit[0]) % 9 + 1), fact)
    return "Somebody Else"
