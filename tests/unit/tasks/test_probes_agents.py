"""Probe agents that need no model: what they may know, what they do, and that they do it again."""

import json
from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

from tasks.probes.agents import Agent, Brief
from tasks.probes.episodes import PlayedEpisode
from tasks.probes.greedy import Greedy
from tasks.probes.idle import NoOp
from tasks.probes.knowledge import is_id
from tasks.probes.noise import NoisyReference
from tasks.probes.probe import MORE_CALLS
from tasks.probes.random_calls import RandomValid
from tasks.probes.ring import Ring
from tasks.runtime.arguments import problem_with
from tasks.runtime.environment import parameters_of
from tests.fakes.lending_shed_cases import cases
from tests.fakes.lending_shed_scenarios import SKELETON, TOOLS
from tests.fakes.sandbox import SANDBOX

SCHEMAS = parameters_of(TOOLS)
BRIEFS = tuple(
    Brief(case.scenario.task, SKELETON.policy, SCHEMAS, {each.name: each.description for each in TOOLS})
    for case in cases()
)
EXTENDING, REGISTERING = range(2)


def played(number: int, *agents: Agent) -> list[PlayedEpisode]:
    """The episodes of these agents at one of the two scenarios."""
    case = cases()[number]
    with Ring(SKELETON, TOOLS, SANDBOX) as ring, ring.arena(case, case.scenario.reference_length + MORE_CALLS) as arena:
        return [arena.play(agent) for agent in agents]


def noisy(number: int, noise: float, seed: int) -> NoisyReference:
    case = cases()[number]
    return NoisyReference(BRIEFS[number], case.reference, case.scenario.final_message, noise=noise, rng=Random(seed))


def called(episode: PlayedEpisode) -> list[str]:
    return [call.tool for call in episode.calls]


@pytest.mark.parametrize("number", [EXTENDING, REGISTERING])
def test_doing_nothing_earns_nothing_and_breaks_nothing(number: int) -> None:
    episodes = played(number, *(NoOp(Random(seed)) for seed in range(6)))

    assert {(each.reward, each.success, each.calls, each.ended) for each in episodes} == {(0.0, False, (), "finished")}
    assert {each.final_message for each in episodes} == {"", "Done.", "I can't do that."}


def test_random_calls_fit_their_schemas_and_use_no_id_that_was_not_seen() -> None:
    episodes = played(EXTENDING, *(RandomValid(BRIEFS[EXTENDING], Random(seed), 8) for seed in range(20)))

    made = [call for each in episodes for call in each.calls]
    assert len({call.tool for call in made}) == len(TOOLS), "each tool is drawn some time"
    assert [problem_with(call.arguments, SCHEMAS[call.tool]) for call in made] == [None] * len(made)
    assert {call.outcome for call in made} == {"done", "refused"}
    for episode in episodes:
        seen = BRIEFS[EXTENDING].task
        for call in episode.calls:
            assert all(value in seen for value in call.arguments.values() if is_id(value))
            seen += json.dumps(call.result)


def test_random_calls_end_within_the_limit_and_differ_with_the_seed() -> None:
    one, same, other = played(EXTENDING, *(RandomValid(BRIEFS[EXTENDING], Random(seed), 8) for seed in (1, 1, 2)))

    assert one == same
    assert one != other
    assert 1 <= len(one.calls) <= 8


def test_the_greedy_agent_looks_up_before_it_writes_and_solves_a_plain_task() -> None:
    (episode,) = played(EXTENDING, Greedy(BRIEFS[EXTENDING]))

    assert called(episode)[-1] == "extend_loan"
    assert set(called(episode)[:-1]) <= {"find_members", "find_items", "list_loans"}
    assert episode.calls[-1].arguments == {"loan_id": "LOA-0003", "due_on": "2025-04-20"}
    assert (episode.success, episode.reward) == (True, 1.0)
    assert "Chiara Rossi" in episode.final_message, "it says what it has found"


def test_the_greedy_agent_plays_a_scenario_in_one_way() -> None:
    one, same = played(REGISTERING, Greedy(BRIEFS[REGISTERING]), Greedy(BRIEFS[REGISTERING]))

    assert one == same
    assert one.success is False


