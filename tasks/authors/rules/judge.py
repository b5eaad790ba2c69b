"""What the built-in author makes of task texts and of themes that a person names."""

from collections.abc import Sequence

from tasks.authors.base import EnvironmentIdea, TaskJudgement, TaskJudgements
from tasks.authors.rules.cues import words_of
from tasks.authors.rules.statefulness import statefulness
from tasks.authors.rules.themes import Theme, score_themes, theme_of, themes

NEAR = 0.5
"""A theme that scores less in `nearest_theme` is not what was meant."""

NO_KNOWN_THEME = "no_known_theme"
GENERAL = "general"

_TITLE_BONUS, _SAME_TITLE = 2.0, 40.0
_HALF_SURE = 8.0
"""Two strong cues, or one in the title, say enough."""
_LONGEST_TITLE = 80


def judge_tasks(texts: Sequence[str]) -> TaskJudgements:
    """One judgement per text, in order; each is a function of its own text alone.

    A stateful text for which no theme is known can't become an environment of this author. It is refused with the
    reason `no_known_theme`; that it is stateful can be asked of `statefulness`.
    """
    return TaskJudgements(judgements=tuple(_judge(text) for text in texts))


def describe_topic(theme: str) -> EnvironmentIdea:
    """The environment that a person means, under the person's own words.

    Where a theme is near, its domain, summary and introduction are taken over and point to the words; else the idea is
    a plain register of what the words name, in the domain `general`.
    """
    words = " ".join(theme.split()).strip(" .,;:!?\"'") or "records"
    title = _title(words)
    slug, score = nearest_theme(words, "", "")
    if score < NEAR:
        return _plain_idea(title, words)
    near = theme_of(slug)
    if title.casefold() == near.title.casefold():
        return _idea(near)
    return EnvironmentIdea(
        title=title,
        summary=f"{title}: {near.summary[0].lower()}{near.summary[1:]}",
        introduction=f"{near.introduction} Here it is about {words}.",
        domain=near.domain,
        usefulness=near.usefulness,
        modelability=near.modelability,
    )


def nearest_theme(title: str, summary: str, introduction: str) -> tuple[str, float]:
    """The theme that a topic is nearest to, by its slug, and how near, from 0 to below 1.

    A cue in the title counts three times, however often it is repeated elsewhere. Below `NEAR` the theme is little more
    than the first in a list, and an environment is better composed without one.
    """
    raw = dict.fromkeys((theme.slug for theme in themes()), 0.0)
    for one in score_themes(words_of(f"{title}. {summary}. {introduction}")):
        raw[one.slug] += one.score
    in_title = words_of(title)
    for one in score_themes(in_title):
        raw[one.slug] += _TITLE_BONUS * one.score
    for theme in themes():
        if words_of(theme.title).words == in_title.words:
            raw[theme.slug] += _SAME_TITLE
    slug = min(raw, key=lambda slug: (-raw[slug], slug))
    return slug, raw[slug] / (raw[slug] + _HALF_SURE)


def _judge(text: str) -> TaskJudgement:
    verdict = statefulness(text)
    if not verdict.is_stateful:
        return TaskJudgement(
            is_stateful=False, reason=verdict.reason, explanation=verdict.explanation, environment=None
        )
    if verdict.theme is None:
        explanation = f"{verdict.explanation} None of the known themes fits it."
        return TaskJudgement(is_stateful=False, reason=NO_KNOWN_THEME, explanation=explanation, environment=None)
    return TaskJudgement(
        is_stateful=True,
        reason=verdict.reason,
        explanation=verdict.explanation,
        environment=_idea(theme_of(verdict.theme)),
    )


def _idea(theme: Theme) -> EnvironmentIdea:
    return EnvironmentIdea(
        title=theme.title,
        summary=theme.summary,
        introduction=theme.introduction,
        domain=theme.domain,
        usefulness=theme.usefulness,
        modelability=theme.modelability,
    )


def _title(words: str) -> str:
    """The words in sentence case, cut at a blank when they are a whole paragraph."""
    short = words if len(words) <= _LONGEST_TITLE else words[: _LONGEST_TITLE + 1].rsplit(" ", 1)[0][:_LONGEST_TITLE]
    return short[0].upper() + short[1:]


def _plain_idea(title: str, words: str) -> EnvironmentIdea:
    return EnvironmentIdea(
        title=title,
        summary=f"{title}: what there is of it, who wants what of it, and how things stand.",
        introduction=(
            f"Some people look after {words}, others use it. What there is, what state it is in, and who wants what "
            "are written down. Entries come and go, wishes are noted, granted, put off and dropped."
        ),
        domain=GENERAL,
        usefulness=6,
        modelability=6,
    )
