"""Generates the scenarios of one skeleton: states, drafts, checks, proof. Everything asked for becomes a row."""

import json
from dataclasses import dataclass

from schemas.logic_models import LogicModel
from schemas.row import Status
from schemas.scenarios import Check, InitialState, Scenario, ScenarioValidation
from schemas.skeletons import Skeleton, Tool
from schemas.topics import Topic
from tasks.authors.base import Author, BadReply, DraftInitialStates, DraftScenarios, TopicBrief
from tasks.sandbox.base import Sandbox
from tasks.scenarios.bench import Bench
from tasks.scenarios.examine import Examined, Examiner
from tasks.scenarios.states import StateJudge


@dataclass(frozen=True)
class ScenarioOutcome:
    """What became of the scenarios of one skeleton."""

    skeleton_id: str
    status: Status
    """accepted: at least one scenario is proven. failed: none is, and some broke by machinery. Else rejected."""
    reason: str | None
    """no_state_accepted or no_scenario_accepted, also when failed; reply_unusable; null when accepted."""
    detail: str | None
    """The reasons of the items with their counts; null when everything was accepted."""
    initial_states: tuple[InitialState, ...]
    scenarios: tuple[Scenario, ...]
    checks: tuple[Check, ...]
    scenario_validations: tuple[ScenarioValidation, ...]


def generate_scenarios(
    skeleton: Skeleton,
    logic_model: LogicModel,
    tools: tuple[Tool, ...],
    topic: Topic,
    *,
    author: Author,
    sandbox: Sandbox,
    seed: int,
    state_count: int,
    scenarios_per_state: int,
) -> ScenarioOutcome:
    """Ask for initial states, then for scenarios on each accepted one; validate, complete and prove every draft.

    What the author wrote badly is a rejected row, what machinery broke is a failed row. One process per state holds the
    environment, one per scenario runs its checks. Every question has the same seed: an author tells them apart by what
    they ask, and the built-in one finds back to the environment that it wrote with this seed.

    Raises:
        AuthorUnavailable: the author gave no reply.
    """
    brief = TopicBrief(
        slug=topic.slug, title=topic.title, summary=topic.summary, introduction=topic.introduction, domain=topic.domain
    )
    asked = DraftInitialStates(brief, logic_model, skeleton.code, state_count)
    try:
        drafts = author.ask(asked, seed=seed).states
    except BadReply as error:
        return ScenarioOutcome(skeleton.skeleton_id, "rejected", error.reason, str(error), (), (), (), ())
    judge = StateJudge(skeleton, logic_model, author=author.name, count=state_count)
    examiner = Examiner(logic_model, tools, author=author.name, count=scenarios_per_state)
    states: list[InitialState] = []
    examined: list[Examined] = []
    unusable: list[str] = []
    for draft in drafts:
        with Bench(sandbox, skeleton) as bench:
            state = judge.judge(draft, bench)
            states.append(state)
            if state.status != "accepted":
                continue
            question = DraftScenarios(
                brief, logic_model, skeleton.code, json.loads(state.state_json), scenarios_per_state
            )
            try:
                reply = author.ask(question, seed=seed)
            except BadReply as error:
                unusable.append(f"{error.reason} on state {state.number}: {error}")
                continue
            examined += examiner.examine(state, reply.scenarios, bench)
    return _outcome(skeleton, tuple(states), examined, unusable)


def _outcome(
    skeleton: Skeleton, states: tuple[InitialState, ...], examined: list[Examined], unusable: list[str]
) -> ScenarioOutcome:
    scenarios = tuple(each.scenario for each in examined)
    items: list[InitialState | Scenario] = [*states, *scenarios]
    status: Status = "accepted"
    reason = None
    if not any(each.status == "accepted" for each in scenarios):
        status = "failed" if any(each.status == "failed" for each in items) else "rejected"
        has_state = any(each.status == "accepted" for each in states)
        reason = "no_scenario_accepted" if has_state else "no_state_accepted"
        reason = BadReply.reason if unusable and not examined else reason
    return ScenarioOutcome(
        skeleton_id=skeleton.skeleton_id,
        status=status,
        reason=reason,
        detail=_detail(items, unusable),
        initial_states=states,
        scenarios=scenarios,
        checks=tuple(check for each in examined for check in each.checks),
        scenario_validations=tuple(trial for each in examined for trial in each.trials),
    )


def _detail(items: list[InitialState | Scenario], unusable: list[str]) -> str | None:
    counts: dict[str, int] = {}
    for each in items:
        if each.reason is not None:
            counts[each.reason] = counts.get(each.reason, 0) + 1
    if not items:
        return "The author drafted no state."
    return ", ".join([*(f"{count} x {reason}" for reason, count in counts.items()), *unusable]) or None
