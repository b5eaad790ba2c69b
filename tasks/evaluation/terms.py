"""What is known of a class beside its logic model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Terms:
    """The terms on which a class is evaluated."""

    is_planned: bool = True
    """Whether the logic model was there before the code, and promises everything about its states.

    A model that was derived from foreign code promises nothing: states are not held against it, arguments are drawn
    from the schemas of the tools and from all values of the state, and ids from clock and chance may differ when a
    state is resumed. Every other check is the same.
    """
    changing: frozenset[str] = frozenset()
    """Of a derived model: the operations of which somebody says that they change something, be it by their names."""
    examples: Mapping[str, Sequence[Mapping[str, Any]]] = field(default_factory=dict)
    """Tool -> arguments that its author knows to be accepted in some state."""


PLANNED = Terms()
