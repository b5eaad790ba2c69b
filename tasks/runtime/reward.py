"""Runs the checks of a scenario on an episode and turns their answers into a reward."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from schemas.scenarios import CheckKind
from tasks.runtime.episode import Episode
from tasks.sandbox.base import CheckSession, SessionDied


class CheckLike(Protocol):
    """A check, as a draft or as a row."""

    @property
    def kind(self) -> CheckKind:
        """What it validates."""

    @property
    def code(self) -> str:
        """Source of `check(initial_state, final_state, trajectory)`."""


@dataclass(frozen=True, slots=True)
class CheckOutcome:
    """What one check said about one episode."""

    number: int
    """Counted from 1."""
    kind: CheckKind
    passed: bool | None
    """Null when the check broke."""
    error: str | None
    """How it broke; null when it answered."""


@dataclass(frozen=True, slots=True)
class Score:
    """The reward of an episode. Either both values are set, or `problem` says why there are none."""

    reward: float | None
    """0 to 1."""
    success: bool | None
    """Whether every check holds."""
    problem: str | None


def run_checks(session: CheckSession, checks: Sequence[CheckLike], episode: Episode) -> tuple[CheckOutcome, ...]:
    """Ask every check. One that kills the session is broken, and so are those after it: they were not run."""
    outcomes: list[CheckOutcome] = []
    death: str | None = None
    for number, check in enumerate(checks, start=1):
        if death is not None:
            outcomes.append(CheckOutcome(number, check.kind, None, f"not run: {death}"))
            continue
        try:
            verdict = session.check(check.code, episode.initial_state, episode.final_state, episode.trajectory)
        except SessionDied as died:
            death = f"check {number} ended the session ({died.reason}: {died})"
            outcomes.append(CheckOutcome(number, check.kind, None, f"{died.reason}: {died}"))
            continue
        passed = verdict.passed if verdict.error is None else None
        outcomes.append(CheckOutcome(number, check.kind, passed, verdict.error))
    return tuple(outcomes)


def score(outcomes: Sequence[CheckOutcome], no_op: Sequence[CheckOutcome]) -> Score:
    """The reward: the share of fulfilled goals and answers, or nothing when a guard or a procedure was broken.

    Goals and answers that already hold when nothing is done say nothing about an agent and do not count.

    Args:
        outcomes: What the checks say about the episode.
        no_op: What the same checks, in the same order, say about doing nothing.
    """
    broken = [each for each in (*outcomes, *no_op) if each.passed is None]
    if broken:
        return Score(None, None, f"check {broken[0].number} is broken: {broken[0].error}")
    counted = [
        each.passed
        for each, idle in zip(outcomes, no_op, strict=True)
        if each.kind in ("goal", "answer") and not idle.passed
    ]
    if not counted:
        return Score(None, None, "no goal or answer check is false when nothing is done")
    is_kept = all(each.passed for each in outcomes if each.kind in ("guard", "procedure"))
    reward = sum(map(bool, counted)) / len(counted) if is_kept else 0.0
    return Score(reward, all(each.passed for each in outcomes), None)
