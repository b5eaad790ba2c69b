"""How a task speaks of records and values."""

import re
from dataclasses import dataclass
from typing import Any

from schemas.logic_models import Attribute
from schemas.scenarios import Binding
from tasks.authors.rules.nouns import with_article, words_of
from tasks.authors.rules.spec import Deed, Draft, Filter, FromQuery, Pick, Record, Told
from tasks.authors.rules.spoken import day_words, euro_words, moment_words

_DATES = {
    "expires_on": "expiry date",
    "arrives_on": "day of arrival",
    "leaves_on": "day of departure",
    "joined_on": "date of joining",
    "ends_on": "end date",
    "starts_on": "start date",
    "starts_at": "starting time",
    "ends_at": "ending time",
    "picked_up_on": "day of pick-up",
    "start": "starting time",
    "end": "end",
}
_VAGUE = {"quantity": "some", "amount": "some", "full_name": "somebody", "phone": "another number", "text": "something"}


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
    if name in _DATES:
        return _DATES[name]
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


def vague_words(draft: Draft, deed: Deed) -> dict[str, str]:
    """Words for the slots of a deed that give nothing away: "a patient", "a certain day"."""
    words: dict[str, str] = {}
    for slot in deed.slots:
        if isinstance(slot, Pick):
            words[slot.param] = draft.entities[slot.collection].noun.a
        elif isinstance(slot, FromQuery):
            words[slot.param] = slot.words
        else:
            name = slot.param.removesuffix("_cents")
            words[slot.param] = _VAGUE.get(name, f"a certain {words_of(name)}")
    return words


def known_detail(param: str, words: str) -> str:
    """One thing that a person knows: "patient: Anna Smith", "birth date Monday 23 February 1987"."""
    label = words_of(param.removesuffix("_id").removesuffix("_cents"))
    return words if words.startswith(label) else f"{label}: {words}"


def with_articles(text: str) -> str:
    """ "a investment consultation" -> "an investment consultation"."""
    text = re.sub(r"\ban? (a certain|some) ", r"\1 ", text)
    return re.sub(r"\ban? (?=(\w+))", lambda found: with_article(found.group(1)).removesuffix(found.group(1)), text)
