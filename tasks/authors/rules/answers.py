"""What the final message must contain: facts in any wording, as checks.

A fact is a list of patterns, one of which has to occur. They are searched in the message in lower case, with straight
quotes and single blanks. Dates, times, amounts and numbers are accepted in every usual form.
"""

import re
from calendar import day_name, month_name
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from types import MappingProxyType
from typing import Any

from schemas.logic_models import Attribute
from schemas.scenarios import CheckDraft
from tasks.authors.rules.describe import value_words
from tasks.authors.rules.fact_check import ANY_OF, FactKind, Wanted, facts_source

Patterns = tuple[str, ...]
Values = tuple[tuple[FactKind, Patterns], ...]
"""The forms of each value, with its type."""
_MONTHS = tuple(name.lower() for name in month_name[1:])
_DAY_IN_TEXT = re.compile(r"(\d{4})-(\d\d)-(\d\d)|(\d{1,2}) ([a-z]+) (\d{4})")
_SMALL = (
    *("zero|none|no|nothing|nobody", "one|single|once", "two|both|twice", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)
_NOT = (
    r"(?<![a-z])(can ?not|not|no|never|nobody|nothing|neither|unable|impossible|forbidden|refuse[sd]?|declined?|"
    r"without|unfortunately|sorry|fails?|failed|only)(?![a-z])|n't(?![a-z])"
)
"""How a message says that something was not done."""
_TELLS_NOTHING = frozenset(
    (
        *("the", "that", "are", "there", "whose", "how", "many", "what", "which", "has", "have", "its", "with", "day"),
        *(name.lower() for name in (*month_name[1:], *day_name)),
        *("now", "this", "for", "and", "not", "from", "begins", "number", "time", "date", "one", "become"),
    )
)
"""Words of a question that any fact may stand with."""
_SAID_ALSO: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "pric": ("cost",),
        "start": ("begin", "began"),
        "end": ("finish", "until"),
        "birth": ("born",),
        "expir": ("valid until",),
        "issu": ("written",),
        "total": ("sum", "amount"),
        "cash": ("money",),
    }
)
_ENDINGS = ("lations", "lation", "ations", "ation", "ings", "ing", "led", "ed", "es", "al", "s", "d", "e", "y")


@dataclass(frozen=True)
class Fact:
    """Something that the answer has to tell."""

    asks: str
    """As the end of "tell me ...": "what the price of the ladder is"."""
    reports: str
    """The same in the reference's final message."""
    values: Values
    """What has to be told; of a moment, the day and the time."""
    vague: str
    """What is asked, without any detail: "what the price of the tool is"."""
    others: Patterns = ()
    """Names that would be a wrong answer."""

    def is_in(self, text: str) -> bool:
        """Whether a text tells the fact, or anything that passes for it."""
        text = " ".join(text.casefold().split())
        return all(any(re.search(form, text) for form in forms) for _, forms in self.values)


def answer_check(facts: Sequence[Fact], said: str = "") -> CheckDraft:
    """The check that the final message tells all of the facts. There is at least one.

    Args:
        facts: The facts, `are_told_apart`.
        said: What the task and the reference's message say beside them; its values may be repeated.
    """
    about = _about(facts)
    wanted = [Wanted(kind, forms, about[number]) for number, each in enumerate(facts) for kind, forms in each.values]
    text = "The answer tells " + "; ".join(each.asks for each in facts) + "."
    said = " ".join([said, *(each.asks for each in facts)])
    names = tuple(dict.fromkeys(name for each in facts for name in each.others))
    return CheckDraft(kind="answer", text=text, code=facts_source(wanted, _values_in(said), names))


def are_told_apart(facts: Sequence[Fact]) -> bool:
    """Whether each fact has words of its own, and none gives another away."""
    gives_away = any(one.is_in(other.asks) for one in facts for other in facts)
    return not gives_away and all(_about(facts))


def reason_check(because: str, reasons: Patterns, secrets: Patterns = ()) -> CheckDraft:
    """The check that the answer says no and gives the true reason, and none of the secrets."""
    text = f"The answer says that it was not done, and why: {because}"
    return CheckDraft(kind="answer", text=text, code=_source([(_NOT,), reasons], secrets))


