"""Plays the steps of a reference solution and keeps the record that checks read."""

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from schemas.scenarios import Binding, ReferenceStep
from tasks.runtime.environment import CallOutcome, Environment


class BindingError(Exception):
    """An argument could not be taken from an earlier result."""

    def __init__(self, step: int, argument: str, binding: Binding, why: str) -> None:
        wanted = f"{list(binding.path)} of step {binding.step}"
        super().__init__(f"step {step}: argument {argument!r} is bound to {wanted}: {why}")
        self.step = step
        """The step that needs the argument, counted from 0."""
        self.argument = argument
        self.binding = binding


@dataclass(frozen=True, slots=True)
class PlayedCall:
    """One call with the arguments it really had."""

    tool: str
    arguments: dict[str, Any]
    result: dict[str, Any]
    outcome: CallOutcome
    """Whose doing the result is."""


@dataclass(frozen=True, slots=True)
class Episode:
    """What happened between two states."""

    initial_state: dict[str, Any]
    final_state: dict[str, Any]
    calls: tuple[PlayedCall, ...]
    final_message: str

    @property
    def trajectory(self) -> dict[str, Any]:
        """The record as a check reads it."""
        return {
            "calls": [{"tool": call.tool, "arguments": call.arguments, "result": call.result} for call in self.calls],
            "messages": [],
            "final_message": self.final_message,
        }


def play(environment: Environment, steps: Sequence[ReferenceStep], *, final_message: str = "") -> Episode:
    """Make the calls in order, after a reset. A refused call does not end the episode.

    Raises:
        BindingError: an argument is bound to something that the earlier results do not hold.
        EnvironmentBroken: a tool broke its contract.
        CodeRejected: the state is not plain JSON.
        SessionDied: the process of the environment is gone.
    """
    initial_state = environment.initial_state
    calls: list[PlayedCall] = []
    for step in steps:
        arguments = bound_arguments(step, calls)
        seen = environment.observe(step.tool, arguments)
        calls.append(PlayedCall(step.tool, arguments, seen.result, seen.outcome))
    return Episode(initial_state, environment.state(), tuple(calls), final_message)


def bound_arguments(step: ReferenceStep, calls: Sequence[PlayedCall]) -> dict[str, Any]:
    """The arguments of the step that comes after these calls: its literals, and values from their results.

    Raises:
        BindingError: an argument is bound to something that the results do not hold.
    """
    arguments = copy.deepcopy(step.literals)
    for name, binding in step.bindings.items():
        arguments[name] = _bound_value(len(calls), name, binding, calls)
    return arguments


def _bound_value(step: int, argument: str, binding: Binding, calls: Sequence[PlayedCall]) -> Any:
    if binding.step >= len(calls):
        raise BindingError(step, argument, binding, "that step comes later")
    value: Any = calls[binding.step].result
    for part in binding.path:
        try:
            value = _element(value, part)
        except KeyError:
            raise BindingError(step, argument, binding, f"there is no {part!r}") from None
    return copy.deepcopy(value)


def _element(value: Any, part: str | int) -> Any:
    if isinstance(value, dict) and isinstance(part, str):
        return value[part]
    if isinstance(value, list) and isinstance(part, int) and 0 <= part < len(value):
        return value[part]
    raise KeyError(part)
