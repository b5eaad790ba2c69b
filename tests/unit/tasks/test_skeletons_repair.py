"""Evidence goes back to the author; every version is kept and says what it repairs."""

import pytest

from schemas.errors import BudgetExhausted
from tasks.authors.base import BadReply, CodeDraft, DraftInitialStates, RepairCode, StatesDraft
from tasks.skeletons.build import REPAIR_ROUNDS, build_skeleton
from tests.fakes.authors import ScriptedAuthor
from tests.fakes.lending_shed import CODE, LOGIC_MODEL, STATES, TOPIC
from tests.fakes.sandbox import SANDBOX

UNREADABLE = "class"
RAISING = CODE.replace("if wanted is None or not", "if wanted + timedelta(days=1) is None or not")
GOOD_STATES = StatesDraft(states=STATES)
BAD_STATES = StatesDraft(states=({**STATES[0], "items": {"ITM-0001": {"name": 5}}},))


def shed_author(*versions: str | BadReply | BudgetExhausted, states: tuple[StatesDraft, ...]) -> ScriptedAuthor:
    first, *repairs = (CodeDraft(code=each) if isinstance(each, str) else each for each in versions)
    return ScriptedAuthor(
        {
            "draft_logic_model": [LOGIC_MODEL],
            "draft_code": [first],
            "repair_code": repairs,
            "draft_initial_states": states,
        }
    )


def repairs_asked(author: ScriptedAuthor) -> list[RepairCode]:
    return [question for question, _ in author.asked if isinstance(question, RepairCode)]


def test_a_class_is_repaired_until_it_holds_and_every_version_is_kept() -> None:
    author = shed_author(UNREADABLE, RAISING, CODE, states=(GOOD_STATES,))

    outcome = build_skeleton(TOPIC, author=author, sandbox=SANDBOX, seed=3)

    assert (outcome.status, outcome.reason) == ("accepted", None)
    first, second, third = outcome.skeletons
    assert [(each.version, each.status, each.reason) for each in outcome.skeletons] == [
        (1, "rejected", "does_not_parse"),
        (2, "rejected", "uncaught_exception"),
        (3, "accepted", None),
    ]
    assert [each.repairs for each in outcome.skeletons] == [None, "does_not_parse", "uncaught_exception"]
    assert [each.parent_skeleton_id for each in (second, third)] == [first.skeleton_id, second.skeleton_id]
    assert [each.skeleton_id for each in outcome.skeleton_validations] == [
        each.skeleton_id for each in outcome.skeletons
    ]
    assert {each.skeleton_id for each in outcome.tool_tests} == {second.skeleton_id, third.skeleton_id}
    asked = repairs_asked(author)
    assert [(each.round, each.code) for each in asked] == [(1, UNREADABLE), (2, RAISING)]
    assert asked[0].evidence[0].reason == "does_not_parse"
    assert any(each.reason == "uncaught_exception" and "OverflowError" in each.detail for each in asked[1].evidence)


def test_repairing_ends_after_so_many_rounds() -> None:
    versions = [UNREADABLE + " " * number + "!" for number in range(REPAIR_ROUNDS + 3)]
    author = shed_author(*versions, states=())

    outcome = build_skeleton(TOPIC, author=author, sandbox=SANDBOX, seed=3)

    assert (outcome.status, outcome.reason) == ("rejected", "does_not_parse")
    assert [each.version for each in outcome.skeletons] == [1, 2, 3, 4]
    assert len(repairs_asked(author)) == REPAIR_ROUNDS == 3


@pytest.mark.parametrize("answer", [UNREADABLE, BadReply("no fenced block")])
def test_an_author_with_nothing_new_to_say_ends_it(answer: str | BadReply) -> None:
    author = shed_author(UNREADABLE, answer, CODE, states=())

    outcome = build_skeleton(TOPIC, author=author, sandbox=SANDBOX, seed=3)

    assert (outcome.status, outcome.reason) == ("rejected", "does_not_parse")
    assert [each.version for each in outcome.skeletons] == [1]


def test_bad_states_are_asked_for_anew_and_the_code_is_left_alone() -> None:
    author = shed_author(CODE, states=(BAD_STATES, GOOD_STATES))

    outcome = build_skeleton(TOPIC, author=author, sandbox=SANDBOX, seed=3)

    assert (outcome.status, outcome.reason) == ("accepted", None)
    assert [each.version for each in outcome.skeletons] == [1]
    first, second = (question for question, _ in author.asked if isinstance(question, DraftInitialStates))
    assert first.evidence == ()
    assert {each.reason for each in second.evidence} >= {"initial_state_invalid"}


def test_states_that_stay_bad_reject_the_skeleton_without_a_repair() -> None:
    author = shed_author(CODE, UNREADABLE, states=(BAD_STATES, BAD_STATES))

    outcome = build_skeleton(TOPIC, author=author, sandbox=SANDBOX, seed=3)

    assert (outcome.status, outcome.reason) == ("rejected", "initial_state_invalid")
    assert repairs_asked(author) == []


def test_a_budget_that_ends_in_the_middle_leaves_the_topic_for_the_next_run() -> None:
    author = shed_author(UNREADABLE, BudgetExhausted("no call is left"), states=())

    outcome = build_skeleton(TOPIC, author=author, sandbox=SANDBOX, seed=3)

    assert (outcome.status, outcome.reason, outcome.skeletons) == ("failed", "budget_exhausted", ())
    assert "no call is left" in str(outcome.detail)
