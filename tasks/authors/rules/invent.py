"""An environment for a topic that no theme covers: its own nouns in a plan that fits most desks.

What is looked after belongs to clients, specialists see to it at agreed times, and supplies are used up. The topic's
words name the things, the visits and the class.
"""

import re
from typing import Any

from schemas.ids import slugify
from tasks.authors.rules.nouns import plural, singular, words_of

_SMALL_WORDS = frozenset(
    ("a", "an", "and", "at", "by", "desk", "for", "from", "in", "management", "my", "of", "office", "on", "or", "our")
    + ("service", "services", "software", "system", "the", "to", "tracking", "with")
)
_VISITS = frozenset(
    ("appointment", "audit", "booking", "check", "checkup", "class", "consultation", "delivery", "excursion", "exam")
    + ("inspection", "interview", "job", "lesson", "maintenance", "meeting", "pickup", "rehearsal", "rental", "repair")
    + ("reservation", "review", "service", "session", "survey", "test", "tour", "training", "treatment", "trip")
    + ("visit", "workshop")
)
_PLACES = frozenset(
    ("agency", "association", "centre", "center", "clinic", "club", "company", "depot", "farm", "firm", "garage")
    + ("hall", "house", "lab", "laboratory", "market", "museum", "office", "park", "practice", "school", "shop")
    + ("society", "station", "store", "studio", "team", "workshop", "yard")
)
_TAKEN = frozenset({"client", "specialist", "supply", "movement", "setting", "counter", "now", "tool", "record"})
_NAMES = (
    "Alder",
    "Birch",
    "Cedar",
    "Dogwood",
    "Elder",
    "Fir",
    "Gorse",
    "Hazel",
    "Ivy",
    "Juniper",
    "Larch",
    "Maple",
) + ("Oak", "Oakley")


def invented_section(title: str) -> dict[str, Any]:
    """What `environments/<theme>.yaml` would say for this topic. The same title gives the same section."""
    words = [word for word in slugify(title).split("-") if word.isalpha() and word not in _SMALL_WORDS]
    visit, words = _visit(words)
    thing = _thing(words, visit)
    kinds = {"standard": 30, "extended": 60, "follow_up": 30, "urgent": 45}
    return {
        "class_name": "".join(word.capitalize() for word in words) or "Desk",
        "summary": (
            f"{title[:1].upper()}{title[1:]}: whose {words_of(thing)} is looked after by whom and when, and which "
            "supplies are left."
        ),
        "nouns": {
            "client": {"many": "clients", "prefix": "CLI", "label": "full_name"},
            thing: {"many": plural(thing), "prefix": _prefix(thing, ("CLI", "SPC", "SUP", "MOV")), "label": "name"},
            "specialist": {"many": "specialists", "prefix": "SPC", "label": "full_name"},
            visit: {"many": plural(visit), "prefix": _prefix(visit, ("CLI", "SPC", "SUP", "MOV", _prefix(thing, ())))},
            "supply": {"many": "supplies", "prefix": "SUP", "label": "name"},
            "movement": {"many": "movements", "prefix": "MOV"},
        },
        "mechanics": [
            {
                "registry": {
                    "of": "client",
                    "contact": True,
                    "retire": "archive",
                    "inactive": "archived",
                    "extra": [_TERMS],
                }
            },
            {
                "registry": {
                    "of": thing,
                    "owner": "client",
                    "retire": "retire",
                    "inactive": "retired",
                    "names": [f"{words_of(thing).capitalize()} {name}" for name in _NAMES],
                    "extra": [_CONDITION],
                }
            },
            {"roster": {"of": "specialist", "skill": "does", "skills": list(kinds)}},
            {
                "appointments": {
                    "booking": visit,
                    "who": thing,
                    "by": "specialist",
                    "skill": "does",
                    "kind": "kind",
                    "kinds": kinds,
                    "checks_in": False,
                }
            },
        ],
        "optional": [{"stock": {"item": "supply", "movement": "movement", **_SUPPLIES}}],
        "policies": [
            f"Agree the new time with the client before {words_of(plural(visit))} are moved or cancelled.",
            "Never tell a client anything about another client.",
        ],
        "asks_before": [f"reschedule_{visit}", f"cancel_{visit}"],
    }


_TERMS = {
    "name": "terms",
    "type": "enum",
    "values": ["pay_as_you_go", "monthly", "yearly"],
    "description": "How the client pays.",
    "changes": True,
}
_CONDITION = {
    "name": "condition",
    "type": "enum",
    "values": ["good", "fair", "poor"],
    "description": "How it was found last time.",
    "changes": True,
}
_SUPPLIES = {
    "items": {
        "consumable": [
            "Cleaning cloths",
            "Cleaning cloths coarse",
            "Protective gloves size M",
            "Protective gloves size L",
            "Label rolls",
            "Marker pens",
        ],
        "spare_part": ["Replacement filters", "Replacement filters fine"],
        "storage": ["Storage boxes small", "Storage boxes large"],
    },
}


def _visit(words: list[str]) -> tuple[str, list[str]]:
    """What is agreed on ("inspection"), and the words without it; "visit" where the topic names nothing of the kind."""
    for at in range(len(words) - 1, -1, -1):
        one = singular(words[at])
        if one in _VISITS:
            return one, [*words[:at], *words[at + 1 :]]
    return "visit", words


def _thing(words: list[str], visit: str) -> str:
    """What is looked after: the last word that names neither a place nor anything else of the plan."""
    for word in reversed(words):
        one = singular(word)
        if one not in _PLACES and one not in _TAKEN and one != visit and len(one) > 2:
            return one
    return "item"


def _prefix(word: str, taken: tuple[str, ...]) -> str:
    """Three capital letters of a word, different from those that are taken."""
    letters = word.upper()
    consonants = letters[0] + re.sub(r"[AEIOU]", "", letters[1:])
    candidates = [
        consonants[:3],
        letters[:3],
        f"{letters[0]}{letters[-2:]}",
        *(f"X{letters[0]}{end}" for end in "QZWK"),
    ]
    return next(each for each in candidates if len(each) == 3 and each not in taken)
