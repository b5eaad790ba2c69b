"""A skeleton, alive: the door through which an agent calls its tools."""

import copy
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from schemas.skeletons import Tool
from tasks.runtime.arguments import Schema, problem_with
from tasks.runtime.faults import EnvironmentBroken as EnvironmentBroken
from tasks.runtime.state import Change, difference, state_digest
from tasks.sandbox.base import Call, EnvironmentSession, StepResult
from tasks.sandbox.inside.plain import NotJson, require_plain

CallOutcome = Literal["done", "refused", "invalid", "broken"]
"""done: the tool did it. refused: the tool said no. invalid: no such tool or unfit arguments, so no code ran. These are
the caller's doing. broken: the environment is at fault."""


@dataclass(frozen=True, slots=True)
class Observation:
    """What one call showed to its caller."""

    arguments: dict[str, Any]
    """As they were understood; empty when they were no object."""
    result: dict[str, Any]
    """The tool's own result, or {"success": false, "error": ...}."""
    outcome: CallOutcome


def parameters_of(tools: Iterable[Tool]) -> dict[str, Schema]:
    """Name -> JSON schema of the arguments, from the rows of a skeleton's tools."""
    return {tool.name: json.loads(tool.parameters_json) for tool in tools}


class Environment:
    """One environment in one session. What the session raises when its process is gone (SessionDied) passes through.

    A call reads no state: `state`, `digest` and `difference` do so when they are asked, once each.
    """

    def __init__(
        self,
        session: EnvironmentSession,
        parameters: Mapping[str, Schema],
        descriptions: Mapping[str, str] | None = None,
    ) -> None:
        """Take over a session in which the class is loaded.

        Args:
            session: Where the class lives. `reset` before the first call.
            parameters: Name -> JSON schema of the arguments, for every tool that may be called.
            descriptions: Name -> what the tool does, for `tools`.
        """
        self._session = session
        self._parameters = dict(parameters)
        self._descriptions = dict(descriptions or {})
        self._initial: dict[str, Any] | None = None
        self._resets = 0
        self._calls = 0

    @property
    def tools(self) -> list[dict[str, Any]]:
        """The declared tools as an OpenAI-compatible endpoint takes them: a fresh list of function declarations."""
        return [
            {
                "type": "function",
                "function": {
                    "name": name,
                    "description": self._descriptions.get(name, ""),
                    "parameters": copy.deepcopy(dict(schema)),
                },
            }
            for name, schema in self._parameters.items()
        ]

    @property
    def position(self) -> tuple[int, int]:
        """Resets so far, and calls since the last: it changes whenever somebody uses the environment."""
        return self._resets, self._calls

    @property
    def initial_state(self) -> dict[str, Any]:
        """The state of the last reset. Not a copy: leave it as it is."""
        assert self._initial is not None, "reset the environment first"
        return self._initial

    def has_begun_with(self, state: dict[str, Any]) -> bool:
        """Whether the last reset was to this very object, so that `restart` does the same for less."""
        return self._initial is state

    def reset(self, state: dict[str, Any] | None, *, is_complete: bool = True) -> None:
        """Start over from a state; null starts from the class's own default.

        Args:
            state: It is kept for `difference` and must not be changed as long as it is in use.
            is_complete: Whether the class holds this state and no more, as it does after its own dump. If not, or
                without a state, what the class made of it is read back once, here.

        Raises:
            CodeRejected: the constructor raised, or a state that is read back is not plain JSON.
        """
        self._initial = None
        self._resets, self._calls = self._resets + 1, 0
        self._session.init(state)
        self._initial = state if state is not None and is_complete else self._session.snapshot()

    def restart(self) -> None:
        """Start over from the state of the last reset, which the session has kept.

        Raises:
            CodeRejected: the constructor raised.
        """
        self._resets, self._calls = self._resets + 1, 0
        self._session.reset()

    def call(self, tool: str, arguments: Mapping[str, Any] | str) -> dict[str, Any]:
        """Call a tool as an agent does. Unknown tools and unfit arguments are refused before any code runs.

        Args:
            tool: Name of a declared tool.
            arguments: Name -> value, or the JSON text of that, as models write it.

        Returns:
            The tool's own result, or {"success": false, "error": ...}.

        Raises:
            EnvironmentBroken: the tool raised or returned something else than a JSON object.
        """
        return self.observe(tool, arguments).result

    def observe(self, tool: str, arguments: Mapping[str, Any] | str) -> Observation:
        """The same, and it says whose doing the result is."""
        self._calls += 1
        understood = understood_arguments(arguments)
        if understood is None and isinstance(tool, str) and tool in self._parameters:
            return _invalid(None, _why_not_understood(arguments))
        if problem := call_problem(tool, understood or {}, self._parameters):
            return _invalid(understood, problem)
        return observation_of(tool, understood or {}, self._session.step(tool, understood or {}))

    def observe_all(self, calls: Sequence[Call]) -> list[Observation]:
        """The same for calls whose arguments are known before the first is made; fitting ones go in one message.

        Raises:
            EnvironmentBroken: a tool broke its contract. Later calls may have been made.
        """
        unfit = (
            each.tool not in self._parameters or problem_with(each.arguments, self._parameters[each.tool])
            for each in calls
        )
        if any(unfit):
            return [self.observe(each.tool, each.arguments) for each in calls]
        self._calls += len(calls)
        steps = self._session.steps(calls) if calls else []
        return [observation_of(each.tool, each.arguments, step) for each, step in zip(calls, steps, strict=True)]

    def state(self) -> dict[str, Any]:
        """A copy of the state.

        Raises:
            CodeRejected: an attribute is not plain JSON (kind "state_not_json").
        """
        return self._session.snapshot()

    def digest(self) -> str:
        """Digest of the state: equal states have equal ones, in every process and on every machine.

        Raises:
            CodeRejected: an attribute is not plain JSON (kind "state_not_json").
        """
        return state_digest(self.state())

    def difference(self) -> tuple[Change, ...]:
        """What differs from the state of the last reset, ordered by path.

        Raises:
            CodeRejected: an attribute is not plain JSON (kind "state_not_json").
        """
        return difference(self.initial_state, self.state())


