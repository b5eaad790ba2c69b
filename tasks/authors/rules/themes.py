"""The themes that the built-in author knows: one YAML file each, of which this module reads the section `topic`."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

import yaml
from pydantic import BaseModel, ConfigDict, Field

from tasks.authors.rules.cues import CueIndex, Hit, Words

STRONG, FAIR, WEAK = 4, 2, 1
"""What a cue counts for its theme."""

_FIGURES_OF_SPEECH = (
    "of course",
    "on file",
    "in order to",
    "in case",
    "make sure",
    "right now",
    "in line with",
    "no matter",
    "food bank",
    "memory bank",
)
"""Phrases whose words point nowhere."""


class Cues(BaseModel):
    """Words and phrases that point to a theme; see `CueIndex` for their form."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    strong: tuple[str, ...]
    fair: tuple[str, ...]
    weak: tuple[str, ...]


class Theme(BaseModel):
    """A kind of environment that the built-in author can describe and recognise."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    slug: str = Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", description="Name of its file; also the slug of its title.")
    title: str
    summary: str
    introduction: str
    domain: str
    usefulness: int = Field(ge=1, le=10)
    modelability: int = Field(ge=1, le=10)
    cues: Cues


@dataclass(frozen=True, slots=True)
class ThemeScore:
    """How much of a text points to a theme."""

    slug: str
    score: float


@cache
def themes() -> tuple[Theme, ...]:
    """Every theme, by slug. Other sections of their files belong to other modules and are not read."""
    folder = resources.files("tasks.authors.rules").joinpath("themes")
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".yaml")), key=lambda file: file.name)
    return tuple(
        Theme(slug=file.name.removesuffix(".yaml"), **yaml.safe_load(file.read_text(encoding="utf-8"))["topic"])
        for file in files
    )


def theme_of(slug: str) -> Theme:
    """The theme of that name.

    Raises:
        KeyError: there is none.
    """
    return {theme.slug: theme for theme in themes()}[slug]


def score_themes(text: Words) -> tuple[ThemeScore, ...]:
    """Themes with at least one cue in the text, best first; of equals, the one that the text names first.

    A theme scores the sum of its cues in the text, each counted once; of overlapping cues only the one that says most.
    """
    idle = {hit.start + offset for hit in _figures().hits(text) for offset in range(hit.length)}
    by_theme: dict[str, list[Hit[tuple[str, int]]]] = defaultdict(list)
    for hit in _index().hits(text):
        if not idle or idle.isdisjoint(range(hit.start, hit.start + hit.length)):
            by_theme[hit.label[0]].append(hit)
    scores = [ThemeScore(slug, _sum(hits, text.words)) for slug, hits in by_theme.items()]
    first = {slug: min(hit.start for hit in hits) for slug, hits in by_theme.items()}
    return tuple(sorted(scores, key=lambda one: (-one.score, first[one.slug], one.slug)))


@cache
def _index() -> CueIndex[tuple[str, int]]:
    return CueIndex(
        (cue, (theme.slug, weight))
        for theme in themes()
        for weight, cues in ((STRONG, theme.cues.strong), (FAIR, theme.cues.fair), (WEAK, theme.cues.weak))
        for cue in cues
    )


@cache
def _figures() -> CueIndex[None]:
    return CueIndex((phrase, None) for phrase in _FIGURES_OF_SPEECH)


def _sum(hits: Sequence[Hit[tuple[str, int]]], words: Sequence[str]) -> float:
    taken: set[int] = set()
    seen: set[tuple[str, ...]] = set()
    total = 0.0
    for hit in sorted(hits, key=lambda hit: (-hit.label[1], -hit.length, hit.start)):
        span = set() if hit.start < 0 else set(range(hit.start, hit.start + hit.length))
        spelling = tuple(words[position] for position in sorted(span))
        if span & taken or (span and spelling in seen):
            continue
        taken |= span
        seen.add(spelling)
        total += hit.label[1]
    return total
