"""The proof of one scenario: which trials are played, and what they decide."""

from collections.abc import Iterator

import pytest

from schemas.ids import make_id
from schemas.scenarios import CheckDraft
from tasks.proof.extra import toolbox_of
from tasks.proof.prove import Proof, prove
from tasks.proof.trials import Solution
from tasks.runtime.derive import goal_checks
from tasks.runtime.environment import Environment, parameters_of
from tasks.runtime.episode import play
from tasks.sandbox.base import SessionDied
from tasks.sandbox.zygote import ZygoteSandbox
from tasks.scenarios.guard import guard_check
from tasks.scenarios.rows import check_rows
from tests.fakes.lending_shed import CLASS_NAME, CODE, LOGIC_MODEL, STATES
from tests.fakes.lending_shed_scenarios import REGISTER, TOOLS, check
from tests.fakes.sandbox import SANDBOX

STATE = STATES[0]
TOOLBOX = toolbox_of(LOGIC_MODEL, TOOLS)


@pytest.fixture(scope="module")
def environment() -> Iterator[Environment]:
    with SANDBOX.environment(CODE, CLASS_NAME) as session:
        yield Environment(session, parameters_of(TOOLS))


def solution(*checks: CheckDraft) -> Solution:
    scenario = make_id("scn", "proof")
    return Solution(
        scenario_id=scenario,
        state=STATE,
        reference=REGISTER.reference,
        final_message=REGISTER.final_message,
        checks=check_rows(scenario, checks),
        write_steps=(1, 2),
    )


def complete(environment: Environment) -> tuple[CheckDraft, ...]:
    """What follows from the reference."""
    environment.reset(STATE)
    after = play(environment, REGISTER.reference).final_state
    return (*goal_checks(LOGIC_MODEL, STATE, after), guard_check(LOGIC_MODEL, STATE, after))


def proven(environment: Environment, *checks: CheckDraft) -> Proof:
    with SANDBOX.checks() as session:
        return prove(solution(*checks), environment, session, TOOLBOX)


def test_a_scenario_is_proven_by_a_reference_that_passes_and_less_that_fails(environment: Environment) -> None:
    environment.reset(STATE)
    after = play(environment, REGISTER.reference).final_state
    answer = check('return "14 April" in trajectory["final_message"]', "answer")
    order = check('return [each["tool"] for each in trajectory["calls"]][:1] != ["lend_item"]', "procedure")
    proof = proven(
        environment, *goal_checks(LOGIC_MODEL, STATE, after), answer, order, guard_check(LOGIC_MODEL, STATE, after)
    )

    assert (proof.status, proof.reason, proof.detail) == ("accepted", None, None)
    seven = [(each.trial, each.number, each.has_passed, each.checks_failed) for each in proof.trials[:7]]
    assert seven == [
        ("reference", 3, True, []),
        ("no_op", 0, False, [1, 2, 3]),
        ("no_op", 1, False, [1, 2, 3]),
        ("no_op", 2, False, [1, 2, 3]),
        ("prefix", 0, False, [1, 2]),
        ("prefix", 1, False, [1, 2]),
        ("prefix", 2, False, [2]),
    ]
    assert len({each.scenario_validation_id for each in proof.trials}) == len(proof.trials) > 20
    assert [each.reward for each in proof.trials[:4]] == [1, 0, 0, 0]
    assert all(each.reward is not None and each.reward < 1 for each in proof.trials[4:7])


def test_trials_start_from_a_fresh_state_each_and_are_always_the_same(environment: Environment) -> None:
    checks = complete(environment)

    assert proven(environment, *checks).status == "accepted"
    assert proven(environment, *checks) == proven(environment, *checks)


def test_the_first_flaw_decides_and_every_flaw_is_a_row(environment: Environment) -> None:
    proof = proven(environment, check('return len(final_state["members"]) == 4'))

    assert (proof.status, proof.reason) == ("rejected", "reference_fails")
    assert [(each.trial, each.number) for each in proof.trials if not each.is_as_expected] == [
        ("reference", 3),
        ("no_op", 0),
        ("no_op", 1),
        ("no_op", 2),
        ("prefix", 0),
        ("prefix", 1),
    ]


def test_a_reference_with_a_write_that_nobody_asks_for_is_not_proven(environment: Environment) -> None:
    proof = proven(environment, check('return len(final_state["members"]) == 5'))

    assert (proof.status, proof.reason) == ("rejected", "prefix_passes")
    assert proof.detail == "Every check holds after 2 of the calls."
    assert [each.is_as_expected for each in proof.trials] == [True] * 6 + [False]


def test_a_check_that_breaks_on_less_than_the_reference_ends_the_proof(environment: Environment) -> None:
    proof = proven(environment, check('return final_state["loans"]["LOA-0005"]["status"] == "open"'))

    assert (proof.status, proof.reason) == ("rejected", "check_raises")
    assert proof.detail is not None and proof.detail.startswith("check 1: KeyError: 'LOA-0005'")
    assert [(each.trial, each.has_passed, each.is_as_expected) for each in proof.trials] == [
        ("reference", True, True),
        ("no_op", None, False),
    ]


def test_a_check_that_gives_changing_answers_is_not_deterministic(environment: Environment) -> None:
    counting = "import math; math.calls = getattr(math, 'calls', 0) + 1; return math.calls % 2 == 1"
    proof = proven(environment, check(counting))

    assert (proof.status, proof.reason) == ("rejected", "not_deterministic")


def test_a_goal_must_be_missed_by_doing_nothing_even_when_an_answer_is(environment: Environment) -> None:
    answer = check('return "Dana" in trajectory["final_message"] and len(trajectory["calls"]) == 3', "answer")
    proof = proven(environment, check("return True"), answer)

    assert (proof.status, proof.reason) == ("rejected", "no_op_passes")
    assert [each.is_as_expected for each in proof.trials] == [True, False, False, False, True, True, True]


def test_an_environment_that_dies_is_no_verdict_on_the_scenario() -> None:
    hanging = CODE.replace(
        "        member_id = self._new_id(", "        while True:\n            pass\n        member_id = ("
    )
    sandbox = ZygoteSandbox(wall_s=0.6)
    with sandbox.environment(hanging, CLASS_NAME) as session, sandbox.checks() as checks, pytest.raises(SessionDied):
        prove(solution(check("return True")), Environment(session, parameters_of(TOOLS)), checks, TOOLBOX)
