"""An author who is gone half-way: what is there is kept, and what could not be asked for is left to the next run."""

from collections.abc import Sequence

from pydantic import BaseModel

from schemas.errors import AuthorUnavailable, BudgetExhausted, EnvmillError
from tasks.authors.base import ScenariosDraft, StatesDraft
from tasks.scenarios.generate import ScenarioOutcome, generate_scenarios
from tests.fakes.authors import ScriptedAuthor
from tests.fakes.lending_shed import LOGIC_MODEL, STATES, TOPIC
from tests.fakes.lending_shed_scenarios import EXTEND, SKELETON, TOOLS, edited
from tests.fakes.sandbox import SANDBOX

SPENT = BudgetExhausted("nothing is left")
UNBOUND = edited(EXTEND, 3, loan_id=(2, "data", 7, "loan_id"))


def answered(**replies: Sequence[BaseModel | EnvmillError]) -> ScenarioOutcome:
    return generate_scenarios(
        SKELETON, LOGIC_MODEL, TOOLS, TOPIC, author=ScriptedAuthor(replies), sandbox=SANDBOX, seed=7, state_count=2,
        scenarios_per_state=9,
    )  # fmt: skip


def test_without_states_nothing_is_decided() -> None:
    outcome = answered(draft_initial_states=[AuthorUnavailable("nobody answers")])

    assert (outcome.status, outcome.reason, outcome.detail) == ("failed", "author_unavailable", "nobody answers")
    assert outcome.missing is not None
    assert outcome.initial_states == ()


def test_scenarios_of_one_state_are_kept_when_the_next_one_can_not_be_asked_for() -> None:
    states = [StatesDraft(states=STATES[:2])]
    outcome = answered(draft_initial_states=states, draft_scenarios=[ScenariosDraft(scenarios=(EXTEND,)), SPENT])

    assert [row.status for row in outcome.initial_states] == ["accepted", "accepted"]
    assert [(row.status, row.initial_state_id) for row in outcome.scenarios] == [
        ("accepted", outcome.initial_states[0].initial_state_id)
    ]
    assert outcome.status == "accepted"
    assert outcome.missing is not None
    assert outcome.missing.reason == "budget_exhausted"
    assert outcome.missing.state_ids == (outcome.initial_states[1].initial_state_id,)


def test_a_draft_whose_repair_can_not_be_asked_for_is_not_rejected_yet() -> None:
    states = [StatesDraft(states=STATES[:1])]
    outcome = answered(
        draft_initial_states=states,
        draft_scenarios=[ScenariosDraft(scenarios=(UNBOUND, EXTEND))],
        repair_scenario=[SPENT],
    )

    assert [(row.status, row.reason) for row in outcome.scenarios] == [
        ("failed", "budget_exhausted"),
        ("accepted", None),
    ]
    assert "binding_unresolved" in str(outcome.scenarios[0].detail)
    assert "nothing is left" in str(outcome.scenarios[0].detail)
