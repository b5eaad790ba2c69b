"""What a theme says of its devices."""

from dataclasses import dataclass
from typing import Any

from tasks.authors.rules.nouns import Noun, words_of


@dataclass(frozen=True)
class Kind:
    """One kind of device."""

    name: str
    names: tuple[str, ...]
    """What single devices of this kind are called; a name occurs once in a zone."""
    many: str = ""
    """Plural of the name; empty when an "s" is enough."""
    opens: bool = False
    """Whether it is open or closed, instead of on or off."""
    lowest: int | None = None
    """Least level; null when it has no level."""
    highest: int | None = None
    step: int = 1
    unit: str = "percent"
    modes: tuple[str, ...] = ()
    locks: bool = True
    """Whether it can be locked; a locked device refuses everything until it is unlocked."""
    watts: int = 0
    """What it draws while it is on."""
    zones: tuple[str, ...] = ()
    """Names of the zones in which it occurs; empty for all."""
    starts_active: bool = False
    """Whether it is on (or open) before anything has happened."""
    starts_locked: bool = False

    @property
    def states(self) -> tuple[str, str]:
        """The active and the inactive status."""
        return ("open", "closed") if self.opens else ("on", "off")

    @property
    def spoken_many(self) -> str:
        """Plural as people say it."""
        return words_of(self.many or f"{self.name}s")

    @property
    def has_level(self) -> bool:
        """Whether there is something to set between two bounds."""
        return self.lowest is not None

    @property
    def facts(self) -> dict[str, Any]:
        """What the environment has to know of it; part of the settings."""
        facts: dict[str, Any] = {"states": list(self.states), "can_be_locked": self.locks}
        if self.lowest is not None:
            facts |= {"lowest": self.lowest, "highest": self.highest, "unit": self.unit}
        if self.modes:
            facts["modes"] = list(self.modes)
        if self.watts:
            facts["watts"] = self.watts
        return facts


@dataclass(frozen=True)
class Interlock:
    """A device of one kind is only on (or open) while all devices of another kind are in a certain status."""

    kind: str
    other: str
    must_be: str
    """A status of the other kind, or "locked"."""
    text: str
    """The rule as a sentence."""
    anywhere: bool = False
    """Whether the others count in all zones, not only in the same one."""
    only_at_start: bool = False
    """Whether it matters only when the device is switched on; later the others may change."""


@dataclass(frozen=True)
class Devices:
    """Devices in zones: their kinds, what holds between them, and what else can be done with them."""

    device: Noun
    zone: Noun
    """Where devices are: a registry, unless `zone_names` are given."""
    kinds: tuple[Kind, ...]
    interlocks: tuple[Interlock, ...] = ()
    zone_names: tuple[str, ...] = ()
    """Zones that are given once and for all; empty when zones are a registry."""
    count: tuple[int, int] = (14, 18)
    own_names: bool = False
    """Whether no two devices share a name, wherever they are."""
    zone_word: str = "in"
    most_watts: int = 0
    """What all devices together may draw; 0 for no limit."""
    reach: bool = True
    """Whether devices are noted as offline and online."""
    group: bool = True
    """Whether all devices of a kind in a zone can be set at once."""
    add: str = ""
    """Verb with which new devices are registered; empty when there is no such tool."""
    move: str = ""
    """Verb with which a device is moved to another zone; empty when it stays where it is."""
    room: str = ""
    """Integer attribute of a zone: most devices in it; empty for no limit."""
    battery: int = 0
    """Least charge, in percent, with which a device is switched on; 0 when devices have no battery."""
    tank: Noun | None = None
    """Tank that a kind of device needs; the owner of a zone, or one of several where zones have no owner."""
    tank_kind: str = ""
    """Kind of device that needs the tank."""
    tank_least: int = 0
    """Least level of the tank with which such a device is switched on or opened."""
    zone_has_tank: bool = False
    """Whether each zone belongs to one tank."""
    scene: Noun | None = None
    setting: Noun | None = None
    """What a scene does to one device."""
    scene_names: tuple[str, ...] = ()
    scheduled: bool = False
    """Whether scenes run at a time of day on certain days."""

    @property
    def kind_names(self) -> tuple[str, ...]:
        """Names of all kinds."""
        return tuple(kind.name for kind in self.kinds)

    @property
    def statuses(self) -> tuple[str, ...]:
        """Every status that occurs, active ones first in each pair."""
        pairs = dict.fromkeys(kind.states for kind in self.kinds)
        return tuple(status for pair in pairs for status in pair)

    @property
    def modes(self) -> tuple[str, ...]:
        """Every mode of any kind."""
        return tuple(dict.fromkeys(mode for kind in self.kinds for mode in kind.modes))

    @property
    def switches(self) -> bool:
        """Whether any kind is switched on and off."""
        return any(not kind.opens for kind in self.kinds)

    @property
    def openings(self) -> bool:
        """Whether any kind is opened and closed."""
        return any(kind.opens for kind in self.kinds)

    @property
    def has_levels(self) -> bool:
        """Whether any kind has a level."""
        return any(kind.has_level for kind in self.kinds)

    @property
    def can_lock(self) -> bool:
        """Whether any kind can be locked."""
        return any(kind.locks for kind in self.kinds)

    @property
    def facts(self) -> str:
        """Name of the setting with the facts about each kind."""
        return f"{self.device.one}_kinds"

    def kind(self, name: str) -> Kind:
        """The kind of this name.

        Raises:
            KeyError: there is none.
        """
        return {kind.name: kind for kind in self.kinds}[name]

    def together(self) -> tuple[str, ...]:
        """Tools that change the status of several devices at once."""
        group = (f"set_{self.zone.one}_{self.device.many}",) if self.group else ()
        return (*group, *((f"run_{self.scene.one}",) if self.scene else ()))

    def turning(self) -> tuple[str, ...]:
        """Tools that change the status of one device."""
        one = self.device.one
        switching = (f"switch_{one}_on", f"switch_{one}_off") if self.switches else ()
        return (*switching, *((f"open_{one}", f"close_{one}") if self.openings else ()))