def understood_arguments(arguments: Mapping[str, Any] | str) -> dict[str, Any] | None:
    """The arguments as an object of plain JSON; null when they are none. An empty text means no arguments.

    Python reads NaN, 1e999 and half of a surrogate pair, which nothing could keep afterwards.
    """
    value: object = arguments
    try:
        if isinstance(arguments, str):
            value = json.loads(arguments) if arguments.strip() else {}
        understood = dict(value) if isinstance(value, Mapping) else None
        require_plain(understood)
    except (ValueError, RecursionError, NotJson):
        return None
    return understood


def _why_not_understood(arguments: Mapping[str, Any] | str) -> str:
    """Of arguments that `understood_arguments` takes for none: the value that JSON has no form for, if it is that."""
    try:
        value: object = json.loads(arguments) if isinstance(arguments, str) else arguments
        if isinstance(value, Mapping):
            require_plain(dict(value))
    except NotJson as flaw:
        return f"The arguments are no plain JSON: {flaw}."
    except (ValueError, RecursionError):
        pass  # what is shown says it
    shown = arguments if isinstance(arguments, str) else repr(arguments)
    return f"The arguments must be one JSON object, not {shown:.60}"


def call_problem(tool: str, arguments: Mapping[str, Any], parameters: Mapping[str, Schema]) -> str | None:
    """Why a call is refused before any code runs; null when it may be made."""
    if not isinstance(tool, str) or tool not in parameters:
        allowed = ", ".join(parameters) or "none"
        return f"Unknown tool {tool!r:.60}. Available: {allowed}."
    return problem_with(arguments, parameters[tool])


def observation_of(tool: str, arguments: dict[str, Any], step: StepResult) -> Observation:
    """What an executed call shows.

    Raises:
        EnvironmentBroken: the tool raised or returned something else than a JSON object.
    """
    if step.error is not None:
        reason = "result_not_json" if step.error.startswith("not_json:") else "tool_raised"
        raise EnvironmentBroken(tool, step.error, reason)
    if not isinstance(step.result, dict):
        shown = json.dumps(step.result)[:60]
        raise EnvironmentBroken(tool, f"returned {shown}, which is no object", "result_no_object")
    return Observation(arguments, step.result, "refused" if step.result.get("success") is False else "done")


def _invalid(arguments: dict[str, Any] | None, error: str) -> Observation:
    return Observation(arguments or {}, {"success": False, "error": error}, "invalid")
