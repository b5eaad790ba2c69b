"""The rows of played scenarios, and what broke under an agent's hands."""

from collections import Counter
from dataclasses import dataclass
from typing import NoReturn, cast

import pytest

from schemas.skeletons import Skeleton
from schemas.trajectories import Trajectory
from tasks.authors.playing import Conversation
from tasks.probes.model import play_with_model
from tasks.probes.probe import MORE_CALLS, probe_scenarios
from tasks.probes.rates import pass_rates
from tasks.probes.ring import Case
from tasks.probes.rows import Probed
from tasks.sandbox.base import FaultReason, Sandbox, SessionDied
from tests.fakes.lending_shed_cases import cases, with_check
from tests.fakes.lending_shed_scenarios import SKELETON, TOOLS, check, shed_with
from tests.fakes.sandbox import SANDBOX

RAISES = shed_with("wanted = name_contains.lower()\n", "wanted = name_contains.lower() + 1\n")
HANGS_UP = shed_with("wanted = name_contains.lower()\n", "wanted = 'x' * 10**12\n")


def probed(*chosen: Case, skeleton: Skeleton = SKELETON, seed: int = 0, attempts: int = 5) -> tuple[Probed, ...]:
    return probe_scenarios(skeleton, TOOLS, chosen or cases(), sandbox=SANDBOX, seed=seed, attempts=attempts)


def trajectories(*outcome: Probed) -> list[Trajectory]:
    return [row for each in outcome for row in each.trajectories]


def test_each_scenario_is_played_by_every_agent_as_often_as_asked_for() -> None:
    outcome = probed()

    assert [each.scenario_id for each in outcome] == [case.scenario.scenario_id for case in cases()]
    assert [(each.reason, each.is_final) for each in outcome] == [(None, True)] * 2
    for each in outcome:
        counts = Counter(row.agent for row in each.trajectories)
        assert counts == {"no_op": 1, "random_valid": 5, "greedy": 1, "noisy_reference": 5}
        assert [row.noise for row in each.trajectories if row.noise is not None] == [0.1, 0.2, 0.3, 0.4, 0.5]
    lengths = {case.scenario.scenario_id: case.scenario.reference_length for case in cases()}
    assert all(row.call_count <= lengths[row.scenario_id] + MORE_CALLS for row in trajectories(*outcome))
    assert all(row.reward is not None and row.at_fault is None for row in trajectories(*outcome))


def test_the_same_seed_plays_the_same_and_another_one_otherwise() -> None:
    assert probed(seed=3) == probed(seed=3)
    assert trajectories(*probed(seed=3)) != trajectories(*probed(seed=4))


def test_a_scenario_is_played_alike_whatever_is_played_before_it() -> None:
    first, second = cases()

    assert probed(second) == probed(first, second)[1:]


def test_steps_are_kept_of_first_attempts_and_of_what_is_worth_a_look() -> None:
    (outcome,) = probed(cases()[0], attempts=12)

    kept = Counter(step.trajectory_id for step in outcome.steps)
    for row in outcome.trajectories:
        is_reference = row.agent == "noisy_reference" and row.disturbed_count == 0
        assert row.has_steps == (row.attempt == 1 or (row.success is True and not is_reference))
        assert kept[row.trajectory_id] == (row.call_count if row.has_steps else 0)
    errors = {step.outcome: step.error_by for step in outcome.steps}
    assert errors["done"] is None
    assert errors["refused"] == "agent"


def test_a_broken_environment_is_nobodys_failure_and_counted_apart() -> None:
    outcome = probed(cases()[0], skeleton=RAISES)[0]

    broken = [row for row in outcome.trajectories if row.at_fault is not None]
    assert (outcome.reason, outcome.is_final) == ("environment_broke", True)
    assert "find_members" in (outcome.detail or "")
    assert {(row.reward, row.success, row.ended, row.at_fault) for row in broken} == {
        (None, None, "broken", "environment")
    }
    assert {row.agent for row in broken} >= {"greedy", "noisy_reference"}
    assert "no_op" not in {row.agent for row in broken}, "who does not touch it is not hurt"
    rates = {each.agent: each for each in pass_rates(outcome.trajectories)}
    assert (rates["greedy"].attempts, rates["greedy"].broken, rates["greedy"].rate) == (0, 1, None)
    assert rates["random_valid"].attempts + rates["random_valid"].broken == 5
    last = [step for step in outcome.steps if step.trajectory_id == broken[-1].trajectory_id][-1]
    assert (last.tool, last.outcome, last.error_by) == ("find_members", "broken", "environment")


