"""Flow: corpora become topics. One Prefect task per corpus file, per batch of judged texts, per topic given by hand."""

import hashlib
from collections.abc import Sequence
from pathlib import Path

from prefect import flow, task
from pydantic import TypeAdapter

from flows.composition import Kit, compose
from flows.holding_out import held_out_of, too_close_of
from flows.items import Done, Item, kept, only_result, work_through
from flows.ledger import Entry, StageLedger
from flows.leftovers import refuse_without_means
from flows.plan import RunPlan
from flows.stages import books_of, refuse_total_failure, stop_if_asked
from flows.watching import watch
from schemas.errors import NothingToDo
from schemas.ids import digest, make_id
from schemas.topics import SEED_TASKS, TOPICS, SeedTask, Topic
from tasks.authors.base import DescribeTopic, EnvironmentIdea, TaskJudgements
from tasks.fingerprint import MAKES_JUDGEMENTS, MAKES_READINGS, MAKES_TOPICS, item_key
from tasks.policies import ITEM
from tasks.topics import (
    CorpusReading,
    CorpusRecord,
    HeldOut,
    JudgeBatch,
    Judged,
    MinedTopics,
    Refined,
    form_topics,
    judge_batches,
    pair_judgements,
    read_corpus,
    refine,
)

TITLE = "mine topics"
READING = TypeAdapter(CorpusReading)
REFINED = TypeAdapter(Refined)
JUDGEMENTS = TypeAdapter(TaskJudgements)
IDEA = TypeAdapter(EnvironmentIdea)
MINED = TypeAdapter(MinedTopics)


@task(name="read corpus", tags=["corpus"], **ITEM)
def read_one(key: str, label: str, path: Path, task_column: str | None) -> str:
    """Read the task texts of one file."""
    return kept(READING, read_corpus(path, task_column=task_column))


@task(name="refine texts", tags=["corpus"], **ITEM)
def refine_all(key: str, label: str, records: Sequence[CorpusRecord]) -> str:
    """Normalise, mark duplicates, find keyphrases."""
    return kept(REFINED, refine(records))


@task(name="judge tasks", tags=["topic"], **ITEM)
def judge_one(key: str, label: str, batch: JudgeBatch, kit: Kit, seed: int) -> str:
    """Ask which texts of a batch need a stateful environment."""
    return kept(JUDGEMENTS, kit.author.ask(batch.question, seed=seed))


@task(name="describe topic", tags=["topic"], **ITEM)
def describe_one(key: str, label: str, theme: str, kit: Kit, seed: int) -> str:
    """Ask what a person means by a theme."""
    return kept(IDEA, kit.author.ask(DescribeTopic(theme), seed=seed))


@task(name="form topics", tags=["topic"], **ITEM)
def form_all(
    key: str,
    label: str,
    refined: Refined,
    judged: Sequence[Judged],
    given: Sequence[EnvironmentIdea],
    held_out: Sequence[HeldOut],
    limit: int | None,
    kit: Kit,
) -> str:
    """Decide on every topic that the texts and the person name."""
    mined = form_topics(
        refined,
        judged,
        author=kit.author.name,
        embedder=kit.embedder,
        given=given,
        held_out=held_out,
        limit=limit,
    )
    return kept(MINED, mined)


@flow(name=TITLE, flow_run_name="mine topics: {plan.profile}")
def mine_topics(plan: RunPlan) -> list[str]:
    """Find the topics of this run and stage them with the texts that support them.

    Returns:
        Ids of the accepted topics, by slug.

    Raises:
        UnreadableCorpus: a corpus or a hold-out can't be read.
        NothingToDo: no topic is left; the message says why.
        BudgetExhausted: no topic is left, because the budget ran out.
    """
    kit = compose(plan, "mine_topics")
    with books_of(kit, plan, "read_corpora") as books:
        records = _read(plan, books)
        stop_if_asked()
    refuse_total_failure(books)
    with books_of(kit, plan, "mine_topics") as books:
        held_out = held_out_of(plan, kit)
        refined = _refine(records, plan)
        refined = refined.without(too_close_of(_grouped(refined), held_out, plan, kit))
        for seed_task in refined.seed_tasks:
            books.enter(Entry(seed_task.seed_task_id, f"{seed_task.corpus}:{seed_task.line}"))
        judged, reused_ids = _judge(refined, kit, plan)
        given, lost = _describe(kit, plan)
        stop_if_asked()
        mined, is_known = _form(refined, judged, given, held_out, kit, plan)
        for row in mined.seed_tasks:
            is_reused = (row.duplicate_of or row.seed_task_id) in reused_ids
            books.book(row.seed_task_id, row.status, reason=row.reason, detail=row.detail, is_reused=is_reused)
    refuse_total_failure(books)
    with books_of(kit, plan, "select_topics") as books:
        _book_topics(books, mined.topics, lost, is_reused=is_known)
    refuse_total_failure(books)
    kit.store.stage(plan.run_id, SEED_TASKS, mined.seed_tasks)
    kit.store.stage(plan.run_id, TOPICS, mined.topics)
    accepted = [topic.topic_id for topic in mined.topics if topic.status == "accepted"]
    if not accepted:
        refuse_without_means(kit.store, plan)
        raise NothingToDo(_nothing_left(mined.seed_tasks, books))
    return accepted


