"""How often agents pass, with what a small number of attempts leaves open."""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from schemas.trajectories import Trajectory

_Z = 1.96
"""For 95 %."""


@dataclass(frozen=True, slots=True)
class PassRate:
    """One agent, over all scenarios that it played."""

    agent: str
    attempts: int
    """That have a reward."""
    passes: int
    broken: int
    """Attempts without a reward: environment or check broke. They are no part of `attempts`."""

    @property
    def rate(self) -> float | None:
        """Null without an attempt."""
        return self.passes / self.attempts if self.attempts else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Wilson's, of 95 %; null without an attempt."""
        return wilson(self.passes, self.attempts) if self.attempts else None


def pass_rates(trajectories: Iterable[Trajectory]) -> tuple[PassRate, ...]:
    """One per agent, and per model, by name."""
    counts: dict[str, list[int]] = {}
    for row in trajectories:
        count = counts.setdefault(row.model or row.agent, [0, 0, 0])
        count[0] += row.reward is not None
        count[1] += row.success is True
        count[2] += row.at_fault is not None
    return tuple(PassRate(agent, *count) for agent, count in sorted(counts.items()))


def wilson(passes: int, attempts: int) -> tuple[float, float]:
    """Lower and upper end of the 95 % interval of a rate.

    Args:
        passes: 0 to `attempts`.
        attempts: At least 1.
    """
    share = passes / attempts
    middle = share + _Z**2 / (2 * attempts)
    spread = _Z * math.sqrt(share * (1 - share) / attempts + _Z**2 / (4 * attempts**2))
    scale = 1 + _Z**2 / attempts
    return max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale)
