"""A neighbourhood shed that lends tools: members, items, loans and late fees.

Dates are "YYYY-MM-DD", moments "YYYY-MM-DDTHH:MM", in local time. Money is in euro cents.
The clock is `now`, a part of the state that no tool moves.
"""

import copy
import re
from datetime import date, timedelta
from typing import Any, Literal

Category = Literal["garden", "wood", "metal", "paint"]
Condition = Literal["good", "worn", "broken"]
Training = Literal["chainsaw", "welding", "ladder"]
LoanStatus = Literal["open", "returned"]

_CATEGORIES = ("garden", "wood", "metal", "paint")
_CONDITIONS = ("good", "worn", "broken")
_TRAININGS = ("chainsaw", "welding", "ladder")
_STATUSES = ("open", "returned")
_SETTINGS = {"loan_limit": 3, "longest_loan_days": 21, "late_fee_cents_per_day": 150}
_MAX_NAME = 80


def _refuse(error: str) -> dict[str, Any]:
    return {"success": False, "error": error}


def _answer(data: Any) -> dict[str, Any]:
    """A copy goes out: whoever edits a result must not edit the shed."""
    return {"success": True, "data": copy.deepcopy(data)}


def _is_text(value: Any, longest: int) -> bool:
    return isinstance(value, str) and 0 < len(value.strip()) <= longest and value.isprintable()


def _is_count(value: Any, lowest: int, highest: int) -> bool:
    return type(value) is int and lowest <= value <= highest


