"""Scenarios on one initial state: kinds and lengths as wished for, each one planned by acting in the environment."""

import re
from calendar import month_name
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from types import MappingProxyType
from typing import Any

from schemas.lengths import LONGEST
from schemas.scenarios import Binding, ReferenceStep, ScenarioDraft
from tasks.authors.rules.answers import Fact, answer_check
from tasks.authors.rules.describe import with_articles
from tasks.authors.rules.kinds.aggregation import begin_aggregation
from tasks.authors.rules.kinds.conditional import begin_conditional
from tasks.authors.rules.kinds.corrections import begin_correction, begin_undo
from tasks.authors.rules.kinds.facts import fact_of_goal
from tasks.authors.rules.kinds.goals import add_goal, begin_chain, begin_goals
from tasks.authors.rules.kinds.questions import begin_question
from tasks.authors.rules.kinds.refusals import begin_refusal
from tasks.authors.rules.plan import Plan
from tasks.authors.rules.populate import at_path
from tasks.authors.rules.profile import ScenarioProfile
from tasks.authors.rules.sketch import Known, Sketch, Special
from tasks.authors.rules.tell import Wish, question_text, refusal_text, task_text, user_goal
from tasks.runtime.derive import goal_checks
from tasks.sandbox.base import EnvironmentSession

_TRIES = 7
_NEAR, _KINDS_TRIED = 2, 4
"""Calls that a length may be missed by before another kind is tried for it, and how many kinds are."""
_FEWEST_TOOLS = 4
_TELLS_SHARE = 0.75
"""Of the tasks with something to do, those that also ask to be told something."""
_WITHOUT_WRITE = ("refusal", "question")
_ALONE = ("single_goal",)
_SPECIAL: Mapping[str, Special] = MappingProxyType(
    {
        "single_goal": begin_goals,
        "several_goals": begin_goals,
        "chain": begin_chain,
        "conditional": begin_conditional,
        "aggregation": begin_aggregation,
        "correction": begin_correction,
        "undo": begin_undo,
        "refusal": begin_refusal,
        "question": begin_question,
    }
)


@dataclass(frozen=True)
class Workplace:
    """An environment that scenarios are planned in, on one state."""

    known: Known
    parameters: dict[str, frozenset[str]]
    session: EnvironmentSession
    state: dict[str, Any]


@dataclass(frozen=True)
class _Candidate:
    draft: ScenarioDraft
    distance: int
    """From the wished-for length."""
    tools: int
    asked: tuple[str, ...]
    """The tools that it asks for."""

    @property
    def rank(self) -> int:
        return self.distance + 2 * max(0, _FEWEST_TOOLS - self.tools)


def write_scenarios(
    place: Workplace, rng: Random, lengths: Sequence[int], profile: ScenarioProfile
) -> tuple[ScenarioDraft, ...]:
    """A scenario for each length, each of another kind as long as there are any; fewer when the state offers no more.

    Of some tries at a kind the one is taken that comes nearest to the length and uses enough different tools. A kind
    that comes nowhere near, as a refusal never takes 15 calls, waits for another length, unless no kind does better.
    """
    waiting = profile.kinds_in_order(rng)
    drafts: list[ScenarioDraft] = []
    used: list[str] = []
    for length in lengths:
        found: dict[str, _Candidate] = {}
        for kind in waiting:
            best = _best(place, rng, kind, length, used, [each.task for each in drafts])
            if best is not None:
                found[kind] = best
            if best is not None and best.distance <= _NEAR:
                break
            if len(found) == _KINDS_TRIED:
                break
        if not found:
            break
        kind = min(found, key=lambda each: found[each].distance)
        waiting.remove(kind)
        waiting.append(kind)
        drafts.append(found[kind].draft)
        used += found[kind].asked
    return tuple(drafts)


def _best(
    place: Workplace, rng: Random, kind: str, length: int, used: list[str], told: Sequence[str]
) -> _Candidate | None:
    best: _Candidate | None = None
    for _ in range(_TRIES):
        candidate = _candidate(place, rng, kind, length, used)
        if candidate is None or candidate.draft.task in told:
            continue
        if best is None or candidate.rank < best.rank:
            best = candidate
        if best.rank == 0:
            break
    return best


def _candidate(place: Workplace, rng: Random, kind: str, length: int, used: list[str]) -> _Candidate | None:
    place.session.init(place.state)
    plan = Plan(place.known.draft, place.session, place.parameters, rng, place.session.snapshot())
    before = plan.state
    sketch = _SPECIAL[kind](replace(place.known, length=length), plan, rng)
    if sketch is None:
        return None
    if kind not in _WITHOUT_WRITE:
        _lengthen(place.known, plan, rng, kind, length, used)
        if kind == "several_goals" and len(plan.done) < 2:
            return None
        reference = trimmed(plan)
        if len(reference) < 2 or reference[0].tool in {each.deed.tool for each in plan.done}:
            return None  # nothing to look up before the first change
        if not _holds_at_start(place, plan):
            return None
        draft = _with_writes(place, sketch, kind, rng, reference, before)
    else:
        reference = tuple(plan.steps)
        draft = _without_writes(sketch, kind, rng, reference)
    if not 1 <= len(reference) <= LONGEST:
        return None
    # A refusal or a question is no better for using more tools.
    tools = _FEWEST_TOOLS if kind in _WITHOUT_WRITE else len({step.tool for step in reference})
    asked = tuple(each.deed.tool for each in plan.done)
    return _Candidate(draft, abs(len(reference) - length), tools, asked)


