"""What a theme says of what it carries, and of who carries it."""

from dataclasses import dataclass, field

from tasks.authors.rules.nouns import Noun


@dataclass(frozen=True)
class Dispatch:
    """Trips of people or parcels, carried by a roster of carriers who take a vehicle for each shift."""

    trip: Noun
    customer: Noun
    """Who asks for it: a registry."""
    carrier: Noun
    """Who carries: a roster."""
    skill: str
    """Attribute of the roster with the zones that each carrier serves."""
    vehicle: Noun
    """What carriers drive: a registry."""
    size: str
    """Integer attribute of a vehicle: how much fits into it."""
    shift: Noun
    """One carrier with one vehicle, from a start to an end."""
    zones: tuple[str, ...]
    """All zones; each is a skill of the roster."""
    amount: str
    """Integer attribute of a trip: how much it takes of the vehicle."""
    most: int
    """Greatest amount of one trip."""
    unit: str
    """What is counted: "passengers", "kilograms"."""
    request: str = "request"
    pick_up: str = "pick_up"
    finish: str = "complete"
    waiting: str = "requested"
    carried: str = "under_way"
    done: str = "completed"
    several: bool = False
    """Whether a carrier may have several trips at once, as far as they fit into the vehicle."""
    origin: bool = False
    """Whether a trip starts in a zone of its own; the carrier then has to serve that one, else the one of the end."""
    recipients: tuple[str, ...] = ()
    """Who may be at the other end; empty when nobody is named."""
    streets: tuple[str, ...] = ()
    """Streets of addresses; with recipients only."""
    proof: bool = False
    """Whether the recipient has to show a code."""
    attempts: int = 0
    """Failed attempts after which it is returned; 0 when there are none."""
    fare: dict[str, int] = field(default_factory=dict)
    """ "base_cents" and "km_cents"; empty when nothing is charged. A trip then has a distance."""
    active_customer: str = "active"
    active_vehicle: str = "active"

    @property
    def active(self) -> tuple[str, str]:
        """Statuses in which a carrier has it."""
        return ("assigned", self.carried)

    @property
    def statuses(self) -> tuple[str, ...]:
        """Every status."""
        returned = ("returned",) if self.attempts else ()
        return (self.waiting, *self.active, self.done, *returned, "cancelled")

    @property
    def steps(self) -> tuple[tuple[str, str], ...]:
        """Every allowed change of status."""
        steps = [
            (self.waiting, "assigned"),
            ("assigned", self.waiting),
            ("assigned", self.carried),
            (self.carried, self.done),
            (self.waiting, "cancelled"),
            ("assigned", "cancelled"),
        ]
        if self.attempts:
            steps += [(self.carried, self.waiting), (self.carried, "returned")]
        return tuple(steps)

    @property
    def reroutable(self) -> tuple[str, ...]:
        """Statuses in which it may still get another end."""
        return (self.waiting, *self.active) if self.origin else (self.waiting,)

    @property
    def served(self) -> str:
        """Attribute with the zone that the carrier has to serve."""
        return "from_zone" if self.origin else "to_zone"

    @property
    def open_statuses(self) -> tuple[str, ...]:
        """Statuses in which it is not over."""
        return (self.waiting, *self.active)

    def tool(self, verb: str) -> str:
        """Name of a tool: "assign" -> "assign_ride"."""
        return f"{verb}_{self.trip.one}"
