"""How long reference solutions are wanted: a distribution over their calls."""

import re
from collections.abc import Mapping
from random import Random
from types import MappingProxyType
from typing import Self

from pydantic import BaseModel, ConfigDict, model_validator

from schemas.errors import UsageError

LONGEST = 15
"""Calls of a reference solution: above it a task is several tasks in one, and nobody reads its proof any more."""
_USUAL: Mapping[int, float] = MappingProxyType(
    {1: 1, 2: 2, 3: 4, 4: 8, 5: 12, 6: 13, 7: 13, 8: 11, 9: 9, 10: 7, 11: 6, 12: 5, 13: 4, 14: 3, 15: 3}
)
_PART = re.compile(r"(?P<first>\d+)(?:-(?P<last>\d+))?(?::(?P<weight>\d+(?:\.\d+)?))?")


class Lengths(BaseModel):
    """Calls of a reference solution -> weight, relative to the other weights.

    It is a wish: what comes nearest to a drawn length is taken, and a solution without a needless call.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    weights: dict[int, float]

    @model_validator(mode="after")
    def _can_be_drawn(self) -> Self:
        if wrong := [length for length in self.weights if not 1 <= length <= LONGEST]:
            raise ValueError(f"A reference solution has 1 to {LONGEST} calls, not {wrong[0]}.")
        if any(weight < 0 for weight in self.weights.values()) or not any(self.weights.values()):
            raise ValueError("The weights must be at least 0, and one of them above.")
        return self

    def drawn(self, seed: int, count: int) -> tuple[int, ...]:
        """So many lengths. The same seed gives the same ones, and with a larger count the same ones first."""
        rng = Random(seed)
        lengths = sorted(self.weights)
        weights = [self.weights[length] for length in lengths]
        return tuple(rng.choices(lengths, weights)[0] for _ in range(count))


USUAL_LENGTHS = Lengths(weights=dict(_USUAL))


def lengths_of(text: str) -> Lengths:
    """Read "3-5:2,6-10:5,12": the weight of a range is shared out among its lengths, and is 1 where none is named.

    Raises:
        UsageError: the text says something else.
    """
    weights: dict[int, float] = {}
    for part in text.split(","):
        found = _PART.fullmatch(part.strip())
        if found is None:
            raise UsageError(f'The lengths {text!r} can\'t be read at {part!r}. Write them like "3-5:2,6-10:5,12".')
        first = int(found["first"])
        last = int(found["last"] or first)
        if not 1 <= first <= last <= LONGEST:
            raise UsageError(f"The lengths {part!r} are no range within 1 to {LONGEST} calls.")
        for length in range(first, last + 1):
            weights[length] = weights.get(length, 0) + float(found["weight"] or 1) / (last - first + 1)
    if not any(weights.values()):
        raise UsageError(f"The lengths {text!r} weigh nothing. Give at least one a weight above 0.")
    return Lengths(weights=weights)