def _lengthen(known: Known, plan: Plan, rng: Random, kind: str, length: int, used: list[str]) -> None:
    """Add goals until the reference is as long as it should be, or no more can be found."""
    fewest = {"single_goal": 1, "several_goals": 2}.get(kind, 0)
    while len(plan.done) < fewest or (len(trimmed(plan)) < length and kind not in _ALONE):
        if not add_goal(known.draft, plan, rng, used):
            return


def trimmed(plan: Plan) -> tuple[ReferenceStep, ...]:
    """The steps without the look-ups that nothing binds to."""
    needed = _needed(plan)
    place = {old: new for new, old in enumerate(needed)}
    return tuple(_renumbered(plan.steps[number], place) for number in needed)


def _needed(plan: Plan) -> list[int]:
    writes = {each.deed.tool for each in plan.done}
    needed: set[int] = set()
    for number in range(len(plan.steps) - 1, -1, -1):
        if number in needed or plan.steps[number].tool in writes:
            needed |= {number, *(binding.step for binding in plan.steps[number].bindings.values())}
    return sorted(needed)


def _renumbered(step: ReferenceStep, place: Mapping[int, int]) -> ReferenceStep:
    bindings = {name: Binding(step=place[each.step], path=each.path) for name, each in step.bindings.items()}
    return step.model_copy(update={"bindings": bindings})


def _holds_at_start(place: Workplace, plan: Plan) -> bool:
    """Whether every look-up that needs no earlier change gives the changes the same before all of them as in its turn.

    Else the task could be read in two ways: as of now, or as of then.
    """
    writes = {each.deed.tool for each in plan.done}
    there: dict[int, Any] = {}
    place.session.init(place.state)
    for number in _needed(plan):
        step = plan.steps[number]
        early = {name: each for name, each in step.bindings.items() if each.step in there}
        bound = {name: at_path(there[each.step], each.path) for name, each in early.items()}
        if step.tool not in writes and len(early) == len(step.bindings):
            there[number] = place.session.step(step.tool, {**step.literals, **bound}).result
        elif any(at_path(plan.results[each.step], each.path) != bound[name] for name, each in early.items()):
            return False
    return True


def _with_writes(
    place: Workplace,
    sketch: Sketch,
    kind: str,
    rng: Random,
    reference: tuple[ReferenceStep, ...],
    before: dict[str, Any],
) -> ScenarioDraft:
    plan = sketch.plan
    asks = [each.asks for each in plan.done]
    reports = [_sentence(each.reports) for each in plan.done]
    facts = list(sketch.facts)
    if rng.random() < _TELLS_SHARE:
        fact = fact_of_goal(place.known, plan, rng, " ".join(asks))
        facts += [fact] if fact and not _is_confusable(fact, " ".join(reports)) else []
    return ScenarioDraft(
        kind=kind,
        task=task_text(rng, asks, [each.asks for each in facts], is_agreed=_needs_consent(place, plan)),
        reference=reference,
        final_message=with_articles(" ".join([*reports, *(_sentence(each.reports) for each in facts)])),
        checks=(*goal_checks(place.known.logic_model, before, plan.state), *_answers(facts), *sketch.checks),
        user_goal=user_goal([Wish(each.vague, each.knows) for each in plan.done], facts),
    )


def _needs_consent(place: Workplace, plan: Plan) -> bool:
    """Whether a policy wants the word of the person before one of the calls."""
    return any(each.deed.tool in place.known.draft.asks_before for each in plan.done)


def _is_confusable(fact: Fact, reports: str) -> bool:
    """Whether the rest of the message would pass for the fact, as it is or with other digits and months."""
    others = [reports, _slipped(reports), _slipped(fact.reports)]
    return any(fact.is_in(text) for text in others)


def _slipped(text: str) -> str:
    """With other digits, and other names of months."""
    months = list(month_name)
    text = re.sub("|".join(months[1:]), lambda found: months[months.index(found[0]) % 12 + 1], text)
    return re.sub(r"\d", lambda digit: str(int(digit[0]) % 9 + 1), text)


def _without_writes(sketch: Sketch, kind: str, rng: Random, reference: tuple[ReferenceStep, ...]) -> ScenarioDraft:
    told = [each.asks for each in sketch.facts]
    return ScenarioDraft(
        kind=kind,
        task=question_text(rng, told) if kind == "question" else refusal_text(rng, sketch.asks),
        reference=reference,
        final_message=with_articles(sketch.final),
        checks=(*_answers(sketch.facts), *sketch.checks),
        user_goal=user_goal([Wish(each, tuple(sketch.knows)) for each in sketch.vague], sketch.facts),
    )


def _answers(facts: Sequence[Fact], said: Sequence[str] = ()) -> tuple[Any, ...]:
    return (answer_check(facts, " ".join(said)),) if facts else ()


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:]
