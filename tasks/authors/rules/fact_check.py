"""The code of a check that a message tells facts, each of them of what it is about.

A fact that is the only one of its type (a number, a day, a time, a name) may stand anywhere. Among several of one type
each has to stand with words that only it is about: in one sentence or line, in the order of those words where there are
more. A message that lists values until the right one is among them tells nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

FactKind = Literal["number", "day", "time", "name"]

_MONTH = (
    "(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may(?! be| not| have)|june?|july?|aug(?:ust)?|"
    r"sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)(?![a-z])\.?"
)
_DAY = (
    rf"(?<!\d)(?:\d{{4}}-\d\d-\d\d|\d{{1,2}}(?:st|nd|rd|th)?,?(?: of)? {_MONTH}(?:,? \d{{4}}(?!\d))?|"
    rf"{_MONTH} (?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?!\d)(?:,? \d{{4}}(?!\d))?|"
    r"\d{1,2}[./]\d{1,2}[./]\d{2,4}(?!\d))"
)
_TIME = r"(?<![\d:.])(?:\d{1,2}(?:[:.]\d\d)? ?[ap]\.?m(?![a-z])|\d{1,2}[:h]\d\d(?!\d)|\d{1,2} o'clock)"
ANY_OF: Mapping[str, str] = MappingProxyType(
    {
        "day": _DAY,
        "time": rf"{_TIME}|(?<![a-z])(?:noon|midday|midnight)(?![a-z])",
        "number": r"(?<![\w.,/+-])\d+(?:[.,]\d+)*(?![\w/]|[.,]\d)|"
        r"(?<![a-z])(?:three|four|five|six|seven|eight|nine|ten|eleven|twelve)(?![a-z])",
    }
)
"""What is a value of the type at all."""
_VALUES = r'''
    most = 3
    text = str(trajectory.get("final_message") or "").replace("\u2019", "'")
    lines = [re.sub(r"^\s*(?:[-*\u2022]|\d{1,2}[.)])\s+", "", line) for line in text.splitlines()]
    parts = [part for line in lines for part in re.split(r"(?<=[.!?;])\s+(?=[^a-z])", line)]
    parts = [" ".join(re.sub(r"[*_`|#]+", " ", part).casefold().split()) for part in parts]

    def spans(forms, part):
        return [found.span() for form in forms for found in re.finditer(form, part) if found[0]]

    def crosses(one, others):
        return any(one[0] < other[1] and other[0] < one[1] for other in others)

    def values(kind, part):
        """Place, text and the facts that it is right for, in order."""
        hidden = spans([any_of["day"], any_of["time"]] if kind == "number" else [], part)
        right = {}
        for number, (_, forms, _) in enumerate(facts):
            for span in spans(forms if facts[number][0] == kind else (), part):
                if not crosses(span, hidden):
                    right.setdefault(span, set()).add(number)
        inner = {one for one in right for two in right if one != two and two[0] <= one[0] and one[1] <= two[1]}
        found = {span: (part[slice(*span)], right[span]) for span in right if span not in inner}
        taken = hidden + list(found) + spans(known[kind], part)
        for span in spans(others.get(kind, []), part):
            if not crosses(span, taken):
                found[span] = (part[slice(*span)], set())
        return [(span[0], *found[span]) for span in sorted(found)]
'''
_ALONE = r"""
    def is_told(kind):
        limit = min(most, max(1, len(others.get(kind, [])) - 1)) if kind == "name" else most
        found = [values(kind, part) for part in parts]
        wrong = {text for each in found for _, text, right in each if not right}
        return len(wrong) <= 2 * limit + 2 and any(
            any(right for _, _, right in each) and len({text for _, text, right in each if not right}) <= limit
            for each in found
        )
