"""What a probe agent is: it sees what any agent may see, and makes calls until it has something to say."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from schemas.trajectories import Ending
from tasks.runtime.arguments import Schema
from tasks.runtime.episode import PlayedCall
from tasks.sandbox.base import Call


@dataclass(frozen=True, slots=True)
class Brief:
    """What every agent is told: never the state, the checks or the reference."""

    task: str
    policy: str
    schemas: Mapping[str, Schema]
    """Name of each declared tool -> JSON schema of its arguments."""
    descriptions: Mapping[str, str]
    """Name of each declared tool -> what it does."""


@dataclass(frozen=True, slots=True)
class Final:
    """The last thing an agent does: its message."""

    message: str
    ended: Ending = "finished"


@dataclass(frozen=True, slots=True)
class UnreadCall:
    """A call whose arguments are no JSON object; it is refused before any code runs."""

    tool: str
    arguments: str


class Agent(Protocol):
    """One agent in one episode."""

    def act(self, seen: Sequence[PlayedCall], calls_left: int) -> Sequence[Call | UnreadCall] | Final:
        """What it does next.

        Args:
            seen: All calls so far, with their results.
            calls_left: How many more it may make; what it asks for beyond ends the episode.

        Returns:
            Calls, at least one, to be made in this order before it is asked again; or its final message.
        """
