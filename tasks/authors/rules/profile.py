"""Which kinds of scenarios are wanted, and how many of each."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from types import MappingProxyType

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


@dataclass(frozen=True)
class ScenarioProfile:
    """What is asked of the scenarios of one initial state. Weights are relative to one another."""

    kinds: Mapping[str, float] = field(default_factory=lambda: _KINDS)

    def __post_init__(self) -> None:
        """Refuse what nobody can write.

        Raises:
            ValueError: an unknown kind, or no positive weight.
        """
        if unknown := [kind for kind in self.kinds if kind not in _KINDS]:
            raise ValueError(f"There is no kind of scenario {unknown[0]!r}; there are {', '.join(_KINDS)}.")
        if any(weight < 0 for weight in self.kinds.values()) or not any(self.kinds.values()):
            raise ValueError("The weights of kinds must be at least 0, and one of them above.")

    def kinds_in_order(self, rng: Random) -> list[str]:
        """Every wanted kind once, those with more weight rather in front."""
        left = {kind: weight for kind, weight in self.kinds.items() if weight > 0}
        order: list[str] = []
        while left:
            kind = rng.choices(list(left), list(left.values()))[0]
            order.append(kind)
            del left[kind]
        return order


DEFAULT_PROFILE = ScenarioProfile()
