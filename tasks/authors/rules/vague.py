"""A wish without its details, for the goal of a person who tells them only when asked."""

import re
from collections.abc import Mapping
from types import MappingProxyType

from tasks.authors.rules.describe import spoken_param, with_articles
from tasks.authors.rules.spec import Deed, Draft, FromQuery, Pick, Value

_NOTHING: Mapping[str, str] = MappingProxyType({})
_VAGUE = {
    "quantity": "some",
    "amount": "some",
    "amount_cents": "a certain amount",
    "full_name": "somebody",
    "phone": "another number",
    "text": "something",
    "people": "a certain number of people",
    "passengers": "a certain number of passengers",
    "minutes": "a certain number of minutes",
    "cooking_minutes": "a certain number of minutes",
    "units": "a certain number of units",
    "office_days": "a certain number of office days",
    "days": "certain days",
    "needs": "a certain need",
    "start": "a certain time",
    "starts_at": "a certain time",
    "due_at": "a certain time",
    "joined_on": "a certain day of joining",
    "ends_on": "a certain end date",
    "birthday": "a certain birthday",
    "from_zone": "a certain zone",
    "to_zone": "a certain zone",
    "planned_for": "a certain day",
}
_SPOKEN = {"from_zone": "zone", "to_zone": "zone", "position": "place"}
"""What a wording calls a value right before it, where that is not the name of its parameter."""
_COUNTED = r"(?!(?:as|is|has|was|this)\b)(\w+s)\b"
_IDIOMS = (
    (r"\ba discount of \{discount_cents\}", "{discount_cents}"),
    (r"\bphone number \{phone\}", "a certain phone number"),
    (r"\bthe \{quantity\} of", "one of the measurements of"),
    (r"\bmake it \{quantity\} of", "make it another quantity of"),
    (r"\bon \{(start|due_at)\}", r"at {\1}"),
    (r"\ball \{kind\}", "all things of {kind}"),
    (r"\bare \{status\}", "have {status}"),
    (r"\bwas \{response\}", "got {response}"),
    (r"^make (.*?) \{priority\} priority", r"give \1 {priority}"),
    (r"\{battery\} percent\b", "a certain percentage"),
    (r"\{days\} days\b", "some days"),
)
"""Wordings that are said differently once the value is left open."""


def vague_wish(draft: Draft, deed: Deed, template: str, new: Mapping[str, str] = _NOTHING) -> str:
    """One of a deed's wordings with "a patient", "a certain day", "some" in its slots.

    `new` are slots with a record that an earlier wish makes: param -> "that new order".
    """
    for wording, said in _IDIOMS:
        template = re.sub(wording, said, template)
    values = [slot.param for slot in deed.slots if isinstance(slot, Value)]
    nouns = sorted((spec.noun.spoken for spec in draft.entities.values()), key=len, reverse=True)
    template = re.sub(rf"\b({'|'.join(map(re.escape, nouns))}) \{{(name|title)\}}", r"\1 called {\2}", template)
    for param in values:
        template = _without_double(param, template)
        template = _of_a_sort(param, deed, draft, nouns, template)
        if _VAGUE.get(param) != "some":
            template = re.sub(rf"\{{{param}\}} {_COUNTED}", r"a certain number of \1", template)
    said = with_articles(template.format(**{**_words(draft, deed), **new}))
    said = re.sub(r"\b(\w+) of a certain \1 ", r"\1 of a certain ", said)
    said = re.sub(r"\bfrom (an?) ([a-z ]+?) ((?:over )?to) \1 \2\b", r"from one \2 \3 another", said)
    return re.sub(r"\bfrom a certain (\w+) to a certain \1\b", r"from one \1 to another", said)


def _words(draft: Draft, deed: Deed) -> dict[str, str]:
    words: dict[str, str] = {}
    for slot in deed.slots:
        if isinstance(slot, Pick):
            words[slot.param] = draft.entities[slot.collection].noun.a
        elif isinstance(slot, FromQuery):
            words[slot.param] = slot.words
        else:
            words[slot.param] = _vague_value(slot.param)
    return words


def _vague_value(param: str) -> str:
    if param in _VAGUE:
        return _VAGUE[param]
    if param.endswith(("_on", "_day")):
        return "a certain day"
    return "a certain time" if param.endswith("_at") else f"a certain {spoken_param(param)}"


def _without_double(param: str, template: str) -> str:
    """ "the level {level}", "a limit of {limit_cents}", "{mode} mode": the value brings its name along."""
    if param.endswith(("_on", "_at")) or param == "text":
        return template
    name = _SPOKEN.get(param, spoken_param(param))
    template = re.sub(rf"(?:\bthe |\ban? )?(?:\bnew )?\b{name} (?:of )?\{{{param}\}}", f"{{{param}}}", template)
    return re.sub(rf"(?:\ban? )?\{{{param}\}} {name}\b", f"{{{param}}}", template)


def _of_a_sort(param: str, deed: Deed, draft: Draft, nouns: list[str], template: str) -> str:
    """ "a new {kind} account" -> "a new account of {kind}"; "a new {kind}" alone -> "a new device of {kind}"."""
    if _VAGUE.get(param) == "some":
        return template
    template = re.sub(
        rf"(?:\ban? )?(new )?\{{{param}\}} ({'|'.join(map(re.escape, nouns))})\b", rf"a \1\2 of {{{param}}}", template
    )
    if param == "kind" and deed.creates:
        one = draft.entities[deed.creates].noun.spoken
        template = re.sub(rf"\b(?:a (new )?|(?<!of ))\{{{param}\}}", rf"a \1{one} of {{{param}}}", template)
    return template
