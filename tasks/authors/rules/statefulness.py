"""Whether a task text reads or changes the records of some system, by weighed words, phrases and forms of sentences."""

import re
from collections import defaultdict
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from typing import Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field

from tasks.authors.rules.cues import CueIndex, Hit, Words, clauses_of, fold, words_of
from tasks.authors.rules.themes import FAIR, score_themes

LOWEST_THEME_SCORE = FAIR
"""A theme that scores less says nothing: one weak word is in almost every text."""

_LONGEST_OPENING = 9
_SPOKEN_WORDS = 8
"""An explanation repeats no more words of a text in a row."""
_CLASS = re.compile(r"<(\w+)>")
_HANDED_OVER = re.compile(r"(?<=:)\s*[\"“«][^\"“”«»]*[\"”»]?\s*$")
"""Words that a text quotes at its end are not its own."""
_FILES = ("statefulness.yaml", "statefulness_forms.yaml", "statefulness_for.yaml", "statefulness_against.yaml")


class Feature(BaseModel):
    """One kind of evidence."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    weight: float
    reason: str | None = Field(default=None, description="Reason code, for evidence against.")
    at: Literal["anywhere", "request", "sentence"] = "anywhere"
    cues: tuple[str, ...] = ()
    form: str | None = None
    pattern: str | None = None


class Rules(BaseModel):
    """The contents of statefulness.yaml, which explains them, and of the files that it names."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    base: float
    known_theme: float
    reasons: dict[str, str]
    openers: str
    boundaries: str
    classes: dict[str, tuple[str, ...]]
    features: tuple[Feature, ...]

    @cached_property
    def index(self) -> CueIndex[tuple[str, str]]:
        """The cues of all features; each stands for its feature's name and itself."""
        return CueIndex((cue, (feature.name, cue)) for feature in self.features for cue in feature.cues)

    @cached_property
    def expressions(self) -> dict[str, re.Pattern[str]]:
        """The forms and patterns, compiled, by the name of their feature."""
        return {
            feature.name: re.compile(feature.pattern or self._with_classes(_plain(feature.form or "")))
            for feature in self.features
            if not feature.cues
        }

    def _with_classes(self, form: str) -> str:
        """A form with the words of every class that it names."""
        return _CLASS.sub(lambda match: f"(?:{self._with_classes('|'.join(self.classes[match[1]]))})", form)

    @cached_property
    def passed_over(self) -> frozenset[str]:
        """Words that do not open a request."""
        return frozenset(fold(self.openers).split())

    @cached_property
    def breaks(self) -> frozenset[str]:
        """Words after which a request may open."""
        return frozenset(fold(self.boundaries).split())


@dataclass(frozen=True, slots=True)
class Evidence:
    """One feature, found in a text."""

    feature: Feature
    words: str
    """What was found, as it stands in the rules (a cue) or in the text (a pattern)."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a text is stateful, and why."""

    is_stateful: bool
    reason: str
    """`stateful`, or the reason code of the heaviest evidence against; `no_domain` where there is none."""
    explanation: str
    score: float
    """Above 0 when stateful; the further from 0, the surer."""
    theme: str | None
    """Slug of the nearest theme; null when none is near."""


@cache
def rules() -> Rules:
    """The weights and words, read once."""
    folder = resources.files("tasks.authors.rules")
    files = [yaml.safe_load(folder.joinpath(name).read_text(encoding="utf-8")) for name in _FILES]
    features = [feature for file in files for feature in file.pop("features")]
    return Rules.model_validate({key: value for file in files for key, value in file.items()} | {"features": features})


def statefulness(text: str) -> Verdict:
    """Judge one text, whether or not any theme is known for it."""
    words = words_of(_HANDED_OVER.sub("", text))
    found = evidence(text, words)
    theme = nearest(words)
    score = rules().base + sum(one.feature.weight for one in found) + (rules().known_theme if theme else 0)
    if score > 0:
        spoke_for = sorted((one for one in found if one.feature.weight > 0), key=lambda one: -one.feature.weight)
        named = " and ".join(f'"{one.words}"' for one in spoke_for[:2]) or "its subject"
        return Verdict(True, "stateful", f"It reads or changes somebody's records: {named}.", score, theme)
    against = [one for one in found if one.feature.reason is not None]
    if not against:
        return Verdict(False, "no_domain", f"{rules().reasons['no_domain']}.", score, theme)
    heaviest = min(against, key=lambda one: one.feature.weight)
    reason = str(heaviest.feature.reason)
    return Verdict(False, reason, f'{rules().reasons[reason]}: "{heaviest.words}".', score, theme)


def evidence(text: str, words: Words) -> list[Evidence]:
    """Every feature that the text has, in the order of the rules, with its first find."""
    places = {"request": _request_openings(words), "sentence": words.sentences}
    hits: dict[str, list[Hit[tuple[str, str]]]] = defaultdict(list)
    for hit in rules().index.hits(words):
        hits[hit.label[0]].append(hit)
    clauses = clauses_of(words)
    found = []
    for feature in rules().features:
        if expression := rules().expressions.get(feature.name):
            match = expression.search(text if feature.pattern else clauses)
            finds = [" ".join(match.group().strip(" .,:?").split()[:_SPOKEN_WORDS])] if match else []
        else:
            finds = [
                hit.label[1].replace("*", "")
                for hit in hits[feature.name]
                if feature.at == "anywhere" or hit.start in places[feature.at] or hit.start < 0
            ]
        if finds:
            found.append(Evidence(feature, finds[0]))
    return found


def nearest(words: Words) -> str | None:
    """The theme that a text points to most; null when it points nowhere."""
    scores = score_themes(words)
    return scores[0].slug if scores and scores[0].score >= LOWEST_THEME_SCORE else None


def _plain(form: str) -> str:
    """A form without the blanks of its reader, and with those that it means."""
    return "".join(form.split()).replace("_", " ")


def _request_openings(words: Words) -> frozenset[int]:
    """Positions of the words that open a clause once its courtesies are passed over."""
    starts = set(words.starts) | {at + 1 for at, word in enumerate(words.words) if word in rules().breaks}
    openings = set()
    for start in starts:
        at = start
        while at < len(words.words) and at - start < _LONGEST_OPENING and words.words[at] in rules().passed_over:
            at += 1
        openings.add(at)
    return frozenset(openings)
