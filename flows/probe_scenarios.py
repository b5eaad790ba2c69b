"""Flow: probe agents play the accepted scenarios, one Prefect task per skeleton and kind of agent."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from prefect import flow, task
from prefect.logging import get_run_logger
from pydantic import TypeAdapter, ValidationError

from flows.asking import player_in_tasks
from flows.composition import Kit, compose
from flows.items import Done, Item, kept, work_through
from flows.ledger import Entry, StageLedger
from flows.plan import RunPlan
from flows.stages import books_of, staged, stop_if_asked
from flows.summaries import publish_pass_rates
from flows.watching import watch
from schemas.errors import DamagedWarehouse
from schemas.ids import make_id
from schemas.row import Status
from schemas.scenarios import CHECKS, INITIAL_STATES, SCENARIOS, Check, InitialState, Scenario
from schemas.skeletons import SKELETONS, TOOLS, Skeleton, Tool
from schemas.trajectories import TRAJECTORIES, TRAJECTORY_STEPS, Trajectory, TrajectoryStep
from tasks.fingerprint import PLAYS_SCENARIOS, PLAYS_WITH_MODEL, item_key
from tasks.policies import ITEM
from tasks.probes.model import play_with_model
from tasks.probes.probe import probe_scenarios as probe
from tasks.probes.ring import Case
from tasks.probes.rows import Probed

TITLE = "probe scenarios"
OUTCOME = TypeAdapter(tuple[Probed, ...])
_MODEL = "model"


@task(name="probe scenarios", tags=["probe"], **ITEM)
def probe_one(
    key: str,
    label: str,
    skeleton: Skeleton,
    tools: tuple[Tool, ...],
    cases: tuple[Case, ...],
    kit: Kit,
    seed: int,
    attempts: int,
) -> str:
    """Let the agents that need no model play the scenarios of one environment class."""
    outcome = probe(skeleton, tools, cases, sandbox=kit.sandbox, seed=seed, attempts=attempts)
    return kept(OUTCOME, outcome, failure=_failure(outcome))


@task(name="probe scenarios with a model", tags=["probe"], **ITEM)
def probe_one_with_model(
    key: str,
    label: str,
    skeleton: Skeleton,
    tools: tuple[Tool, ...],
    cases: tuple[Case, ...],
    kit: Kit,
    seed: int,
    attempts: int,
) -> str:
    """Let the language model play the scenarios of one environment class."""
    outcome = play_with_model(
        skeleton, tools, cases, player=player_in_tasks(kit), sandbox=kit.sandbox, seed=seed, attempts=attempts
    )
    return kept(OUTCOME, outcome, failure=_failure(outcome))


@dataclass(frozen=True)
class _Stand:
    """What the run has staged so far."""

    skeletons: tuple[Skeleton, ...]
    tools: dict[str, list[Tool]]
    cases: dict[str, list[Case]]
    """Skeleton -> its accepted scenarios that nobody has played yet."""
    trajectories: tuple[Trajectory, ...]
    """Of scenarios that were played for an earlier release and are still accepted."""
    steps: tuple[TrajectoryStep, ...]


@flow(name=TITLE, flow_run_name="probe scenarios: {plan.profile}")
def probe_scenarios(plan: RunPlan) -> int:
    """Play every accepted scenario that is staged and has no episode yet, and stage the episodes.

    Whatever breaks is told and stops nothing: a scenario is published for its proof.

    Returns:
        How many episodes are staged.
    """
    kit = compose(plan, "probe_scenarios")
    try:
        stand = _stand(kit, plan)
    except (ValidationError, DamagedWarehouse, KeyError) as error:
        # A row or a file that is unfit, or refers to nothing: the gates that come next name it and refuse the batch.
        get_run_logger().warning("%s: nothing is played, because what is staged can't be read: %s", TITLE, error)
        stand = _Stand((), {}, {}, (), ())
    outcomes: list[Probed] = []
    with books_of(kit, plan, "probe_scenarios") as books:
        for work, attempts, is_model in (
            (probe_one, plan.probes.attempts, False),
            (probe_one_with_model, plan.probes.model_attempts, True),
        ):
            items = _items(stand, kit, plan, attempts, is_model=is_model)
            for item in items:
                for case in item.arguments["cases"]:
                    books.enter(_entry(case, is_model=is_model))
            title = f"{TITLE} with a model" if is_model else TITLE
            if items:
                watch().progress.stage_started(title, len(items))
            for done in work_through(work, items, read=OUTCOME.validate_json, at_a_time=plan.at_a_time):
                _book(books, done, is_model=is_model)
                outcomes += done.outcome or ()
                watch().progress.item_finished(title, done.item.label, done.note(_words(done.outcome or ())))
            stop_if_asked()
    played = [row for outcome in outcomes for row in outcome.trajectories]
    kit.store.stage(plan.run_id, TRAJECTORIES, [*stand.trajectories, *played])
    kit.store.stage(
        plan.run_id, TRAJECTORY_STEPS, [*stand.steps, *(step for outcome in outcomes for step in outcome.steps)]
    )
    publish_pass_rates(plan.run_id, [*stand.trajectories, *played])
    return len(stand.trajectories) + len(played)


def _failure(outcome: Iterable[Probed]) -> str | None:
    """Why the next run has to try again."""
    return next((each.reason for each in outcome if not each.is_final), None)


def _stand(kit: Kit, plan: RunPlan) -> _Stand:
    """What is accepted at the end of all stages before: duplicates and what was withdrawn are not."""
    scenarios = [each for each in staged(kit.store, plan.run_id, SCENARIOS, Scenario) if each.status == "accepted"]
    accepted = {each.scenario_id for each in scenarios}
    there = kit.store.staged(plan.run_id)
    before = staged(kit.store, plan.run_id, TRAJECTORIES, Trajectory) if TRAJECTORIES.name in there else ()
    trajectories = tuple(each for each in before if each.scenario_id in accepted)
    known = {each.trajectory_id for each in trajectories}
    steps = staged(kit.store, plan.run_id, TRAJECTORY_STEPS, TrajectoryStep) if known else ()
    tools: dict[str, list[Tool]] = defaultdict(list)
    for tool in staged(kit.store, plan.run_id, TOOLS, Tool):
        tools[tool.skeleton_id].append(tool)
    return _Stand(
        skeletons=staged(kit.store, plan.run_id, SKELETONS, Skeleton),
        tools=tools,
        cases=_cases(kit, plan, scenarios, {each.scenario_id for each in trajectories}),
        trajectories=trajectories,
        steps=tuple(each for each in steps if each.trajectory_id in known),
    )


def _cases(kit: Kit, plan: RunPlan, scenarios: Sequence[Scenario], played: set[str]) -> dict[str, list[Case]]:
    states = {each.initial_state_id: each for each in staged(kit.store, plan.run_id, INITIAL_STATES, InitialState)}
    checks: dict[str, list[Check]] = defaultdict(list)
    for check in staged(kit.store, plan.run_id, CHECKS, Check):
        checks[check.scenario_id].append(check)
    cases: dict[str, list[Case]] = defaultdict(list)
    for row in scenarios:
        if row.scenario_id not in played:
            own = tuple(sorted(checks[row.scenario_id], key=lambda check: check.number))
            cases[row.skeleton_id].append(Case(row, states[row.initial_state_id], own))
    return cases


def _items(stand: _Stand, kit: Kit, plan: RunPlan, attempts: int, *, is_model: bool) -> list[Item]:
    if not attempts:
        return []
    return [
        _item(skeleton, stand, kit, plan, attempts, is_model=is_model)
        for skeleton in stand.skeletons
        if stand.cases.get(skeleton.skeleton_id)
    ]


def _item(skeleton: Skeleton, stand: _Stand, kit: Kit, plan: RunPlan, attempts: int, *, is_model: bool) -> Item:
    cases = tuple(stand.cases[skeleton.skeleton_id])
    # A scenario's id stands for its state, task, reference and checks; tools follow from the code.
    decisive = [skeleton.skeleton_id, skeleton.policy, sorted(case.scenario.scenario_id for case in cases)]
    player = kit.author_key if is_model else None
    makers = PLAYS_WITH_MODEL if is_model else PLAYS_SCENARIOS
    return Item(
        place=skeleton.skeleton_id,
        label=f"{skeleton.slug}, by {kit.author.name}" if is_model else skeleton.slug,
        key=item_key(TITLE, makers, decisive, attempts, player, kit.sandbox.level, plan.seed),
        arguments={
            "skeleton": skeleton,
            "tools": tuple(stand.tools.get(skeleton.skeleton_id, ())),
            "cases": cases,
            "kit": kit,
            "seed": plan.seed,
            "attempts": attempts,
        },
    )


def _entry(case: Case, *, is_model: bool) -> Entry:
    row = case.scenario
    who = "played by the model: " if is_model else ""
    return Entry(_place(row.scenario_id, is_model=is_model), f"{who}{row.task}"[:80], row.scenario_id)


def _place(scenario_id: str, *, is_model: bool) -> str:
    return make_id("prb", scenario_id, _MODEL if is_model else None)


def _book(books: StageLedger, done: Done[tuple[Probed, ...]], *, is_model: bool) -> None:
    """A scenario under which something broke is rejected here, for people to see, and published for its proof."""
    if done.outcome is None:
        for case in done.item.arguments["cases"]:
            place = _place(case.scenario.scenario_id, is_model=is_model)
            books.book(place, done.status, reason=done.reason, detail=done.error)
        return
    for each in done.outcome:
        fate: Status = "accepted" if each.reason is None else "rejected" if each.is_final else "failed"
        place = _place(each.scenario_id, is_model=is_model)
        books.book(place, fate, reason=each.reason, detail=each.detail, is_reused=done.is_reused)


def _words(outcome: Iterable[Probed]) -> str:
    rows = [row for each in outcome for row in each.trajectories]
    broken = sum(row.at_fault is not None for row in rows)
    words = f"{sum(row.success is True for row in rows)} of {len(rows) - broken} episodes pass"
    return f"{words}, {broken} broke" if broken else words
