"""The scenario stage on the lending shed: what becomes of good and bad drafts."""

import json

import pytest

from schemas.ids import seed_for
from schemas.lengths import USUAL_LENGTHS
from schemas.scenarios import ScenarioDraft
from tasks.authors.base import DraftInitialStates, DraftScenarios, ScenariosDraft, StatesDraft
from tasks.scenarios.generate import generate_scenarios
from tests.fakes.authors import ScriptedAuthor
from tests.fakes.lending_shed import LOGIC_MODEL, STATES, TOPIC
from tests.fakes.lending_shed_scenarios import (
    EXTEND,
    REGISTER,
    SKELETON,
    TOOLS,
    check,
    edited,
    fate,
    generate,
    shed_with,
    step,
    with_checks,
    with_reference,
)
from tests.fakes.sandbox import SANDBOX


def test_a_good_scenario_is_completed_and_proven() -> None:
    outcome = generate(EXTEND)

    assert (outcome.status, outcome.reason, outcome.detail) == ("accepted", None, None)
    (state,) = outcome.initial_states
    assert (state.status, state.number, state.record_count, state.author) == ("accepted", 1, 15, "scripted")
    assert json.loads(state.state_json) == STATES[0]
    (scenario,) = outcome.scenarios
    assert (scenario.status, scenario.reason, scenario.initial_state_id) == ("accepted", None, state.initial_state_id)
    assert (scenario.reference_length, scenario.write_count, scenario.check_count) == (4, 1, 2)
    assert scenario.tools_used == ["find_members", "find_items", "list_loans", "extend_loan"]
    assert [(each.number, each.kind, each.text, each.exempt) for each in outcome.checks] == [
        (1, "goal", "The loan LOA-0003 has due date 2025-04-20 and is extended.", []),
        (
            2,
            "guard",
            "Nothing else changed: 1 existing record may differ in the named attributes.",
            ["loans.LOA-0003.due_on", "loans.LOA-0003.is_extended", "counters"],
        ),
    ]
    assert [
        (each.trial, each.number, each.is_expected_to_pass, each.has_passed, each.is_as_expected, each.checks_failed)
        for each in outcome.scenario_validations[:8]
    ] == [
        ("reference", 4, True, True, True, []),
        ("no_op", 0, False, False, True, [1]),
        ("no_op", 1, False, False, True, [1]),
        ("no_op", 2, False, False, True, [1]),
        ("prefix", 0, False, False, True, [1]),
        ("prefix", 1, False, False, True, [1]),
        ("prefix", 2, False, False, True, [1]),
        ("prefix", 3, False, False, True, [1]),
    ]
    assert {each.scenario_id for each in outcome.checks} == {scenario.scenario_id}
    assert {each.scenario_id for each in outcome.scenario_validations} == {scenario.scenario_id}


@pytest.mark.parametrize(("given", "kept"), [("You want the drill until Friday.", True), (" ", False), (None, False)])
def test_the_goal_of_a_conversation_is_part_of_a_scenario(given: str | None, kept: bool) -> None:
    (plain,) = generate(EXTEND).scenarios
    (row,) = generate(EXTEND.model_copy(update={"user_goal": given})).scenarios

    assert (row.status, row.user_goal) == ("accepted", given if kept else None)
    assert (row.scenario_id != plain.scenario_id) == kept


def test_added_records_are_checked_by_their_values_and_not_by_their_ids() -> None:
    outcome = generate(REGISTER)

    assert fate(outcome) == ("accepted", None)
    assert [each.kind for each in outcome.checks] == ["goal", "goal", "guard"]
    assert outcome.checks[2].exempt == ["members.<new>, at most 1", "loans.<new>, at most 1", "counters"]
    goals = "".join(each.code for each in outcome.checks[:2])
    assert "MEM-0005" not in goals and "LOA-0005" not in goals and "lent_at" not in goals
    assert 'each.get("member_id") in new_members' in goals
    prefixes = [(each.number, each.checks_failed) for each in outcome.scenario_validations if each.trial == "prefix"]
    assert prefixes == [(0, [1, 2]), (1, [1, 2]), (2, [2])]


def test_the_same_inputs_give_the_same_rows() -> None:
    assert generate(EXTEND, REGISTER) == generate(EXTEND, REGISTER)


def test_the_author_is_asked_once_for_states_and_once_per_accepted_state() -> None:
    author = ScriptedAuthor({"draft_initial_states": [StatesDraft(states=({**STATES[1], "now": "soon"}, STATES[0]))]})
    author.enqueue("draft_scenarios", ScenariosDraft(scenarios=(EXTEND,)))
    generate_scenarios(
        SKELETON,
        LOGIC_MODEL,
        TOOLS,
        TOPIC,
        author=author,
        sandbox=SANDBOX,
        seed=7,
        state_count=2,
        scenarios_per_state=3,
    )

    (first, first_seed), (second, second_seed) = author.asked
    assert (first_seed, second_seed) == (7, 7)
    assert isinstance(first, DraftInitialStates) and isinstance(second, DraftScenarios)
    assert (first.code, first.count) == (SKELETON.code, 2)
    assert (second.state, second.topic.slug) == (STATES[0], TOPIC.slug)
    assert second.lengths == USUAL_LENGTHS.drawn(seed_for("lengths", STATES[0]), 3)


