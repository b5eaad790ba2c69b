"""Refusals: a rule or a policy forbids what is asked for; the right end is no change and the true reason."""

import re
from collections.abc import Iterator
from random import Random

from schemas.scenarios import ReferenceStep
from tasks.authors.rules.answers import reason_check, text_patterns, uncalled_check
from tasks.authors.rules.describe import Found, known_detail, phrase
from tasks.authors.rules.plan import Done, Plan, changes_nothing
from tasks.authors.rules.reasons import other_numbers, reason_patterns
from tasks.authors.rules.sketch import Known, Sketch, shuffled
from tasks.authors.rules.spec import Deed, Forbidden, Pick, Record, World
from tasks.authors.rules.spoken import pick
from tasks.authors.rules.vague import vague_wish

_SEEDS = 5
_POLICY_SHARE = 0.35
_TELLABLE = re.compile(r"[A-Z][a-z][^A-Z\"]{10,200}")
"""A reason without names and quotations. In another wording they may be left out, so a check can't ask for them."""


def begin_refusal(known: Known, plan: Plan, rng: Random) -> Sketch | None:
    """Look the records up, change nothing, say why."""
    by_policy = rng.random() < _POLICY_SHARE
    ways = (_by_policy, _by_rule) if by_policy else (_by_rule, _by_policy)
    for way in ways:
        mark = plan.mark()
        sketch = way(known, plan, rng)
        if sketch is not None:
            return sketch
        plan.back_to(mark)
    return None


def _by_policy(known: Known, plan: Plan, rng: Random) -> Sketch | None:
    for forbidden in shuffled(rng, known.draft.forbidden):
        sketch = refuse_by_policy(known, plan, rng, forbidden)
        if sketch is not None:
            return sketch
    return None


def refuse_by_policy(known: Known, plan: Plan, rng: Random, what: Forbidden) -> Sketch | None:
    """Ask for something that a policy forbids on this state; null when no record is such that it does."""
    world = World(rng, plan.state, {}, {})
    words: dict[str, str] = {}
    for slot in what.slots:
        fitting = [key for key, record in plan.state[slot.collection].items() if _fits(slot, record, world)]
        found = next(filter(None, (plan.find(slot.collection, key) for key in shuffled(rng, fitting)[:_SEEDS])), None)
        if found is None:
            return None
        world.chosen[slot.param], words[slot.param] = found.key, found.words
        world.records[slot.param] = plan.state[slot.collection][found.key]
    if what.evidence is not None:
        tool, arguments = what.evidence(world)
        if plan.look_up(ReferenceStep(tool=tool, literals=arguments)) is None:
            return None
    because = _sentence(what.because(world))
    secrets = _secret(what, world)
    rule = next(each for each in known.draft.rules if each.id == what.rule)
    checks = [reason_check(because, what.reasons, secrets)]
    if what.tool is not None:
        checks.append(uncalled_check(what.tool, rule.text))
    asks = pick(rng, what.asks)
    return Sketch(
        plan,
        checks=checks,
        asks=[phrase(asks, words)],
        vague=[what.vague],
        knows=[known_detail(slot.param, words[slot.param]) for slot in what.slots],
        final=f"I have not done that. {because}",
    )


def _secret(what: Forbidden, world: World) -> tuple[str, ...]:
    if what.secret is None:
        return ()
    value = str(world.records[what.slots[0].param][what.secret])
    digits = re.sub(r"\D", "", value)
    if not digits:
        return text_patterns(value)
    return (r"\D{0,2}".join(digits[-6:]),)


def _by_rule(known: Known, plan: Plan, rng: Random) -> Sketch | None:
    deeds = [deed for deed in known.draft.deeds if deed.in_tasks and not deed.follows]
    for deed in shuffled(rng, [each for each in deeds if any(isinstance(slot, Pick) for slot in each.slots)]):
        with plan.elsewhere() as trial:
            usual = trial.done[-1] if trial.carry_out(deed) else None
        if usual is None:
            continue
        for slot, key in _misfits(plan, rng, deed, usual):
            mark = plan.mark()
            sketch = _refused(known, plan, deed, usual, slot, key)
            if sketch is not None:
                return sketch
            plan.back_to(mark)
    return None