def _read(plan: RunPlan, books: StageLedger) -> list[CorpusRecord]:
    """All task texts, in the order of the files; a file that breaks while it is read is one failed item."""
    items = []
    for path in plan.corpora:
        with path.open("rb") as file:
            content = hashlib.file_digest(file, "blake2b").hexdigest()
        key = item_key("read corpus", MAKES_READINGS, path.name, content, plan.task_column)
        items.append(Item(str(path), path.name, key, {"path": path, "task_column": plan.task_column}))
    watch().progress.stage_started("read corpora", len(items))
    readings: dict[str, CorpusReading] = {}
    for done in work_through(read_one, items, read=READING.validate_json, at_a_time=plan.at_a_time):
        _book_lines(books, done)
        if done.outcome is not None:
            readings[done.item.place] = done.outcome
    return [record for path in plan.corpora if str(path) in readings for record in readings[str(path)].records]


def _book_lines(books: StageLedger, done: Done[CorpusReading]) -> None:
    place, label, reading = done.item.place, done.item.label, done.outcome
    if reading is None:
        books.enter(Entry(make_id("cor", place), label))
        books.book(make_id("cor", place), done.status, reason=done.reason, detail=done.error)
        watch().progress.item_finished("read corpora", label, done.note(""))
        return
    for record in reading.records:
        books.enter(Entry(make_id("lin", place, record.line), f"{label}:{record.line}"))
        books.book(make_id("lin", place, record.line), "accepted", is_reused=done.is_reused)
    for broken in reading.broken:
        books.enter(Entry(make_id("lin", place, broken.line), f"{label}:{broken.line}"))
        books.book(
            make_id("lin", place, broken.line),
            "rejected",
            reason=broken.reason,
            detail=broken.detail,
            is_reused=done.is_reused,
        )
    words = f"{len(reading.records)} tasks" + (f", {len(reading.broken)} lines unusable" if reading.broken else "")
    watch().progress.item_finished("read corpora", label, done.note(words))


def _refine(records: Sequence[CorpusRecord], plan: RunPlan) -> Refined:
    content = [[record.corpus, record.source, record.source_id, record.line, record.text] for record in records]
    item = Item(
        "texts", f"{len(records)} texts", item_key("refine texts", MAKES_READINGS, content), {"records": records}
    )
    watch().progress.stage_started("refine texts", 1)
    refined, _ = only_result(refine_all, item, read=REFINED.validate_json)
    return refined


def _grouped(refined: Refined) -> dict[str, dict[str, str]]:
    """Seed tasks in groups that do not depend on their number: one that is added changes no group but its own."""
    groups: dict[str, dict[str, str]] = {}
    for seed_task in sorted(refined.seed_tasks, key=lambda each: each.seed_task_id):
        digit = seed_task.seed_task_id.removeprefix("tsk_")[0]
        groups.setdefault(f"seed tasks {digit}", {})[seed_task.seed_task_id] = seed_task.text
    return groups


