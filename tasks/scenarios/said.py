"""Whether a task says a value, in its own form or as a person would say it.

Accepted for one value:

    2025-06-19                "2025-06-19", "19 June", "June 19th", "Thursday the 19th", "19.06.", "tomorrow"
    2025-06-19T14:30, 14:30   the day as above, and "14:30", "2:30 pm", "half past two"
    6000 (cents)              "60 euros", "60.00", "6000"
    1, 2, 12                  "one", "a", "once", "two", "both", "twelve", "a dozen"
    90 (minutes)              "90", "1.5 hours"
    checked_in (enum)         "checked in", "check in", "checked-in"
    true, null, "" and []     nothing: they have no words of their own

The purpose is to catch values that come from nowhere, so a doubtful form counts as said.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_MOMENT = re.compile(r"(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2})(:\d{2})?")
_TIME = re.compile(r"([01]\d|2[0-3]):([0-5]\d)(:00)?")
_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_ONES = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"),
    *("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_NEAR_DAYS: Mapping[int, tuple[str, ...]] = {
    -1: ("yesterday",),
    0: ("today", "tonight", "now"),
    1: ("tomorrow",),
    2: ("day after tomorrow",),
}
_EXTRA_WORDS: Mapping[float, tuple[str, ...]] = {
    0: ("no", "none", "nothing"),
    0.5: ("half",),
    1: ("a", "an", "single", "once"),
    2: ("both", "twice", "pair", "couple"),
    12: ("dozen",),
}
_LARGEST_SPOKEN = 10**15
_LARGER_UNITS = {"second": 60, "minute": 60, "min": 60, "hour": 24, "day": 7, "month": 12, "gram": 1000, "meter": 1000}
_PUNCTUATION = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "−": "-"})


@dataclass(frozen=True, slots=True)
class Meaning:
    """What is known of an argument: it decides how its value may be said."""

    name: str
    description: str = ""
    is_enum: bool = False

    def has_unit(self, unit: str) -> bool:
        """Whether the name or the description speaks of this unit, singular or plural."""
        return re.search(rf"(?<![a-z]){unit}s?(?![a-z])", f"{self.name} {self.description}".lower()) is not None


class TaskText:
    """The text of a task, ready to be searched. `now` is the clock of the environment, for "tomorrow"."""

    def __init__(self, text: str, now: str) -> None:
        self._text = plain(text)
        self._words = re.findall(r"[^\W_]+", self._text)
        self._today = date.fromisoformat(now[:10]) if _DATE.fullmatch(now[:10]) else None

    def unsaid(self, value: Any, meaning: Meaning) -> Any:
        """The first part of the value that the text does not say; null when it says all of it."""
        if isinstance(value, Mapping):
            parts = [(each, Meaning(name, meaning.description)) for name, each in value.items()]
        elif isinstance(value, list | tuple):
            parts = [(each, meaning) for each in value]
        else:
            return None if self._says(value, meaning) else value
        missing = (self.unsaid(each, known) for each, known in parts)
        return next((each for each in missing if each is not None), None)

    def _says(self, value: Any, meaning: Meaning) -> bool:
        if value is None or isinstance(value, bool) or value == "":
            return True
        if isinstance(value, int | float):
            return self._says_number(value, meaning)
        if isinstance(value, str):
            return self._says_text(value, meaning)
        return False

    def _says_text(self, value: str, meaning: Meaning) -> bool:
        if self._holds(re.escape(plain(value))) or self._holds(re.escape(plain(value.replace("_", " ")))):
            return True
        if moment := _MOMENT.fullmatch(value):
            return self._says_day(moment[1]) and self._says_time(moment[2])
        if _DATE.fullmatch(value):
            return self._says_day(value)
        if _TIME.fullmatch(value):
            return self._says_time(value[:5])
        if not meaning.is_enum:
            return False
        stems = [_stem(part) for part in re.findall(r"[^\W_]+", plain(value))]
        return all(any(word.startswith(stem) for word in self._words) for stem in stems)

    def _says_number(self, value: float, meaning: Meaning) -> bool:
        if abs(value) >= _LARGEST_SPOKEN:
            return self._holds(re.escape(str(value)))
        forms = {*_number_forms(value)}
        if meaning.has_unit("cent"):
            forms |= _number_forms(value / 100)
        if meaning.has_unit("percent") or meaning.has_unit("rate") or meaning.has_unit("share"):
            forms |= _number_forms(round(value * 100, 6))
        for unit, factor in _LARGER_UNITS.items():
            if meaning.has_unit(unit):
                forms |= _number_forms(value / factor)
        return self._holds_any(forms)

    def _says_day(self, value: str) -> bool:
        try:
            day = date.fromisoformat(value)
        except ValueError:
            return False
        month, number = _MONTHS[day.month - 1], rf"0?{day.day}(?:st|nd|rd|th)?"
        named = rf"(?:{month}|{month[:3]}|{month[:4]})\.?"
        no_other_year = rf"(?!,? (?!{day.year})\d{{4}})"
        forms = [
            rf"{number}(?: of)? {named}{no_other_year}",
            rf"{named} (?:the )?{number}{no_other_year}",
            rf"0?{day.day}[./]0?{day.month}[./]?(?:{day.year}|{day:%y})?",
            rf"0?{day.month}/0?{day.day}(?:/{day.year}|/{day:%y})?",
            rf"the {day.day}(?:st|nd|rd|th)",
        ]
        return self._holds_any([*forms, *self._relative_days(day)])

    def _relative_days(self, day: date) -> list[str]:
        if self._today is None:
            return []
        distance = (day - self._today).days
        forms = [*_NEAR_DAYS.get(distance, ())]
        if -7 <= distance <= 14:
            # "Thursday the 19th" says the 19th, not any Thursday.
            weekday = rf"{_WEEKDAYS[day.weekday()]}(?!,? (?:the )?\d)"
            forms = [*forms, weekday, f"{_number_pattern(abs(distance))} days?"]
        if distance and distance % 7 == 0:
            forms = [*forms, f"{_number_pattern(abs(distance) // 7)} weeks?"]
        return forms + ["end of the month"] * ((day + timedelta(days=1)).day == 1)

    def _says_time(self, value: str) -> bool:
        hour, minute = int(value[:2]), int(value[3:5])
        short = hour % 12 or 12
        spoken, following = _number_pattern(short), _number_pattern(short % 12 + 1)
        half = r" ?(?:a\.?m\.?|p\.?m\.?|o'clock|in the (?:morning|afternoon|evening)|at night)"
        forms = [rf"0?{hour}[:.]{minute:02d}(?::00)?", rf"0?{short}[:.]{minute:02d}(?:{half})?"]
        if minute == 0:
            forms += [rf"{spoken}{half}", rf"{hour} ?(?:h|hrs|o'clock)"]
            forms += {0: ["midnight"], 12: ["noon", "midday"]}.get(hour, [])
        quarters = {15: f"quarter past {spoken}", 30: f"half past {spoken}", 45: f"quarter to {following}"}
        return self._holds_any([*forms, *([quarters[minute]] if minute in quarters else [])])

    def _holds_any(self, patterns: Iterable[str]) -> bool:
        return self._holds("|".join(sorted(patterns)))

    def _holds(self, pattern: str) -> bool:
        """Whether the pattern occurs on its own: not inside a longer word or number."""
        return re.search(rf"(?<!\w)(?<!\d[.,:])(?:{pattern})(?!\w)(?![.,:]\d)", self._text) is not None


def plain(text: str) -> str:
    """Case, kinds of quotes and dashes, and runs of blanks do not matter when texts are compared."""
    folded = unicodedata.normalize("NFKC", text).translate(_PUNCTUATION).casefold()
    return " ".join(folded.split())


def _number_forms(value: float) -> set[str]:
    """Patterns of a number: digits with either decimal sign, thousands grouped or not, and words for small ones."""
    whole = float(value).is_integer()
    exact = str(int(value)) if whole else repr(round(float(value), 6))
    forms = {exact, f"{value:.2f}", f"{value:,.2f}"} if whole or round(value, 2) == value else {exact}
    forms |= {f"{int(value):,}"} if whole else set()
    forms |= {form.replace(",", " ") for form in forms} | {form.translate(str.maketrans(".,", ",.")) for form in forms}
    return {re.escape(form) for form in forms} | _number_words(value)


def _number_words(value: float) -> set[str]:
    words = {*_EXTRA_WORDS.get(value, ())}
    if not float(value).is_integer() or not 0 <= value < 100:
        return words
    tens, ones = divmod(int(value), 10)
    if value < 20:
        return words | {_ONES[int(value)]}
    return words | {_TENS[tens - 2] + (f"[- ]{_ONES[ones]}" if ones else "")}


def _number_pattern(value: int) -> str:
    return "(?:" + "|".join(sorted({str(value), *_number_words(value)})) + ")"


def _stem(word: str) -> str:
    """ "cancelled" -> "cancel", so that "please cancel" says it."""
    for ending in ("led", "ing", "ed", "es", "e", "d", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word.removesuffix(ending)
    return word