def test_reads_that_nothing_binds_to_are_trimmed_and_the_rest_is_played() -> None:
    idle = step("list_loans", status="returned")
    items, register, _ = REGISTER.reference
    lend = step("lend_item", member_id=(2, "data", "member_id"), item_id=(1, "data", 0, "item_id"), days=7)
    outcome = generate(with_reference(REGISTER, idle, items, register, lend, idle))

    assert fate(outcome) == ("accepted", None)
    kept = json.loads(outcome.scenarios[0].reference_json)
    assert kept == [each.model_dump(mode="json") for each in REGISTER.reference]


_FIND, _ITEM, _LIST, _EXTEND = EXTEND.reference
_TWICE = _EXTEND.model_copy(update={"literals": {"loan_id": "x", "due_on": "2025-04-20"}})
_BLIND = (
    step("find_items", name_contains="electric chainsaw"),
    step("register_member", full_name="Dana Kim", email="dana.kim@example.org"),
)
BADLY_FORMED: list[tuple[str, ScenarioDraft]] = [
    ("task_empty", EXTEND.model_copy(update={"task": " "})),
    ("final_message_empty", EXTEND.model_copy(update={"final_message": ""})),
    ("unknown_tool", with_reference(EXTEND, *EXTEND.reference, step("sell_item"))),
    ("binding_not_backwards", edited(EXTEND, 2, item_id=(2, "data", 0, "item_id"))),
    ("argument_twice", with_reference(EXTEND, _FIND, _ITEM, _LIST, _TWICE)),
    ("no_write", with_reference(EXTEND, _FIND, _ITEM, _LIST)),
    ("reference_too_short", with_reference(EXTEND).model_copy(update={"kind": "question"})),
    ("reference_too_long", with_reference(EXTEND, *EXTEND.reference, *[_EXTEND] * 12)),
    ("no_lookup_before_write", with_reference(REGISTER, *[_BLIND[1]] * 3)),
    ("argument_invalid", edited(EXTEND, 3, due_on=20)),
    ("argument_invalid", edited(EXTEND, 3, due_on=None)),
    ("argument_invalid", edited(EXTEND, 3, reason=(0, "data", 0, "full_name"))),
    ("id_leaked", EXTEND.model_copy(update={"task": EXTEND.task + " It is loa-0003."})),
    ("id_in_literal", edited(EXTEND, 2, member_id="MEM-0003")),
    ("value_not_in_task", edited(EXTEND, 3, due_on="2025-04-21")),
]


def test_a_badly_formed_draft_is_rejected_without_being_played() -> None:
    outcome = generate(*[draft for _, draft in BADLY_FORMED])

    assert [row.reason for row in outcome.scenarios] == [reason for reason, _ in BADLY_FORMED]
    assert {row.status for row in outcome.scenarios} == {"rejected"}
    assert outcome.scenario_validations == ()
    assert (outcome.status, outcome.reason) == ("rejected", "no_scenario_accepted")


_BRAM = ScenarioDraft(
    kind="single_goal",
    task="Bram brought back what he had borrowed. It is in good condition.",
    reference=(
        step("find_members", name_contains="Bram"),
        step("list_loans", member_id=(0, "data", 0, "member_id")),
        step("return_item", loan_id=(1, "data", 0, "loan_id"), condition="good"),
    ),
    final_message="It is back.",
    checks=(),
)
BADLY_PLAYED: list[tuple[str, ScenarioDraft]] = [
    ("binding_unresolved", edited(EXTEND, 3, loan_id=(2, "data", 1, "loan_id"))),
    ("reference_call_refused", edited(REGISTER, 2, item_id=(0, "data", 0, "name"))),
    ("description_ambiguous", _BRAM),
]


def test_a_reference_that_does_not_work_out_is_rejected() -> None:
    outcome = generate(*[draft for _, draft in BADLY_PLAYED])

    assert [(row.status, row.reason) for row in outcome.scenarios] == [("rejected", each[0]) for each in BADLY_PLAYED]


def test_one_of_several_results_may_be_taken_when_the_task_says_which() -> None:
    told = _BRAM.model_copy(update={"task": _BRAM.task.replace("Bram", "Bram de Wit")})
    by_order = _BRAM.model_copy(update={"task": _BRAM.task.replace("Bram", "Bram, who had the first of them,")})

    outcome = generate(told, by_order)

    assert [fate(outcome, number) for number in (0, 1)] == [("accepted", None)] * 2


