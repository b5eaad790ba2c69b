"""Plays the scenarios of one environment with the probe agents that need no model."""

from collections.abc import Iterator, Sequence
from random import Random

from schemas.ids import seed_for
from schemas.skeletons import Skeleton, Tool
from schemas.trajectories import AgentName
from tasks.probes.agents import Agent
from tasks.probes.greedy import Greedy
from tasks.probes.idle import NoOp
from tasks.probes.noise import LEVELS, NoisyReference
from tasks.probes.random_calls import RandomValid
from tasks.probes.ring import Case, Ring
from tasks.probes.rows import Attempted, Entrant, Probed, probed, unplayed
from tasks.runtime.faults import EnvironmentFault
from tasks.sandbox.base import Sandbox

MORE_CALLS = 4
"""An episode may have so many calls more than the reference."""


def probe_scenarios(
    skeleton: Skeleton, tools: Sequence[Tool], cases: Sequence[Case], *, sandbox: Sandbox, seed: int, attempts: int
) -> tuple[Probed, ...]:
    """Play each scenario: once without doing anything, once greedily, and with the two agents that draw their moves.

    The same rows and seed give the same episodes.

    Args:
        skeleton: The environment.
        tools: Its tools.
        cases: Its proven scenarios.
        sandbox: Where code runs.
        seed: Of the run.
        attempts: Of each agent that draws its moves, at each scenario.

    Raises:
        SandboxUnavailable: no process could be started.
    """
    with Ring(skeleton, tools, sandbox) as ring:
        return tuple(_probed(ring, case, seed, attempts) for case in cases)


def _probed(ring: Ring, case: Case, seed: int, attempts: int) -> Probed:
    attempted: list[Attempted] = []
    scenario_id = case.scenario.scenario_id
    try:
        with ring.arena(case, _most_calls(case)) as arena:
            for entrant in _entrants(scenario_id, seed, attempts):
                agent = _agent(entrant, ring, case)
                episode = arena.play(agent)
                disturbed = agent.disturbed_count if isinstance(agent, NoisyReference) else None
                attempted.append(Attempted(entrant, episode, disturbed))
    except EnvironmentFault as fault:
        return unplayed(scenario_id, fault)
    return probed(scenario_id, ring.level, attempted)


def _entrants(scenario_id: str, seed: int, attempts: int) -> Iterator[Entrant]:
    counts: dict[AgentName, int] = {"no_op": 1, "random_valid": attempts, "greedy": 1, "noisy_reference": attempts}
    for agent, count in counts.items():
        for number in range(count):
            own = seed_for("probe", scenario_id, agent, number, seed)
            noise = LEVELS[number % len(LEVELS)] if agent == "noisy_reference" else None
            yield Entrant(agent, number + 1, own, noise=noise)


def _agent(entrant: Entrant, ring: Ring, case: Case) -> Agent:
    rng, brief = Random(entrant.seed), ring.brief(case.scenario)
    match entrant.agent:
        case "no_op":
            return NoOp(rng)
        case "random_valid":
            return RandomValid(brief, rng, _most_calls(case))
        case "greedy":
            return Greedy(brief)
        case _:
            noise = entrant.noise or 0.0
            return NoisyReference(brief, case.reference, case.scenario.final_message, noise=noise, rng=rng)


def _most_calls(case: Case) -> int:
    return case.scenario.reference_length + MORE_CALLS
