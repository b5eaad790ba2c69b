"""Runs the checks of a scenario on an episode and turns their answers into a reward."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from schemas.scenarios import CheckKind, CheckOrigin
from tasks.runtime.episode import Episode
from tasks.runtime.faults import EnvironmentFault
from tasks.sandbox.base import CheckSession, CheckVerdict

AtFault = Literal["environment", "check", "scenario"]
"""Why an episode has no reward: the environment broke, a check broke, or no check could measure one."""


class CheckLike(Protocol):
    """A check, as a draft or as a row."""

    @property
    def kind(self) -> CheckKind:
        """What it validates."""

    @property
    def text(self) -> str:
        """The same for a person."""

    @property
    def origin(self) -> CheckOrigin:
        """Who wrote it."""

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
    """The reward of an episode. Either reward and success are set, or `problem` says why there are none.

    An agent's failure is a reward; what is not the agent's failure is a problem.
    """

    reward: float | None
    """0 to 1."""
    success: bool | None
    """Whether every check holds."""
    problem: str | None
    at_fault: AtFault | None = None
    """Null exactly when `problem` is."""
    outcomes: tuple[CheckOutcome, ...] = ()
    """What each check said; empty when none was run."""


def run_checks(session: CheckSession, checks: Sequence[CheckLike], episode: Episode) -> tuple[CheckOutcome, ...]:
    """Ask every check. One that breaks is an outcome and keeps no other from being asked.

    What an author wrote runs apart from what was derived from the reference, and can't spoil it.
    """
    verdicts: dict[int, CheckVerdict] = {}
    for origin in sorted({check.origin for check in checks}):
        numbers = [number for number, check in enumerate(checks) if check.origin == origin]
        codes = [checks[number].code for number in numbers]
        said = session.check(codes, episode.initial_state, episode.final_state, episode.trajectory, group=origin)
        verdicts |= zip(numbers, said, strict=True)
    return tuple(
        CheckOutcome(
            number + 1,
            check.kind,
            verdicts[number].passed if verdicts[number].error is None else None,
            verdicts[number].error,
        )
        for number, check in enumerate(checks)
    )


def score(outcomes: Sequence[CheckOutcome], no_op: Sequence[CheckOutcome]) -> Score:
    """The reward: the share of fulfilled goals and answers, or nothing when a guard or a procedure was broken.

    Goals and answers that already hold when nothing is done say nothing about an agent and do not count.

    Args:
        outcomes: What the checks say about the episode.
        no_op: What the same checks, in the same order, say about doing nothing.
    """
    broken = [each for each in (*outcomes, *no_op) if each.passed is None]
    if broken:
        problem = f"check {broken[0].number} is broken: {broken[0].error}"
        return Score(None, None, problem, "check", tuple(outcomes))
    counted = [
        each.passed
        for each, idle in zip(outcomes, no_op, strict=True)
        if each.kind in ("goal", "answer") and not idle.passed
    ]
    if not counted:
        problem = "no goal or answer check is false when nothing is done"
        return Score(None, None, problem, "scenario", tuple(outcomes))
    is_kept = all(each.passed for each in outcomes if each.kind in ("guard", "procedure"))
    reward = sum(map(bool, counted)) / len(counted) if is_kept else 0.0
    return Score(reward, all(each.passed for each in outcomes), None, outcomes=tuple(outcomes))


def unscored(fault: EnvironmentFault) -> Score:
    """The score of an episode whose environment broke: none, and no word against the agent."""
    return Score(None, None, f"the environment is at fault, not the agent: {fault}", "environment")
