"""Calls on states through the door that agents use, in as few messages as they allow."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tasks.runtime.arguments import Schema
from tasks.runtime.environment import EnvironmentBroken, call_problem, observation_of
from tasks.sandbox.base import Call, EnvironmentSession, StepResult

State = dict[str, Any]


@dataclass(frozen=True)
class Called:
    """What one call did."""

    result: dict[str, Any] | None
    """What its caller sees; null when the tool broke its contract."""
    error: str | None
    """How it did so; null when it did not."""
    before: State
    """The state that it met: the very object that the session was set to, where the class made no other of it."""
    after: State
    """The state that it left; the one before when that was no plain JSON, which is then the error."""


class CaseSession:
    """An environment that is set to one state after the other. Nobody may change a state that goes in or comes out."""

    def __init__(self, session: EnvironmentSession, parameters: Mapping[str, Schema]) -> None:
        """Take over a session; the parameters are those of every tool that may be called, by its name."""
        self._session, self._parameters = session, parameters
        self._start: State | None = None
        """Where the next call begins; null to go on."""

    def set(self, state: State) -> None:
        """Begin with a state at the next call."""
        self._start = state

    def prepare(self, tool: str, arguments: dict[str, Any]) -> tuple[dict[str, Any] | None, str | None]:
        """Make a call of which only result and error are of interest.

        Raises:
            CodeRejected: the constructor raised.
        """
        problem = call_problem(tool, arguments, self._parameters)
        if problem is not None:
            return {"success": False, "error": problem}, None
        played = self._session.play(self._start, [Call(tool, arguments)])
        self._start = None
        return _observed(tool, arguments, played.results[0])

    def call(self, tool: str, arguments: dict[str, Any]) -> Called:
        """Make a call and look at the states around it.

        Raises:
            CodeRejected: the constructor raised, or the state before the call is not plain JSON.
        """
        problem = call_problem(tool, arguments, self._parameters)
        calls = [] if problem is not None else [Call(tool, arguments)]
        played = self._session.play(self._start, calls, reads="both")
        self._start = None
        assert played.before is not None
        if problem is not None:
            return Called({"success": False, "error": problem}, None, played.before, played.before)
        result, error = _observed(tool, arguments, played.results[0])
        if played.after is None:
            return Called(result, f"state_not_json: {played.flaw}", played.before, played.before)
        return Called(result, error, played.before, played.after)


def _observed(tool: str, arguments: dict[str, Any], step: StepResult) -> tuple[dict[str, Any] | None, str | None]:
    try:
        return observation_of(tool, arguments, step).result, None
    except EnvironmentBroken as broken:
        return None, str(broken)
