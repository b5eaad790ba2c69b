"""What a theme says of its seatings."""

from dataclasses import dataclass

from tasks.authors.rules.nouns import Noun

BOOKED, CANCELLED, NO_SHOW = "booked", "cancelled", "no_show"


@dataclass(frozen=True)
class Seatings:
    """A space is booked for some people from a moment on, for one of a few lengths."""

    booking: Noun
    space: Noun
    """What is booked: units with a capacity."""
    who: Noun
    """Who books: a kind of registry."""
    kind: str
    """Attribute of the space with its kind."""
    capacity: str
    """Attribute of the space with the most that it takes."""
    lengths: tuple[int, ...]
    """Minutes that a booking may take, each a multiple of 15."""
    feature: str = ""
    """Attribute of the space with the list of what it has; empty where spaces have nothing special."""
    party: str = "people"
    """Attribute and parameter with the number that comes."""
    party_one: str = "person"
    """The singular of `party`."""
    spare: int | None = None
    """Most that may stay free of a booked space's capacity; null for any number."""
    most_open: int | None = None
    """Most bookings that one may have ahead; null for any number."""
    one_at_a_time: bool = False
    """Whether the bookings of one may not overlap."""
    opens: str = "09:00"
    closes: str = "18:00"
    closed_on: tuple[str, ...] = ()
    """Weekdays without bookings: "mon"."""
    notice_hours: int = 2
    """Hours before the start until which a booking may be changed or cancelled."""
    horizon_days: int = 60
    book: str = "book"
    book_words: str = "book"
    arrives: bool = True
    """Whether it is noted that people come, leave or don't come."""
    arrive: str = "seat"
    arrive_words: str = "seat"
    """How a person asks for it; followed by the booking."""
    arrived: str = "seated"
    leave: str = "finish"
    leave_words: str = "finish"
    left: str = "finished"
    comes: str = "active"
    """Status of those who may book."""

    @property
    def statuses(self) -> tuple[str, ...]:
        """All statuses, in the order of a booking's life."""
        return (BOOKED, self.arrived, self.left, CANCELLED, NO_SHOW) if self.arrives else (BOOKED, CANCELLED)

    @property
    def taking(self) -> tuple[str, ...]:
        """Statuses in which a booking takes its time."""
        return (BOOKED, self.arrived) if self.arrives else (BOOKED,)

    @property
    def book_tool(self) -> str:
        """Tool that makes a booking."""
        return f"{self.book}_{self.booking.one}"

    @property
    def reschedule_tool(self) -> str:
        """Tool that moves a booking to another time."""
        return f"reschedule_{self.booking.one}"

    @property
    def move_tool(self) -> str:
        """Tool that moves a booking to another space."""
        return f"move_{self.booking.one}_to_other_{self.space.one}"

    @property
    def resize_tool(self) -> str:
        """Tool that changes the number that comes."""
        return f"change_{self.booking.one}_{self.party}"

    @property
    def cancel_tool(self) -> str:
        """Tool that cancels a booking."""
        return f"cancel_{self.booking.one}"

    @property
    def arrive_tool(self) -> str:
        """Tool that notes that people are there."""
        return f"{self.arrive}_{self.booking.one}"

    @property
    def leave_tool(self) -> str:
        """Tool that notes that people have left."""
        return f"{self.leave}_{self.booking.one}"

    @property
    def no_show_tool(self) -> str:
        """Tool that notes that nobody came."""
        return f"mark_{self.booking.one}_no_show"

    @property
    def setting(self) -> str:
        """Start of the names of the settings."""
        return self.booking.one
