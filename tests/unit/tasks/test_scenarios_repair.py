"""A rejected draft goes back to its author with the evidence; every version is a row that says what it repairs."""

import pytest

from tasks.authors.base import BadReply, RepairScenario, ScenariosDraft
from tasks.scenarios.examine import REPAIR_ROUNDS
from tests.fakes.authors import ScriptedAuthor
from tests.fakes.lending_shed import CODE, STATES
from tests.fakes.lending_shed_scenarios import EXTEND, check, edited, generate, with_checks

UNBOUND = edited(EXTEND, 3, loan_id=(2, "data", 7, "loan_id"))
TRUE_AT_THE_START = with_checks(EXTEND, check("return True"))


def repairing(*answers: ScenariosDraft | BadReply) -> ScriptedAuthor:
    return ScriptedAuthor({"repair_scenario": answers})


def one(draft: object) -> ScenariosDraft:
    return ScenariosDraft.model_validate({"scenarios": [draft]})


def asked(author: ScriptedAuthor) -> list[RepairScenario]:
    return [question for question, _ in author.asked if isinstance(question, RepairScenario)]


def test_a_draft_is_repaired_with_the_evidence_until_it_is_proven() -> None:
    author = repairing(one(TRUE_AT_THE_START), one(EXTEND))

    outcome = generate(UNBOUND, author=author)

    first, second, third = outcome.scenarios
    assert [(each.version, each.status, each.reason) for each in outcome.scenarios] == [
        (1, "rejected", "binding_unresolved"),
        (2, "rejected", "no_op_passes"),
        (3, "accepted", None),
    ]
    assert [each.repairs for each in outcome.scenarios] == [None, "binding_unresolved", "no_op_passes"]
    assert [each.parent_scenario_id for each in outcome.scenarios] == [None, first.scenario_id, second.scenario_id]
    assert outcome.status == "accepted"
    questions = asked(author)
    assert [(each.round, each.scenario, each.state) for each in questions] == [
        (1, UNBOUND, STATES[0]),
        (2, TRUE_AT_THE_START, STATES[0]),
    ]
    assert {each.code for each in questions} == {CODE}
    assert "7" in questions[0].evidence[0].detail
    assert [each.reason for each in questions[1].evidence][:2] == ["no_op_passes", "no_op"]
    assert {each.scenario_id for each in outcome.scenario_validations} == {second.scenario_id, third.scenario_id}


def test_repairing_ends_after_so_many_rounds() -> None:
    worse = [edited(UNBOUND, 3, due_on=f"2025-04-2{day}") for day in range(1, 6)]
    author = repairing(*map(one, worse))

    outcome = generate(UNBOUND, author=author)

    assert [each.version for each in outcome.scenarios] == [1, 2, 3]
    assert {each.status for each in outcome.scenarios} == {"rejected"}
    assert len(asked(author)) == REPAIR_ROUNDS == 2


@pytest.mark.parametrize("answer", [one(UNBOUND), ScenariosDraft(scenarios=()), BadReply("nothing fits")])
def test_an_author_with_nothing_new_to_say_ends_it(answer: ScenariosDraft | BadReply) -> None:
    outcome = generate(UNBOUND, EXTEND, author=repairing(answer, one(EXTEND)))

    assert [(each.version, each.status) for each in outcome.scenarios] == [(1, "rejected"), (1, "accepted")]


def test_what_is_proven_or_not_wanted_is_not_sent_back() -> None:
    author = repairing(one(UNBOUND))

    outcome = generate(EXTEND, edited(EXTEND, 3, due_on="2025-04-20"), author=author, scenarios_per_state=1)

    assert [each.reason for each in outcome.scenarios] == [None, "beyond_count"]
    assert asked(author) == []
