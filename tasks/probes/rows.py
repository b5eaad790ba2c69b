"""The rows of episodes: which of them keep their steps, and who caused an error."""

from collections.abc import Sequence
from dataclasses import dataclass

from schemas.ids import canonical_json, make_id
from schemas.trajectories import AgentName, Trajectory, TrajectoryStep
from tasks.probes.episodes import PASSING_FAULTS, PlayedEpisode
from tasks.runtime.faults import EnvironmentFault


@dataclass(frozen=True, slots=True)
class Entrant:
    """Who plays an episode."""

    agent: AgentName
    attempt: int
    """Counted from 1."""
    seed: int
    model: str | None = None
    """Name of the language model; null for all other agents."""
    noise: float | None = None
    """Chance of a step to be disturbed; null but for the noisy reference."""


@dataclass(frozen=True, slots=True)
class Attempted:
    """An episode and who played it."""

    entrant: Entrant
    episode: PlayedEpisode
    disturbed_count: int | None = None


@dataclass(frozen=True)
class Probed:
    """The episodes of one scenario as rows."""

    scenario_id: str
    trajectories: tuple[Trajectory, ...]
    steps: tuple[TrajectoryStep, ...]
    reason: str | None
    """Reason code: environment_broke, check_broke or scenario_broke; null where every episode has a reward. Or why the
    rest is missing: author_unavailable or budget_exhausted."""
    detail: str | None
    """The same for a person."""
    is_final: bool
    """Whether it would be the same the next time; if not, it has to be played again."""


def probed(scenario_id: str, sandbox: str, attempted: Sequence[Attempted]) -> Probed:
    """The rows of all episodes of one scenario, and what broke in the first that has no reward.

    Args:
        scenario_id: The scenario.
        sandbox: Isolation level.
        attempted: The episodes.
    """
    pairs = [(_trajectory(scenario_id, sandbox, each), each.episode) for each in attempted]
    broken = [each.episode for each in attempted if each.episode.at_fault is not None]
    return Probed(
        scenario_id=scenario_id,
        trajectories=tuple(row for row, _ in pairs),
        steps=tuple(step for row, episode in pairs if row.has_steps for step in _steps(row.trajectory_id, episode)),
        reason=f"{broken[0].at_fault}_broke" if broken else None,
        detail=broken[0].problem if broken else None,
        is_final=not any(each.is_passing for each in broken),
    )


def unplayed(scenario_id: str, fault: EnvironmentFault) -> Probed:
    """No rows: the environment broke before there was an episode.

    Args:
        scenario_id: The scenario.
        fault: How it broke; where time ran out, it may hold the next time.
    """
    is_final = fault.reason not in PASSING_FAULTS
    return Probed(scenario_id, (), (), "environment_broke", str(fault), is_final=is_final)


def _trajectory(scenario_id: str, sandbox: str, attempted: Attempted) -> Trajectory:
    entrant, episode = attempted.entrant, attempted.episode
    is_first = entrant.attempt == 1 or entrant.agent == "language_model"
    is_news = episode.success is True and attempted.disturbed_count != 0  # undisturbed, it is the reference
    return Trajectory(
        trajectory_id=make_id("trj", scenario_id, entrant.agent, entrant.model, entrant.attempt, entrant.seed),
        scenario_id=scenario_id,
        agent=entrant.agent,
        model=entrant.model,
        attempt=entrant.attempt,
        seed=entrant.seed,
        noise=entrant.noise,
        disturbed_count=attempted.disturbed_count,
        reward=episode.reward,
        success=episode.success,
        call_count=len(episode.calls),
        refused_count=sum(each.outcome in ("refused", "invalid") for each in episode.calls),
        ended=episode.ended,
        at_fault=episode.at_fault,
        problem=episode.problem,
        final_message=episode.final_message,
        has_steps=is_first or is_news or episode.at_fault is not None,
        sandbox=sandbox,
    )


def _steps(trajectory_id: str, episode: PlayedEpisode) -> list[TrajectoryStep]:
    return [
        TrajectoryStep(
            trajectory_id=trajectory_id,
            number=number,
            tool=call.tool,
            arguments_json=canonical_json(call.arguments),
            result_json=canonical_json(call.result),
            outcome=call.outcome,
            error_by={"done": None, "broken": "environment"}.get(call.outcome, "agent"),
        )
        for number, call in enumerate(episode.calls, start=1)
    ]
