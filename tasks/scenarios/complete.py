"""Plays a well-formed reference once, and adds to the author's checks what follows from it."""

from collections.abc import Sequence
from typing import Any

from schemas.logic_models import LogicModel
from schemas.scenarios import CheckDraft
from tasks.proof.trials import WITHOUT_CHANGE
from tasks.runtime.derive import goal_checks, undone_states
from tasks.runtime.environment import Environment, EnvironmentBroken
from tasks.runtime.episode import BindingError, Episode, play
from tasks.sandbox.base import CheckSession, CodeRejected
from tasks.scenarios.choices import choice_finding
from tasks.scenarios.guard import guard_check
from tasks.scenarios.records import Finding, state_finding
from tasks.scenarios.rows import Content
from tasks.scenarios.states import rule_finding


def complete_checks(
    content: Content, state: dict[str, Any], logic_model: LogicModel, environment: Environment, checks: CheckSession
) -> tuple[CheckDraft, ...] | Finding:
    """All checks of a scenario: derived goals where the author's ask for too little, the author's, the automatic guard.

    A refusal and a question have no goals: their right end state is no change, and the answer is what counts.

    Reason codes: binding_unresolved, reference_call_raised, reference_call_refused, state_not_json,
    reference_changes_nothing, reference_changes_something, answer_check_missing, reference_breaks_model,
    description_ambiguous, and those of `rule_finding`.

    Raises:
        SessionDied: a process is gone.
    """
    episode = _played(content, state, environment)
    if isinstance(episode, Finding):
        return episode
    after = episode.final_state
    if (wrong := state_finding(after, logic_model)) is not None:
        return Finding("reference_breaks_model", f"After the reference: {wrong.reason}: {wrong.detail}")
    results = [call.result for call in episode.calls]
    finding = rule_finding(after, logic_model, checks)
    finding = finding or choice_finding(content.draft.task, content.reference, results, state)
    if finding is not None:
        return finding
    derived = goal_checks(logic_model, state, after)
    given = tuple(_by_origin(check, derived) for check in content.draft.checks)
    if content.draft.kind in WITHOUT_CHANGE:
        if derived:
            found = f"The scenario is a {content.draft.kind}, and its reference changes the state: {derived[0].text}"
            return Finding("reference_changes_something", found)
        if not any(check.kind == "answer" for check in given):
            return Finding(
                "answer_check_missing", f"Nothing but a check of the answer shows that a {content.draft.kind} is done."
            )
        return (*given, guard_check(logic_model, state, after))
    if not derived:
        return Finding("reference_changes_nothing", "The reference changes no record, timestamps left aside.")
    missed = _missed_goals(derived, undone_states(logic_model, state, after), given, episode, checks)
    return (*missed, *given, guard_check(logic_model, state, after))


def _by_origin(check: CheckDraft, derived: Sequence[CheckDraft]) -> CheckDraft:
    """A check of the author's that is word for word what follows from the reference is told as that."""
    return check.model_copy(update={"origin": "derived"}) if check.code in [each.code for each in derived] else check


def _missed_goals(
    derived: Sequence[CheckDraft],
    undone: Sequence[dict[str, Any]],
    given: Sequence[CheckDraft],
    episode: Episode,
    checks: CheckSession,
) -> list[CheckDraft]:
    """The derived goals that the author's goals do not ask for: those hold although what was done there is undone.

    Goals that ask for nothing at all are left alone, so that the proof rejects them.
    """
    goals = [check.code for check in given if check.kind == "goal"]

    def hold(final_state: dict[str, Any]) -> bool:
        verdicts = checks.check(goals, episode.initial_state, final_state, episode.trajectory)
        return all(verdict.passed for verdict in verdicts)

    if goals and hold(episode.initial_state):
        return []
    return [goal for goal, state in zip(derived, undone, strict=True) if goal.code not in goals and hold(state)]


def _played(content: Content, state: dict[str, Any], environment: Environment) -> Episode | Finding:
    try:
        environment.reset(state)
        episode = play(environment, content.reference, final_message=content.draft.final_message)
    except BindingError as error:
        return Finding("binding_unresolved", str(error))
    except EnvironmentBroken as error:
        return Finding("reference_call_raised", str(error))
    except CodeRejected as error:
        return Finding("state_not_json", f"{error.kind}: {error}")
    for number, call in enumerate(episode.calls):
        if call.result.get("success") is not True:
            return Finding("reference_call_refused", f"Step {number}, {call.tool}: {call.result.get('error')}")
    return episode