def looked_up_check(tool: str, argument: str, key: str, words: str) -> CheckDraft:
    """The check that a result had shown a record before this tool was called for it: no guessing what it holds."""
    code = (
        "def check(initial_state, final_state, trajectory) -> bool:\n"
        "    is_seen = False\n"
        '    for call in trajectory.get("calls") or []:\n'
        '        result = call.get("result")\n'
        '        if not isinstance(result, dict) or result.get("success") is not True:\n'
        "            continue\n"
        f'        if call.get("tool") == "{tool}" and (call.get("arguments") or {{}}).get("{argument}") == "{key}":\n'
        "            return is_seen\n"
        f'        is_seen = is_seen or "{key}" in str(result)\n'
        "    return False\n"
    )
    return CheckDraft(kind="procedure", text=f"{words} was looked up before {tool} was called for it.", code=code)


def uncalled_check(tool: str, rule: str) -> CheckDraft:
    """The check that a tool was not called, not even to be undone later, because a policy forbids it here."""
    code = (
        "def check(initial_state, final_state, trajectory) -> bool:\n"
        f'    return all(call.get("tool") != "{tool}" for call in trajectory.get("calls") or [])\n'
    )
    return CheckDraft(kind="procedure", text=f"{tool} was never called: {rule}", code=code)


def values_of(attribute: Attribute, value: Any) -> Values:
    """The forms in which a message may tell a value of an attribute; empty where it can't be recognised."""
    if value is None or isinstance(value, bool | list | dict) or value == "":
        return ()
    if attribute.type == "date":
        return (("day", day_patterns(value)),)
    if attribute.type == "datetime":
        return (("day", day_patterns(value[:10])), ("time", time_patterns(value[11:16])))
    if isinstance(value, int | float):
        return (("number", number_patterns(value / 100 if attribute.name.endswith("_cents") else value)),)
    patterns = text_patterns(value_words(attribute, value))
    return (("name", patterns),) if patterns else ()


def day_patterns(day: str) -> Patterns:
    """ "2025-06-19": "2025-06-19", "19 June", "June 19th", "19.06.", "6/19"."""
    known = date.fromisoformat(day)
    name = _MONTHS[known.month - 1]
    month = rf"{name[:3]}(?:t|{name[3:]})?(?![a-z])\.?"
    number = rf"(?<!\d)0?{known.day}(?:st|nd|rd|th)?"
    return (
        day,
        rf"{number},?(?: of)? {month}",
        rf"{month} (?:the )?{number}(?!\d)",
        rf"(?<!\d)0?{known.day}[./-]0?{known.month}(?!\d)",
        rf"(?<!\d)0?{known.month}/0?{known.day}(?!\d)",
    )


def time_patterns(time: str) -> Patterns:
    """ "14:30": "14:30", "14.30", "2:30 pm"; "09:00" also "9 am" and "9 o'clock", "12:00" also "noon"."""
    known = datetime.strptime(time, "%H:%M")  # noqa: DTZ007
    short, half = known.hour % 12 or 12, "a" if known.hour < 12 else "p"
    minute = rf"[:.]{known.minute:02d}" if known.minute else r"(?:[:.]00)?"
    forms = [
        rf"(?<![\d:.])0?{known.hour}[:.h]{known.minute:02d}(?!\d)",
        rf"(?<![\d:.])0?{short}{minute} ?{half}\.?m(?![a-z])",
    ]
    if known.minute == 0:
        hours = "|".join(dict.fromkeys((f"0?{known.hour}", str(short), *_SMALL[short].split("|")[:1])))
        forms.append(rf"(?<![\w:.])(?:{hours}) o'clock")
    named = {"12:00": "noon|midday", "00:00": "midnight"}.get(time)
    return (*forms, rf"(?<![a-z])(?:{named})(?![a-z])") if named else tuple(forms)