_SET_DATE = '        loan["due_on"] = due_on\n'
_COUNT = '        _SETTINGS["n"] = _SETTINGS.get("n", 0) + 1\n        loan["fee_due_cents"] = _SETTINGS["n"]\n'
BROKEN_CODE: list[tuple[str, str, str]] = [
    ("reference_call_raised", _SET_DATE, '        raise KeyError("loan")\n'),
    ("reference_changes_nothing", _SET_DATE + '        loan["is_extended"] = True\n', ""),
    ("reference_breaks_model", _SET_DATE, '        loan["due_on"] = due_on + "T10:00"\n'),
    ("invariant_broken", _SET_DATE, '        self.settings["loan_limit"] = 0\n        loan["due_on"] = due_on\n'),
    ("not_deterministic", _SET_DATE, _SET_DATE + _COUNT),
]


@pytest.mark.parametrize(("reason", "old", "new"), BROKEN_CODE, ids=[each[0] for each in BROKEN_CODE])
def test_a_scenario_that_meets_broken_code_is_rejected(reason: str, old: str, new: str) -> None:
    assert fate(generate(EXTEND, skeleton=shed_with(old, new))) == ("rejected", reason)


UNPROVEN: list[tuple[str, ScenarioDraft, str]] = [
    ("reference_fails", with_checks(EXTEND, check("return False")), "The reference fails the checks 1."),
    ("no_op_passes", with_checks(EXTEND, check("return True")), 'Every check holds after doing nothing and saying ""'),
    (
        "no_op_passes",
        with_checks(EXTEND, check("return True"), check('return "20 April" in trajectory["final_message"]', "answer")),
        'Every goal check holds after doing nothing and saying ""',
    ),
    ("check_raises", with_checks(EXTEND, check('return final_state["loan"]')), "check 1: KeyError: 'loan'"),
    ("check_raises", with_checks(EXTEND, check("return 1")), "check 1: not_bool"),
    ("check_raises", with_checks(EXTEND, check("return final_state.clear() is None")), "check 1: changed_inputs"),
]


def test_checks_that_prove_nothing_reject_the_scenario() -> None:
    outcome = generate(*[draft for _, draft, _ in UNPROVEN])

    for row, (reason, _, detail) in zip(outcome.scenarios, UNPROVEN, strict=True):
        assert (row.status, row.reason) == ("rejected", reason)
        assert row.detail is not None and row.detail.startswith(detail)
        trials = [each for each in outcome.scenario_validations if each.scenario_id == row.scenario_id]
        assert next(each.detail for each in trials if not each.is_as_expected) == row.detail


def test_what_the_goals_of_an_author_do_not_ask_for_is_added() -> None:
    loan = check(
        'return any([each["due_on"], each["item_id"], each["status"]] == ["2025-04-14", "ITM-0001", "open"] '
        'for each in final_state["loans"].values())'
    )
    outcome = generate(with_checks(REGISTER, loan))

    (row,) = outcome.scenarios
    assert (row.status, row.reason, row.check_count) == ("accepted", None, 3)
    texts = [each.text for each in outcome.checks]
    assert texts[0].startswith('There is exactly one new member: it has full name "Dana Kim"')
    assert texts[1:] == ["As asked.", "Nothing else changed: at most 2 may be new."]


def test_a_draft_that_no_table_can_hold_is_still_a_row() -> None:
    outcome = generate(
        edited(EXTEND, 3, due_on=float("nan")), EXTEND.model_copy(update={"task": "Half \ud83d a smile"})
    )

    assert [fate(outcome, number) for number in (0, 1)] == [("rejected", "draft_not_json")] * 2
    assert json.loads(outcome.scenarios[0].reference_json)[3]["literals"] == {"due_on": None}
    assert outcome.scenarios[1].task == "Half \\ud83d a smile"


def test_a_task_is_accepted_once_per_skeleton() -> None:
    shouted = EXTEND.model_copy(update={"task": EXTEND.task.upper()})
    outcome = generate(edited(EXTEND, 3, due_on="2025-04-21"), EXTEND, EXTEND, shouted)

    assert [fate(outcome, number) for number in range(4)] == [
        ("rejected", "value_not_in_task"),
        ("accepted", None),
        ("duplicate", "same_task"),
        ("duplicate", "same_task"),
    ]
    assert len({each.scenario_id for each in outcome.scenarios}) == 4
    assert outcome.detail == "1 x value_not_in_task, 2 x same_task"


def test_more_scenarios_than_asked_for_are_rejected() -> None:
    outcome = generate(EXTEND, REGISTER, scenarios_per_state=1)

    assert [fate(outcome, number) for number in (0, 1)] == [("accepted", None), ("rejected", "beyond_count")]
