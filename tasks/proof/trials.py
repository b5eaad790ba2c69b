"""One trial: play some moves from a fresh state, ask every check."""

import marshal
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from schemas.ids import digest
from schemas.scenarios import Check, ReferenceStep
from tasks.runtime.episode import Episode
from tasks.runtime.reward import CheckOutcome, run_checks
from tasks.runtime.state import state_digest
from tasks.sandbox.base import CheckSession

BrokenReason = Literal["environment_raises", "check_raises", "check_out_of_time"]
_OUT_OF_TIME = ("timeout:", "wall:", "cpu:")
"""How the error of a check begins that had too little time; on a busy machine that is no fault of the check."""
_BY_VALUE = 2
"""Version of the marshal format that tells 1, 1.0 and true apart and does not share equal objects."""
_FINAL_MESSAGE = re.compile(r"""trajectory(?:\[["']final_message["']\]|\.get\(["']final_message["'](?:, ["']{2})?\))""")
_HEAD = re.compile(r"def check\(initial_state, final_state, trajectory\)(?: -> bool)?")
_CALLS = re.compile(r"\b(?:trajectory|locals|vars|dir|globals|eval|exec|compile|sys|inspect|gc|def check|__\w+__)\b")
WITHOUT_CHANGE = frozenset({"refusal", "question"})
"""Kinds of scenarios whose right end state is no change."""


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
    """Steps of the reference that change the state, counted from 0; empty for the kinds in `WITHOUT_CHANGE` only."""
    kind: str = "single_goal"
    task: str = ""
    """What was asked for; a message that holds nothing else has found out nothing."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What the checks say about an episode."""

    outcomes: tuple[CheckOutcome, ...]
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


@dataclass(frozen=True, slots=True)
class _Sight:
    """Which parts of an episode the code of a check can look at; the initial state is always the same."""

    state: bool
    message: bool
    calls: bool


class Asker:
    """Asks the checks of one solution. One that saw all that it looks at in an episode before is not asked again."""

    def __init__(self, checks: Sequence[Check], session: CheckSession) -> None:
        """Ask these checks in this session."""
        self._checks, self._session = tuple(checks), session
        self._sights = {each.number: _sight_of(each.code) for each in checks}
        self._known: dict[tuple[int, bytes | None, str | None], CheckOutcome] = {}

    def ask(self, episode: Episode, *, afresh: bool = False) -> Trial:
        """Run the checks on an episode, which begins with the initial state of the solution.

        Args:
            episode: The episode.
            afresh: Ask all of them whatever is known.
        """
        state = marshal.dumps(episode.final_state, _BY_VALUE)
        keys = {each.number: self._key(each, state, episode.final_message) for each in self._checks}
        asked = [each for each in self._checks if afresh or keys[each.number] not in self._known]
        outcomes: dict[int, CheckOutcome] = {}
        for check, each in zip(asked, run_checks(self._session, asked, episode), strict=True):
            outcomes[check.number] = replace(each, number=check.number)
            key = keys[check.number]
            if key is not None and each.passed is not None:
                self._known[key] = outcomes[check.number]
        for check in self._checks:
            key = keys[check.number]
            if check.number not in outcomes and key is not None:
                outcomes[check.number] = self._known[key]
        return _trial(tuple(outcomes[each.number] for each in self._checks))

    def _key(self, check: Check, state: bytes, message: str) -> tuple[int, bytes | None, str | None] | None:
        """What decides the verdict; null where the calls may."""
        sight = self._sights[check.number]
        if sight.calls:
            return None
        return check.number, state if sight.state else None, message if sight.message else None


def _sight_of(code: str) -> _Sight:
    head, _, body = code.partition(":")
    rest = _FINAL_MESSAGE.sub("", body)
    calls = not _HEAD.fullmatch(head) or _CALLS.search(rest) is not None
    return _Sight(calls or "final_state" in body, calls or rest != body, calls)


def _trial(outcomes: tuple[CheckOutcome, ...]) -> Trial:
    broken = next((each for each in outcomes if each.passed is None), None)
    if broken is None:
        return Trial(outcomes)
    is_late = str(broken.error).startswith(_OUT_OF_TIME)
    fault: BrokenReason = "check_out_of_time" if is_late else "check_raises"
    return Trial(outcomes, f"check {broken.number}: {broken.error}", fault)


def mark_of(episode: Episode, trial: Trial) -> str:
    """Digest of final state, calls and verdicts: two plays of the same calls must have the same."""
    return digest(state_digest(episode.final_state), episode.trajectory, [each.passed for each in trial.outcomes])