@pytest.mark.parametrize("number", [EXTENDING, REGISTERING])
def test_a_reference_without_noise_is_the_reference(number: int) -> None:
    agent = noisy(number, 0.0, 1)
    (episode,) = played(number, agent)

    assert called(episode) == [step.tool for step in cases()[number].reference]
    assert (episode.reward, episode.success, agent.disturbed_count) == (1.0, True, 0)


def test_a_disturbed_reference_goes_wrong_in_four_ways_and_never_beyond_its_length() -> None:
    agents = [noisy(EXTENDING, 0.4, seed) for seed in range(100)]
    episodes = played(EXTENDING, *agents)

    right = [{"tool": step.tool} for step in cases()[EXTENDING].reference]
    ways = {_way(right, episode) for episode in episodes}
    assert ways >= {"same tools", "fewer calls", "another tool", "another order"}
    assert all(len(each.calls) <= len(right) for each in episodes)
    undisturbed = [episode for agent, episode in zip(agents, episodes, strict=True) if agent.disturbed_count == 0]
    assert undisturbed
    assert all(each.success for each in undisturbed)
    assert any(each.success is False for each in episodes)


def test_a_changed_argument_is_another_value_that_was_seen() -> None:
    right = played(EXTENDING, noisy(EXTENDING, 0.0, 0))[0].calls
    episodes = played(EXTENDING, *(noisy(EXTENDING, 0.3, seed) for seed in range(60)))

    changed = [
        (mine.arguments, call.arguments)
        for episode in episodes
        if called(episode) == [call.tool for call in right]
        for mine, call in zip(episode.calls, right, strict=True)
        if mine.arguments != call.arguments
    ]
    assert changed
    for mine, reference in changed:
        assert mine.keys() == reference.keys()


def test_a_disturbed_reference_uses_no_id_that_was_not_seen() -> None:
    right = {call.tool: call.arguments for call in played(EXTENDING, noisy(EXTENDING, 0.0, 0))[0].calls}
    episodes = played(EXTENDING, *(noisy(EXTENDING, 0.4, seed) for seed in range(150)))

    other_ids = 0
    for episode in episodes:
        seen = BRIEFS[EXTENDING].task
        for call in episode.calls:
            reference = right.get(call.tool, {})
            others = [value for name, value in call.arguments.items() if value != reference.get(name)]
            assert [value for value in others if is_id(value) and value not in seen] == []
            other_ids += sum(map(is_id, others))
            seen += json.dumps(call.result)
    assert other_ids


@pytest.mark.parametrize("number", [EXTENDING, REGISTERING])
def test_what_is_counted_as_disturbed_was_disturbed(number: int) -> None:
    (plain,) = played(number, noisy(number, 0.0, 0))
    agents = [noisy(number, 0.5, seed) for seed in range(80)]
    episodes = played(number, *agents)

    assert {agent.disturbed_count for agent in agents} >= {0, 1, 2}
    for agent, episode in zip(agents, episodes, strict=True):
        assert (agent.disturbed_count == 0) == (episode == plain)


def test_a_reference_of_one_step_has_none_to_be_swapped_with() -> None:
    case, brief = cases()[EXTENDING], BRIEFS[EXTENDING]
    first = case.reference[:1]
    agents = [NoisyReference(brief, first, "Done.", noise=1.0, rng=Random(seed)) for seed in range(40)]
    episodes = played(EXTENDING, *agents)

    right = played(EXTENDING, NoisyReference(brief, first, "Done.", noise=0.0, rng=Random(0)))[0]
    for agent, episode in zip(agents, episodes, strict=True):
        assert agent.disturbed_count == (episode != right)
    assert {agent.disturbed_count for agent in agents} == {0, 1}, "where no other value is known, the step stays"


def _way(right: Sequence[dict[str, Any]], episode: PlayedEpisode) -> str:
    wanted, made = [each["tool"] for each in right], called(episode)
    if made == wanted:
        return "same tools"
    if sorted(made) == sorted(wanted):
        return "another order"
    return "another tool" if set(made) - set(wanted) else "fewer calls"