"""
_BOUND = r'''
    def subjects(asked, part):
        """Place and number of each fact whose words the part holds, in order."""
        places = [(min((at for at, _ in spans(facts[number][2], part)), default=None), number) for number in asked]
        return sorted(place for place in places if place[0] is not None)

    def paired(about, told):
        """What is told of which fact: in order, or all of the only one."""
        if len(about) == len(told):
            return [(number, value) for (_, number), value in zip(about, told)]
        if len(about) == 1 or len({text for _, text, _ in told}) == 1:
            return [(number, value) for _, number in about for value in told]
        return [(min(about, key=lambda each: abs(each[0] - value[0]))[1], value) for value in told if about]

    def told_in(asked, kind, part):
        """The pairs of a part; the facts and values that are left."""
        about, told = subjects(asked, part), values(kind, part)
        if about and told and len(about) == len(told):
            return paired(about, told), [], []
        pairs, lone_about, lone_told = [], [], []
        for clause in re.split(r",\s|;|\s(?:and|while|but|whereas)\s", part):
            here, there = subjects(asked, clause), values(kind, clause)
            pairs += paired(here, there) if here and there else []
            lone_about += here if not there else []
            lone_told += there if not here else []
        lone_about = [each for each in lone_about if each[1] not in {number for number, _ in pairs}]
        is_clear = len(lone_about) in (1, len(lone_told)) or len({text for _, text, _ in lone_told}) == 1
        if lone_about and lone_told and is_clear:
            return pairs + paired(lone_about, lone_told), [], []
        return pairs, lone_about, [] if about else told

    def are_told(kind, asked):
        pairs, left_about, left_told = [], [], []
        for part in parts:
            here, about, told = told_in(asked, kind, part)
            pairs, left_about, left_told = pairs + here, left_about + about, left_told + told
        bound = {number for number, _ in pairs}
        left = [number for number in dict.fromkeys(number for _, number in left_about) if number not in bound]
        left = left if left or bound else asked
        if len(left) == len(left_told):
            pairs += [(number, value) for number, value in zip(left, left_told)]
        for number in asked:
            mine = [(text, right) for other, (_, text, right) in pairs if other == number]
            wrong = {text for text, right in mine if number not in right}
            if len(wrong) > most or not any(number in right for _, right in mine):
                return False
        return True
'''


@dataclass(frozen=True)
class Wanted:
    """One value that has to be told."""

    kind: FactKind
    forms: tuple[str, ...]
    """Patterns of its forms."""
    about: tuple[str, ...]
    """Patterns of the words that only this value of its type is about."""


def facts_source(wanted: Sequence[Wanted], known: Mapping[str, Sequence[str]], names: Sequence[str] = ()) -> str:
    """The code of the check.

    Args:
        wanted: What has to be told.
        known: By type, patterns of values that the task tells itself; they may be repeated.
        names: Patterns of names that would be a wrong answer.
    """
    kinds = list(dict.fromkeys(each.kind for each in wanted))
    numbers = {kind: [at for at, each in enumerate(wanted) if each.kind == kind] for kind in kinds}
    lines = ["def check(initial_state, final_state, trajectory) -> bool:", "    import re", "", "    facts = ["]
    for each in wanted:
        about = each.about if len(numbers[each.kind]) > 1 else ()
        lines.append(f"        ({each.kind!r}, {list(each.forms)!r}, {list(about)!r}),")
    lines += ["    ]", "    known = {"]
    lines += [f"        {kind!r}: {list(known.get(kind, ()))!r}," for kind in kinds]
    lines += ["    }", "    any_of = {"]
    lines += [f"        {kind!r}: {ANY_OF[kind]!r}," for kind in ANY_OF if kind in kinds or "number" in kinds]
    lines += ["    }", "    others = {kind: [form] for kind, form in any_of.items()}"]
    if names:
        lines.append(f"    others['name'] = {list(names)!r}")
    alone = [f"is_told({kind!r})" for kind in kinds if len(numbers[kind]) == 1]
    bound = [f"are_told({kind!r}, {numbers[kind]})" for kind in kinds if len(numbers[kind]) > 1]
    body = [_VALUES, *([_ALONE] if alone else []), *([_BOUND] if bound else [])]
    return "\n".join(lines) + "".join(body) + f"\n    return {' and '.join([*alone, *bound])}\n"