def _misfits(plan: Plan, rng: Random, deed: Deed, usual: Done) -> Iterator[tuple[Pick, str]]:
    """Records that do not make sense at one place of the deed, all other places being as usual."""
    for slot in shuffled(rng, [each for each in deed.slots if isinstance(each, Pick) and each.where is not None]):
        before = list(usual.world.chosen)[: list(usual.world.chosen).index(slot.param)]
        world = World(rng, plan.state, {param: usual.world.chosen[param] for param in before}, usual.world.records)
        wrong = [key for key, record in plan.state[slot.collection].items() if not _fits(slot, record, world)]
        for key in shuffled(rng, wrong)[:_SEEDS]:
            yield slot, key


def _refused(known: Known, plan: Plan, deed: Deed, usual: Done, slot: Pick, key: str) -> Sketch | None:
    chosen = {**usual.world.chosen, slot.param: key}
    found: dict[str, Found] = {}
    for each in deed.slots:
        if not isinstance(each, Pick):
            continue
        there = plan.find(each.collection, chosen[each.param])
        if there is None:
            return None
        found[each.param] = there
    if len({each.key for each in found.values()}) < len(found):
        return None
    picks = [each for each in deed.slots if isinstance(each, Pick)]
    records = {each.param: plan.state[each.collection][chosen[each.param]] for each in picks}
    if changes_nothing(deed, World(plan.rng, plan.state, chosen, records)):
        return None
    arguments = {param: value for param, value in chosen.items() if param in plan.parameters[deed.tool]}
    with plan.session.branch() as session:
        result = session.step(deed.tool, arguments).result
    error = result.get("error") if isinstance(result, dict) and result.get("success") is False else None
    if not isinstance(error, str):
        return None
    words = {**usual.words, **{param: each.words for param, each in found.items()}}
    asks = phrase(usual.template, words)
    because = _sentence(_told(known, error, found, deed))
    nouns = [spec.noun.spoken for spec in known.draft.entities.values()]
    patterns = reason_patterns(because, asks, nouns)
    is_pointless = "already" in error or re.search(r"is not away|There is no", error)
    if not patterns or is_pointless or not _TELLABLE.fullmatch(because):
        return None
    return Sketch(
        plan,
        checks=[reason_check(because, patterns, other_numbers(because))],
        asks=[asks],
        vague=[vague_wish(known.draft, deed, usual.template)],
        knows=[_known_detail(usual, each, found) for each in usual.knows],
        final=f"That can't be done, so nothing was changed. {because}",
    )


def _known_detail(usual: Done, detail: str, found: dict[str, Found]) -> str:
    label, colon, words = detail.partition(": ")
    if not colon:
        return detail
    now = next((each.words for param, each in found.items() if usual.words[param] == words), words)
    return f"{label}: {now}"


def _id_pattern(known: Known) -> re.Pattern[str]:
    prefixes = "|".join(re.escape(spec.noun.prefix) for spec in known.draft.entities.values())
    return re.compile(rf"\b(?:{prefixes})-\d+\b")


def _told(known: Known, error: str, found: dict[str, Found], deed: Deed) -> str:
    """The error as the reason in an answer: "the appointment" for its id, and no days."""
    for slot in deed.slots:
        if isinstance(slot, Pick):
            error = error.replace(found[slot.param].key, f"the {known.draft.entities[slot.collection].noun.spoken}")
    nouns = {spec.noun.prefix: spec.noun.a for spec in known.draft.entities.values()}
    error = _id_pattern(known).sub(lambda hit: nouns[hit[0].rsplit("-", 1)[0]], error).replace("_", " ")
    error = re.sub(r"\b([a-z]+) an? \1\b", r"\1", error)  # "has the open order ORD-0001"
    return re.sub(r" on \d{4}-\d{2}-\d{2}", "", error)


def _fits(slot: Pick, record: Record, world: World) -> bool:
    return slot.where is None or slot.where(record, world)


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:]
