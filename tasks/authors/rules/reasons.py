"""The reason of a refusal, and how an answer may word it.

An answer gives the reason when it holds one of the refusal's telling words, in any form, one of its numbers or days,
or a usual other word for it. Words that the task holds itself tell nothing, nor do those of every refusal.
"""

import re
from collections.abc import Mapping
from types import MappingProxyType

from tasks.authors.rules.answers import Patterns, day_patterns, number_patterns, stem_of

_EMPTY_TEXT = (
    "the this that there then than them they its his her and but for not nor only can cannot could may must will would "
    "shall should are was were has have had been being does did done doing with without from into onto until before "
    "after over under other another any every each all one ones two more most less least already yet still now again "
    "first last new old own same such very just also even when while where which who whom whose what why how long many "
    "much too nothing nobody anybody somebody something anything kind status possible impossible allow allowed able "
    "unable available policy policies rule rules system support supported permit permitted request need needs needed "
    "please sorry unfortunately change changes changed go goes going get gets take takes taken give gives given make "
    "makes made set sets let lets use uses used see seen say says said belong belongs between different valid"
)
_EMPTY = frozenset(_EMPTY_TEXT.split())
_SYNONYMS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "cancel": ("call(?:ed)? off", "withdrawn"),
        "complet": ("finish", "(?<![a-z])over(?![a-z])", "closed"),
        "finish": ("complet", "(?<![a-z])over(?![a-z])", "ended"),
        "closed": ("shut", "complet"),
        "expir": ("out of date", "past its date", "run out", "best before"),
        "frozen": ("freez", "blocked", "on hold"),
        "block": ("barred", "suspend", "locked"),
        "suspend": ("block", "barred"),
        "hour": ("notice", "too (?:late|soon|short)", "short notice"),
        "start": ("begin", "began", "begun"),
        "begin": ("start", "began", "begun"),
        "balance": ("money", "funds", "credit"),
        "full": ("no (?:free |more )?(?:place|room|seat|space)", "capacity"),
        "free": ("no (?:place|room|seat|space)", "full", "taken"),
        "open": ("pending", "not (?:yet )?closed"),
        "overdue": ("past due", "late", "not (?:been )?(?:returned|paid|brought)"),
        "discontinu": ("not (?:made|sold|stocked|received|ordered)", "out of the range"),
        "lock": ("unlock",),
        "stock": ("units", "left", "enough"),
        "unit": ("stock", "left", "enough"),
        "line": ("item", "empty", "nothing in"),
        "paid": ("payment", "settled"),
        "held": ("on hold", "reserved", "not (?:yet )?paid"),
        "archiv": ("inactive", "no longer in use"),
        "inactiv": ("deactivat", "no longer active", "retired"),
        "away": ("absent", "not on duty", "off duty", "(?<![a-z])out(?![a-z])"),
    }
)
_BY_STEM = {stem_of(word): others for word, others in _SYNONYMS.items()}
_NOT_DOING = (
    r"(?:doesn't|don't|does not|do not|not qualified to|not trained to|never) [^.;]{0,30}"
    r"(?:do|does|offer|perform|handle|provide|treat|advise|take|fit)",
    r"(?:not|n't|no) (?:qualified|trained|skill|on (?:his|her|their) list|one of (?:his|her|their))",
)


def reason_patterns(error: str, task: str) -> Patterns:
    """Patterns for the reason that a tool gave; empty where a stock answer or the task itself would hold it.

    Args:
        error: The tool's text, ids left out.
        task: The text of the task.
    """
    told = {stem_of(word) for word in _words(task)}
    patterns: list[str] = []
    plain = error.casefold().replace("_", " ")
    for day in dict.fromkeys(re.findall(r"\d{4}-\d{2}-\d{2}", plain)):
        patterns += day_patterns(day)
    without_days = re.sub(r"\d{4}-\d{2}-\d{2}(?:t\d{2}:\d{2})?", " ", plain)
    for number in dict.fromkeys(re.findall(r"(?<![\w.-])\d+(?:\.\d+)?(?![\w-])", without_days)):
        if float(number) > 2 and not re.search(rf"(?<!\d){re.escape(number)}(?!\d)", task):
            patterns += number_patterns(float(number))
    # The first clause is the reason; what stands after a semicolon or comma is what would have to be true.
    is_skill = re.search(r"does not do|is not fit|can't do", without_days)
    clause = re.split(r"[;:]" if is_skill else r"[;,:]", without_days, maxsplit=1)[0]
    for stem in dict.fromkeys(map(stem_of, _words(clause))):
        if not any(stem.startswith(each) or each.startswith(stem) for each in told):
            patterns.append(rf"(?<![a-z]){re.escape(stem)}")
            patterns += _BY_STEM.get(stem, ())
    if is_skill:
        patterns += _NOT_DOING
    return tuple(dict.fromkeys(patterns))


def other_numbers(reason: str) -> Patterns:
    """Patterns for what would be another reason: other numbers of the same things, "35 hours" for "24 hours"."""
    patterns: list[str] = []
    for number, unit in re.findall(r"(?<![\w.,])(\d+(?:\.\d+)?) ([a-z]{3,})", reason.casefold()):
        right = "|".join(number_patterns(float(number)))
        patterns.append(rf"(?<![\w.,])(?!(?:{right}))\d[\d.,]* {unit}")
    return tuple(patterns)


def _words(text: str) -> list[str]:
    words = re.findall(r"[a-z]{3,}", text.casefold().replace("_", " "))
    return [word for word in words if word not in _EMPTY]
