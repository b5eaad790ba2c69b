"""One trial: play some calls from a fresh state, ask every check."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from schemas.ids import digest
from schemas.scenarios import Check, ReferenceStep
from tasks.runtime.environment import Environment, EnvironmentBroken
from tasks.runtime.episode import BindingError, Episode, play
from tasks.runtime.reward import CheckOutcome, run_checks
from tasks.runtime.state import state_digest
from tasks.sandbox.base import CheckSession, CodeRejected

BrokenReason = Literal["environment_raises", "check_raises", "check_out_of_time"]
_OUT_OF_TIME = ("timeout:", "wall:", "cpu:")
"""How the error of a check begins that had too little time; on a busy machine that is no fault of the check."""


@dataclass(frozen=True, slots=True)
class Solution:
    """What is to be proven: a task's reference solution and its checks."""

    scenario_id: str
    state: dict[str, Any]
    """The initial state; every trial starts from a fresh copy."""
    reference: tuple[ReferenceStep, ...]
    final_message: str
    checks: tuple[Check, ...]
    write_steps: tuple[int, ...]
    """Steps of the reference that change the state, counted from 0; at least one."""


@dataclass(frozen=True, slots=True)
class Trial:
    """How an episode went and what the checks say about it."""

    outcomes: tuple[CheckOutcome, ...]
    mark: str
    """Digest of final state, calls and verdicts: two plays of the same calls must have the same."""
    broken: str | None = None
    """Why the trial says nothing: the environment or a check broke; else null."""
    fault: BrokenReason | None = None
    """Reason code of what broke; null exactly when `broken` is."""

    @property
    def has_passed(self) -> bool | None:
        """Whether every check held; null when the trial says nothing."""
        return None if self.broken is not None else all(each.passed for each in self.outcomes)

    @property
    def failed_numbers(self) -> list[int]:
        """Numbers of the checks that were false."""
        return [each.number for each in self.outcomes if each.passed is False]


def run_trial(
    solution: Solution,
    steps: Sequence[ReferenceStep],
    final_message: str,
    environment: Environment,
    checks: CheckSession,
) -> Trial:
    """Play the steps from the initial state, end with the message, and run the checks of the solution.

    Raises:
        SessionDied: the process of the environment is gone.
    """
    try:
        if environment.has_begun_with(solution.state):
            environment.restart()
        else:
            environment.reset(solution.state)
        episode = play(environment, steps, final_message=final_message)
    except (BindingError, EnvironmentBroken, CodeRejected) as error:
        return Trial((), "", f"{type(error).__name__}: {error}", "environment_raises")
    outcomes = run_checks(checks, solution.checks, episode)
    broken = next((each for each in outcomes if each.passed is None), None)
    if broken is not None:
        is_late = str(broken.error).startswith(_OUT_OF_TIME)
        fault: BrokenReason = "check_out_of_time" if is_late else "check_raises"
        return Trial(outcomes, "", f"check {broken.number}: {broken.error}", fault)
    return Trial(outcomes, _mark(episode, outcomes))


def _mark(episode: Episode, outcomes: Sequence[CheckOutcome]) -> str:
    return digest(state_digest(episode.final_state), episode.trajectory, [each.passed for each in outcomes])
