"""What a theme says of its stays."""

from dataclasses import dataclass

from tasks.authors.rules.nouns import Noun

BOOKED, CANCELLED, NO_SHOW = "booked", "cancelled", "no_show"


@dataclass(frozen=True)
class Stays:
    """A unit is given to one guest from a first day to a last one, on which it is free again."""

    stay: Noun
    unit: Noun
    """What is given: units."""
    guest: Noun
    """Who gets it: a kind of registry."""
    kind: str
    """Attribute of the unit with its kind."""
    first: str
    """Attribute with the first day: "arrives_on"."""
    last: str
    """Attribute with the last day: "leaves_on"."""
    day: str = "day"
    """What is counted: "night"."""
    capacity: str = ""
    """Attribute of the unit with the most that it takes; empty where nobody counts."""
    party: str = "people"
    """Attribute and parameter with the number that comes; plays a part only together with `capacity`."""
    party_one: str = "person"
    """The singular of `party`."""
    price: str = ""
    """Attribute of the unit with the price of one day; empty where nothing is paid."""
    need: str = ""
    """Attribute of the guest with what the unit must have; empty where guests need nothing."""
    no_need: str = "nothing_special"
    """Value of `need` with which every unit will do."""
    feature: str = ""
    """Attribute of the unit with the list of what it has; together with `need`."""
    valid_until: str = ""
    """Attribute of the guest with a date that must not be before the last day, such as a licence's; may be empty."""
    book: str = "book"
    """Verb of the tool that makes a stay."""
    book_words: str = "book"
    """How a person asks for it: "book a double room for ..."."""
    start: str = "check_in"
    start_words: str = "check in"
    """How a person asks for it; followed by the stay."""
    started: str = "checked_in"
    end: str = "check_out"
    end_words: str = "check out"
    ended: str = "checked_out"
    longest: int = 28
    """Most days of one stay."""
    notice_days: int = 1
    """Days before the first one until which a stay may be changed or cancelled."""
    horizon_days: int = 180
    """How far ahead a stay may begin."""
    marks_no_show: bool = True
    one_per_guest: bool = False
    """Whether the open stays of one guest may not overlap."""
    comes: str = "active"
    """Status of the guest that may get a stay."""

    @property
    def statuses(self) -> tuple[str, ...]:
        """All statuses, in the order of a stay's life."""
        return (BOOKED, self.started, self.ended, CANCELLED, *((NO_SHOW,) if self.marks_no_show else ()))

    @property
    def book_tool(self) -> str:
        """Tool that makes a stay."""
        return f"{self.book}_{self.stay.one}"

    @property
    def change_tool(self) -> str:
        """Tool that moves a stay to other days."""
        return f"change_{self.stay.one}_dates"

    @property
    def extend_tool(self) -> str:
        """Tool that lets a stay end later."""
        return f"extend_{self.stay.one}"

    @property
    def move_tool(self) -> str:
        """Tool that moves a stay to another unit."""
        return f"move_{self.stay.one}_to_other_{self.unit.one}"

    @property
    def cancel_tool(self) -> str:
        """Tool that cancels a stay."""
        return f"cancel_{self.stay.one}"

    @property
    def start_tool(self) -> str:
        """Tool with which the guest gets the unit."""
        return f"{self.start}_{self.stay.one}"

    @property
    def end_tool(self) -> str:
        """Tool with which the unit comes back."""
        return f"{self.end}_{self.stay.one}"

    @property
    def no_show_tool(self) -> str:
        """Tool that notes that nobody came."""
        return f"mark_{self.stay.one}_no_show"

    @property
    def longest_setting(self) -> str:
        """Name of the setting with the most days of one stay."""
        return f"longest_{self.stay.one}_{self.day}s"

    @property
    def notice_setting(self) -> str:
        """Name of the setting with the days of notice."""
        return f"{self.stay.one}_notice_days"

    @property
    def horizon_setting(self) -> str:
        """Name of the setting with the days until which a stay may begin."""
        return f"{self.stay.one}_horizon_days"
