"""What a theme says of its billing."""

from dataclasses import dataclass, field

from tasks.authors.rules.nouns import Noun

OPEN, PAID, WRITTEN_OFF = "open", "paid", "written_off"


@dataclass(frozen=True)
class Billing:
    """Done things of another mechanic are invoiced and paid."""

    invoice: Noun
    payment: Noun
    thing: Noun
    """What is invoiced: an appointment, a stay, an order."""
    payer: Noun
    """Who pays: a kind of registry."""
    done: str
    """Status of a thing that can be invoiced."""
    booked_by: str
    """Tool that makes a new thing; it refuses payers who are late. Its mechanic has the hook place "<thing>.book"."""
    amount: str = ""
    """Attribute of the thing with what it comes to; empty where there are fees."""
    kind: str = ""
    """Attribute of the thing that decides its fee."""
    fees: dict[str, int] = field(default_factory=dict)
    """Kind -> fee in euro cents."""
    through: Noun | None = None
    """What leads from the thing to the payer, such as the dog to its owner; null where the thing names the payer."""
    due_days: int = 5
    methods: tuple[str, ...] = ("cash", "card", "transfer")
    most_discount_percent: int = 20

    @property
    def issue_tool(self) -> str:
        """Tool that issues an invoice."""
        return f"issue_{self.invoice.one}"

    @property
    def pay_tool(self) -> str:
        """Tool that records a payment."""
        return f"record_{self.payment.one}"

    @property
    def discount_tool(self) -> str:
        """Tool that lets a part off."""
        return f"discount_{self.invoice.one}"

    @property
    def write_off_tool(self) -> str:
        """Tool that gives up what is left."""
        return f"write_off_{self.invoice.one}"