class LendingShed:
    """Who is a member of the shed, what can be borrowed, who has it, and what is owed for bringing it back late."""

    def __init__(self, config: dict[str, Any] | None = None) -> None:
        given = copy.deepcopy(config) if isinstance(config, dict) else {}
        self.now = given.get("now", "2025-04-07T10:00")
        self.settings = {**_SETTINGS, **given.get("settings", {})}
        self.members = given.get("members", {})
        self.items = given.get("items", {})
        self.loans = given.get("loans", {})
        self.counters = {**{"members": 0, "loans": 0}, **given.get("counters", {})}

    def find_items(
        self, name_contains: str | None = None, category: Category | None = None, is_available: bool | None = None
    ) -> dict[str, Any]:
        """Find items by part of their name, category and/or whether they are on the shelf now.

        Args:
            name_contains: Part of the item's name, in any letter case.
            category: Only items of this category.
            is_available: True: only items that are not lent out. False: only items that are.
        """
        if name_contains is not None and not isinstance(name_contains, str):
            return _refuse("name_contains must be a text.")
        if category is not None and category not in _CATEGORIES:
            return _refuse(f"category must be one of {', '.join(_CATEGORIES)}.")
        if is_available is not None and not isinstance(is_available, bool):
            return _refuse("is_available must be true or false.")
        return _answer(
            [
                item
                for item in self.items.values()
                if (name_contains is None or name_contains.lower() in item["name"].lower())
                and (category is None or item["category"] == category)
                and (is_available is None or is_available != self._is_lent(item["item_id"]))
            ]
        )

    def find_members(self, name_contains: str) -> dict[str, Any]:
        """Find members by part of their name.

        Args:
            name_contains: Part of the full name, in any letter case.
        """
        if not isinstance(name_contains, str):
            return _refuse("name_contains must be a text.")
        wanted = name_contains.lower()
        return _answer([each for each in self.members.values() if wanted in each["full_name"].lower()])

    def list_loans(
        self, member_id: str | None = None, item_id: str | None = None, status: LoanStatus | None = None
    ) -> dict[str, Any]:
        """List loans in the order in which they began, all given filters together.

        Args:
            member_id: Only loans of this member.
            item_id: Only loans of this item.
            status: Only loans in this status.
        """
        if member_id is not None and not (isinstance(member_id, str) and member_id in self.members):
            return _refuse("There is no such member.")
        if item_id is not None and not (isinstance(item_id, str) and item_id in self.items):
            return _refuse("There is no such item.")
        if status is not None and status not in _STATUSES:
            return _refuse(f"status must be one of {', '.join(_STATUSES)}.")
        return _answer(
            [
                loan
                for loan in self.loans.values()
                if (member_id is None or loan["member_id"] == member_id)
                and (item_id is None or loan["item_id"] == item_id)
                and (status is None or loan["status"] == status)
            ]
        )

    def register_member(self, full_name: str, email: str, trainings: list[Training] | None = None) -> dict[str, Any]:
        """Register a new member. An email address belongs to one member only.

        Args:
            full_name: Full name, 1 to 80 characters.
            email: Email address, such as ada@example.org.
            trainings: Trainings that the member has shown a certificate for.
        """
        if not _is_text(full_name, _MAX_NAME):
            return _refuse("full_name must have 1 to 80 printable characters.")
        if not isinstance(email, str) or len(email) > 120 or not re.fullmatch(r"[^@\s]+@[^@\s]+\.[a-z]+", email):
            return _refuse("email must be an address such as ada@example.org, at most 120 characters.")
        if trainings is not None and not isinstance(trainings, list):
            return _refuse("trainings must be a list.")
        if any(each not in _TRAININGS for each in trainings or []):
            return _refuse(f"Each training must be one of {', '.join(_TRAININGS)}.")
        if any(each["email"] == email.lower() for each in self.members.values()):
            return _refuse("This email address belongs to another member.")
        member_id = self._new_id("members", "MEM")
        self.members[member_id] = {
            "member_id": member_id,
            "full_name": full_name.strip(),
            "email": email.lower(),
            "trainings": list(trainings or []),
            "joined_on": self.now[:10],
        }
        return _answer(self.members[member_id])

    def lend_item(self, member_id: str, item_id: str, days: int) -> dict[str, Any]:
        """Lend an item to a member from today on.

        Args:
            member_id: Id of the member.
            item_id: Id of an item that is on the shelf.
            days: Length of the loan in days, 1 to the longest loan of the shed.
        """
        member = self.members.get(member_id) if isinstance(member_id, str) else None
        if member is None:
            return _refuse("There is no such member.")
        item = self.items.get(item_id) if isinstance(item_id, str) else None
        if item is None:
            return _refuse("There is no such item.")
        if not _is_count(days, 1, self.settings["longest_loan_days"]):
            return _refuse(f"days must be a whole number from 1 to {self.settings['longest_loan_days']}.")
        if item["condition"] == "broken":
            return _refuse(f"{item_id} is broken and stays in the shed.")
        if self._is_lent(item_id):
            return _refuse(f"{item_id} is lent out.")
        if item["training"] is not None and item["training"] not in member["trainings"]:
            return _refuse(f"{item_id} needs a {item['training']} training, which {member_id} does not have.")
        theirs = [loan for loan in self.loans.values() if loan["member_id"] == member_id]
        if any(loan["fee_due_cents"] > 0 for loan in theirs):
            return _refuse(f"{member_id} has to settle a late fee first.")
        if sum(loan["status"] == "open" for loan in theirs) >= self.settings["loan_limit"]:
            return _refuse(f"{member_id} already has {self.settings['loan_limit']} items.")
        loan_id = self._new_id("loans", "LOA")
        self.loans[loan_id] = {
            "loan_id": loan_id,
            "member_id": member_id,
            "item_id": item_id,
            "lent_at": self.now,
            "due_on": (self._today() + timedelta(days=days)).isoformat(),
            "status": "open",
            "fee_due_cents": 0,
            "is_extended": False,
        }
        return _answer(self.loans[loan_id])

    def extend_loan(self, loan_id: str, due_on: str) -> dict[str, Any]:
        """Move the due date of an open loan that is not overdue. A loan is extended once at most.

        Args:
            loan_id: Id of the loan.
            due_on: New due date, YYYY-MM-DD, later than the old one and within the longest loan from today.
        """
        loan = self.loans.get(loan_id) if isinstance(loan_id, str) else None
        if loan is None:
            return _refuse("There is no such loan.")
        if loan["status"] != "open" or loan["is_extended"] or loan["due_on"] < self.now[:10]:
            return _refuse("Only an open loan that is neither overdue nor extended before can be extended.")
        wanted = self._as_date(due_on)
        last = self._today() + timedelta(days=self.settings["longest_loan_days"])
        if wanted is None or not date.fromisoformat(loan["due_on"]) < wanted <= last:
            return _refuse(f"due_on must be a date after {loan['due_on']} and at most {last.isoformat()}.")
        loan["due_on"] = due_on
        loan["is_extended"] = True
        return _answer(loan)

    def return_item(self, loan_id: str, condition: Condition) -> dict[str, Any]:
        """Take an item back. A late return costs a fee per day.

        Args:
            loan_id: Id of the open loan.
            condition: Condition in which the item came back.
        """
        loan = self.loans.get(loan_id) if isinstance(loan_id, str) else None
        if loan is None or loan["status"] != "open":
            return _refuse("There is no such open loan.")
        if condition not in _CONDITIONS:
            return _refuse(f"condition must be one of {', '.join(_CONDITIONS)}.")
        late = max(0, (self._today() - date.fromisoformat(loan["due_on"])).days)
        loan["status"] = "returned"
        loan["fee_due_cents"] = late * self.settings["late_fee_cents_per_day"]
        self.items[loan["item_id"]]["condition"] = condition
        return _answer(loan)

    def settle_fee(self, loan_id: str, amount_cents: int) -> dict[str, Any]:
        """Take money for the late fee of a returned loan, all of it or a part.

        Args:
            loan_id: Id of the loan.
            amount_cents: Amount in euro cents, at least 1 and at most what is due.
        """
        loan = self.loans.get(loan_id) if isinstance(loan_id, str) else None
        if loan is None or loan["fee_due_cents"] == 0:
            return _refuse("There is no such loan with a fee due.")
        if not _is_count(amount_cents, 1, loan["fee_due_cents"]):
            return _refuse(f"amount_cents must be a whole number from 1 to {loan['fee_due_cents']}.")
        loan["fee_due_cents"] -= amount_cents
        return {"success": True, "message": f"{amount_cents} cents taken, {loan['fee_due_cents']} cents are left."}

    def _today(self) -> date:
        return date.fromisoformat(self.now[:10])

    def _as_date(self, value: Any) -> date | None:
        """The date of a strict "YYYY-MM-DD" text, else None."""
        if not isinstance(value, str) or not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", value):
            return None
        try:
            return date.fromisoformat(value)
        except ValueError:
            return None

    def _is_lent(self, item_id: str) -> bool:
        return any(loan["item_id"] == item_id and loan["status"] == "open" for loan in self.loans.values())

    def _new_id(self, collection: str, prefix: str) -> str:
        self.counters[collection] += 1
        return f"{prefix}-{self.counters[collection]:04d}"