def _judge(refined: Refined, kit: Kit, plan: RunPlan) -> tuple[list[Judged], set[str]]:
    """The author's word on every original, and the ids of those that an earlier run asked about."""
    portions = judge_batches(refined, kit.texts_per_question)
    batches = {f"batch {number}": batch for number, batch in enumerate(portions, 1)}
    items = [
        Item(
            place,
            f"{place} of {len(batches)}",
            item_key("judge tasks", MAKES_JUDGEMENTS, list(batch.question.texts), kit.author_key, plan.seed),
            {"batch": batch, "kit": kit, "seed": plan.seed},
        )
        for place, batch in batches.items()
    ]
    watch().progress.stage_started("judge tasks", len(items))
    judged: dict[str, tuple[Judged, ...]] = {}
    reused: set[str] = set()
    for done in work_through(judge_one, items, read=JUDGEMENTS.validate_json, at_a_time=plan.at_a_time):
        batch = batches[done.item.place]
        judged[done.item.place] = pair_judgements(
            batch, done.outcome, fault=done.error, status=done.status, reason=done.reason
        )
        if done.is_reused:
            reused.update(batch.seed_task_ids)
        words = f"{len(batch.seed_task_ids)} texts"
        watch().progress.item_finished("judge tasks", done.item.label, done.note(words))
    return [one for place in batches if place in judged for one in judged[place]], reused


def _describe(kit: Kit, plan: RunPlan) -> tuple[list[EnvironmentIdea], list[Done[EnvironmentIdea]]]:
    """What the given themes mean, in their order, and how the themes ended that came to nothing."""
    items = [
        Item(
            theme,
            theme,
            item_key("describe topic", MAKES_JUDGEMENTS, theme, kit.author_key, plan.seed),
            {"theme": theme, "kit": kit, "seed": plan.seed},
        )
        for theme in plan.given_topics
    ]
    if items:
        watch().progress.stage_started("describe topics", len(items))
    ideas: dict[str, EnvironmentIdea] = {}
    lost: list[Done[EnvironmentIdea]] = []
    for done in work_through(describe_one, items, read=IDEA.validate_json, at_a_time=plan.at_a_time):
        if done.outcome is None:
            lost.append(done)
        else:
            ideas[done.item.place] = done.outcome
        words = done.outcome.title if done.outcome else ""
        watch().progress.item_finished("describe topics", done.item.label, done.note(words))
    return [ideas[theme] for theme in plan.given_topics if theme in ideas], lost


def _form(
    refined: Refined,
    judged: Sequence[Judged],
    given: Sequence[EnvironmentIdea],
    held_out: Sequence[HeldOut],
    kit: Kit,
    plan: RunPlan,
) -> tuple[MinedTopics, bool]:
    # Topics given by hand come on top of what the profile takes from the corpora.
    limit = None if plan.topic_limit is None else plan.topic_limit + len(given)
    decisive = digest(
        REFINED.dump_python(refined, mode="json"),
        TypeAdapter(list[Judged]).dump_python(list(judged), mode="json"),
        [idea.model_dump(mode="json") for idea in given],
    )
    item = Item(
        "topics",
        f"topics of {len(refined.seed_tasks)} texts",
        item_key(
            "form topics", MAKES_TOPICS, decisive, limit, plan.holdouts.named(), kit.author_key, kit.embedder.name
        ),
        {"refined": refined, "judged": judged, "given": given, "held_out": held_out, "limit": limit, "kit": kit},
    )
    watch().progress.stage_started("form topics", 1)
    return only_result(form_all, item, read=MINED.validate_json)


def _book_topics(
    books: StageLedger, topics: Sequence[Topic], lost: Sequence[Done[EnvironmentIdea]], *, is_reused: bool
) -> None:
    for topic in topics:
        books.enter(Entry(topic.topic_id, topic.slug))
        books.book(topic.topic_id, topic.status, reason=topic.reason, detail=topic.detail, is_reused=is_reused)
    for done in lost:
        place = make_id("top", "given", done.item.place)
        books.enter(Entry(place, done.item.label))
        books.book(place, done.status, reason=done.reason, detail=done.error)


def _nothing_left(seed_tasks: Sequence[SeedTask], books: StageLedger) -> str:
    """Why there is no topic: how many texts and topics were refused, for which reasons."""
    counts: dict[str, int] = {}
    for row in seed_tasks:
        if row.status != "accepted":
            counts[row.reason or row.status] = counts.get(row.reason or row.status, 0) + 1
    texts = ", ".join(f"{number} {reason}" for reason, number in sorted(counts.items(), key=lambda each: -each[1]))
    topics = ", ".join(f"{number} {reason}" for (_, reason), number in books.reasons().items())
    message = f"No topic is left to build: of {len(seed_tasks)} texts, {sum(counts.values())} were refused ({texts})"
    if topics:
        message += f"; topics refused: {topics}"
    return f"{message}. Give a corpus with tasks on bookings, accounts, orders and the like, or name a --topic."
