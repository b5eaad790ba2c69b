"""The agent that knows the reference and makes mistakes: each step may be dropped, replaced, changed or swapped."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Literal

from schemas.scenarios import ReferenceStep
from tasks.probes.agents import Brief, Final
from tasks.probes.knowledge import Knowledge
from tasks.probes.random_calls import random_call
from tasks.proof.attempts import resolved
from tasks.runtime.arguments import Schema
from tasks.runtime.episode import BindingError, PlayedCall
from tasks.sandbox.base import Call

Disturbance = Literal["dropped", "replaced", "changed", "swapped"]
_KINDS: tuple[Disturbance, ...] = ("dropped", "replaced", "changed", "swapped")
LEVELS = (0.1, 0.2, 0.3, 0.4, 0.5)
"""Chance of each step to be disturbed; the attempts at a scenario go through them in turn."""


@dataclass(frozen=True, slots=True)
class _Planned:
    """A step of the reference, and what goes wrong with it."""

    number: int
    step: ReferenceStep
    disturbance: Disturbance | None


class NoisyReference:
    """Plays a disturbed reference and ends with its message. What binds to a step that was not made is left out."""

    def __init__(
        self, brief: Brief, reference: Sequence[ReferenceStep], final_message: str, *, noise: float, rng: Random
    ) -> None:
        """Draw what goes wrong.

        Args:
            brief: What it is told, besides.
            reference: The steps.
            final_message: Its message, which is kept.
            noise: Chance of each step to be disturbed.
            rng: Draws everything.
        """
        self._brief, self._rng, self._message = brief, rng, final_message
        self._known = Knowledge(brief)
        drawn = [rng.choice(_KINDS) if rng.random() < noise else None for _ in reference]
        steps = [
            _Planned(number, step, disturbance)
            for number, (step, disturbance) in enumerate(zip(reference, drawn, strict=True))
        ]
        self._waiting = _swapped(steps)
        self._made: list[int | None] = []
        """For each call the step that it stands for; null for one that nothing binds to."""
        self.disturbed_count = sum(each is not None for each in drawn)

    def act(self, seen: Sequence[PlayedCall], calls_left: int) -> Sequence[Call] | Final:
        """See `Agent`."""
        results = {number: call.result for number, call in zip(self._made, seen, strict=True) if number is not None}
        calls: list[Call] = []
        while self._waiting and len(calls) < calls_left:
            planned = self._waiting[0]
            needed = {binding.step for binding in planned.step.bindings.values()}
            if calls and (planned.disturbance in ("replaced", "changed") or not needed <= results.keys()):
                return calls  # what it needs may be in the results of these
            self._waiting = self._waiting[1:]
            self._known.learn(seen)
            call = self._call(planned, results)
            if call is not None:
                calls.append(call)
                self._made.append(None if planned.disturbance == "replaced" else planned.number)
        return calls or Final(self._message)

    def _call(self, planned: _Planned, results: Mapping[int, Any]) -> Call | None:
        """The call to make; null for none."""
        if planned.disturbance == "dropped":
            return None
        if planned.disturbance == "replaced":
            return random_call(self._brief, self._known, self._rng)
        try:
            arguments = resolved(planned.step, results)
        except BindingError:
            return None
        if planned.disturbance == "changed":
            self._change(planned.step.tool, arguments)
        return Call(planned.step.tool, arguments)

    def _change(self, tool: str, arguments: dict[str, Any]) -> None:
        """Another value of one argument, where one is known that fits."""
        properties: Mapping[str, Schema] = self._brief.schemas.get(tool, {}).get("properties", {})
        for name in self._rng.sample(sorted(arguments), len(arguments)):
            others = [each for each in self._known.fitting(name, properties.get(name, {})) if each != arguments[name]]
            if others:
                arguments[name] = self._rng.choice(others)
                return


def _swapped(steps: list[_Planned]) -> tuple[_Planned, ...]:
    """Each step that is to be swapped comes after the next one."""
    ordered = list(steps)
    for at in reversed(range(len(ordered) - 1)):
        if ordered[at].disturbance == "swapped":
            ordered[at], ordered[at + 1] = ordered[at + 1], ordered[at]
    return tuple(ordered)
