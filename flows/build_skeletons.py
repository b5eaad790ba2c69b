"""Flow: topics become skeletons, one Prefect task per topic."""

from collections.abc import Mapping, Sequence

from prefect import flow, task
from pydantic import TypeAdapter

from flows.asking import in_tasks
from flows.composition import Kit, compose
from flows.items import Done, Item, kept, work_through
from flows.ledger import Entry, StageLedger
from flows.plan import RunPlan
from flows.stages import books_of, refuse_total_failure, staged, stop_if_asked
from flows.watching import watch
from flows.withdrawing import rejections, withdraw_skeleton
from schemas.logic_models import LOGIC_MODELS
from schemas.reviews import REJECTED_BY_PERSON
from schemas.skeletons import SKELETON_VALIDATIONS, SKELETONS, TOOL_TESTS, TOOLS, Skeleton
from schemas.topics import TOPICS, Topic
from tasks.fingerprint import MAKES_SKELETONS, item_key
from tasks.policies import ITEM
from tasks.skeletons.build import build_skeleton
from tasks.skeletons.outcome import SkeletonOutcome
from warehouse.store import Warehouse

TITLE = "build skeletons"
OUTCOME = TypeAdapter(SkeletonOutcome)


@task(name="build skeleton", tags=["skeleton"], **ITEM)
def build_one(key: str, label: str, topic: Topic, kit: Kit, seed: int) -> str:
    """Plan, write and evaluate the environment class of one topic."""
    outcome = build_skeleton(topic, author=in_tasks(kit), sandbox=kit.sandbox, seed=seed)
    return kept(OUTCOME, outcome, failure=outcome.reason if outcome.status == "failed" else None)


@flow(name=TITLE)
def build_skeletons(plan: RunPlan, topic_ids: list[str]) -> list[str]:
    """Build an environment class for each topic and stage every row made on the way.

    Returns:
        Ids of the skeletons that the evaluation accepted, in the order of their topics. One that a person rejected is
        among them: its scenarios are rejected too, so they have to be known.
    """
    kit = compose(plan, "build_skeletons")
    wanted = set(topic_ids)
    topics = [topic for topic in staged(kit.store, plan.run_id, TOPICS, Topic) if topic.topic_id in wanted]
    rejected = rejections(plan.home)
    outcomes: list[SkeletonOutcome] = []
    with books_of(kit, plan, "build_skeletons") as books:
        for topic in topics:
            books.enter(Entry(topic.topic_id, topic.slug))
        watch().progress.stage_started(TITLE, len(topics))
        items = [_item(topic, kit, plan) for topic in topics]
        for done in work_through(build_one, items, read=OUTCOME.validate_json, at_a_time=plan.at_a_time):
            outcomes += _book(books, done, rejected)
        stop_if_asked()
    refuse_total_failure(books)
    outcomes.sort(key=lambda outcome: outcome.topic_id)
    _stage(kit.store, plan.run_id, outcomes)
    return [row.skeleton_id for outcome in outcomes for row in outcome.skeletons if _has_passed(row)]


def _has_passed(row: Skeleton) -> bool:
    return row.status == "accepted" or row.reason == REJECTED_BY_PERSON


def _item(topic: Topic, kit: Kit, plan: RunPlan) -> Item:
    # What else is in the corpus is no reason to build this one again: the topic's counts and phrases are not decisive.
    decisive = [topic.topic_id, topic.slug, topic.introduction]
    return Item(
        place=topic.topic_id,
        label=topic.slug,
        key=item_key("build skeleton", MAKES_SKELETONS, decisive, kit.author_key, kit.sandbox.level, plan.seed),
        arguments={"topic": topic, "kit": kit, "seed": plan.seed},
    )


def _book(books: StageLedger, done: Done[SkeletonOutcome], rejected: Mapping[str, str]) -> list[SkeletonOutcome]:
    """Book one topic and tell how it went; no outcome comes of one whose task broke."""
    place, outcome = done.item.place, done.outcome and withdraw_skeleton(done.outcome, rejected)
    if outcome is None:
        books.book(place, done.status, reason=done.reason, detail=done.error)
        words = ""
    else:
        books.book(place, outcome.status, reason=outcome.reason, detail=outcome.detail, is_reused=done.is_reused)
        words = outcome.status if outcome.reason is None else f"{outcome.status}: {outcome.reason}"
    watch().progress.item_finished(TITLE, done.item.label, done.note(words))
    return [] if outcome is None else [outcome]


def _stage(store: Warehouse, run_id: str, outcomes: Sequence[SkeletonOutcome]) -> None:
    store.stage(run_id, LOGIC_MODELS, [row for outcome in outcomes for row in outcome.logic_models])
    store.stage(run_id, SKELETONS, [row for outcome in outcomes for row in outcome.skeletons])
    store.stage(run_id, TOOLS, [row for outcome in outcomes for row in outcome.tools])
    store.stage(run_id, TOOL_TESTS, [row for outcome in outcomes for row in outcome.tool_tests])
    store.stage(run_id, SKELETON_VALIDATIONS, [row for outcome in outcomes for row in outcome.skeleton_validations])
