"""The agent that knows the reference and makes mistakes: each step may be dropped, replaced, changed or swapped."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
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
_OF_LAST: tuple[Disturbance, ...] = ("dropped", "replaced", "changed")
"""What may go wrong with a step that no other comes after."""
_KINDS: tuple[Disturbance, ...] = (*_OF_LAST, "swapped")
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
        self._waiting = _swapped(
            [
                _Planned(number, step, self._drawn(noise, is_last=number == len(reference) - 1))
                for number, step in enumerate(reference)
            ]
        )
        self._made: list[int | None] = []
        """For each call the step that it stands for; null for one that nothing binds to."""
        self.disturbed_count = 0
        """Steps to which something was done so far; a disturbance that comes to nothing is none."""

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
            right = _undisturbed(planned.step, results)
            call = self._call(planned.disturbance, right)
            self.disturbed_count += call != right or (planned.disturbance == "swapped" and call is not None)
            if call is not None:
                calls.append(call)
                is_other = planned.disturbance == "replaced" and call != right
                self._made.append(None if is_other else planned.number)
        return calls or Final(self._message)

    def _drawn(self, noise: float, *, is_last: bool) -> Disturbance | None:
        return self._rng.choice(_OF_LAST if is_last else _KINDS) if self._rng.random() < noise else None

    def _call(self, disturbance: Disturbance | None, right: Call | None) -> Call | None:
        """The call to make in place of the right one; null for none."""
        match disturbance:
            case "dropped":
                return None
            case "replaced":
                return random_call(self._brief, self._known, self._rng)
            case "changed" if right is not None:
                return self._changed(right)
            case _:
                return right

    def _changed(self, right: Call) -> Call:
        """Another value of one argument; the same call where none is known that fits."""
        properties: Mapping[str, Schema] = self._brief.schemas.get(right.tool, {}).get("properties", {})
        for name in self._rng.sample(sorted(right.arguments), len(right.arguments)):
            known = self._known.fitting(name, properties.get(name, {}))
            others = [each for each in known if each != right.arguments[name]]
            if others:
                return Call(right.tool, {**right.arguments, name: self._rng.choice(others)})
        return right


def _undisturbed(step: ReferenceStep, results: Mapping[int, Any]) -> Call | None:
    """The call of a step; null where it binds to something that was not shown."""
    try:
        return Call(step.tool, resolved(step, results))
    except BindingError:
        return None


def _swapped(steps: list[_Planned]) -> tuple[_Planned, ...]:
    """Each step that is to be swapped comes after the next one; before one that is dropped there is nothing to swap."""
    ordered = list(steps)
    for at in reversed(range(len(ordered) - 1)):
        if ordered[at].disturbance != "swapped":
            continue
        if ordered[at + 1].disturbance == "dropped":
            ordered[at] = replace(ordered[at], disturbance=None)
        else:
            ordered[at], ordered[at + 1] = ordered[at + 1], ordered[at]
    return tuple(ordered)
