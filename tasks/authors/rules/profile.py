"""Which scenarios are wanted: how many of each kind, and how long their references are."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from types import MappingProxyType

LONGEST = 15
"""Calls of a reference solution: above it a task is several tasks in one, and nobody reads its proof any more."""
_KINDS: Mapping[str, float] = MappingProxyType(
    {
        "several_goals": 4,
        "chain": 3,
        "conditional": 3,
        "aggregation": 3,
        "correction": 3,
        "single_goal": 2,
        "undo": 1,
        "refusal": 2,
        "question": 1,
    }
)
_LENGTHS: Mapping[int, float] = MappingProxyType(
    {1: 1, 2: 2, 3: 4, 4: 8, 5: 12, 6: 13, 7: 13, 8: 11, 9: 9, 10: 7, 11: 6, 12: 5, 13: 4, 14: 3, 15: 3}
)


@dataclass(frozen=True)
class ScenarioProfile:
    """What is asked of the scenarios of one initial state. Weights are relative to one another."""

    kinds: Mapping[str, float] = field(default_factory=lambda: _KINDS)
    lengths: Mapping[int, float] = field(default_factory=lambda: _LENGTHS)
    """Calls of a reference -> weight. It is a wish: the nearest length that comes about is taken."""

    def __post_init__(self) -> None:
        """Refuse what nobody can write.

        Raises:
            ValueError: an unknown kind, a length outside 1 to 15, or no positive weight.
        """
        if unknown := [kind for kind in self.kinds if kind not in _KINDS]:
            raise ValueError(f"There is no kind of scenario {unknown[0]!r}; there are {', '.join(_KINDS)}.")
        if wrong := [length for length in self.lengths if not 1 <= length <= LONGEST]:
            raise ValueError(f"A reference has 1 to {LONGEST} calls, not {wrong[0]}.")
        for name, weights in (("kinds", self.kinds), ("lengths", self.lengths)):
            if any(weight < 0 for weight in weights.values()) or not any(weights.values()):
                raise ValueError(f"The weights of {name} must be at least 0, and one of them above.")

    def kinds_in_order(self, rng: Random) -> list[str]:
        """Every wanted kind once, those with more weight rather in front."""
        left = {kind: weight for kind, weight in self.kinds.items() if weight > 0}
        order: list[str] = []
        while left:
            kind = rng.choices(list(left), list(left.values()))[0]
            order.append(kind)
            del left[kind]
        return order

    def length(self, rng: Random) -> int:
        """A drawn length."""
        return rng.choices(list(self.lengths), list(self.lengths.values()))[0]


DEFAULT_PROFILE = ScenarioProfile()
