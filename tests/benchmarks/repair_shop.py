"""The environment class that the sandbox is measured with, as long and as varied as generated ones are."""

import copy
import random
import re
import uuid
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from enum import Enum, StrEnum
from typing import Any, Literal, TypedDict

PHONE = re.compile(r"^\+?[0-9][0-9 /-]{5,18}$")
EMAIL = re.compile(r"^[\w.+-]+@[\w-]+(\.[\w-]+)+$")
STAMP = "%Y-%m-%dT%H:%M"
MAX_OPEN_TICKETS = 6
OPENS, CLOSES = 9, 17


class Status(StrEnum):
    """Where a ticket stands."""

    RECEIVED = "received"
    DIAGNOSED = "diagnosed"
    IN_REPAIR = "in_repair"
    READY = "ready"
    RETURNED = "returned"
    CANCELLED = "cancelled"


class Priority(Enum):
    """How urgent a ticket is."""

    LOW = 1
    NORMAL = 2
    HIGH = 3


FOLLOWING: dict[Status, tuple[Status, ...]] = {
    Status.RECEIVED: (Status.DIAGNOSED, Status.CANCELLED),
    Status.DIAGNOSED: (Status.IN_REPAIR, Status.CANCELLED),
    Status.IN_REPAIR: (Status.READY, Status.DIAGNOSED),
    Status.READY: (Status.RETURNED,),
    Status.RETURNED: (),
    Status.CANCELLED: (),
}


class Refused(Exception):
    """A rule of the shop forbids it."""

    def __init__(self, message: str, code: str = "refused") -> None:
        super().__init__(message)
        self.code = code


class Customer(TypedDict):
    """A person who brings devices."""

    name: str
    phone: str
    email: str
    is_member: bool
    note: str


class Part(TypedDict):
    """A spare part on the shelf."""

    name: str
    price_cents: int
    stock: int
    fits: list[str]


@dataclass
class Ticket:
    """One device that is to be repaired."""

    customer_id: str
    device: str
    fault: str
    status: str = Status.RECEIVED.value
    priority: int = Priority.NORMAL.value
    technician_id: str | None = None
    parts: list[dict[str, Any]] = field(default_factory=list)
    log: list[str] = field(default_factory=list)
    created_at: str = ""
    tracking: str = ""


@dataclass(frozen=True)
class Slot:
    """A time at which a device may be fetched."""

    start: datetime
    minutes: int = 20

    @property
    def end(self) -> datetime:
        return self.start + timedelta(minutes=self.minutes)

    def overlaps(self, other: "Slot") -> bool:
        return self.start < other.end and other.start < self.end


def tool(method: Any) -> Any:
    """Turns a refusal into an answer."""

    def answering(self: "RepairShop", **arguments: Any) -> dict[str, Any]:
        try:
            return {"success": True, "data": copy.deepcopy(method(self, **arguments))}
        except Refused as refusal:
            return {"success": False, "error": str(refusal), "code": refusal.code}

    answering.__name__, answering.__doc__, answering.__wrapped__ = method.__name__, method.__doc__, method
    return answering


