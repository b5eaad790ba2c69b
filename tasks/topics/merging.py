"""Which candidates mean the same although they are called differently."""

from collections.abc import Sequence
from dataclasses import dataclass

from tasks.topics.candidates import Candidate
from tasks.topics.embeddings import Embedder

SAME_MEANING = 0.6
"""Cosine of title and summary from which two topics are one."""


@dataclass(frozen=True, slots=True)
class SameMeaning:
    """A candidate that means what another one means."""

    slug: str
    kept_slug: str
    similarity: float


def find_same_meaning(
    candidates: Sequence[Candidate], embedder: Embedder, *, threshold: float = SAME_MEANING
) -> tuple[SameMeaning, ...]:
    """Every mined candidate that means the same as a better one, best first.

    Topics given by a person always stay. Of mined ones the better scored stays, of equals the first by name: neither
    depends on how many texts support it, so that a growing corpus does not swap one for the other.
    """
    order = sorted(candidates, key=lambda candidate: (candidate.origin != "given", -candidate.score, candidate.slug))
    vectors = embedder.embed([f"{candidate.title}. {candidate.summary}" for candidate in order])
    kept: list[int] = []
    found = []
    for position, candidate in enumerate(order):
        if candidate.origin != "given" and kept:
            similarities = vectors[kept] @ vectors[position]
            nearest = int(similarities.argmax())
            if similarities[nearest] >= threshold:
                slug = order[kept[nearest]].slug
                found.append(SameMeaning(candidate.slug, slug, round(float(similarities[nearest]), 2)))
                continue
        kept.append(position)
    return tuple(found)
