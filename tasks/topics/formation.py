"""Judged seed tasks become topics: collected, merged, scored, selected."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from schemas.topics import SeedTask, Topic
from tasks.authors.base import EnvironmentIdea
from tasks.topics.candidates import Candidate, collect_candidates
from tasks.topics.embeddings import Embedder
from tasks.topics.holdout import REASON as TOO_CLOSE
from tasks.topics.holdout import HeldOut, too_close
from tasks.topics.judging import Judged
from tasks.topics.merging import SameMeaning, find_same_meaning
from tasks.topics.normalise import normalise
from tasks.topics.refinement import Refined
from tasks.topics.selection import select_for_coverage

MAX_TOPIC_KEYPHRASES = 8


@dataclass(frozen=True, slots=True)
class Thresholds:
    """What a mined topic needs to be worth an environment. Topics given by a person need nothing."""

    usefulness: int = 6
    modelability: int = 6
    support: int = 1
    """Seed tasks, duplicates and those of merged topics included."""


@dataclass(frozen=True, slots=True)
class MinedTopics:
    """The outcome of topic mining."""

    seed_tasks: tuple[SeedTask, ...]
    """Every seed task, in corpus order, with its fate and its topic."""
    topics: tuple[Topic, ...]
    """Every candidate with the decision on it, ordered by slug."""


def form_topics(
    refined: Refined,
    judged: Sequence[Judged],
    *,
    author: str,
    embedder: Embedder,
    given: Sequence[EnvironmentIdea] = (),
    held_out: Sequence[HeldOut] = (),
    limit: int | None = None,
    thresholds: Thresholds | None = None,
) -> MinedTopics:
    """Decide on every topic that the judgements name or that a person gave.

    Args:
        refined: The corpus.
        judged: What the author said of its originals; one that is missing counts as not judged.
        author: Name of whoever judged.
        embedder: Says which topics mean the same.
        given: Topics that a person asked for, as an author described them; accepted unless held out.
        held_out: Texts that no topic may come too close to, a given one included.
        limit: How many topics are wanted; null for all. Given ones count, and are never cut.
        thresholds: What a mined topic needs.
    """
    thresholds = thresholds or Thresholds()
    by_id = {one.seed_task_id: one for one in judged}
    originals = {task.seed_task_id: _settled(task, by_id.get(task.seed_task_id)) for task in refined.originals}
    named = {
        seed_task_id: idea
        for seed_task_id, task in originals.items()
        if task.status == "accepted" and (idea := _idea(by_id[seed_task_id]))
    }
    candidates = collect_candidates(given, named)
    closeness = _held_out(candidates, held_out, embedder)
    free = [one for one in candidates if one.slug not in closeness]
    same = {pair.slug: pair for pair in find_same_meaning(free, embedder)}
    kept_of = {one.slug: same[one.slug].kept_slug if one.slug in same else one.slug for one in candidates}
    topic_ids = {one.slug: one.topic_id for one in candidates}
    topic_of = {task: topic_ids[kept_of[one.slug]] for one in candidates for task in one.supporters}
    seed_tasks = tuple(_placed(task, originals, topic_of) for task in refined.seed_tasks)

    support = _support(candidates, kept_of, seed_tasks)
    decisions = _decide(free, same, {slug: len(tasks) for slug, tasks in support.items()}, limit, thresholds)
    decisions |= {slug: (TOO_CLOSE, detail) for slug, detail in closeness.items()}
    topics = [
        _topic(one, support[one.slug], decisions.get(one.slug), same.get(one.slug), topic_ids, author, embedder.name)
        for one in sorted(candidates, key=lambda one: one.slug)
    ]
    return MinedTopics(seed_tasks, tuple(topics))


def _held_out(candidates: Sequence[Candidate], held_out: Sequence[HeldOut], embedder: Embedder) -> dict[str, str]:
    """Slug of each candidate that comes too close to a held-out text -> how close."""
    found = too_close([f"{one.title}. {one.summary}" for one in candidates], held_out, embedder)
    return {one.slug: each.detail for one, each in zip(candidates, found, strict=True) if each}


def _settled(task: SeedTask, judged: Judged | None) -> SeedTask:
    """An original with the author's word on it."""
    no_cluster = {"status": "rejected", "cluster": None, "cluster_label": None}
    if judged is None or judged.judgement is None:
        unanswered = judged or Judged(task.seed_task_id, None)
        detail = unanswered.fault or "the author was not asked"
        fate = {"status": unanswered.status, "reason": unanswered.reason, "detail": detail}
        return task.model_copy(update=fate if unanswered.status == "failed" else no_cluster | fate)
    judgement = judged.judgement
    if judgement.is_stateful and _idea(judged):
        return task
    if judgement.is_stateful:
        detail = "the author calls it stateful, but names no environment"
        return task.model_copy(update=no_cluster | {"reason": "no_environment_named", "detail": detail})
    reason = judgement.reason if judgement.reason not in ("", "stateful") else "not_stateful"
    return task.model_copy(update=no_cluster | {"reason": reason, "detail": judgement.explanation})


