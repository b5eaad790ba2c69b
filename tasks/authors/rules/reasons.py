"""The reason of a refusal, and how an answer may word it.

A word of the reason alone gives no reason ("please open a ticket"). It has to be said of what it is about, in one
sentence: a state of its record ("the account is open", "it is still open", "an open account") or as the missing one
("not frozen"); any other word together with a second one of the reason, with the record, or with a number of it. Usual
other words are as good. Words that the task holds itself tell nothing, nor do those of every refusal.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
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
        "barred": ("block", "suspend", "banned"),
        "suspend": ("block", "barred"),
        "hour": ("notice",),
        "start": ("begin", "began", "begun"),
        "begin": ("start", "began", "begun"),
        "balance": ("money", "funds", "credit"),
        "full": ("no (?:free |more )?(?:place|room|seat|space)", "capacity"),
        "free": ("no (?:place|room|seat|space)", "full", "taken"),
        "open": ("not (?:yet )?closed",),
        "overdue": ("past due", "late", "not (?:been )?(?:returned|paid|brought)"),
        "discontinu": ("not (?:made|sold|stocked|received|ordered)", "out of the range"),
        "lock": ("unlock",),
        "stock": ("units", "left", "enough"),
        "unit": ("stock", "left", "enough"),
        "line": ("item", "empty", "nothing in"),
        "decid": ("approv", "(?:his|her|their|your|one's) own"),
        "work": ("himself", "herself", "themselves"),
        "paid": ("payment", "settled"),
        "held": ("on hold", "reserved", "not (?:yet )?paid"),
        "archiv": ("inactive", "no longer in use"),
        "inactiv": ("deactivat", "no longer active", "retired"),
        "away": ("absent", "not on duty", "off duty", "(?<![a-z])out(?![a-z])"),
    }
)
_BY_STEM = {stem_of(word): others for word, others in _SYNONYMS.items()}
_NOT_DOING = (
    r"(?<!\bi )(?<!\bwe )(?:doesn't|don't|does not|do not|not qualified to|not trained to|never) [^.;]{0,30}"
    r"(?<![a-z])(?:do|offer|perform|handle|provide|treat|advise|fit)(?![a-z])",
    r"(?:not|n't|no) (?:qualified|trained|skill|on (?:his|her|their) list|one of (?:his|her|their))",
)
_SAID_WHOLE: Mapping[str, str] = MappingProxyType(
    {
        "hour": r"too (?:late|soon)|short notice",
        "euro": r"(?:enough|sufficient) (?:money|funds|balance|cover|credit)",
        "balance": r"(?:enough|sufficient) (?:money|funds|balance|cover|credit)",
        "unit": r"(?:not|n't)[^.;]{0,20} enough|out of stock",
        "started": r"too early|before it",
    }
)
"""What is the whole reason wherever it is said, by a word of the reason."""
_STATE = re.compile(
    r"^(?:the|an?) (?P<noun>[a-z' -]+?) (?:(?:is|are)(?P<not> not)?|(?:has|have)(?P<never> not)) (?:of kind )?"
    r"(?P<state>[a-z -]+?)(?: yet)?(?=[,;:.]| and | by |$)"
)
_WANTED = re.compile(r", not ([a-z -]+)|only an? ([a-z]+) |one that is ([a-z -]+)")
_PART = r"(?:[^.;!?]|\.(?=\d))*"
_IS = r"(?:(?<![a-z])(?:is|are|was|were|been|be|being)|'s)"
_MIDDLE = r"(?:(?!not |no |never )[\w'-]+ ){0,2}?"
_PRONOUN = r"(?<![a-z])(?:it|he|she|they|which|who|(?:this|that)(?: [\w'-]+)?)"


def reason_patterns(error: str, task: str, nouns: Sequence[str] = ()) -> Patterns:
    """Patterns for the reason that a tool gave; empty where a stock answer or the task itself would hold it.

    Args:
        error: The tool's text, ids left out.
        task: The text of the task.
        nouns: What the kinds of records are called; one of these alone is no reason.
    """
    plain = error.casefold().replace("_", " ")
    names = {name.casefold() for name in re.findall(r"(?<=[\w,] )[A-Z][\w-]+", task)}
    state = _STATE.match(plain)
    patterns = [*_days(plain)]
    subjects = {word for noun in nouns for word in noun.casefold().split()[-1:]}
    if state is not None:
        about = _any([_word(state["noun"].split()[-1]), *(rf"(?<![a-z]){re.escape(each)}" for each in sorted(names))])
        missing = [each.strip() for found in _WANTED.findall(plain) for each in re.split(" or ", "".join(found))]
        patterns += _of_state(state["state"], about, task, is_not=bool(state["not"] or state["never"]))
        patterns += [form for each in missing for form in _missing(each)]
    else:
        patterns += _of_words(plain, task, subjects, names)
    # Where its own words do not pass, too little of the reason is left to know it by.
    is_known = any(re.search(form, plain) for form in patterns)
    return tuple(dict.fromkeys(patterns)) if is_known else ()


def _of_state(state: str, about: str, task: str, *, is_not: bool) -> list[str]:
    words = [word for word in state.split() if word not in ("a", "an", "the")]
    told = set(map(stem_of, _words(task)))
    if is_not:
        return [*_missing(state), *(form for key, form in _SAID_WHOLE.items() if key in words)]
    if all(_is_told(stem_of(word), told) for word in words):
        return []
    others = [form for word in words for form in _BY_STEM.get(stem_of(word), ())]
    forms = _any([_phrase(words), *(rf"(?<![a-z]){form}[a-z]*" for form in others)])
    said = rf"{_IS} {_MIDDLE}(?:{forms})"
    return [
        rf"{_PRONOUN}(?:'s| (?:is|are|was|were|(?:has|have) (?:[a-z]+ )?been)) {_MIDDLE}(?:{forms})",
        rf"(?:{about}){_PART}{said}",
        rf"{said}{_PART}(?:{about})",
        rf"(?<![a-z])(?:an? |the |any )?(?:{forms}) (?:{about})",
        rf"status\W+(?:\w+ )?(?:{forms})",
        rf"(?:^|[.!?,:;-] ?|(?:because|since|as) )(?:already|still|currently) (?:{forms})",
    ]


def _missing(state: str) -> list[str]:
    """ "not booked", in any form."""
    forms = _phrase([word for word in state.split() if word not in ("a", "an", "the")])
    return [
        rf"{_IS} {_MIDDLE}(?:not|no longer) (?:[\w'-]+ )?{forms}",
        rf"(?:has|have) (?:not|yet)(?: been)? (?:to be )?{forms}",
        rf"(?:is|are|was|were|has|have)n't (?:[\w'-]+ ){{0,2}}?{forms}",
        rf"(?:,|-|and|but) not (?:yet )?{forms}",
        rf"only (?:an? |the )?{forms} (?:one|[a-z]+s(?![a-z]))",
    ]


def _of_words(plain: str, task: str, subjects: set[str], names: set[str]) -> list[str]:
    """Words of the reason in company: of one another, of a record, of a number."""
    told = set(map(stem_of, _words(task)))
    without_days = re.sub(r"\d{4}-\d{2}-\d{2}(?:t\d{2}:\d{2})?", " ", plain)
    # The first clause is the reason; what stands after a semicolon or comma is what would have to be true.
    is_skill = re.search(r"does not do|is not fit|can't do", without_days)
    clause = re.split(r"[;:]" if is_skill else r"[;,:]", without_days, maxsplit=1)[0]
    nouns = {stem_of(word) for word in subjects}
    by_stem = {stem_of(word): word for word in reversed(_words(without_days))}
    stems = list(dict.fromkeys(map(stem_of, _words(clause))))
    groups = {
        stem: _any([_word(by_stem[stem]), *(rf"(?<![a-z]){form}" for form in _BY_STEM.get(stem, ()))])
        for stem in stems
        if stem not in nouns and not _is_told(stem, told)
    }
    company = {
        **{stem: _word(word) for stem, word in by_stem.items()},
        **{stem_of(each): _word(each) for each in sorted(subjects)},
    }
    company |= {name: rf"(?<![a-z]){re.escape(name)}" for name in sorted(names)}
    patterns: list[str] = list(_NOT_DOING) if is_skill else []
    patterns += [form for key, form in _SAID_WHOLE.items() if key in stems and (key in groups or _is_told(key, told))]
    for unit in re.findall(r"(?<![\w.,])0 ([a-z]{3,})", without_days):
        none = r"(?<![\w.,])0|(?<![a-z])(?:no|none|zero|not any)|n't [a-z]+ any"
        patterns.append(rf"(?:{none})(?: of| more| such)? {_word(unit)}")
    for number in dict.fromkeys(re.findall(r"(?<![\w.-])\d+(?:\.\d+)?(?![\w-])", without_days)):
        if float(number) <= 2 or re.search(rf"(?<!\d){re.escape(number)}(?!\d)", task):
            continue
        form = _any(number_patterns(float(number)))
        is_telling = "." in number or float(number) >= 100
        patterns.append(form if is_telling else _together(form, _any([*company.values(), *groups.values()])))
    for stem, form in groups.items():
        others = [each for other, each in groups.items() if other != stem]
        others += [each for other, each in company.items() if other != stem]
        patterns.append(_together(form, _any(others)))
        patterns.append(
            rf"(?<!\bi )(?<!\bwe )(?<![a-z])(?:there (?:is|are)|its|his|her|their|holds?|has|have|only) "
            rf"(?:[\w'-]+ ){{0,2}}?(?:{form})"
        )
    return patterns


def _days(plain: str) -> Iterator[str]:
    for day in dict.fromkeys(re.findall(r"\d{4}-\d{2}-\d{2}", plain)):
        yield from day_patterns(day)


def _together(one: str, other: str) -> str:
    """Both in one sentence."""
    return rf"(?:{one}){_PART}(?:{other})|(?:{other}){_PART}(?:{one})"


def _word(word: str) -> str:
    """A word in any form; a short one only with the usual endings."""
    stem = stem_of(word)
    ending = "[a-z]*" if len(stem) > 4 else r"(?:s|es|ed|d|e|ings?|als?|ations?)?(?![a-z])"
    return rf"(?<![a-z]){re.escape(stem)}{ending}"


def _phrase(words: Sequence[str]) -> str:
    return r"[\W_]+(?:(?:an?|the|this|that|any)[\W_]+)?".join(map(_word, words))


def _any(patterns: Sequence[str]) -> str:
    return "|".join(dict.fromkeys(patterns))


def _is_told(stem: str, told: set[str]) -> bool:
    return any(stem.startswith(each) or each.startswith(stem) for each in told)


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
