"""What a task asks to be told: values that only a result holds."""

import re
from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

from schemas.logic_models import Attribute
from tasks.authors.rules.answers import Fact, time_patterns, values_of
from tasks.authors.rules.describe import Found, attribute_words, value_words
from tasks.authors.rules.nouns import Noun
from tasks.authors.rules.plan import Done, Plan
from tasks.authors.rules.sketch import Known
from tasks.authors.rules.spec import FromQuery, Pick, Record
from tasks.authors.rules.spoken import day_words

_TELLING = ("date", "datetime", "integer", "number", "string")
"""Types of attributes whose values can't be guessed from a few options."""
_UNTOLD = ("changed_at", "created_at", "updated_at", "status", "phone", "email")
"""Attributes that nobody asks for, that could be guessed, or that are nobody's business."""
TELLING_TEXT = re.compile(r"[A-Z0-9][\w'-]*( [A-Z0-9][\w'-]*)*")
"""A name or a code."""
_FEWEST = 10
FEWEST_COUNT = 3
"""A smaller number occurs in answers by chance."""


def fact_of_goal(known: Known, plan: Plan, rng: Random, said: str) -> Fact | None:
    """Something to be told about the last goal that the task does not say; null when there is nothing.

    First choice is what a query offered, then what the call changed, then what a look-up showed.
    """
    done = plan.done[-1]
    for options in (_offered(done, plan), _changed(known, done, plan), _shown(known, done, plan, rng)):
        fact = next((each for each in options if not each.is_in(said)), None)
        if fact is not None:
            return fact
    return None


def fact_of_record(attribute: Attribute, row: Record, words: str, noun: Noun) -> Fact | None:
    """One attribute of a record that goes by these words; null where it can't be told apart in an answer."""
    value = row.get(attribute.name)
    if attribute.type not in _TELLING or is_untold(attribute.name):
        return None
    if attribute.type == "string" and not TELLING_TEXT.fullmatch(str(value)):
        return None
    values = values_of(attribute, value)
    if not values or (isinstance(value, int | float) and value < _FEWEST):
        return None
    name = attribute_words(attribute.name)
    shown = value_words(attribute, value)
    with_day = ""
    if isinstance(value, str) and attribute.type == "datetime" and day_words(value[:10]) in words:
        values, shown = values[1:], value[11:16]
    elif attribute.type == "datetime":
        with_day = ", with its day"
    return Fact(
        asks=f"what the {name} of {words} is{with_day}",
        reports=f"The {name} of {words} is {shown}.",
        values=values,
        vague=f"what the {name} of the {noun.spoken} is",
    )


def _offered(done: Done, plan: Plan) -> Iterator[Fact]:
    """The time that was taken because it was the first free one."""
    for slot in done.deed.slots:
        value = done.world.chosen.get(slot.param)
        if isinstance(slot, FromQuery) and isinstance(value, str) and len(value) == 16 and value[10] == "T":
            yield Fact(
                asks="which time it has become",
                reports=f"The time is {value[11:]}.",
                values=(("time", time_patterns(value[11:])),),
                vague="which time it has become",
            )


def _changed(known: Known, done: Done, plan: Plan) -> Iterator[Fact]:
    """Values of the record that the call returned, where the call changed or made them."""
    data = _data(plan, done.step)
    for entity in known.logic_model.entities:
        key = data.get(entity.key)
        if key is None or key not in plan.state[entity.collection] or len(set(data) - {entity.key}) < 2:
            continue
        before = done.world.state[entity.collection].get(key, {})
        words = next((text for name, text in done.words.items() if done.world.chosen.get(name) == key), None)
        noun = known.draft.entities[entity.collection].noun
        words = words or f"the new {noun.spoken}"
        for attribute in entity.attributes:
            if data.get(attribute.name) != before.get(attribute.name) and attribute.type != "string":
                fact = fact_of_record(attribute, data, words, noun)
                if fact is not None:
                    yield replace(fact, asks=f"{fact.asks} now")
        return


def _shown(known: Known, done: Done, plan: Plan, rng: Random) -> Iterator[Fact]:
    """Values of a found record, as the look-up showed them, that are still the same."""
    for slot in done.deed.slots:
        key = done.world.chosen.get(slot.param)
        if not isinstance(slot, Pick) or key not in plan.state[slot.collection]:
            continue
        found = plan.found(slot.collection, str(key))
        row = shown_row(plan, found) if found else None
        if row is None:
            continue
        now = plan.state[slot.collection][key]
        noun = known.draft.entities[slot.collection].noun
        attributes = [*known.draft.entities[slot.collection].attributes]
        for attribute in rng.sample(attributes, len(attributes)):
            if row.get(attribute.name) == now.get(attribute.name):
                fact = fact_of_record(attribute, row, done.words[slot.param], noun)
                if fact is not None:
                    yield fact


def is_untold(name: str) -> bool:
    """Whether nobody asks for an attribute of this name."""
    return name in _UNTOLD or name.startswith("opening")


def shown_row(plan: Plan, found: Found) -> Record | None:
    """The record as the look-up that found it returned it; null where it is not in a result as a whole."""
    value: Any = plan.results[found.binding.step]
    for part in found.binding.path[:-1]:
        value = value[part]
    return value if isinstance(value, dict) else None


def _data(plan: Plan, step: int) -> Record:
    data = plan.results[step].get("data")
    return data if isinstance(data, dict) else {}
