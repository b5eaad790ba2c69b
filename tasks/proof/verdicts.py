"""What was tried in a proof and what it says, and the rows of it."""

from collections.abc import Sequence
from dataclasses import dataclass

from schemas.ids import make_id
from schemas.scenarios import Check, ScenarioValidation, TrialKind
from tasks.proof.trials import Trial
from tasks.runtime.reward import CheckOutcome, score

HAVE_TO_PASS: frozenset[TrialKind] = frozenset(
    {"reference", "reorder", "other_lookups", "refused_try", "other_wording", "second_reference"}
)


@dataclass(frozen=True, slots=True)
class Flaw:
    """Why a scenario is not proven."""

    reason: str
    detail: str


@dataclass(frozen=True, slots=True)
class Tried:
    """One trial of a proof."""

    kind: TrialKind
    number: int
    what: str
    trial: Trial | None
    """Null when it proves nothing: `why_not` says why, and no check was asked."""
    flaw: Flaw | None = None
    why_not: str | None = None
    """Why it is not counted; null when it is."""
    final_digest: str | None = None

    def reward(self, no_op: Sequence[CheckOutcome] | None) -> float | None:
        """The reward of the episode, as an agent would get it; null where there is none."""
        if self.trial is None or self.trial.broken is not None or no_op is None:
            return None
        return score(self.trial.outcomes, no_op).reward

    @property
    def is_evidence(self) -> bool:
        """Whether it has to fail and does."""
        has_failed = self.trial is not None and self.trial.has_passed is False
        return self.why_not is None and self.kind not in HAVE_TO_PASS and has_failed


@dataclass(frozen=True, slots=True)
class Needs:
    """What the trials say about the checks."""

    idle: tuple[int, ...]
    """Numbers of the checks that add nothing: goals that never fail, and others without which the same trials fail."""
    alike: tuple[tuple[int, ...], ...]
    """Groups of goals that fail in the same trials."""


def needs_of(checks: Sequence[Check], tried: Sequence[Tried]) -> Needs:
    """Which checks are needed. Only for a scenario without a flaw."""
    evidence = [frozenset(each.trial.failed_numbers) for each in tried if each.is_evidence and each.trial]
    groups: dict[tuple[bool, ...], list[int]] = {}
    for check in checks:
        if check.kind == "goal":
            groups.setdefault(tuple(check.number in failed for failed in evidence), []).append(check.number)
    idle = [number for pattern, numbers in groups.items() if not any(pattern) for number in numbers]
    left = {check.number for check in checks}
    others = [check for check in reversed(checks) if check.kind != "goal"]
    for check in sorted(others, key=lambda each: each.origin == "derived"):  # what follows from the reference goes last
        if not any(failed & left == {check.number} for failed in evidence):
            left.remove(check.number)
            idle.append(check.number)
    alike = tuple(tuple(numbers) for pattern, numbers in groups.items() if any(pattern) and len(numbers) > 1)
    return Needs(tuple(sorted(idle)), alike)


def rows_of(scenario_id: str, tried: Sequence[Tried]) -> tuple[ScenarioValidation, ...]:
    """The rows, in the order of playing."""
    idle = next((each.trial for each in tried if each.kind == "no_op"), None)
    no_op = idle.outcomes if idle is not None and idle.broken is None else None
    return tuple(_row(scenario_id, each, no_op) for each in tried)


def _row(scenario_id: str, tried: Tried, no_op: Sequence[CheckOutcome] | None) -> ScenarioValidation:
    return ScenarioValidation(
        scenario_validation_id=make_id("svl", scenario_id, tried.kind, tried.number),
        scenario_id=scenario_id,
        trial=tried.kind,
        number=tried.number,
        what=tried.what,
        is_expected_to_pass=tried.kind in HAVE_TO_PASS,
        has_passed=tried.trial.has_passed if tried.trial else None,
        reward=tried.reward(no_op),
        is_counted=tried.why_not is None,
        is_as_expected=tried.flaw is None,
        checks_failed=tried.trial.failed_numbers if tried.trial else [],
        final_digest=tried.final_digest,
        detail=tried.flaw.detail if tried.flaw else tried.why_not,
    )
