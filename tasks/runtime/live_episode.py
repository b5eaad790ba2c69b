"""An episode while it is going on: every call is kept, and it can be scored at any time."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from schemas.scenarios import ReferenceStep
from tasks.runtime.environment import Environment, understood_arguments
from tasks.runtime.episode import Episode, PlayedCall, bound_arguments
from tasks.runtime.faults import EnvironmentFault, as_faults
from tasks.runtime.reward import CheckLike, CheckOutcome, Score, run_checks, score, unscored
from tasks.sandbox.base import CheckSession


class EpisodeOver(Exception):
    """Someone else has reset or called the environment: this episode can't go on in it."""


class LiveEpisode:
    """One agent's attempt, from the reset that came before it to its last call.

    Nothing reads the state before `end` does. When the environment breaks, that call and all later ones raise the
    fault, and the score says so instead of blaming the agent; `undo` goes back to before it.
    """

    def __init__(
        self,
        environment: Environment,
        checks: Sequence[CheckLike],
        open_checks: Callable[[], AbstractContextManager[CheckSession]],
    ) -> None:
        """Begin where the environment stands.

        Args:
            environment: It has just been reset. While the episode goes on, nobody else calls its tools.
            checks: Those of the scenario; none when nothing is to be scored.
            open_checks: Opens a session for them.
        """
        self.checks = tuple(checks)
        self._environment = environment
        self._open_checks = open_checks
        self._position = environment.position
        self._initial = environment.initial_state
        self._calls: list[PlayedCall] = []
        self._final: dict[str, Any] | None = None
        self._fault: EnvironmentFault | None = None
        self._no_op: tuple[CheckOutcome, ...] | None = None
        self._record: Episode | None = None

    @property
    def calls(self) -> tuple[PlayedCall, ...]:
        """The calls so far, those that were refused or broke the environment included."""
        return tuple(self._calls)

    @property
    def fault(self) -> EnvironmentFault | None:
        """How the environment broke; null while it works. `undo` and `restart` start it anew."""
        return self._fault

    @property
    def record(self) -> Episode | None:
        """The episode as it was last scored; null before the first `end`, and when the environment broke."""
        return self._record

    def call(self, tool: str, arguments: Mapping[str, Any] | str) -> dict[str, Any]:
        """Call a tool and keep the call. Unknown tools and unfit arguments are refused before any code runs.

        Args:
            tool: Name of a declared tool.
            arguments: Name -> value, or the JSON text of that, as models write it.

        Returns:
            What the agent sees: the tool's own result, or {"success": false, "error": ...}.

        Raises:
            EnvironmentFault: the environment broke, now or at an earlier call.
            EpisodeOver: the environment was used by someone else.
        """
        self._require_undisturbed()
        if self._fault is not None:
            raise self._fault
        given = understood_arguments(arguments)
        self._final = None
        try:
            with as_faults(f"tool {tool!r:.60}"):
                seen = self._environment.observe(tool, arguments if given is None else given)
        except EnvironmentFault as fault:
            result = {"success": False, "error": f"The environment is broken: {fault}"}
            self._calls.append(PlayedCall(tool, given or {}, result, "broken"))
            self._fault = fault
            raise
        finally:
            self._position = self._environment.position
        self._calls.append(PlayedCall(tool, seen.arguments, seen.result, seen.outcome))
        return seen.result

    def follow(self, step: ReferenceStep) -> dict[str, Any]:
        """Make the call of a reference step; what it binds to are the calls so far, which must be the steps before it.

        Raises:
            BindingError: an argument is bound to something that the earlier results do not hold.
            EnvironmentFault, EpisodeOver: as for `call`.
        """
        return self.call(step.tool, bound_arguments(step, self._calls))

    def undo(self) -> PlayedCall | None:
        """Take the last call back, by playing the others again from the start.

        Returns:
            The call that was taken back; null when there was none.

        Raises:
            EnvironmentFault: the environment did not do the same again (reason "not_deterministic"), or it broke.
            EpisodeOver: the environment was used by someone else.
        """
        self._require_undisturbed()
        if not self._calls:
            return None
        undone = self._calls.pop()
        self._play_again()
        return undone

    def restart(self) -> None:
        """Forget all calls and begin again.

        Raises:
            EnvironmentFault: the environment does not start any more.
            EpisodeOver: the environment was used by someone else.
        """
        self._require_undisturbed()
        self._calls.clear()
        self._play_again()

    def end(self, final_message: str | None = "") -> Score:
        """Score the episode as it stands. It may go on afterwards, and be ended again.

        Args:
            final_message: What the agent says at the end; empty or null when it was cut off.

        Raises:
            EpisodeOver: the environment was used by someone else before the episode was ended.
            SandboxUnavailable: no process could be started for the checks.
        """
        self._record = None
        if self._fault is None:
            try:
                final_state = self._final_state()
            except EnvironmentFault as fault:
                self._fault = fault
        if self._fault is not None:
            return unscored(self._fault)
        episode = Episode(self._initial, final_state, self.calls, final_message or "")
        self._record = episode
        if not self.checks:
            return Score(None, None, "there is no scenario, so there are no checks", "scenario")
        with self._open_checks() as session:
            if self._no_op is None:
                self._no_op = run_checks(session, self.checks, Episode(self._initial, self._initial, (), ""))
            return score(run_checks(session, self.checks, episode), self._no_op)

    def _final_state(self) -> dict[str, Any]:
        if self._final is None:
            self._require_undisturbed()
            with as_faults("the state after the last call"):
                self._final = self._environment.state()
        return self._final

    def _play_again(self) -> None:
        self._fault = self._final = None
        try:
            self._replay()
        except EnvironmentFault as fault:
            self._fault = fault
            raise
        finally:
            self._position = self._environment.position

    def _replay(self) -> None:
        with as_faults("starting over"):
            self._environment.restart()
        for call in self._calls:
            if call.outcome == "invalid":  # no code ran
                continue
            with as_faults(f"tool {call.tool!r}, played again"):
                again = self._environment.observe(call.tool, call.arguments)
            if again.result != call.result:
                raise EnvironmentFault("not_deterministic", f"tool {call.tool!r}, played again, answered otherwise")

    def _require_undisturbed(self) -> None:
        if self._environment.position != self._position:
            raise EpisodeOver("The environment was reset or called from outside this episode. Start another one.")