def number_patterns(value: float) -> Patterns:
    """6050.5: "6050.50", "6,050.5", "6.050,50"; 2 also "two". A longer number that contains it is another one."""
    sign = r"(?:-|minus |€ ?-|-€ ?)" if value < 0 else ""
    whole, part = divmod(round(abs(value) * 100), 100)
    digits = str(whole)
    groups = re.sub(r"(?<=\d)(?=(\d{3})+$)", r"[., ]?", digits)
    rounded = rf"[.,]{part:02d}" if part % 10 else rf"[.,]{part // 10}0?"
    decimals = rounded if part else r"(?:[.,](?:00?|-+))?"
    forms = [rf"{sign}(?<!\d)(?<!\d[.,])(?:(?<![a-z])|(?<=eur)){groups}{decimals}(?!\d)(?![.,]\d)"]
    if part == 0 and not sign and whole < len(_SMALL):
        forms.append(rf"(?<![a-z])(?:{_SMALL[whole]})(?![a-z])")
    return tuple(forms)


def text_patterns(text: str) -> Patterns:
    """The words of a text in their order, whatever stands between them but no other word."""
    words = re.findall(r"[^\W_]+", text.casefold())
    return (r"(?<!\w)" + r"[\W_]+".join(re.escape(word) for word in words) + r"(?!\w)",) if words else ()


def _about(facts: Sequence[Fact]) -> list[Patterns]:
    """For each fact, the words that no other is about, or at least none with a value of the same type."""
    words = [[_said_as(word) for word in _telling(each.asks)] for each in facts]
    found: list[Patterns] = []
    for number, each in enumerate(facts):
        kinds = {kind for kind, _ in each.values}
        others = [at for at in range(len(facts)) if at != number]
        rivals = [at for at in others if kinds & {kind for kind, _ in facts[at].values}]
        own = [[word for word in words[number] if not any(word in words[at] for at in of)] for of in (others, rivals)]
        found.append(tuple(dict.fromkeys(own[0] or own[1])))
    return found


def _telling(asks: str) -> list[str]:
    return [word for word in re.findall(r"[^\W\d_]{3,}", asks.casefold()) if word not in _TELLS_NOTHING]


def _said_as(word: str) -> str:
    stem = stem_of(word)
    forms = (stem, *(form for known, others in _SAID_ALSO.items() if stem.startswith(known) for form in others))
    end = "" if len(stem) > 3 else r"s?(?![^\W_])"
    return rf"(?<![^\W_])(?:{'|'.join(map(re.escape, forms))}){end}"


def _values_in(text: str) -> dict[str, list[str]]:
    """Patterns of the values that a text holds, by type."""
    text = " ".join(text.casefold().split())
    days = [
        date(int(found[1] or found[6]), int(found[2] or _MONTHS.index(found[5]) + 1), int(found[3] or found[4]))
        for found in _DAY_IN_TEXT.finditer(text)
        if found[1] or found[5] in _MONTHS
    ]
    rest = re.sub(f"{ANY_OF['day']}|{ANY_OF['time']}", " ", text)
    numbers = re.findall(r"(?<![\w.,-])\d+(?:\.\d+)?(?![\w]|[.,]\d)", rest)
    found = {
        "day": [form for day in days for form in day_patterns(day.isoformat())],
        "time": [form for time in re.findall(r"(?<![\d:])\d\d:\d\d(?![\d:])", text) for form in time_patterns(time)],
        "number": [form for number in numbers for form in number_patterns(float(number))],
    }
    return {kind: list(dict.fromkeys(forms)) for kind, forms in found.items()}


def stem_of(word: str) -> str:
    """ "cancelled", "cancellation" -> "cancel": long enough to be told from others, short enough for every form."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 4:
            return word.removesuffix(ending)
    return word


def _any(patterns: Patterns) -> str:
    return "|".join(patterns)


def _source(wanted: Sequence[Patterns], secrets: Patterns = ()) -> str:
    lines = [
        "def check(initial_state, final_state, trajectory) -> bool:",
        "    import re",
        "",
        '    said = str(trajectory.get("final_message") or "").casefold().replace("\\u2019", "\'")',
        '    said = " ".join(re.sub(r"[*_`]+", " ", re.sub(r"\\n+", ". ", said)).split())',
        "    wanted = [",
        *(f"        {list(patterns)!r}," for patterns in wanted),
        "    ]",
    ]
    told = "all(any(re.search(form, said) for form in forms) for forms in wanted)"
    if secrets:
        lines.append(f"    secrets = {list(secrets)!r}")
        told += " and not any(re.search(form, said) for form in secrets)"
    return "\n".join([*lines, f"    return {told}", ""])
