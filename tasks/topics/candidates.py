"""Topics as they are named by judgements or by a person, before any decision."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from schemas.ids import digest, make_id, slugify
from schemas.topics import Split
from tasks.authors.base import EnvironmentIdea
from tasks.topics.normalise import normalise

_LONGEST_SLUG = 60


@dataclass(frozen=True, slots=True)
class Candidate:
    """An environment that somebody named. Nothing here but `supporters` depends on other texts of the corpus."""

    topic_id: str
    slug: str
    title: str
    summary: str
    introduction: str
    domain: str
    usefulness: int
    modelability: int
    origin: Literal["corpus", "given"]
    supporters: tuple[str, ...]
    """Ids of the seed tasks (originals) that live in it, in corpus order."""

    @property
    def score(self) -> int:
        """2 to 20; more is better."""
        return self.usefulness + self.modelability

    @property
    def split(self) -> Split:
        """About 80 % train, 10 % validation, 10 % test, by the name alone: always the same, whatever else is mined."""
        tenth = int(digest("split", self.slug)[:8], 16) % 10
        return "validation" if tenth == 0 else "test" if tenth == 1 else "train"


def slug_of(title: str) -> str:
    """Readable name of a title; for a title without Latin letters or digits, one made from its digest."""
    slug = slugify(title)
    if not slug:
        return f"topic-{digest(title)[:8]}"
    return slug if len(slug) <= _LONGEST_SLUG else f"{slug[: _LONGEST_SLUG - 9].rstrip('-')}-{digest(slug)[:8]}"


def collect_candidates(given: Sequence[EnvironmentIdea], named: Mapping[str, EnvironmentIdea]) -> tuple[Candidate, ...]:
    """One candidate per title: those given by a person first, in their order, then the others by first mention.

    Titles are the same when they give the same slug. What a candidate says is taken from whoever named it first.

    Args:
        given: Topics that a person asked for.
        named: Seed task id -> the environment that it lives in; in corpus order, titles never blank.
    """
    by_slug: dict[str, Candidate] = {}
    for idea in given:
        candidate = _candidate(idea, "given")
        by_slug.setdefault(candidate.slug, candidate)
    supporters: dict[str, list[str]] = {}
    for seed_task_id, idea in named.items():
        candidate = _candidate(idea, "corpus")
        by_slug.setdefault(candidate.slug, candidate)
        supporters.setdefault(candidate.slug, []).append(seed_task_id)
    return tuple(replace(candidate, supporters=tuple(supporters.get(slug, ()))) for slug, candidate in by_slug.items())


def _candidate(idea: EnvironmentIdea, origin: Literal["corpus", "given"]) -> Candidate:
    title, summary = normalise(idea.title), normalise(idea.summary)
    domain = normalise(idea.domain).lower() or "general"
    return Candidate(
        topic_id=make_id("top", title, domain, summary),
        slug=slug_of(title),
        title=title,
        summary=summary,
        introduction=normalise(idea.introduction),
        domain=domain,
        usefulness=idea.usefulness,
        modelability=idea.modelability,
        origin=origin,
        supporters=(),
    )
