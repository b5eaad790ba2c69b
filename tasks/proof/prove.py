"""Proves a scenario by executing it: the reference passes, doing nothing or too little fails."""

from dataclasses import dataclass

from schemas.ids import make_id
from schemas.row import Status
from schemas.scenarios import ScenarioValidation, TrialKind
from tasks.proof.trials import Solution, Trial, run_trial
from tasks.runtime.environment import Environment
from tasks.sandbox.base import CheckSession

STOCK_MESSAGES = ("", "Done.", "I can't do that.")
"""What an agent may say that did nothing."""


@dataclass(frozen=True, slots=True)
class _Flaw:
    reason: str
    detail: str


@dataclass(frozen=True, slots=True)
class Proof:
    """The decision on a scenario, with its evidence."""

    status: Status
    """ "accepted" when it is proven, "failed" when a check ran out of time, else "rejected"."""
    reason: str | None
    """check_out_of_time, check_raises, environment_raises, not_deterministic, reference_fails, no_op_passes or
    prefix_passes; null when proven."""
    detail: str | None
    trials: tuple[ScenarioValidation, ...]
    """In the order of playing. Trials after one that broke were not played."""


def prove(solution: Solution, environment: Environment, checks: CheckSession) -> Proof:
    """Play every trial of a scenario and decide.

    The trials: the reference (twice, it must end alike), no call at all with each stock message, and the reference cut
    off before each of its calls up to the last write, with its final message. A no-op must also leave a goal false.

    Raises:
        SessionDied: the process of the environment is gone.
    """
    trials: list[ScenarioValidation] = []
    flaws: list[_Flaw] = []
    for kind, number in _plan(solution):
        trial, flaw = _tried(kind, number, solution, environment, checks)
        trials.append(_row(kind, number, solution, trial, flaw))
        if trial.broken is not None:
            flaws = [flaw] if flaw else []
            break
        flaws += [flaw] if flaw else []
    if flaws and flaws[0].reason == "check_out_of_time":
        return Proof("failed", flaws[0].reason, flaws[0].detail, tuple(trials))
    if flaws:
        return Proof("rejected", flaws[0].reason, flaws[0].detail, tuple(trials))
    return Proof("accepted", None, None, tuple(trials))


def _plan(solution: Solution) -> list[tuple[TrialKind, int]]:
    plan: list[tuple[TrialKind, int]] = [("reference", len(solution.reference))]
    plan += [("no_op", number) for number in range(len(STOCK_MESSAGES))]
    plan += [("prefix", number) for number in range(solution.write_steps[-1] + 1)]
    return plan


def _tried(
    kind: TrialKind, number: int, solution: Solution, environment: Environment, checks: CheckSession
) -> tuple[Trial, _Flaw | None]:
    """The trial, and what is not as expected about it."""
    steps = () if kind == "no_op" else solution.reference[:number]
    message = STOCK_MESSAGES[number] if kind == "no_op" else solution.final_message
    trial = run_trial(solution, steps, message, environment, checks)
    flaw = _broken(trial)
    if flaw is not None:
        return trial, flaw
    if kind == "reference":
        again = run_trial(solution, steps, message, environment, checks)
        return (again, _broken(again)) if again.broken is not None else (trial, _reference_flaw(trial, again))
    if trial.has_passed:
        return trial, _Flaw(f"{kind}_passes", f"Every check holds after {_described(kind, number)}.")
    if kind == "no_op" and all(each.passed for each in trial.outcomes if each.kind == "goal"):
        return trial, _Flaw("no_op_passes", f"Every goal check holds after {_described(kind, number)}.")
    return trial, None


def _broken(trial: Trial) -> _Flaw | None:
    return _Flaw(trial.fault, trial.broken) if trial.fault and trial.broken else None


def _reference_flaw(trial: Trial, again: Trial) -> _Flaw | None:
    if trial.mark != again.mark:
        return _Flaw("not_deterministic", "The reference was played twice and ended differently.")
    if not trial.has_passed:
        return _Flaw("reference_fails", f"The reference fails the checks {', '.join(map(str, trial.failed_numbers))}.")
    return None


def _row(kind: TrialKind, number: int, solution: Solution, trial: Trial, flaw: _Flaw | None) -> ScenarioValidation:
    return ScenarioValidation(
        scenario_validation_id=make_id("svl", solution.scenario_id, kind, number),
        scenario_id=solution.scenario_id,
        trial=kind,
        number=number,
        is_expected_to_pass=kind == "reference",
        has_passed=trial.has_passed,
        is_as_expected=flaw is None,
        checks_failed=trial.failed_numbers,
        detail=flaw.detail if flaw else None,
    )


def _described(kind: TrialKind, number: int) -> str:
    if kind == "no_op":
        return f'doing nothing and saying "{STOCK_MESSAGES[number]}"'
    return f"{number} of the calls" if number else "no call at all, with the reference's final message"