def _idea(judged: Judged) -> EnvironmentIdea | None:
    judgement = judged.judgement
    if judgement is None or judgement.environment is None or not normalise(judgement.environment.title):
        return None
    return judgement.environment


def _placed(task: SeedTask, originals: Mapping[str, SeedTask], topic_of: Mapping[str, str]) -> SeedTask:
    """The final row: a duplicate supports what its original supports."""
    topic_id = topic_of.get(task.duplicate_of or task.seed_task_id)
    return originals.get(task.seed_task_id, task).model_copy(update={"topic_id": topic_id})


def _support(
    candidates: Sequence[Candidate], kept_of: Mapping[str, str], seed_tasks: Sequence[SeedTask]
) -> dict[str, list[SeedTask]]:
    """Slug -> the seed tasks behind it, duplicates included; for a topic that stays also those of topics merged in."""
    own = {task: one.slug for one in candidates for task in one.supporters}
    support: dict[str, list[SeedTask]] = {one.slug: [] for one in candidates}
    for task in seed_tasks:
        slug = own.get(task.duplicate_of or task.seed_task_id)
        if slug is not None:
            support[slug].append(task)
            if kept_of[slug] != slug:
                support[kept_of[slug]].append(task)
    return support


def _decide(
    candidates: Sequence[Candidate],
    same: Mapping[str, SameMeaning],
    support: Mapping[str, int],
    limit: int | None,
    thresholds: Thresholds,
) -> dict[str, tuple[str, str]]:
    """Slug -> why it is rejected, as code and in words; accepted and merged ones are missing."""
    decisions: dict[str, tuple[str, str]] = {}
    eligible = []
    for one in candidates:
        if one.slug in same:
            continue
        if one.origin == "corpus" and (weakness := _weakness(one, support[one.slug], thresholds)):
            decisions[one.slug] = weakness
        else:
            eligible.append(one)
    chosen = select_for_coverage(eligible, limit)
    for one in eligible:
        if one.slug not in chosen:
            decisions[one.slug] = (
                "not_selected",
                f"good enough, but {limit} topics were wanted and {one.domain} had its share",
            )
    return decisions


def _weakness(one: Candidate, support: int, thresholds: Thresholds) -> tuple[str, str] | None:
    if one.usefulness < thresholds.usefulness:
        return "low_usefulness", f"usefulness {one.usefulness}, at least {thresholds.usefulness} is needed"
    if one.modelability < thresholds.modelability:
        return "low_modelability", f"modelability {one.modelability}, at least {thresholds.modelability} is needed"
    if support < thresholds.support:
        return "low_support", f"{support} seed tasks, at least {thresholds.support} are needed"
    return None


def _topic(
    one: Candidate,
    support: Sequence[SeedTask],
    rejection: tuple[str, str] | None,
    same: SameMeaning | None,
    topic_ids: Mapping[str, str],
    author: str,
    embedder: str,
) -> Topic:
    reason, detail = rejection or (None, None)
    if same:
        reason, detail = "same_meaning", f"means the same as {same.kept_slug} (similarity {same.similarity:.2f})"
    return Topic(
        topic_id=one.topic_id,
        slug=one.slug,
        title=one.title,
        summary=one.summary,
        introduction=one.introduction,
        domain=one.domain,
        usefulness=one.usefulness,
        modelability=one.modelability,
        origin=one.origin,
        seed_task_count=len(support),
        keyphrases=_topic_keyphrases(support),
        author=author,
        embedder=embedder,
        status="duplicate" if same else "rejected" if rejection else "accepted",
        reason=reason,
        detail=detail,
        duplicate_of=topic_ids[same.kept_slug] if same else None,
        split=one.split,
    )


def _topic_keyphrases(support: Sequence[SeedTask]) -> list[str]:
    """Phrases of most texts first; of equals those that say most of their text, then by the alphabet."""
    ranks: dict[str, list[int]] = defaultdict(list)
    for task in support:
        if task.status != "duplicate":
            for rank, phrase in enumerate(task.keyphrases, start=1):
                ranks[phrase].append(rank)
    order = sorted(ranks, key=lambda phrase: (-len(ranks[phrase]), sum(ranks[phrase]), phrase))
    return order[:MAX_TOPIC_KEYPHRASES]
