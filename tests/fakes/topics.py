"""Corpus records, judgements and an embedder with meanings that a test chooses."""

from collections.abc import Mapping, Sequence

import numpy as np

from tasks.authors.base import EnvironmentIdea, TaskJudgement
from tasks.topics import CorpusRecord
from tasks.topics.embeddings import Vectors


def record(line: int, text: str) -> CorpusRecord:
    return CorpusRecord("tasks.jsonl", "tasks.jsonl", str(line), line, text)


def records(texts: Sequence[str]) -> list[CorpusRecord]:
    return [record(line, text) for line, text in enumerate(texts, start=1)]


def idea(
    title: str, *, domain: str = "health", usefulness: int = 8, modelability: int = 8, summary: str | None = None
) -> EnvironmentIdea:
    return EnvironmentIdea(
        title=title,
        summary=summary if summary is not None else f"Records of the {title.lower()}.",
        introduction=f"People work in the {title.lower()}.",
        domain=domain,
        usefulness=usefulness,
        modelability=modelability,
    )


def judgement(title: str | None, *, reason: str = "public_facts") -> TaskJudgement:
    """Stateful in the environment of that title; without one not stateful."""
    if title is None:
        return TaskJudgement(is_stateful=False, reason=reason, explanation="Anybody can look it up.", environment=None)
    return TaskJudgement(
        is_stateful=True, reason="stateful", explanation="It changes records.", environment=idea(title)
    )


class MeaningEmbedder:
    """Texts that begin with titles of one meaning get one direction; every other text gets its own."""

    name = "meanings"

    def __init__(self, meanings: Mapping[str, str]) -> None:
        self._meanings = meanings

    def embed(self, texts: Sequence[str]) -> Vectors:
        meanings = [self._meanings.get(text.split(".")[0], text) for text in texts]
        numbers = {meaning: number for number, meaning in enumerate(dict.fromkeys(meanings))}
        return np.eye(max(1, len(numbers)), dtype=np.float32)[[numbers[meaning] for meaning in meanings]]
