"""Where a value may come from, and what calling a function does with such values.

A value is described by its origins: the attributes of `self` (or the parameters) whose objects it may share.
`self.pets[key]` shares with `pets`; `list(self.pets.values())` is a new list around shared records, so that sorting the
list changes nothing while `found[0]["name"] = ...` changes `pets`.
"""

from dataclasses import dataclass, field

_MOST_LAYERS = 4


@dataclass(frozen=True, order=True)
class Origin:
    """An attribute or parameter that a value may share objects with, below so many layers of new containers."""

    name: str
    is_parameter: bool = False
    layers: int = 0

    def with_layers(self, layers: int) -> "Origin":
        """The same origin below another number of layers; the number is bounded so that loops in the code end."""
        return Origin(self.name, self.is_parameter, min(max(layers, 0), _MOST_LAYERS))


Origins = frozenset[Origin]
NOTHING: Origins = frozenset()


def elements(origins: Origins) -> Origins:
    """Origins of what is taken out of a container."""
    return frozenset(each.with_layers(each.layers - 1) for each in origins)


def wrapped(origins: Origins) -> Origins:
    """Origins of a new container with these values in it."""
    return frozenset(each.with_layers(each.layers + 1) for each in origins)


def rewrapped(origins: Origins) -> Origins:
    """Origins of a new container with the elements of this one."""
    return frozenset(each.with_layers(max(each.layers, 1)) for each in origins)


@dataclass
class Effect:
    """What calling a function does, as far as known yet. Only ever grows."""

    parameters: tuple[str, ...]
    """Without `self`."""
    self_name: str = ""
    """Empty for a function that has none."""
    is_property: bool = False
    reads: set[str] = field(default_factory=set)
    writes: set[str] = field(default_factory=set)
    changed_parameters: set[str] = field(default_factory=set)
    returned: Origins = NOTHING
    names: dict[str, Origins] = field(default_factory=dict)
    """Local name -> origins."""

    def size(self) -> int:
        """Grows exactly when something was learned."""
        return sum(map(len, (self.reads, self.writes, self.changed_parameters, self.returned, *self.names.values())))


@dataclass(frozen=True)
class World:
    """Everything that code of one class can call by name."""

    methods: dict[str, Effect]
    functions: dict[str, Effect]

    def size(self) -> int:
        """Grows exactly when something was learned."""
        return sum(effect.size() for effect in (*self.methods.values(), *self.functions.values()))
