"""What a theme says of its orders."""

from dataclasses import dataclass

from tasks.authors.rules.nouns import Noun

OPEN, PLACED, CANCELLED, RETURNED = "open", "placed", "cancelled", "returned"


@dataclass(frozen=True)
class Step:
    """One step of a placed order on its way to the customer."""

    verb: str
    """The tool is named so: "pack" makes "pack_order"."""
    to: str
    """Status after it: "packed"."""
    words: str
    """How a person asks for it, with {} for the order: "mark {} as packed"."""
    assigns: bool = False
    """Whether a carrier is assigned with it; at most one step does that."""


@dataclass(frozen=True)
class Orders:
    """A customer orders products, line by line; the order is placed and then goes its way step by step."""

    order: Noun
    line: Noun
    product: Noun
    """What is ordered: products."""
    customer: Noun
    """Who orders: a kind of registry."""
    steps: tuple[Step, ...]
    """From placed on; the last one ends the order."""
    counted: bool = True
    """Whether the products have units in stock, which are taken when the order is placed."""
    seller: Noun | None = None
    """Whose products one order is for; null where the house itself sells."""
    carrier: Noun | None = None
    """Who brings the order: a roster; null where nobody is assigned."""
    carrier_skill: str = ""
    """Attribute of the carrier with the zones that it goes to."""
    zone: str = ""
    """Attribute of the customer with the zone."""
    most_carried: int = 2
    """Orders that one carrier has under way at a time."""
    permit: str = ""
    """Attribute of the order that flagged products need: "prescription_number"; empty for none."""
    flag: str = ""
    """Boolean attribute of the products that need it."""
    open: str = "open"
    """Verb of the tool that begins an order."""
    place: str = "place"
    place_words: str = "place {}"
    """How a person asks for it, with {} for the order."""
    least_of_one: int = 1
    most_of_one: int = 10
    """Units on one line."""
    most_lines: int = 8
    least_total_cents: int = 0
    """An order below it is not placed."""
    cancellable_steps: int = 0
    """So many steps after placing, an order can still be cancelled."""
    return_days: int = 0
    """Days after its end until which an order may be returned; 0 for no returns."""
    return_reasons: tuple[str, ...] = ("damaged", "wrong_item", "not_wanted")
    restocks_returns: bool = True
    """Whether returned units are in stock again."""
    comes: str = "active"
    """Status of customers and sellers that may have a new order."""
    product_on: str = "listed"
    """Status of products that may be ordered."""

    @property
    def statuses(self) -> tuple[str, ...]:
        """All statuses, in the order of an order's life."""
        returned = (RETURNED,) if self.return_days else ()
        return (OPEN, PLACED, *(step.to for step in self.steps), CANCELLED, *returned)

    @property
    def last(self) -> str:
        """Status at the end of the way."""
        return self.steps[-1].to

    @property
    def ends(self) -> tuple[str, ...]:
        """Statuses in which nothing more is to be done."""
        return (self.last, CANCELLED, *((RETURNED,) if self.return_days else ()))

    @property
    def cancellable(self) -> tuple[str, ...]:
        """Statuses from which an order can be cancelled."""
        return (OPEN, PLACED, *(step.to for step in self.steps[: self.cancellable_steps]))

    @property
    def consuming(self) -> tuple[str, ...]:
        """Statuses in which the units of an order are not in stock."""
        kept = (RETURNED,) if self.return_days and not self.restocks_returns else ()
        return (PLACED, *(step.to for step in self.steps), *kept)

    @property
    def assigning(self) -> Step | None:
        """The step with which a carrier is assigned."""
        return next((step for step in self.steps if step.assigns), None)

    @property
    def carrying(self) -> tuple[str, ...]:
        """Statuses in which a carrier is busy with the order: from its assignment to the last step, which ends it."""
        names = [step.to for step in self.steps]
        return tuple(names[names.index(self.assigning.to) : -1]) if self.assigning else ()

    @property
    def open_tool(self) -> str:
        """Tool that begins an order."""
        return f"{self.open}_{self.order.one}"

    @property
    def add_tool(self) -> str:
        """Tool that adds a line."""
        return f"add_{self.line.one}"

    @property
    def change_tool(self) -> str:
        """Tool that changes the quantity of a line."""
        return f"change_{self.line.one}_quantity"

    @property
    def remove_tool(self) -> str:
        """Tool that removes a line."""
        return f"remove_{self.line.one}"

    @property
    def permit_tool(self) -> str:
        """Tool that records what flagged products need."""
        return f"record_{self.permit}"

    @property
    def place_tool(self) -> str:
        """Tool that places an order."""
        return f"{self.place}_{self.order.one}"

    @property
    def cancel_tool(self) -> str:
        """Tool that cancels an order."""
        return f"cancel_{self.order.one}"

    @property
    def return_tool(self) -> str:
        """Tool that takes an order back."""
        return f"return_{self.order.one}"

    @property
    def carriers_tool(self) -> str:
        """Query for the carriers that may take an order."""
        return f"list_{self.carrier.many}_for_{self.order.one}" if self.carrier else ""

    def step_tool(self, step: Step) -> str:
        """Tool of a step."""
        return f"{step.verb}_{self.order.one}"
