"""A skeleton, alive: the door through which an agent calls its tools."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from schemas.skeletons import Tool
from tasks.runtime.arguments import Schema, problem_with
from tasks.sandbox.base import EnvironmentSession


class EnvironmentBroken(Exception):
    """The class broke its contract: a tool raised, or returned no JSON object. Not the fault of whoever called it."""

    def __init__(self, tool: str, message: str) -> None:
        super().__init__(f"tool {tool!r}: {message}")
        self.tool = tool
        self.message = message


def parameters_of(tools: Iterable[Tool]) -> dict[str, Schema]:
    """Name -> JSON schema of the arguments, from the rows of a skeleton's tools."""
    return {tool.name: json.loads(tool.parameters_json) for tool in tools}


class Environment:
    """One environment in one session. What the session raises when its process is gone (SessionDied) passes through."""

    def __init__(self, session: EnvironmentSession, parameters: Mapping[str, Schema]) -> None:
        """Take over a session in which the class is loaded.

        Args:
            session: Where the class lives. `reset` before the first call.
            parameters: Name -> JSON schema of the arguments, for every tool that may be called.
        """
        self._session = session
        self._parameters = dict(parameters)

    def reset(self, state: dict[str, Any] | None) -> None:
        """Start over from a state; null starts from the class's own default.

        Raises:
            CodeRejected: the constructor raised.
        """
        self._session.init(state)

    def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Call a tool as an agent does. Unknown tools and unfit arguments are refused before any code runs.

        Returns:
            The tool's own result, or {"success": false, "error": ...}.

        Raises:
            EnvironmentBroken: the tool raised or returned something else than a JSON object.
        """
        if tool not in self._parameters:
            return _refused(f"Unknown tool {tool!r:.60}. Available: {', '.join(self._parameters) or 'none'}.")
        if problem := problem_with(arguments, self._parameters[tool]):
            return _refused(problem)
        step = self._session.step(tool, dict(arguments))
        if step.error is not None:
            raise EnvironmentBroken(tool, step.error)
        if not isinstance(step.result, dict):
            raise EnvironmentBroken(tool, f"returned {json.dumps(step.result)[:60]}, which is no object")
        return step.result

    def state(self) -> dict[str, Any]:
        """A copy of the state.

        Raises:
            CodeRejected: an attribute is not plain JSON (kind "state_not_json").
        """
        return self._session.snapshot()


def _refused(error: str) -> dict[str, Any]:
    return {"success": False, "error": error}
