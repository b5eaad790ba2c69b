"""What a proof does to the checks: joined, removed, or replaced by what follows from the reference."""

from tasks.proof.verdicts import Needs
from tasks.scenarios.refine import joined, needed_checks
from tests.fakes.lending_shed import STATES
from tests.fakes.lending_shed_scenarios import EXTEND, REGISTER, check, generate, with_checks
from tests.fakes.sandbox import SANDBOX

GENERATED_ID = check(
    'return final_state["loans"]["LOA-0003"]["due_on"] == "2025-04-20" and len(trajectory["calls"]) < 6'
)


def test_a_goal_that_is_too_loose_is_replaced_by_what_follows_from_the_reference() -> None:
    loose = check('return any(each["due_on"] == "2025-04-14" for each in final_state["loans"].values())')
    outcome = generate(with_checks(REGISTER, loose))

    first, second = outcome.scenarios
    assert [(each.version, each.status, each.reason) for each in (first, second)] == [
        (1, "rejected", "mutant_survives"),
        (2, "accepted", None),
    ]
    assert (second.parent_scenario_id, second.repairs) == (first.scenario_id, "mutant_survives")
    kept = [each for each in outcome.checks if each.scenario_id == second.scenario_id]
    assert [(each.kind, each.origin) for each in kept] == [
        ("goal", "derived"),
        ("goal", "derived"),
        ("guard", "derived"),
    ]


def test_a_goal_that_is_too_strict_is_replaced_by_what_follows_from_the_reference() -> None:
    outcome = generate(with_checks(EXTEND, GENERATED_ID))

    assert [(each.status, each.reason) for each in outcome.scenarios] == [
        ("rejected", "equivalent_fails"),
        ("accepted", None),
    ]


def test_checks_that_add_nothing_are_removed_before_anything_is_published() -> None:
    idle = check('return len(final_state["members"]) == 4', "guard")
    always = check('return len(trajectory["calls"]) < 99', "procedure")
    outcome = generate(with_checks(EXTEND, idle, always))

    (row,) = outcome.scenarios
    assert (row.status, row.version, row.check_count) == ("accepted", 1, 2)
    assert [(each.kind, each.origin) for each in outcome.checks] == [("goal", "derived"), ("guard", "derived")]


def test_derived_goals_that_fail_alike_become_one_that_asks_for_both() -> None:
    goals = [
        check('return final_state["now"] == "2025-04-07T10:00"').model_copy(update={"origin": "derived"}),
        check('return len(final_state["loans"]) == 5').model_copy(update={"origin": "derived"}),
    ]
    both = joined(goals)
    with SANDBOX.checks() as session:
        later = {**STATES[0], "loans": {**STATES[0]["loans"], "LOA-0005": {}}}
        verdicts = [session.check([both.code], STATES[0], state, {})[0] for state in (STATES[0], later)]

    assert [(each.passed, each.error) for each in verdicts] == [(False, None), (True, None)]
    guard = check("return True", "guard")
    assert needed_checks([*goals, guard], Needs((), ((1, 2),))) == (both, guard)


def test_the_authors_goal_gives_way_to_a_derived_one_and_the_last_goal_stays() -> None:
    mine, theirs = check("return True"), check("return False").model_copy(update={"origin": "derived"})

    assert needed_checks([mine, theirs], Needs((), ((1, 2),))) == (theirs,)
    assert needed_checks([mine], Needs((1,), ())) == (mine,)
