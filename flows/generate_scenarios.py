"""Flow: skeletons get initial states and proven scenarios, one Prefect task per skeleton."""

from collections.abc import Mapping, Sequence

from prefect import flow, task
from pydantic import TypeAdapter

from flows.asking import in_tasks
from flows.composition import Kit, compose
from flows.holding_out import held_out_of, too_close_of
from flows.items import Done, Item, kept, work_through
from flows.ledger import Entry, StageLedger
from flows.plan import RunPlan
from flows.settling import held_out_fates, settle, similar_in
from flows.stages import books_of, refuse_total_failure, staged, stop_if_asked
from flows.watching import watch
from flows.withdrawing import rejections, withdraw_scenarios
from schemas.ids import make_id
from schemas.lengths import Lengths
from schemas.logic_models import LOGIC_MODELS, LogicModel, LogicModelRow
from schemas.reviews import REJECTED_BY_PERSON
from schemas.scenarios import CHECKS, INITIAL_STATES, SCENARIO_VALIDATIONS, SCENARIOS, InitialState, Scenario
from schemas.skeletons import SKELETONS, TOOLS, Skeleton, Tool
from schemas.topics import TOPICS, Topic
from tasks.fingerprint import MAKES_SCENARIOS, item_key
from tasks.policies import ITEM
from tasks.scenarios.generate import ScenarioOutcome
from tasks.scenarios.generate import generate_scenarios as generate_for
from warehouse.store import Warehouse

TITLE = "generate scenarios"
OUTCOME = TypeAdapter(ScenarioOutcome)


@task(name="generate scenarios", tags=["scenario"], **ITEM)
def generate_one(
    key: str,
    label: str,
    skeleton: Skeleton,
    logic_model: LogicModel,
    tools: tuple[Tool, ...],
    topic: Topic,
    kit: Kit,
    seed: int,
    state_count: int,
    scenarios_per_state: int,
    lengths: Lengths,
) -> str:
    """Write and prove the states and scenarios of one environment class."""
    outcome = generate_for(
        skeleton,
        logic_model,
        tools,
        topic,
        author=in_tasks(kit),
        sandbox=kit.sandbox,
        seed=seed,
        state_count=state_count,
        scenarios_per_state=scenarios_per_state,
        lengths=lengths,
    )
    return kept(OUTCOME, outcome, failure=_failure(outcome))


@flow(name=TITLE)
def generate_scenarios(plan: RunPlan, skeleton_ids: list[str]) -> int:
    """Write and prove scenarios for each skeleton and stage every row made on the way.

    Returns:
        How many scenarios were accepted.
    """
    kit = compose(plan, "generate_scenarios")
    wanted = set(skeleton_ids)
    skeletons = [each for each in staged(kit.store, plan.run_id, SKELETONS, Skeleton) if each.skeleton_id in wanted]
    by_id = {each.skeleton_id: each for each in skeletons}
    rejected = rejections(plan.home)
    outcomes: list[ScenarioOutcome] = []
    reused: set[str] = set()
    with books_of(kit, plan, "generate_states") as states, books_of(kit, plan, "generate_scenarios") as scenarios:
        for skeleton in skeletons:
            for number in range(plan.state_count):
                states.enter(_state_entry(skeleton.skeleton_id, skeleton.slug, number))
        watch().progress.stage_started(TITLE, len(skeletons))
        for done in work_through(
            generate_one, _items(skeletons, kit, plan), read=OUTCOME.validate_json, at_a_time=plan.at_a_time
        ):
            _book_states(states, done, plan)
            outcome = done.outcome and withdraw_scenarios(done.outcome, by_id[done.item.place], rejected)
            if outcome is not None:
                outcomes.append(outcome)
                reused |= {outcome.skeleton_id} if done.is_reused else set()
            watch().progress.item_finished(TITLE, done.item.label, done.note(_words(outcome) if outcome else ""))
        try:
            outcomes = _settled(outcomes, by_id, kit, plan)
        finally:  # also when it was stopped or broke: what is proven is in the books
            for outcome in outcomes:
                _book_scenarios(scenarios, outcome, plan, is_reused=outcome.skeleton_id in reused)
        stop_if_asked()
    refuse_total_failure(states)
    _stage(kit.store, plan.run_id, outcomes)
    return scenarios.count().accepted


def _settled(
    outcomes: Sequence[ScenarioOutcome], skeletons: Mapping[str, Skeleton], kit: Kit, plan: RunPlan
) -> list[ScenarioOutcome]:
    """The outcomes by skeleton, without what comes too close to a hold-out or says what a better scenario says."""
    ordered = sorted(outcomes, key=lambda outcome: outcome.skeleton_id)
    if not watch().stop.is_set():  # else nothing of it is published, and it is only booked
        groups = {
            f"scenarios of {skeletons[outcome.skeleton_id].slug}": {
                row.scenario_id: row.task for row in outcome.scenarios if row.status == "accepted"
            }
            for outcome in ordered
        }
        close = held_out_fates(too_close_of(groups, held_out_of(plan, kit), plan, kit))
        ordered = [settle(outcome, close) for outcome in ordered]
    similar = similar_in(ordered)
    return [settle(outcome, similar) for outcome in ordered]


def _failure(outcome: ScenarioOutcome) -> str | None:
    """Why the next run has to try again: the whole or a part failed, or could not be asked for."""
    if outcome.missing is not None:
        return outcome.missing.reason
    if outcome.status == "failed":
        return outcome.reason
    rows: list[InitialState | Scenario] = [*outcome.initial_states, *outcome.scenarios]
    return next((row.reason for row in rows if row.status == "failed"), None)