def test_the_call_that_breaks_among_several_at_once_is_the_last_of_its_episode() -> None:
    outcome = probed(cases()[0], skeleton=RAISES, attempts=20)[0]

    for row in outcome.trajectories:
        steps = [step.tool for step in outcome.steps if step.trajectory_id == row.trajectory_id]
        if row.at_fault == "environment":
            assert steps.index("find_members") == len(steps) - 1
        else:
            assert "find_members" not in steps


def test_an_environment_that_takes_its_process_down_is_played_on_in_another() -> None:
    outcome = probed(skeleton=HANGS_UP, attempts=2)

    rows = trajectories(*outcome)
    assert {each.reason for each in outcome} == {"environment_broke"}
    assert {row.at_fault for row in rows if row.agent == "greedy"} == {"environment"}
    assert {row.reward for row in rows if row.agent == "no_op"} == {0.0}
    assert any(row.success for row in rows), "the scenario that does not need the tool is still solved"


@pytest.mark.parametrize("line", ["raise KeyError('x')", "return 3"])
def test_a_broken_check_is_nobodys_failure(line: str) -> None:
    outcome = probed(with_check(cases()[0], check(line)))[0]

    assert (outcome.reason, outcome.is_final) == ("check_broke", True)
    assert {(row.reward, row.at_fault) for row in outcome.trajectories} == {(None, "check")}
    assert all(row.ended == "finished" for row in outcome.trajectories)


def test_a_scenario_without_a_check_that_measures_is_told_apart_from_a_broken_check() -> None:
    case = cases()[0]
    guards = tuple(each.model_copy(update={"kind": "guard"}) for each in case.checks)

    outcome = probed(Case(case.scenario, case.state, guards), attempts=1)[0]

    assert (outcome.reason, outcome.is_final) == ("scenario_broke", True)
    assert {(row.reward, row.at_fault) for row in outcome.trajectories} == {(None, "scenario")}
    assert "no goal or answer check" in (outcome.detail or "")


@dataclass
class Dying:
    """A sandbox in which no class is ever loaded to its end."""

    reason: FaultReason

    def environment(self, code: str, class_name: str, *, hash_seed: int = 0) -> NoReturn:
        raise SessionDied(self.reason, "it is over")


class Silent:
    """A player whom nobody asks."""

    name = "silent"

    def turn(self, conversation: Conversation, *, seed: int) -> NoReturn:
        raise AssertionError("asked although nothing can be played")


@pytest.mark.parametrize(("reason", "is_final"), [("wall", False), ("cpu", False), ("memory", True), ("crash", True)])
def test_a_class_that_loads_too_slowly_is_played_again(reason: FaultReason, is_final: bool) -> None:
    dying = cast(Sandbox, Dying(reason))

    outcomes = (
        probe_scenarios(SKELETON, TOOLS, cases(), sandbox=dying, seed=0, attempts=1),
        play_with_model(SKELETON, TOOLS, cases(), player=Silent(), sandbox=dying, seed=0, attempts=1),
    )

    for outcome in outcomes:
        assert [(each.trajectories, each.reason) for each in outcome] == [((), "environment_broke")] * 2
        assert [each.is_final for each in outcome] == [is_final] * 2


def test_a_class_that_does_not_load_leaves_no_episode_and_says_why() -> None:
    outcome = probed(skeleton=SKELETON.model_copy(update={"code": "import socket\n"}))

    assert [(each.reason, each.trajectories) for each in outcome] == [("environment_broke", ())] * 2
    assert all("does not load" in (each.detail or "") and each.is_final for each in outcome)
