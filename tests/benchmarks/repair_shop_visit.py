"""What is done with the repair shop: states of any size, a script of 14 calls, and checks."""

import inspect
import random
from typing import Any

from tasks.sandbox.base import Call
from tests.benchmarks import repair_shop

CODE = inspect.getsource(repair_shop)
CLASS_NAME = "RepairShop"

_DEVICES = ("bicycle", "toaster", "radio", "lamp", "sewing machine", "laptop")
_NAMES = ("Ada Brandt", "Ben Castillo", "Chiara Dunn", "Deniz Eklund", "Emil Farkas", "Fatou Gray", "Goran Hale")
_FAULTS = ("does not start", "makes a noise", "smells burnt", "loses power after a minute", "has a broken case")


def shop_state(customers: int) -> dict[str, Any]:
    """A state with so many customers, a ticket each, and parts and technicians to match; about 0.5 KB per customer."""
    chance = random.Random(7)
    state: dict[str, Any] = {"now": "2025-03-03T09:00"}
    numbers = range(1, customers + 1)
    state["customers"] = {
        f"CUS-{number:04}": {
            "name": f"{_NAMES[number % len(_NAMES)]} {number}",
            "phone": f"+49 30 {100000 + number}",
            "email": f"customer{number}@example.org",
            "is_member": number % 3 == 0,
            "note": "",
        }
        for number in numbers
    }
    state["tickets"] = {
        f"TIC-{number:04}": {
            "customer_id": f"CUS-{number:04}",
            "device": _DEVICES[number % len(_DEVICES)],
            "fault": chance.choice(_FAULTS),
            "status": "received",
            "priority": chance.randint(1, 3),
            "technician_id": None,
            "parts": [],
            "log": ["2025-03-01T10:00 received"],
            "created_at": "2025-03-01T10:00",
            "tracking": f"{chance.getrandbits(32):08x}-{chance.randint(100, 999)}",
        }
        for number in numbers
    }
    state["parts"] = {
        f"PAR-{number:04}": {
            "name": f"part {number}",
            "price_cents": chance.randint(100, 9900),
            "stock": chance.randint(3, 9),
            "fits": [_DEVICES[number % len(_DEVICES)], _DEVICES[(number + 1) % len(_DEVICES)]],
        }
        for number in range(1, max(13, customers))
    }
    state["technicians"] = {
        f"TEC-{number:02}": {"name": _NAMES[number], "skills": list(_DEVICES[number - 1 : number + 3])}
        for number in range(1, 5)
    }
    state["pickups"] = {}
    state["counters"] = {"ticket": customers, "customer": customers, "pickup": 0}
    return state


LOOK_UP = Call("get_ticket", {"ticket_id": "TIC-0003"})
"""A call that goes through no collection."""

SCRIPT = (
    Call("find_customers", {"text": "chiara"}),
    Call("get_customer", {"customer_id": "CUS-0002"}),
    Call("open_ticket", {"customer_id": "CUS-0002", "device": "radio", "fault": "hums"}),
    Call("list_tickets", {"status": "received"}),
    Call("move_ticket", {"ticket_id": "TIC-0002", "status": "diagnosed"}),
    Call("list_technicians", {"skill": "radio"}),
    Call("assign", {"ticket_id": "TIC-0002", "technician_id": "TEC-01"}),
    Call("find_parts", {"device": "radio"}),
    Call("use_part", {"ticket_id": "TIC-0002", "part_id": "PAR-0002"}),
    Call("move_ticket", {"ticket_id": "TIC-0002", "status": "in_repair"}),
    Call("move_ticket", {"ticket_id": "TIC-0002", "status": "ready"}),
    Call("book_pickup", {"ticket_id": "TIC-0002", "start": "2025-03-04T10:20"}),
    Call("estimate", {"ticket_id": "TIC-0002"}),
    Call("note_customer", {"customer_id": "CUS-0002", "note": "was told the price"}),
)
"""Every call succeeds on a state of at least 3 customers."""

FINAL_MESSAGE = "Your radio is ready; please fetch it on 4 March at 10:20."


def trajectory_of(results: list[Any]) -> dict[str, Any]:
    """The record of the script as checks read it."""
    calls = [
        {"tool": call.tool, "arguments": call.arguments, "result": result}
        for call, result in zip(SCRIPT, results, strict=True)
    ]
    return {"calls": calls, "messages": [], "final_message": FINAL_MESSAGE}


CHECKS = (
    """
def check(initial_state, final_state, trajectory):
    ticket = final_state["tickets"]["TIC-0002"]
    return ticket["status"] == "ready" and ticket["technician_id"] == "TEC-01"
""",
    """
from datetime import datetime

def check(initial_state, final_state, trajectory):
    starts = [datetime.fromisoformat(each["start"]) for each in final_state["pickups"].values()]
    return len(starts) == 1 and starts[0] > datetime.fromisoformat(initial_state["now"])
""",
    """
def check(initial_state, final_state, trajectory):
    free = {"tickets": {"TIC-0002"}, "parts": {"PAR-0002"}, "customers": {"CUS-0002"}}
    for collection in ("tickets", "parts", "customers", "technicians"):
        for key, record in initial_state[collection].items():
            if key not in free.get(collection, ()) and final_state[collection].get(key) != record:
                return False
    return True
""",
    """
import re

def check(initial_state, final_state, trajectory):
    tools = [call["tool"] for call in trajectory["calls"]]
    is_ordered = tools.index("list_technicians") < tools.index("assign")
    return is_ordered and re.search(r"10[:.]20", trajectory["final_message"]) is not None
""",
)
"""Two goals, a guard and a procedure; all hold after the script."""
