"""What a theme says of its lending."""

from dataclasses import dataclass

from tasks.authors.rules.nouns import Noun

ON_SHELF, LENT, WITHDRAWN = "on_shelf", "lent", "withdrawn"
OUT, GIVEN_BACK = "out", "returned"
WAITING, SERVED, CANCELLED = "waiting", "served", "cancelled"


@dataclass(frozen=True)
class Title:
    """Something of which there are copies."""

    name: str
    by: str
    """Who made it."""
    kind: str


@dataclass(frozen=True)
class Lending:
    """Copies of titles are lent to members, one borrower a copy; members can wait for a title."""

    title: Noun
    copy: Noun
    loan: Noun
    hold: Noun
    member: Noun
    """Who borrows: a kind of registry."""
    titles: tuple[Title, ...]
    days: dict[str, int]
    """Kind of title -> days of one loan."""
    by: str = "author"
    """Attribute of a title with who made it."""
    mark: str = "shelf_mark"
    """Attribute of a copy that tells it from the others: "B-012"."""
    lend: str = "lend"
    give_back: str = "return"
    most_loans: int = 4
    """Most copies that one member has at a time."""
    most_renewals: int = 2
    most_holds: int = 3
    """Most titles that one member waits for."""
    count: tuple[int, int] = (9, 12)
    """Titles."""
    copies: tuple[int, int] = (13, 18)
    comes: str = "active"
    """Status of the member that may borrow."""

    @property
    def lend_tool(self) -> str:
        """Tool that lends a copy."""
        return f"{self.lend}_{self.copy.one}"

    @property
    def back_tool(self) -> str:
        """Tool that takes a copy back."""
        return f"{self.give_back}_{self.loan.one}"

    @property
    def renew_tool(self) -> str:
        """Tool that lets a loan end later."""
        return f"renew_{self.loan.one}"

    @property
    def hold_tool(self) -> str:
        """Tool with which a member begins to wait for a title."""
        return f"place_{self.hold.one}"

    @property
    def cancel_tool(self) -> str:
        """Tool with which a member stops waiting."""
        return f"cancel_{self.hold.one}"

    @property
    def add_tool(self) -> str:
        """Tool that adds a copy."""
        return f"add_{self.copy.one}"

    @property
    def withdraw_tool(self) -> str:
        """Tool that takes a copy out of use."""
        return f"withdraw_{self.copy.one}"

    @property
    def free_tool(self) -> str:
        """Query for the copies of a title that a member may borrow now."""
        return f"list_free_{self.copy.many}"
