"""The agent that makes valid calls at random: any tool, and arguments that fit and that it has heard of."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from tasks.probes.agents import Brief, Final
from tasks.probes.knowledge import Knowledge
from tasks.probes.reports import report_on
from tasks.proof.prove import STOCK_MESSAGES
from tasks.runtime.arguments import Schema, problem_with
from tasks.runtime.episode import PlayedCall
from tasks.sandbox.base import Call

_OPTIONAL = 0.3
"""Chance of an optional argument to be given."""
_DRAWS = 12
"""Tools that are drawn until one can be called with what is known."""
_AT_ONCE = 3
"""Calls that are made before their results are looked at; a message to the sandbox costs as much as ten calls."""
_TALKATIVE = 0.5
"""Chance to end with what the last call has shown, and not with a stock phrase."""


class RandomValid:
    """Draws calls until it has made as many as it drew at the beginning."""

    def __init__(self, brief: Brief, rng: Random, most_calls: int) -> None:
        """Draw how many calls to make.

        Args:
            brief: What it is told.
            rng: Draws everything.
            most_calls: What an episode allows.
        """
        self._brief, self._rng = brief, rng
        self._known = Knowledge(brief)
        self._wanted = rng.randint(1, max(1, most_calls))

    def act(self, seen: Sequence[PlayedCall], calls_left: int) -> Sequence[Call] | Final:
        """See `Agent`."""
        self._known.learn(seen)
        calls: list[Call] = []
        while len(calls) < min(_AT_ONCE, calls_left, self._wanted - len(seen)):
            call = random_call(self._brief, self._known, self._rng)
            if call is None:
                break
            calls.append(call)
        return calls or Final(self._message(seen))

    def _message(self, seen: Sequence[PlayedCall]) -> str:
        if not seen or self._rng.random() >= _TALKATIVE:
            return self._rng.choice(STOCK_MESSAGES)
        return report_on(seen[-1:])


def random_call(brief: Brief, known: Knowledge, rng: Random) -> Call | None:
    """A call that fits its schema; null where none was found that could be made with what is known."""
    names = list(brief.schemas)
    for _ in range(_DRAWS if names else 0):
        tool = rng.choice(names)
        arguments = _arguments(brief.schemas[tool], known, rng)
        if arguments is not None and problem_with(arguments, brief.schemas[tool]) is None:
            return Call(tool, arguments)
    return None


def _arguments(schema: Schema, known: Knowledge, rng: Random) -> dict[str, Any] | None:
    properties: Mapping[str, Schema] = schema.get("properties", {})
    required = schema.get("required", ())
    arguments: dict[str, Any] = {}
    for name, declared in properties.items():
        if name not in required and rng.random() >= _OPTIONAL:
            continue
        values = known.fitting(name, declared)
        if values:
            arguments[name] = rng.choice(values)
        elif name in required:
            return None
    return arguments
