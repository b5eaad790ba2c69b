"""The rows of a scenario and its checks."""

from collections.abc import Sequence
from dataclasses import dataclass

from schemas.ids import canonical_json, make_id
from schemas.row import Status
from schemas.scenarios import Check, CheckDraft, InitialState, ReferenceStep, Scenario, ScenarioDraft

_NO_TASK = "(no task)"
"""Stands in the row of a draft without a task, which is always a rejected one."""


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of a draft."""

    status: Status
    reason: str | None = None
    """Reason code; null when accepted."""
    detail: str | None = None


ACCEPTED = Fate("accepted")


@dataclass(frozen=True, slots=True)
class Content:
    """What a scenario consists of: a draft, with its reference trimmed and its checks completed as far as it came."""

    draft: ScenarioDraft
    reference: tuple[ReferenceStep, ...]
    checks: tuple[CheckDraft, ...]
    write_steps: tuple[int, ...] = ()
    """Steps of the reference that change the state, counted from 0; empty as long as that is unknown."""
    parent: Scenario | None = None
    """The version that this one repairs; null for the first."""


def scenario_id(state: InitialState, content: Content, *, twin: int = 0) -> str:
    """Digest of state, task, user goal, reference and checks.

    A `twin` number tells drafts with the same content apart.
    """
    draft = content.draft
    steps = [step.model_dump(mode="json") for step in content.reference]
    checks = [check.model_dump(mode="json") for check in content.checks]
    told_apart = [twin] if twin else []
    goal = [user_goal] if (user_goal := _user_goal(draft)) is not None else []
    parts = (draft.kind, draft.task, *goal, steps, draft.final_message, checks)
    return make_id("scn", state.initial_state_id, *parts, *told_apart)


def scenario_row(scenario: str, state: InitialState, content: Content, fate: Fate, *, author: str) -> Scenario:
    """The row of a scenario with this id."""
    return Scenario(
        scenario_id=scenario,
        skeleton_id=state.skeleton_id,
        initial_state_id=state.initial_state_id,
        version=content.parent.version + 1 if content.parent else 1,
        parent_scenario_id=content.parent.scenario_id if content.parent else None,
        repairs=content.parent.reason if content.parent else None,
        author=author,
        kind=content.draft.kind,
        task=content.draft.task if content.draft.task.strip() else _NO_TASK,
        user_goal=_user_goal(content.draft),
        reference_json=canonical_json([step.model_dump(mode="json") for step in content.reference]),
        final_message=content.draft.final_message,
        reference_length=len(content.reference),
        write_count=len(content.write_steps),
        tools_used=list(dict.fromkeys(step.tool for step in content.reference)),
        check_count=len(content.checks),
        status=fate.status,
        reason=fate.reason,
        detail=fate.detail,
        sandbox=state.sandbox,
    )


def check_rows(scenario: str, checks: Sequence[CheckDraft]) -> tuple[Check, ...]:
    """The checks of a scenario, counted from 1."""
    return tuple(
        Check(
            check_id=make_id("chk", scenario, number),
            scenario_id=scenario,
            number=number,
            kind=check.kind,
            origin=check.origin,
            text=check.text,
            code=check.code,
            exempt=list(check.exempt),
        )
        for number, check in enumerate(checks, start=1)
    )


def _user_goal(draft: ScenarioDraft) -> str | None:
    """Null also where an author has written nothing but blanks."""
    return draft.user_goal if draft.user_goal and draft.user_goal.strip() else None
