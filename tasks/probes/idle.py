"""The agent that does nothing and says something that fits everywhere."""

from collections.abc import Sequence
from random import Random

from tasks.probes.agents import Final
from tasks.proof.prove import STOCK_MESSAGES
from tasks.runtime.episode import PlayedCall


class NoOp:
    """Makes no call. It passes nothing, or the scenario is worth nothing."""

    def __init__(self, rng: Random) -> None:
        """Draw the message."""
        self._message = rng.choice(STOCK_MESSAGES)

    def act(self, seen: Sequence[PlayedCall], calls_left: int) -> Final:
        """See `Agent`."""
        return Final(self._message)
