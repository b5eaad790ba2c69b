"""The two scenarios of the lending shed, proven, as probe agents get them."""

from functools import cache

from schemas.scenarios import CheckDraft, ScenarioDraft
from tasks.probes.ring import Case
from tests.fakes.lending_shed_home import ANSWERED
from tests.fakes.lending_shed_scenarios import EXTEND, generate


@cache
def cases() -> tuple[Case, ...]:
    """One loan to be extended; one member to be registered, who then borrows something."""
    return cases_of(EXTEND, ANSWERED)


def cases_of(*drafts: ScenarioDraft) -> tuple[Case, ...]:
    """Proven scenarios of these drafts."""
    made = generate(*drafts)
    assert {each.status for each in made.scenarios} == {"accepted"}, made.scenarios
    states = {each.initial_state_id: each for each in made.initial_states}
    return tuple(
        Case(
            row,
            states[row.initial_state_id],
            tuple(check for check in made.checks if check.scenario_id == row.scenario_id),
        )
        for row in made.scenarios
    )


def with_check(case: Case, draft: CheckDraft) -> Case:
    """The same with another last check, whatever it says."""
    last = case.checks[-1].model_copy(update={"code": draft.code, "kind": draft.kind, "origin": "author"})
    return Case(case.scenario, case.state, (*case.checks[:-1], last))
