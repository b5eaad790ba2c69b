"""What the final message must contain: facts in any wording, as checks.

A fact is a list of patterns, one of which has to occur. They are searched in the message in lower case, with straight
quotes and single blanks. Dates, times, amounts and numbers are accepted in every usual form.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

from schemas.logic_models import Attribute
from schemas.scenarios import CheckDraft
from tasks.authors.rules.describe import value_words

Patterns = tuple[str, ...]
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_SMALL = (
    *("zero|none|no|nothing|nobody", "one|single|once", "two|both|twice", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)
_NOT = (
    r"(?<![a-z])(can ?not|not|no|never|nobody|nothing|neither|unable|impossible|forbidden|refuse[sd]?|declined?|"
    r"without|unfortunately|sorry|fails?|failed|only)(?![a-z])|n't(?![a-z])"
)
"""How a message says that something was not done."""
_ENDINGS = ("lations", "lation", "ations", "ation", "ings", "ing", "led", "ed", "es", "al", "s", "d", "e", "y")


@dataclass(frozen=True)
class Fact:
    """Something that the answer has to tell."""

    asks: str
    """As the end of "tell me ...": "what the price of the ladder is"."""
    reports: str
    """The same in the reference's final message."""
    patterns: Patterns
    vague: str
    """What is asked, without any detail: "what the price of the tool is"."""


def answer_check(facts: Sequence[Fact]) -> CheckDraft:
    """The check that the final message tells all of the facts. There is at least one."""
    wanted = [each.patterns for each in facts]
    text = "The answer tells " + "; ".join(each.asks for each in facts) + "."
    return CheckDraft(kind="answer", text=text, code=_source(wanted))


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


def patterns_of(attribute: Attribute, value: Any) -> Patterns:
    """The forms in which a message may tell a value of an attribute; empty where it can't be recognised."""
    if value is None or isinstance(value, bool | list | dict) or value == "":
        return ()
    if attribute.type == "date":
        return day_patterns(value)
    if attribute.type == "datetime":
        return (f"(?=.*(?:{_any(day_patterns(value[:10]))}))(?=.*(?:{_any(time_patterns(value[11:16]))}))",)
    if isinstance(value, int | float):
        return number_patterns(value / 100) if attribute.name.endswith("_cents") else number_patterns(value)
    return text_patterns(value_words(attribute, value))


def day_patterns(day: str) -> Patterns:
    """ "2025-06-19": "2025-06-19", "19 June", "June 19th", "19.06.", "6/19"."""
    known = date.fromisoformat(day)
    month, number = rf"{_MONTHS[known.month - 1]}[a-z]*\.?", rf"(?<!\d)0?{known.day}(?:st|nd|rd|th)?"
    return (
        day,
        rf"{number},?(?: of)? {month}",
        rf"{month} (?:the )?{number}(?!\d)",
        rf"(?<!\d)0?{known.day}[./-]0?{known.month}(?!\d)",
        rf"(?<!\d)0?{known.month}/0?{known.day}(?!\d)",
    )


def time_patterns(time: str) -> Patterns:
    """ "14:30": "14:30", "14.30", "2:30 pm"."""
    known = datetime.strptime(time, "%H:%M")  # noqa: DTZ007
    short, half = known.hour % 12 or 12, "a" if known.hour < 12 else "p"
    minute = rf"[:.]{known.minute:02d}" if known.minute else r"(?:[:.]00)?"
    exact = rf"(?<![\d:.])0?{known.hour}[:.h]{known.minute:02d}(?!\d)"
    return (exact, rf"(?<![\d:.])0?{short}{minute} ?{half}\.?m")


def number_patterns(value: float) -> Patterns:
    """6050.5: "6050.50", "6,050.5", "6.050,50"; 2 also "two". A longer number that contains it is another one."""
    sign = r"(?:-|minus |€ ?-|-€ ?)" if value < 0 else ""
    whole, part = divmod(round(abs(value) * 100), 100)
    digits = str(whole)
    groups = re.sub(r"(?<=\d)(?=(\d{3})+$)", r"[., ]?", digits)
    rounded = rf"[.,]{part:02d}" if part % 10 else rf"[.,]{part // 10}0?"
    decimals = rounded if part else r"(?:[.,](?:00?|-+))?"
    forms = [rf"{sign}(?<!\d)(?<!\d[.,]){groups}{decimals}(?!\d)(?![.,]\d)"]
    if part == 0 and not sign and whole < len(_SMALL):
        forms.append(rf"(?<![a-z])(?:{_SMALL[whole]})(?![a-z])")
    return tuple(forms)


def text_patterns(text: str) -> Patterns:
    """The words of a text in their order, whatever stands between them but no other word."""
    words = re.findall(r"[^\W_]+", text.casefold())
    return (r"(?<!\w)" + r"[\W_]+".join(re.escape(word) for word in words) + r"(?!\w)",) if words else ()


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
        '    said = " ".join(said.split())',
        "    wanted = [",
        *(f"        [{', '.join(map(_quoted, patterns))}]," for patterns in wanted),
        "    ]",
    ]
    told = "all(any(re.search(form, said) for form in forms) for forms in wanted)"
    if secrets:
        lines.append(f"    secrets = [{', '.join(map(_quoted, secrets))}]")
        told += " and not any(re.search(form, said) for form in secrets)"
    return "\n".join([*lines, f"    return {told}", ""])


def _quoted(pattern: str) -> str:
    return repr(pattern)