def _items(skeletons: Sequence[Skeleton], kit: Kit, plan: RunPlan) -> list[Item]:
    models = {row.logic_model_id: row for row in staged(kit.store, plan.run_id, LOGIC_MODELS, LogicModelRow)}
    topics = {topic.topic_id: topic for topic in staged(kit.store, plan.run_id, TOPICS, Topic)}
    tools: dict[str, list[Tool]] = {}
    for tool in staged(kit.store, plan.run_id, TOOLS, Tool):
        tools.setdefault(tool.skeleton_id, []).append(tool)
    return [
        _item(
            skeleton,
            LogicModel.model_validate_json(models[skeleton.logic_model_id].model_json),
            tuple(tools.get(skeleton.skeleton_id, ())),
            topics[skeleton.topic_id],
            kit,
            plan,
        )
        for skeleton in skeletons
    ]


def _item(
    skeleton: Skeleton, logic_model: LogicModel, tools: tuple[Tool, ...], topic: Topic, kit: Kit, plan: RunPlan
) -> Item:
    amounts = [plan.state_count, plan.scenarios_per_state, plan.lengths.model_dump(mode="json")]
    # The skeleton's id stands for its topic and code; tools follow from the code, the plan does not.
    decisive = [skeleton.skeleton_id, logic_model.model_dump(mode="json"), topic.introduction]
    return Item(
        place=skeleton.skeleton_id,
        label=skeleton.slug,
        key=item_key(
            "generate scenarios", MAKES_SCENARIOS, decisive, amounts, kit.author_key, kit.sandbox.level, plan.seed
        ),
        arguments={
            "skeleton": skeleton,
            "logic_model": logic_model,
            "tools": tools,
            "topic": topic,
            "kit": kit,
            "seed": plan.seed,
            "state_count": plan.state_count,
            "scenarios_per_state": plan.scenarios_per_state,
            "lengths": plan.lengths,
        },
    )


def _book_states(books: StageLedger, done: Done[ScenarioOutcome], plan: RunPlan) -> None:
    """The states that were asked for, each with the row that came of it or with why none did; then those beyond."""
    outcome, skeleton_id = done.outcome, done.item.place
    rows: tuple[InitialState, ...] = outcome.initial_states if outcome else ()
    for number in range(plan.state_count, len(rows)):
        books.enter(_state_entry(skeleton_id, done.item.label, number))
    for number in range(max(plan.state_count, len(rows))):
        place = _state_entry(skeleton_id, done.item.label, number).item_id
        if outcome is None:
            books.book(place, done.status, reason=done.reason, detail=done.error)
        elif number < len(rows):
            row = rows[number]
            books.book(
                place,
                row.status,
                reason=row.reason,
                detail=row.detail,
                item_id=row.initial_state_id,
                is_reused=done.is_reused,
            )
        elif outcome.missing is not None and not rows:
            books.book(place, "failed", reason=outcome.missing.reason, detail=outcome.missing.detail)
        else:
            detail = "the author wrote fewer states than asked for"
            books.book(place, "rejected", reason="not_written", detail=detail, is_reused=done.is_reused)


def _state_entry(skeleton_id: str, slug: str, number: int) -> Entry:
    return Entry(make_id("sta", skeleton_id, number), f"{slug} state {number + 1}", skeleton_id)


def _book_scenarios(books: StageLedger, outcome: ScenarioOutcome, plan: RunPlan, *, is_reused: bool) -> None:
    """The scenarios that were asked for on each accepted state; a place that nothing was written for is rejected."""
    by_state: dict[str, list[Scenario]] = {}
    for row in outcome.scenarios:
        by_state.setdefault(row.initial_state_id, []).append(row)
    for state in outcome.initial_states:
        if state.status != "accepted":
            continue
        written = by_state.get(state.initial_state_id, [])
        for number in range(max(plan.scenarios_per_state, len(written))):
            place = make_id("scn", state.initial_state_id, number)
            books.enter(Entry(place, f"scenario {number + 1} on {state.initial_state_id}", state.initial_state_id))
            if number < len(written):
                row = written[number]
                books.book(
                    place,
                    row.status,
                    reason=row.reason,
                    detail=row.detail,
                    item_id=row.scenario_id,
                    label=row.task[:80],
                    is_reused=is_reused,
                )
            elif outcome.missing is not None and state.initial_state_id in outcome.missing.state_ids:
                books.book(place, "failed", reason=outcome.missing.reason, detail=outcome.missing.detail)
            else:
                reason, detail = "not_written", "the author wrote fewer scenarios than asked for"
                books.book(place, "rejected", reason=reason, detail=detail, is_reused=is_reused)


def _words(outcome: ScenarioOutcome) -> str:
    withdrawn = sum(row.reason == REJECTED_BY_PERSON for row in outcome.scenarios)
    accepted = sum(row.status == "accepted" for row in outcome.scenarios)
    states = sum(row.status == "accepted" for row in outcome.initial_states)
    words = f"{accepted} of {len(outcome.scenarios)} scenarios proven on {states} states"
    words += f", {withdrawn} withdrawn by people" if withdrawn else ""
    return f"{outcome.status}: {outcome.reason}; {words}" if outcome.reason else words


def _stage(store: Warehouse, run_id: str, outcomes: Sequence[ScenarioOutcome]) -> None:
    store.stage(run_id, INITIAL_STATES, [row for outcome in outcomes for row in outcome.initial_states])
    store.stage(run_id, SCENARIOS, [row for outcome in outcomes for row in outcome.scenarios])
    store.stage(run_id, CHECKS, [row for outcome in outcomes for row in outcome.checks])
    store.stage(run_id, SCENARIO_VALIDATIONS, [row for outcome in outcomes for row in outcome.scenario_validations])