class RepairShop:
    """Customers, tickets, parts, technicians and pick-up appointments of a repair shop."""

    def __init__(self, config: dict[str, Any] | None = None) -> None:
        config = copy.deepcopy(config or {})
        self.now: str = config.get("now", "2025-03-03T09:00")
        self.customers: dict[str, Customer] = config.get("customers", {})
        self.tickets: dict[str, dict[str, Any]] = config.get("tickets", {})
        self.parts: dict[str, Part] = config.get("parts", {})
        self.technicians: dict[str, dict[str, Any]] = config.get("technicians", {})
        self.pickups: dict[str, dict[str, Any]] = config.get("pickups", {})
        self.counters: dict[str, int] = config.get("counters", {"ticket": 0, "customer": 0, "pickup": 0})

    # Look-ups

    @tool
    def get_customer(self, customer_id: str) -> Customer:
        """One customer."""
        return self._record("customers", customer_id)

    @tool
    def find_customers(self, text: str) -> list[dict[str, Any]]:
        """Customers whose name, phone or e-mail holds a text."""
        wanted = re.compile(re.escape(text.strip()), re.IGNORECASE)
        if len(text.strip()) < 2:
            raise Refused("give at least two characters")
        found = [
            {"customer_id": key, **each}
            for key, each in self.customers.items()
            if wanted.search(each["name"]) or wanted.search(each["phone"]) or wanted.search(each["email"])
        ]
        return sorted(found, key=lambda each: each["name"])[:20]

    @tool
    def get_ticket(self, ticket_id: str) -> dict[str, Any]:
        """One ticket."""
        return self._record("tickets", ticket_id)

    @tool
    def list_tickets(self, status: str | None = None, technician_id: str | None = None) -> list[dict[str, Any]]:
        """Tickets, the most urgent first."""
        found = [
            {"ticket_id": key, "device": each["device"], "status": each["status"], "priority": each["priority"]}
            for key, each in self.tickets.items()
            if status in (None, each["status"]) and technician_id in (None, each["technician_id"])
        ]
        return sorted(found, key=lambda each: (-each["priority"], each["ticket_id"]))

    @tool
    def find_parts(self, device: str) -> list[dict[str, Any]]:
        """Parts in stock that fit a device."""
        fitting = [
            {"part_id": key, **each} for key, each in self.parts.items() if device in each["fits"] and each["stock"]
        ]
        return sorted(fitting, key=lambda each: each["price_cents"])

    @tool
    def list_technicians(self, skill: str) -> list[dict[str, Any]]:
        """Technicians with a skill and how many tickets they have open."""
        return [
            {"technician_id": key, "name": each["name"], "open": self._open_tickets(key)}
            for key, each in self.technicians.items()
            if skill in each["skills"]
        ]

    @tool
    def list_pickups(self, day: str) -> list[dict[str, Any]]:
        """Appointments of a day."""
        self._moment(f"{day}T00:00")
        return [{"pickup_id": key, **each} for key, each in self.pickups.items() if each["start"].startswith(day)]

    @tool
    def estimate(self, ticket_id: str) -> dict[str, Any]:
        """What a repair will cost."""
        ticket = self._ticket(ticket_id)
        parts = sum(self.parts[each["part_id"]]["price_cents"] * each["count"] for each in ticket.parts)
        work = 2500 * ticket.priority
        discount = 0.1 if self.customers[ticket.customer_id]["is_member"] else 0.0
        return {"parts_cents": parts, "work_cents": work, "total_cents": round((parts + work) * (1 - discount))}

    # Changes

    @tool
    def add_customer(self, name: str, phone: str, email: str) -> dict[str, str]:
        """Register a customer."""
        if not PHONE.match(phone):
            raise Refused(f"{phone!r} is no phone number", "bad_phone")
        if not EMAIL.match(email):
            raise Refused(f"{email!r} is no e-mail address", "bad_email")
        if any(each["email"].lower() == email.lower() for each in self.customers.values()):
            raise Refused("this e-mail address is known already", "duplicate")
        key = self._next("customer", "CUS")
        self.customers[key] = {"name": name, "phone": phone, "email": email, "is_member": False, "note": ""}
        return {"customer_id": key}

    @tool
    def open_ticket(self, customer_id: str, device: str, fault: str) -> dict[str, str]:
        """Take in a device."""
        self._record("customers", customer_id)
        ticket = Ticket(customer_id, device, fault, created_at=datetime.now().strftime(STAMP))
        ticket.tracking = f"{uuid.uuid4().hex[:8]}-{random.randint(100, 999)}"
        key = self._next("ticket", "TIC")
        self._keep(key, ticket, "received")
        return {"ticket_id": key, "tracking": ticket.tracking}

    @tool
    def move_ticket(self, ticket_id: str, status: str) -> dict[str, str]:
        """Bring a ticket to its next status."""
        ticket = self._ticket(ticket_id)
        try:
            following = Status(status)
        except ValueError:
            raise Refused(f"{status!r} is no status", "bad_status") from None
        if following not in FOLLOWING[Status(ticket.status)]:
            raise Refused(f"a ticket that is {ticket.status} can't become {status}", "bad_transition")
        if following is Status.IN_REPAIR and ticket.technician_id is None:
            raise Refused("assign a technician first", "no_technician")
        ticket.status = following.value
        self._keep(ticket_id, ticket, f"now {following.value}")
        return {"status": ticket.status}

    @tool
    def set_priority(self, ticket_id: str, priority: Literal["LOW", "NORMAL", "HIGH"]) -> dict[str, int]:
        """Change how urgent a ticket is."""
        ticket = self._ticket(ticket_id)
        ticket.priority = Priority[priority].value
        self._keep(ticket_id, ticket, f"priority {priority}")
        return {"priority": ticket.priority}

    @tool
    def assign(self, ticket_id: str, technician_id: str) -> dict[str, str]:
        """Give a ticket to a technician who can do it and has time."""
        ticket, technician = self._ticket(ticket_id), self._record("technicians", technician_id)
        if ticket.device not in technician["skills"]:
            raise Refused(f"{technician['name']} can't repair a {ticket.device}", "no_skill")
        if self._open_tickets(technician_id) >= MAX_OPEN_TICKETS:
            raise Refused(f"{technician['name']} has enough to do", "busy")
        ticket.technician_id = technician_id
        self._keep(ticket_id, ticket, f"given to {technician_id}")
        return {"technician_id": technician_id}

    @tool
    def use_part(self, ticket_id: str, part_id: str, count: int = 1) -> dict[str, int]:
        """Take a part from the shelf for a ticket."""
        ticket, part = self._ticket(ticket_id), self._record("parts", part_id)
        if ticket.device not in part["fits"]:
            raise Refused(f"{part['name']} does not fit a {ticket.device}", "no_fit")
        if count < 1 or count > part["stock"]:
            raise Refused(f"{part['stock']} of {part['name']} are in stock", "no_stock")
        part["stock"] -= count
        ticket.parts.append({"part_id": part_id, "count": count})
        self._keep(ticket_id, ticket, f"{count} x {part_id}")
        return {"stock": part["stock"]}

    @tool
    def book_pickup(self, ticket_id: str, start: str) -> dict[str, str]:
        """Make an appointment to fetch a device that is ready."""
        ticket, slot = self._ticket(ticket_id), Slot(self._moment(start))
        if ticket.status != Status.READY.value:
            raise Refused("the device is not ready", "not_ready")
        if slot.start <= self._moment(self.now) or not OPENS <= slot.start.hour < CLOSES:
            raise Refused("the shop is closed then", "closed")
        if any(slot.overlaps(Slot(self._moment(each["start"]))) for each in self.pickups.values()):
            raise Refused("that time is taken", "taken")
        key = self._next("pickup", "PIC")
        self.pickups[key] = {"ticket_id": ticket_id, "start": start, "is_done": False}
        return {"pickup_id": key}

    @tool
    def cancel_pickup(self, pickup_id: str) -> dict[str, str]:
        """Cancel an appointment."""
        if self._record("pickups", pickup_id)["is_done"]:
            raise Refused("that appointment is over", "over")
        del self.pickups[pickup_id]
        return {"cancelled": pickup_id}

    @tool
    def note_customer(self, customer_id: str, note: str) -> dict[str, str]:
        """Write down something about a customer."""
        if len(note) > 200:
            raise Refused("a note has at most 200 characters", "too_long")
        self._record("customers", customer_id)["note"] = note.strip()
        return {"note": note.strip()}

    @tool
    def restock(self, part_id: str, count: int) -> dict[str, int]:
        """Put parts on the shelf."""
        if not 1 <= count <= 100:
            raise Refused("1 to 100 parts at a time", "bad_count")
        part = self._record("parts", part_id)
        part["stock"] += count
        return {"stock": part["stock"]}

    # Inner workings

    def _record(self, collection: str, key: str) -> Any:
        records = getattr(self, collection)
        if key not in records:
            raise Refused(f"there is no {collection[:-1]} {key!r}", "unknown_id")
        return records[key]

    def _ticket(self, key: str) -> Ticket:
        return Ticket(**self._record("tickets", key))

    def _keep(self, key: str, ticket: Ticket, entry: str) -> None:
        ticket.log.append(f"{datetime.now().strftime(STAMP)} {entry}")
        self.tickets[key] = asdict(ticket)

    def _open_tickets(self, technician_id: str) -> int:
        closed = (Status.RETURNED.value, Status.CANCELLED.value)
        mine = (each for each in self.tickets.values() if each["technician_id"] == technician_id)
        return sum(each["status"] not in closed for each in mine)

    def _moment(self, text: str) -> datetime:
        try:
            return datetime.strptime(text, STAMP)
        except ValueError:
            raise Refused(f"{text!r} is no time such as 2025-03-04T10:20", "bad_time") from None

    def _next(self, counter: str, prefix: str) -> str:
        self.counters[counter] += 1
        return f"{prefix}-{self.counters[counter]:04}"
