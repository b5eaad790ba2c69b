"""How a task speaks of records and values."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from schemas.logic_models import Attribute
from schemas.scenarios import Binding
from tasks.authors.rules.nouns import singular, with_article, words_of
from tasks.authors.rules.spec import Draft, Filter, Record, Told
from tasks.authors.rules.spoken import day_words, euro_words, moment_words

_NAMES = {
    "admitted_on": "day of admission",
    "arrives_on": "day of arrival",
    "booked_at": "time of booking",
    "capacity_kg": "capacity in kg",
    "completed_at": "time of completion",
    "decided_at": "time of the decision",
    "decided_by": "decider",
    "discharged_on": "day of discharge",
    "distance_km": "distance in km",
    "done_at": "time of completion",
    "edited_at": "time of the last edit",
    "end": "end",
    "ended_at": "ending time",
    "ends_at": "ending time",
    "ends_on": "end date",
    "expires_on": "expiry date",
    "from_day": "first day",
    "from_zone": "pick-up zone",
    "included": "included allowance",
    "issued_at": "time of issue",
    "joined_at": "time of joining",
    "joined_on": "date of joining",
    "last_run_at": "time of the last run",
    "leaves_on": "day of departure",
    "lent_on": "day of lending",
    "moved_at": "time of the movement",
    "needs": "special need",
    "opened_at": "time of opening",
    "out_reason": "reason for being out of service",
    "paid_at": "time of payment",
    "paid_cents": "amount paid",
    "people": "number of people",
    "picked_up_on": "day of pick-up",
    "placed_at": "time of placing",
    "planned_for": "planned day",
    "posted_at": "time of posting",
    "raised_at": "time of the alarm",
    "read_up_to_message_id": "last message read",
    "recorded_at": "time of recording",
    "reply_to_message_id": "message replied to",
    "requested_at": "time of the request",
    "reserved_cents": "reserved amount",
    "resolved_at": "time of the resolution",
    "returned_on": "day of return",
    "snoozed": "number of delays",
    "spent_cents": "amount spent",
    "start": "starting time",
    "started_at": "starting time",
    "starts_at": "starting time",
    "starts_on": "start date",
    "stocked": "first stock",
    "to_zone": "destination zone",
    "until_day": "last day",
    "used": "use so far",
    "weight_kg": "weight in kg",
    "written_at": "time of writing",
}
"""What people call an attribute whose name is no noun."""
_UNITS = ("_cents", "_kg", "_km")
_UNIT_WORD = r"(?!(?:as|is|has|was|this)\b)(\w+s|percent)\b"
"""What may follow a number in a wording and tells what it counts."""
_ARTICLE = re.compile(r"\ban? (?=([\w-]+))")


@dataclass(frozen=True)
class Found:
    """A record, where an earlier result holds its id, and how the task describes it."""

    key: str
    binding: Binding
    words: str


def attribute_of(draft: Draft, collection: str, name: str) -> Attribute | None:
    """An attribute of an entity; null where it has none of this name."""
    return next((each for each in draft.entities[collection].attributes if each.name == name), None)


def attribute_words(name: str) -> str:
    """ "price_cents" -> "price", "expires_on" -> "expiry date", "minutes" -> "number of minutes"."""
    if name in _NAMES:
        return _NAMES[name]
    for ending, said in (("_id", ""), ("_cents", ""), ("_on", " date"), ("_at", " time")):
        if name.endswith(ending):
            return words_of(name.removesuffix(ending)) + said
    return f"number of {words_of(name)}" if name.endswith("s") and not name.endswith(("ss", "us")) else words_of(name)


def value_words(attribute: Attribute, value: Any) -> str:
    """A value of an attribute, as a person says it."""
    if attribute.type == "date":
        return day_words(value)
    if attribute.type == "datetime":
        return moment_words(value)
    if attribute.type == "enum":
        return words_of(str(value))
    if attribute.name.endswith("_cents"):
        return euro_words(value) if value >= 0 else f"minus {euro_words(-value)}"
    return str(value)


def words_for(draft: Draft, collection: str, each: Filter, record: Record) -> Told:
    """The argument that a filter takes from a record, and how the task says it.

    Raises:
        KeyError: the entity has no such attribute.
    """
    value = record[each.attribute]
    attribute = attribute_of(draft, collection, each.attribute)
    if attribute is None:
        raise KeyError(each.attribute)
    if each.form == "day":
        return Told(value[:10], day_words(value[:10]))
    return Told(value, value_words(attribute, value))


def spoken_param(param: str) -> str:
    """ "weight_kg" -> "weight", "patient_id" -> "patient"."""
    for unit in _UNITS:
        param = param.removesuffix(unit)
    return words_of(param.removesuffix("_id"))


def known_detail(param: str, words: str) -> str:
    """One thing that a person knows: "patient: Anna Smith", "birth date: Monday 23 February 1987"."""
    label = spoken_param(param)
    words = words.removeprefix(f"{label} ")
    is_named = param in _NAMES and not param.endswith(_UNITS)
    return f"{attribute_words(param) if is_named or param.endswith(('_on', '_at')) else label}: {words}"


def with_unit(param: str, words: str, wordings: Sequence[str]) -> str:
    """ "40" -> "40 litres" where one of the wordings says so: "refill {tank_id}, {amount} litres in all"."""
    if not words.isdecimal():
        return words
    units = (re.search(rf"\{{{param}\}} {_UNIT_WORD}", each) for each in wordings)
    unit = next((found[1] for found in units if found), None)
    return words if unit is None else f"{words} {singular(unit) if words == '1' else unit}"


def phrase(wording: str, words: Mapping[str, str]) -> str:
    """A wording with its slots filled, in the grammar that the words need: "1 unit", "an investment consultation"."""
    for param, said in words.items():
        if said == "1":
            wording = re.sub(
                rf"(\{{{param}\}}) {_UNIT_WORD}", lambda found: f"{found[1]} {singular(found[2])}", wording
            )
    return with_articles(wording.format(**words))


def with_articles(text: str) -> str:
    """ "a investment consultation" -> "an investment consultation"; what stands in quotation marks stays as it is."""
    parts = text.split('"')
    return '"'.join(part if number % 2 else _articles(part) for number, part in enumerate(parts))


def _articles(text: str) -> str:
    text = re.sub(r"\ban? (a certain|some) ", r"\1 ", text)
    return _ARTICLE.sub(lambda found: with_article(found[1]).removesuffix(found[1]), text)
