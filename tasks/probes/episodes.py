"""Plays one episode in a live environment; what breaks under an agent's hands is told apart from what it does badly."""

from collections.abc import Sequence
from dataclasses import dataclass

from schemas.trajectories import Ending, EpisodeFault
from tasks.probes.agents import Agent, Final, UnreadCall
from tasks.proof.trials import Asker, Trial
from tasks.runtime.environment import Environment
from tasks.runtime.episode import Episode, PlayedCall
from tasks.runtime.faults import EnvironmentFault, as_faults
from tasks.runtime.reward import Score, score
from tasks.sandbox.base import Call

PASSING_FAULTS = frozenset({"wall", "cpu"})
"""Reasons of an environment's end that a busy machine may have caused."""


@dataclass(frozen=True, slots=True)
class PlayedEpisode:
    """How an episode went."""

    calls: tuple[PlayedCall, ...]
    final_message: str
    ended: Ending
    reward: float | None
    """Null exactly when `at_fault` is set."""
    success: bool | None
    at_fault: EpisodeFault | None = None
    problem: str | None = None
    is_passing: bool = False
    """Whether what broke may hold the next time: time ran out."""


class Arena:
    """Where the episodes of one scenario are played: all from its initial state, each scored by all of its checks."""

    def __init__(self, environment: Environment, state: dict[str, object], asker: Asker, most_calls: int) -> None:
        """Play here.

        Args:
            environment: Its session comes back by itself when it has died.
            state: The initial state.
            asker: Asks the checks.
            most_calls: After so many calls an agent has to end.
        """
        self._environment, self._state, self._asker = environment, state, asker
        self._most_calls = most_calls
        self._idle: Trial | None = None

    def play(self, agent: Agent) -> PlayedEpisode:
        """Play one episode from a fresh copy of the state.

        Raises:
            SandboxUnavailable: no process could be started.
        """
        calls: list[PlayedCall] = []
        try:
            self._restart()
            final = self._played(agent, calls)
            # Nothing was done where nothing was called: the state is the one that it began with.
            with as_faults("the state after the last call"):
                after = self._environment.state() if any(each.outcome != "invalid" for each in calls) else self._state
        except EnvironmentFault as fault:
            return PlayedEpisode(
                tuple(calls), "", "broken", None, None, "environment", str(fault), fault.reason in PASSING_FAULTS
            )
        return self._scored(Episode(self._state, after, tuple(calls), final.message), final.ended)

    def _played(self, agent: Agent, calls: list[PlayedCall]) -> Final:
        while True:
            left = self._most_calls - len(calls)
            move = agent.act(calls, left)
            if isinstance(move, Final):
                return move
            if not left:
                return Final("", "call_limit")
            self._make(move[:left], calls)

    def _make(self, wanted: Sequence[Call | UnreadCall], calls: list[PlayedCall]) -> None:
        """Make the calls and keep them, the one that breaks the environment included."""
        try:
            readable = [each for each in wanted if isinstance(each, Call)]
            if len(wanted) > 1 and len(readable) == len(wanted):
                with as_faults("several calls"):
                    seen = self._environment.observe_all(readable)
                calls += [
                    PlayedCall(w.tool, s.arguments, s.result, s.outcome) for w, s in zip(wanted, seen, strict=True)
                ]
                return
        except EnvironmentFault:
            self._again(calls)
        for each in wanted:
            self._make_one(each, calls)

    def _make_one(self, wanted: Call | UnreadCall, calls: list[PlayedCall]) -> None:
        try:
            with as_faults(f"tool {wanted.tool!r}"):
                seen = self._environment.observe(wanted.tool, wanted.arguments)
        except EnvironmentFault as fault:
            result = {"success": False, "error": f"The environment is broken: {fault}"}
            arguments = wanted.arguments if isinstance(wanted, Call) else {}
            calls.append(PlayedCall(wanted.tool, arguments, result, "broken"))
            raise
        calls.append(PlayedCall(wanted.tool, seen.arguments, seen.result, seen.outcome))

    def _again(self, calls: Sequence[PlayedCall]) -> None:
        """Go back to before the calls among which one broke, to find out which."""
        self._restart()
        with as_faults("the calls before, played again"):
            for each in calls:
                if each.outcome != "invalid":
                    self._environment.observe(each.tool, each.arguments)

    def _scored(self, episode: Episode, ended: Ending) -> PlayedEpisode:
        if self._idle is None:
            self._idle = self._asker.ask(Episode(self._state, self._state, (), ""))
        idle, trial = self._idle, self._asker.ask(episode)
        broken = next((each for each in (trial, idle) if each.broken is not None), None)
        if broken is not None:
            is_late = broken.fault == "check_out_of_time"
            self._idle = None
            return PlayedEpisode(
                episode.calls, episode.final_message, ended, None, None, "check", broken.broken, is_late
            )
        result: Score = score(trial.outcomes, idle.outcomes)
        return PlayedEpisode(
            episode.calls, episode.final_message, ended, result.reward, result.success, result.at_fault, result.problem
        )

    def _restart(self) -> None:
        with as_faults("starting over"):
            if self._environment.has_begun_with(self._state):
                self._environment.restart()
            else:
                self._environment.reset(self._state)
