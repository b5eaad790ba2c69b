"""What a theme says of its tickets."""

from dataclasses import dataclass, field

from tasks.authors.rules.nouns import Noun

EFFORTS = (1, 2, 3, 5, 8)
"""Points that a piece of work may have."""


@dataclass(frozen=True)
class Tickets:
    """One kind of work, who does it, and which of the optional rules hold for it."""

    ticket: Noun
    worker: Noun
    """Who does the work: a roster."""
    skill: str
    """Attribute of the roster that must contain the category."""
    note: Noun
    titles: dict[str, list[str]]
    """Category -> what such tickets are called. Every category is a skill of the roster."""
    remarks: tuple[str, ...]
    """What people write in notes."""
    category: str = "category"
    priorities: tuple[str, ...] = ("low", "normal", "high", "urgent")
    requester: Noun | None = None
    """Who asks for the work: a registry."""
    place: Noun | None = None
    """What the work belongs to, such as a location or a project: a registry."""
    place_word: str = "in"
    active_requester: str = "active"
    active_place: str = "active"
    """Status of a requester, or of a place, that may get new work."""
    open: str = "open"
    finish: str = "resolve"
    done: str = "resolved"
    fixes: tuple[str, ...] = ()
    """What people say when it is done; a free text is then stored with the ticket."""
    outcomes: tuple[str, ...] = ()
    """Possible results, stored with the ticket instead of a free text."""
    target_hours: dict[str, int] = field(default_factory=dict)
    """Priority -> hours after opening within which it has to be done; empty when nothing follows from the priority."""
    due_date: bool = False
    """Whether whoever opens it says until when."""
    deadline: str | None = None
    """Date attribute of the place that no due date may exceed."""
    effort: bool = False
    """Whether work has points; a worker's load is then counted in points."""
    most_open: int = 4
    """Most unfinished tickets (or points) of one worker."""
    holds: bool = True
    closes: bool = True
    """Whether a finished ticket is closed in a step of its own."""
    reviews: bool = False
    """Whether another worker has to approve the work before it counts as done."""
    reopen_days: int = 14
    supporters: bool = False
    """Whether other requesters may join a ticket."""
    once_per_place: bool = False
    """Whether a place has at most one unfinished ticket of each category."""
    needs: Noun | None = None
    """Record that one ticket has to wait for another; null when they are independent."""

    @property
    def categories(self) -> tuple[str, ...]:
        """The kinds of work."""
        return tuple(self.titles)

    @property
    def active(self) -> tuple[str, ...]:
        """Statuses in which a worker has it on their desk."""
        held = ("on_hold",) if self.holds else ()
        return ("assigned", "in_progress", *held, *(("in_review",) if self.reviews else ()))

    @property
    def ended(self) -> tuple[str, ...]:
        """Statuses in which nothing about it is edited."""
        return (self.done, "closed") if self.closes else (self.done,)

    @property
    def statuses(self) -> tuple[str, ...]:
        """Every status, in the order of a ticket's life."""
        return ("open", *self.active, *self.ended)

    @property
    def steps(self) -> tuple[tuple[str, str], ...]:
        """Every allowed change of status."""
        steps = [("open", "assigned"), ("assigned", "open"), ("assigned", "in_progress")]
        if self.holds:
            steps += [("in_progress", "on_hold"), ("on_hold", "in_progress")]
        if self.reviews:
            steps += [("in_progress", "in_review"), ("in_review", "in_progress"), ("in_review", self.done)]
        else:
            steps.append(("in_progress", self.done))
        if self.closes:
            steps += [(self.done, "closed"), ("closed", "open")]
        return (*steps, (self.done, "open"))

    @property
    def limit(self) -> str:
        """Name of the setting with a worker's limit."""
        return f"most_{'points' if self.effort else self.ticket.many}_per_{self.worker.one}"

    @property
    def load(self) -> str:
        """What a worker's load is counted in."""
        return "points" if self.effort else f"unfinished {self.ticket.spoken_many}"

    @property
    def category_type(self) -> str:
        """Alias of the category's type."""
        return f"{self.ticket.title}{self.category.title().replace('_', '')}"

    @property
    def reviewer(self) -> str:
        """Attribute with the worker who reviews a ticket."""
        return f"reviewing_{self.worker.key}"

    def tool(self, verb: str) -> str:
        """Name of a tool: "assign" -> "assign_ticket"."""
        return f"{verb}_{self.ticket.one}"
