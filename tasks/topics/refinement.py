"""Corpus records become seed tasks: normalised, repeats marked, described by their keyphrases."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from schemas.ids import make_id
from schemas.topics import SeedTask
from tasks.topics.corpus import CorpusRecord
from tasks.topics.duplicates import Repeat, find_repeats
from tasks.topics.holdout import REASON as TOO_CLOSE
from tasks.topics.keyphrases import Description, describe
from tasks.topics.normalise import normalise


@dataclass(frozen=True, slots=True)
class Refined:
    """Every record as a seed task, not yet judged."""

    seed_tasks: tuple[SeedTask, ...]
    """In the order of the records; status `accepted` until judged, or `duplicate`."""

    @property
    def originals(self) -> tuple[SeedTask, ...]:
        """The seed tasks that repeat no other and are not refused: those to be judged."""
        return tuple(task for task in self.seed_tasks if task.status == "accepted")

    def without(self, too_close: Mapping[str, str]) -> "Refined":
        """The same with these seed tasks refused: id -> how close they come to a hold-out.

        One that repeats a refused one stays a duplicate, and so supports nothing either.
        """
        return Refined(tuple(_refused(task, too_close.get(task.seed_task_id)) for task in self.seed_tasks))


def _refused(task: SeedTask, closeness: str | None) -> SeedTask:
    if closeness is None:
        return task
    fate = {"status": "rejected", "reason": TOO_CLOSE, "detail": closeness}
    return task.model_copy(update=fate | {"duplicate_of": None, "cluster": None, "cluster_label": None})


def refine(records: Sequence[CorpusRecord]) -> Refined:
    """One seed task per record, in order. Of texts that say the same, the first stays."""
    texts = [normalise(record.text) for record in records]
    ids = _ids(records, texts)
    repeats = {repeat.index: repeat for repeat in find_repeats(texts)}
    originals = [index for index in range(len(texts)) if index not in repeats]
    described = dict(zip(originals, describe([texts[index] for index in originals]), strict=True))
    return Refined(
        tuple(
            _repeat(record, texts[index], ids, repeats[index], described)
            if index in repeats
            else _original(record, texts[index], ids[index], described[index])
            for index, record in enumerate(records)
        )
    )


def _ids(records: Sequence[CorpusRecord], texts: Sequence[str]) -> list[str]:
    """An id per record. A record that equals an earlier one in every part of its id is told apart by its number."""
    seen: dict[tuple[str, str, str, str], int] = {}
    ids = []
    for record, text in zip(records, texts, strict=True):
        parts = (record.corpus, record.source, record.source_id, text)
        seen[parts] = seen.get(parts, 0) + 1
        ids.append(make_id("tsk", *parts) if seen[parts] == 1 else make_id("tsk", *parts, seen[parts]))
    return ids


def _original(record: CorpusRecord, text: str, seed_task_id: str, description: Description) -> SeedTask:
    return SeedTask(
        seed_task_id=seed_task_id,
        corpus=record.corpus,
        source=record.source,
        source_id=record.source_id,
        line=record.line,
        text=text,
        status="accepted",
        keyphrases=list(description.keyphrases),
        cluster=description.cluster,
        cluster_label=description.cluster_label,
    )


def _repeat(
    record: CorpusRecord, text: str, ids: Sequence[str], repeat: Repeat, described: dict[int, Description]
) -> SeedTask:
    same = "the same text" if repeat.kind == "exact_duplicate" else f"{repeat.similarity:.0%} the same text"
    return SeedTask(
        seed_task_id=ids[repeat.index],
        corpus=record.corpus,
        source=record.source,
        source_id=record.source_id,
        line=record.line,
        text=text,
        status="duplicate",
        reason=repeat.kind,
        detail=f"{same} as {ids[repeat.original]}",
        duplicate_of=ids[repeat.original],
        keyphrases=list(described[repeat.original].keyphrases),
    )
