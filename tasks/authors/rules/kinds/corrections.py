"""Corrections: a person puts right what was said first; undoing: something in the state is to be taken back."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random
from typing import Any

from tasks.authors.rules.describe import phrase
from tasks.authors.rules.plan import Done, Plan
from tasks.authors.rules.sketch import Known, Sketch, shuffled, single_pick, untouched
from tasks.authors.rules.spec import Deed, Pick, State, Value, World
from tasks.authors.rules.spoken import pick

_SEEDS = 4
_TRIES = 12
_SLIPS = (
    "{wrong} - no, sorry, that is not right: I meant {right}, not {slip}",
    "{wrong} - wait, I mixed that up: not {slip} but {right}",
    "{wrong} - actually no, make that {right} instead of {slip}",
)
_STAMPS = ("changed_at", "updated_at")


def begin_correction(known: Known, plan: Plan, rng: Random) -> Sketch | None:
    """Carry out a goal, and let the task say one detail of it wrong first."""
    deeds = [deed for deed in known.draft.deeds if deed.in_tasks and not deed.follows]
    for deed in shuffled(rng, deeds)[:_TRIES]:
        if not any(_may_slip(deed, slot) for slot in deed.slots) or not plan.carry_out(deed):
            continue
        done = plan.done[-1]
        corrected = next(_corrected(plan, rng, done), None)
        if corrected is None:
            return None
        plan.merge(len(plan.done) - 1, corrected)
        return Sketch(plan)
    return None


def _may_slip(deed: Deed, slot: Any) -> bool:
    """Whether a detail is said once in every wording and can be said wrong."""
    return isinstance(slot, Pick | Value) and all(asks.count(f"{{{slot.param}}}") == 1 for asks in deed.asks)


def _corrected(plan: Plan, rng: Random, done: Done) -> Iterator[Done]:
    for slot in shuffled(rng, [each for each in done.deed.slots if _may_slip(done.deed, each)]):
        right = done.words[slot.param]
        slip = _other_words(plan, rng, done, slot)
        said = {param: words for param, words in done.words.items() if param != slot.param}
        if slip is None or slip == right or any(slip in each or right in each for each in said.values()):
            continue
        if slip in right or right in slip:
            continue
        wrong = phrase(done.template, {**done.words, slot.param: slip})
        yield replace(
            done,
            asks=pick(rng, _SLIPS).format(wrong=wrong, right=right, slip=slip),
            knows=(*done.knows, f"says first, by mistake: {slip}"),
        )


def _other_words(plan: Plan, rng: Random, done: Done, slot: Pick | Value) -> str | None:
    """How the task would say another value, or another record, for the same detail."""
    chosen = done.world.chosen
    before = dict(list(chosen.items())[: list(chosen).index(slot.param)])
    world = World(rng, done.world.state, before, done.world.records)
    if isinstance(slot, Value):
        for _ in range(_SEEDS):
            told = slot.make(world)
            if told is not None and told.value != chosen[slot.param]:
                return told.words
        return None
    there = done.world.state[slot.collection]
    others = [key for key, record in there.items() if key not in chosen.values() and _fits(slot, record, world)]
    for key in shuffled(rng, others)[:_SEEDS]:
        if plan.is_touched(key) or key not in plan.state[slot.collection]:
            continue
        mark = plan.mark()
        found = plan.find(slot.collection, key)
        plan.back_to(mark)
        if found is not None:
            return found.words
    return None


def _fits(slot: Pick, record: Any, world: World) -> bool:
    return slot.where is None or slot.where(record, world)


def begin_undo(known: Known, plan: Plan, rng: Random) -> Sketch | None:
    """Take back what another deed would have done: that other deed, done again, leads back to where it was."""
    deeds = [deed for deed in known.draft.deeds if deed.in_tasks and not deed.follows and len(deed.slots) == 1]
    pairs = [(deed, did) for deed in deeds for did in deeds if did.tool != deed.tool and _same_pick(deed, did)]
    for deed, did in shuffled(rng, pairs)[:_TRIES]:
        slot = single_pick(deed)
        if slot is None:
            continue
        fitting = [key for key, record in untouched(plan, slot.collection) if _fits_now(slot, record, plan)]
        for key in shuffled(rng, fitting)[:_SEEDS]:
            mark = plan.mark()
            if _undone(known, plan, slot, key, deed, did):
                return Sketch(plan)
            plan.back_to(mark)
    return None


def _undone(known: Known, plan: Plan, slot: Pick, key: str, deed: Deed, did: Deed) -> bool:
    found = plan.find(slot.collection, key)
    if found is None:
        return False
    noun = known.draft.entities[slot.collection].noun
    that = replace(found, words=f"that {noun.spoken}")
    with plan.elsewhere() as trial:
        before = _bare(known, trial.state)
        if not trial.carry_out(deed, {slot.param: that}) or not trial.carry_out(did, {slot.param: that}):
            return False
        if _bare(known, trial.state) != before:
            return False
    if not plan.carry_out(deed, {slot.param: that}):
        return False
    done = plan.done[-1]
    wrongly = phrase(did.reports, {slot.param: found.words}).rstrip(".")
    merged = replace(
        done,
        asks=f"put a mistake right: {wrongly}, which was done by accident, so {done.asks}",
        knows=(f"what happened by accident: {wrongly}", f"how it should be: {done.reports.rstrip('.')}"),
        words={slot.param: found.words},
        vague="take back something that happened by accident",
    )
    plan.merge(len(plan.done) - 1, merged)
    return True


def _same_pick(one: Deed, other: Deed) -> bool:
    first, second = single_pick(one), single_pick(other)
    return (
        first is not None
        and second is not None
        and (first.collection, first.param) == (second.collection, second.param)
    )  # noqa: E501


def _fits_now(slot: Pick, record: Any, plan: Plan) -> bool:
    return _fits(slot, record, World(plan.rng, plan.state, {}, {}))


def _bare(known: Known, state: State) -> State:
    """The records without the stamps of their last change."""
    return {
        many: {
            key: {name: value for name, value in record.items() if name not in _STAMPS}
            for key, record in state[many].items()
        }
        for many in known.draft.entities
    }
