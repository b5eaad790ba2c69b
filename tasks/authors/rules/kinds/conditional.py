"""Conditional: one of two things is to be done to a record, and only a look-up tells which.

Both could be done in this state, so that no tool decides it for the agent.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

from schemas.logic_models import Attribute
from schemas.scenarios import CheckDraft
from tasks.authors.rules.answers import looked_up_check
from tasks.authors.rules.describe import Found, attribute_words, value_words
from tasks.authors.rules.kinds.facts import is_untold, shown_row
from tasks.authors.rules.nouns import with_article
from tasks.authors.rules.plan import Plan
from tasks.authors.rules.sketch import Known, Sketch, shuffled, untouched
from tasks.authors.rules.spec import Deed, Pick, Record, World
from tasks.authors.rules.spoken import pick

_SEEDS = 6
_STEPS = tuple(digit * 10**power for power in range(7) for digit in (1, 2, 5))
"""Between limits that a person would name."""
_LEAST_CENTS, _SOME_CENTS = 50, 5000
"""Between amounts of money that a person would name, and what is asked for where there is none."""
_WORDS = (
    "check {question}: if so, {yes}; if not, {no}",
    "find out {question}; if that is the case, {yes}, otherwise {no}",
    "look up {question}, and if it is so, {yes}, or else {no}",
)


def begin_conditional(known: Known, plan: Plan, rng: Random) -> Sketch | None:
    """Add the branch that the state asks for, and say both."""
    deeds = [deed for deed in known.draft.deeds if deed.in_tasks and not deed.follows and _is_about(deed)]
    pairs = [(one, other) for one in deeds for other in deeds if one is not other and _are_alike(one, other)]
    for one, other in shuffled(rng, pairs)[: 4 * _SEEDS]:
        first, second = _is_about(one), _is_about(other)
        if first is None or second is None:
            continue
        fitting = [key for key, record in untouched(plan, first.collection) if _fits_both(first, second, record, plan)]
        for key in shuffled(rng, fitting)[:_SEEDS]:
            mark = plan.mark()
            found = plan.find(first.collection, key)
            if found is not None and _branched(known, plan, rng, (one, other), first, found):
                return Sketch(plan, checks=_looked_up(plan, one, first, found))
            plan.back_to(mark)
    return None


def _looked_up(plan: Plan, deed: Deed, slot: Pick, found: Found) -> list[CheckDraft]:
    """The check that nobody guessed; none where the call does not name the record."""
    if slot.param not in plan.parameters[deed.tool]:
        return []
    words = found.words[0].upper() + found.words[1:]
    return [looked_up_check(deed.tool, slot.param, found.key, words)]


def _branched(known: Known, plan: Plan, rng: Random, deeds: tuple[Deed, Deed], slot: Pick, found: Found) -> bool:
    row = shown_row(plan, found)
    # What one of the two would change decides nothing: it could be asked for without the condition.
    changed = {each.param for deed in deeds for each in deed.slots}
    questions = list(_questions(known, slot.collection, row or {}, found, changed))
    if not questions:
        return False
    question, is_true = questions[rng.randrange(len(questions))]
    that = replace(found, words=f"that {known.draft.entities[slot.collection].noun.spoken}")
    with plan.elsewhere() as trial:
        if not trial.carry_out(deeds[1], {slot.param: that}):
            return False
        untaken = trial.done[-1]
    first = len(plan.done)
    if not plan.carry_out(deeds[0], {slot.param: that}):
        return False
    taken = plan.done[-1]
    if taken.asks == untaken.asks:
        return False
    yes, no = (taken, untaken) if is_true else (untaken, taken)
    answer = "It is so" if is_true else "It is not so"
    said = pick(rng, _WORDS)
    merged = replace(
        taken,
        asks=said.format(question=question, yes=yes.asks, no=no.asks),
        reports=f"{answer}: {re.sub('^The ', 'the ', taken.reports)}",
        vague=f"either {yes.vague} or {no.vague}, whichever fits",
        knows=(f"what decides: {question}; if so: {yes.asks}; if not: {no.asks}",),
        words={**taken.words, slot.param: found.words},
    )
    plan.merge(first, merged)
    return True


def _questions(
    known: Known, collection: str, row: Record, found: Found, changed: set[str]
) -> Iterator[tuple[str, bool]]:
    """Questions about a record that its row answers and its description does not, each with its answer."""
    for attribute in known.draft.entities[collection].attributes:
        value = row.get(attribute.name)
        if value is None or is_untold(attribute.name) or attribute.name in changed or isinstance(value, list):
            continue
        if attribute.type in ("enum", "date", "boolean") and value_words(attribute, value) in found.words:
            continue
        yield from _asked(attribute, value, found.words)


def _asked(attribute: Attribute, value: Any, words: str) -> Iterator[tuple[str, bool]]:
    name = attribute_words(attribute.name)
    if attribute.type == "enum":
        others = [each for each in attribute.values if each != value]
        for each, is_true in ((value, True), *((other, False) for other in others[:2])):
            shown = value_words(attribute, each)
            yield (
                f"whether {words} is {shown}" if name == "status" else f"whether the {name} of {words} is {shown}",
                is_true,
            )  # noqa: E501
    elif attribute.type in ("integer", "number") and not isinstance(value, bool):
        least = (_LEAST_CENTS if value else _SOME_CENTS) if attribute.name.endswith("_cents") else 1
        step = max((each for each in _STEPS if least <= each <= abs(value) / 3), default=least)
        bound = round(value / step) * step
        for limit in (bound - step, bound + step):
            if limit > 0:
                yield f"whether the {name} of {words} is more than {value_words(attribute, limit)}", value > limit
    elif attribute.type == "boolean":
        verb, _, what = name.partition(" ")
        yield f"whether {words} {verb} {with_article(what) if verb == 'needs' else what}", bool(value)


def _is_about(deed: Deed) -> Pick | None:
    """The record that a deed is about: the only one that it picks, before anything else."""
    picks = [slot for slot in deed.slots if isinstance(slot, Pick)]
    return picks[0] if len(picks) == 1 and deed.slots[0] is picks[0] else None


def _are_alike(one: Deed, other: Deed) -> bool:
    first, second = _is_about(one), _is_about(other)
    return (
        first is not None
        and second is not None
        and first.collection == second.collection
        and first.param == second.param
    )  # noqa: E501


def _fits_both(first: Pick, second: Pick, record: Record, plan: Plan) -> bool:
    return all(
        slot.where is None or slot.where(record, World(plan.rng, plan.state, {}, {})) for slot in (first, second)
    )
