"""Generates the scenarios of one skeleton: states, drafts, checks, proof. Everything asked for becomes a row."""

import json
from dataclasses import dataclass, replace
from typing import Any

from schemas.errors import AuthorUnavailable
from schemas.ids import seed_for
from schemas.lengths import USUAL_LENGTHS, Lengths
from schemas.logic_models import LogicModel
from schemas.row import Status
from schemas.scenarios import Check, InitialState, Scenario, ScenarioDraft, ScenarioValidation
from schemas.skeletons import Skeleton, Tool
from schemas.topics import Topic
from tasks.authors.base import (
    Author,
    BadReply,
    DraftInitialStates,
    DraftScenarios,
    Evidence,
    RepairScenario,
    TopicBrief,
)
from tasks.sandbox.base import Sandbox
from tasks.scenarios.bench import Bench
from tasks.scenarios.examine import Examined, Examiner
from tasks.scenarios.states import StateJudge


@dataclass(frozen=True)
class Missing:
    """Drafts that could not be asked for, because the author was not available."""

    reason: str
    """Reason code: author_unavailable or budget_exhausted."""
    detail: str
    state_ids: tuple[str, ...] = ()
    """Accepted states on which no scenario was written for it."""


@dataclass(frozen=True)
class ScenarioOutcome:
    """What became of the scenarios of one skeleton."""

    skeleton_id: str
    status: Status
    """accepted: at least one scenario is proven. failed: none is, and something broke or was missing. Else rejected."""
    reason: str | None
    """no_state_accepted or no_scenario_accepted, also when failed; reply_unusable; that of `missing`; null when
    accepted."""
    detail: str | None
    """The reasons of the items with their counts; null when everything was accepted."""
    initial_states: tuple[InitialState, ...]
    scenarios: tuple[Scenario, ...]
    checks: tuple[Check, ...]
    scenario_validations: tuple[ScenarioValidation, ...]
    missing: Missing | None = None
    """What the author could not be asked, so that the next run has to; null when everything was asked."""


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
    lengths: Lengths = USUAL_LENGTHS,
) -> ScenarioOutcome:
    """Ask for initial states and for scenarios on each accepted one; validate, complete, prove, repair every draft.

    What the author wrote badly is a rejected row, what machinery broke is a failed row. One process per state holds the
    environment, one per scenario runs its checks. Every question has the same seed: an author tells them apart by what
    they ask, and the built-in one finds back to the environment that it wrote with this seed.

    Every state has lengths of its own, drawn by its content.

    Where the author is not available any more, what is there already is worked through all the same.

    Raises:
        SandboxUnavailable: the sandbox can't be started at all.
    """
    brief = TopicBrief(
        slug=topic.slug, title=topic.title, summary=topic.summary, introduction=topic.introduction, domain=topic.domain
    )
    asked = DraftInitialStates(brief, logic_model, skeleton.code, state_count)
    try:
        drafts = author.ask(asked, seed=seed).states
    except BadReply as error:
        return ScenarioOutcome(skeleton.skeleton_id, "rejected", error.reason, str(error), (), (), (), ())
    except AuthorUnavailable as error:
        missing = Missing(error.reason, str(error))
        return ScenarioOutcome(skeleton.skeleton_id, "failed", error.reason, str(error), (), (), (), (), missing)
    judge = StateJudge(skeleton, logic_model, author=author.name, count=state_count, sandbox=sandbox.level)
    writer = _Writer(author, seed, brief, logic_model, skeleton.code, scenarios_per_state, lengths)
    examiner = Examiner(logic_model, tools, author=author.name, count=scenarios_per_state, repair=writer.repair)
    states: list[InitialState] = []
    examined: list[Examined] = []
    for draft in drafts:
        with Bench(sandbox, skeleton) as bench:
            state = judge.judge(draft, bench)
            states.append(state)
            if state.status == "accepted":
                examined += examiner.examine(state, writer.write(state), bench)
    return _outcome(skeleton, tuple(states), examined, writer.unusable, writer.missing)


class _Writer:
    """Asks for the scenarios of one skeleton, and remembers what no reply, or no usable one, was had for."""

    def __init__(
        self,
        author: Author,
        seed: int,
        brief: TopicBrief,
        logic_model: LogicModel,
        code: str,
        count: int,
        lengths: Lengths,
    ) -> None:
        self._author, self._seed, self._count, self._lengths = author, seed, count, lengths
        self._brief, self._model, self._code = brief, logic_model, code
        self.unusable: list[str] = []
        self.missing: Missing | None = None

    def write(self, state: InitialState) -> tuple[ScenarioDraft, ...]:
        """Scenarios on an accepted state; none where no usable reply was had."""
        start = json.loads(state.state_json)
        lengths = self._lengths.drawn(seed_for("lengths", start), self._count)
        question = DraftScenarios(self._brief, self._model, self._code, start, lengths)
        try:
            return self._author.ask(question, seed=self._seed).scenarios
        except BadReply as error:
            self.unusable.append(f"{error.reason} on state {state.number}: {error}")
        except AuthorUnavailable as error:
            missing = self.missing or Missing(error.reason, str(error))
            self.missing = replace(missing, state_ids=(*missing.state_ids, state.initial_state_id))
        return ()

    def repair(
        self, state: dict[str, Any], draft: ScenarioDraft, evidence: tuple[Evidence, ...], number: int
    ) -> ScenarioDraft | None:
        """Another version of a draft; null where there is none.

        Raises:
            AuthorUnavailable: the author could not be asked.
        """
        question = RepairScenario(self._brief, self._model, self._code, state, draft, evidence, number)
        try:
            return next(iter(self._author.ask(question, seed=self._seed).scenarios), None)
        except BadReply:
            return None


def _outcome(
    skeleton: Skeleton,
    states: tuple[InitialState, ...],
    examined: list[Examined],
    unusable: list[str],
    missing: Missing | None,
) -> ScenarioOutcome:
    scenarios = tuple(each.scenario for each in examined)
    items: list[InitialState | Scenario] = [*states, *scenarios]
    status: Status = "accepted"
    reason = None
    if not any(each.status == "accepted" for each in scenarios):
        is_final = missing is None and not any(each.status == "failed" for each in items)
        status = "rejected" if is_final else "failed"
        has_state = any(each.status == "accepted" for each in states)
        reason = "no_scenario_accepted" if has_state else "no_state_accepted"
        reason = BadReply.reason if unusable and not examined else reason
        reason = missing.reason if missing is not None else reason
    return ScenarioOutcome(
        skeleton_id=skeleton.skeleton_id,
        status=status,
        reason=reason,
        detail=_detail(items, [*unusable, *([missing.detail] if missing else [])]),
        initial_states=states,
        scenarios=scenarios,
        checks=tuple(check for each in examined for check in each.checks),
        scenario_validations=tuple(trial for each in examined for trial in each.trials),
        missing=missing,
    )


def _detail(items: list[InitialState | Scenario], unusable: list[str]) -> str | None:
    counts: dict[str, int] = {}
    for each in items:
        if each.reason is not None:
            counts[each.reason] = counts.get(each.reason, 0) + 1
    if not items:
        return "The author drafted no state."
    return ", ".join([*(f"{count} x {reason}" for reason, count in counts.items()), *unusable]) or None
