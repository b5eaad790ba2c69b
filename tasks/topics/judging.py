"""Which seed tasks are shown to the author together, and which reply belongs to which."""

from dataclasses import dataclass

from schemas.ids import digest
from schemas.row import Status
from tasks.authors.base import JudgeTasks, TaskJudgement, TaskJudgements
from tasks.topics.refinement import Refined


@dataclass(frozen=True, slots=True)
class JudgeBatch:
    """Seed tasks that are judged by one question."""

    seed_task_ids: tuple[str, ...]
    question: JudgeTasks
    """Its texts belong to the ids, in their order."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What the author said of one seed task."""

    seed_task_id: str
    judgement: TaskJudgement | None
    """Null when there is no usable answer."""
    fault: str | None = None
    """Why there is none, in words; null when there is."""
    status: Status = "failed"
    """Fate of the seed task without an answer."""
    reason: str = "not_judged"
    """Reason code that goes with it."""


def judge_batches(refined: Refined, size: int) -> tuple[JudgeBatch, ...]:
    """The originals in order, in batches of at most `size` (at least 1) and, save the last, at least half of it.

    Where a batch ends depends on the texts near its end, not on a count from the start of the corpus: a text that is
    added or removed changes its own batch and seldom more than one other, so that the rest need not be judged again.
    """
    batches: list[JudgeBatch] = []
    ids: list[str] = []
    texts: list[str] = []
    for task in refined.originals:
        ids.append(task.seed_task_id)
        texts.append(task.text)
        if len(ids) >= size or (2 * len(ids) >= size and _ends_batch(task.text, size)):
            batches.append(JudgeBatch(tuple(ids), JudgeTasks(tuple(texts))))
            ids, texts = [], []
    if ids:
        batches.append(JudgeBatch(tuple(ids), JudgeTasks(tuple(texts))))
    return tuple(batches)


def pair_judgements(
    batch: JudgeBatch,
    reply: TaskJudgements | None,
    *,
    fault: str | None = None,
    status: Status = "failed",
    reason: str = "not_judged",
) -> tuple[Judged, ...]:
    """The reply, text by text. A reply with another number of judgements can't be told apart and counts as none.

    Args:
        batch: What was asked.
        reply: What came back; null when nothing did.
        fault: Why nothing came back, for the rows.
        status: What becomes of the texts when nothing came back.
        reason: Reason code that goes with it.
    """
    asked = len(batch.seed_task_ids)
    if reply is None:
        fault = fault or "the author did not answer"
        return tuple(Judged(seed_task_id, None, fault, status, reason) for seed_task_id in batch.seed_task_ids)
    if len(reply.judgements) != asked:
        fault = f"the author judged {len(reply.judgements)} texts where {asked} were asked"
        return tuple(Judged(seed_task_id, None, fault) for seed_task_id in batch.seed_task_ids)
    pairs = zip(batch.seed_task_ids, reply.judgements, strict=True)
    return tuple(Judged(seed_task_id, judgement) for seed_task_id, judgement in pairs)


def _ends_batch(text: str, size: int) -> bool:
    """True for about one text in a quarter of a batch, always for the same texts."""
    return int(digest("batch end", text)[:8], 16) % max(1, size // 4) == 0
