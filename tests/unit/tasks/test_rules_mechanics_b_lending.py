"""Lending and billing: what their tools do, and that every rule is enforced."""

from typing import Any

import pytest

from tests.fakes.desk import Desk, desk, has_entity

SEEDS = (1, 2)


def library(**settings: Any) -> dict[str, Any]:
    members = {
        f"MEM-000{number}": {
            "member_id": f"MEM-000{number}",
            "full_name": f"Member {number}",
            "phone": f"+44113496000{number}",
            "email": None,
            "card": "adult",
            "joined_on": "2020-01-01",
            "status": "active",
        }
        for number in (1, 2, 3, 4)
    }
    titles = {
        f"TTL-000{number}": {
            "title_id": f"TTL-000{number}",
            "name": f"Title {number}",
            "author": "Ann Ode",
            "kind": kind,
        }
        for number, kind in ((1, "film"), (2, "novel"))
    }
    copies = {
        f"CPY-000{number}": {
            "copy_id": f"CPY-000{number}",
            "title_id": "TTL-0001" if number == 1 else "TTL-0002",
            "shelf_mark": f"A-10{number}",
            "status": "on_shelf",
        }
        for number in range(1, 7)
    }
    return {"now": "2025-06-02T09:00", "members": members, "titles": titles, "copies": copies, **settings}


def lend(counter: Desk, member: int, copy: int) -> None:
    counter.do("lend_copy", member_id=f"MEM-000{member}", copy_id=f"CPY-000{copy}")


@pytest.mark.parametrize("seed", SEEDS)
def test_a_copy_has_one_borrower_and_a_member_four_copies(seed: int) -> None:
    with desk("public-library", seed, library()) as counter:
        lend(counter, 1, 2)
        assert "not on the shelf" in counter.refuses("lend_copy", member_id="MEM-0002", copy_id="CPY-0002")
        for copy in (3, 4, 5):
            lend(counter, 1, copy)
        assert "the most" in counter.refuses("lend_copy", member_id="MEM-0001", copy_id="CPY-0006")
        assert "still out" in counter.refuses("suspend_member", member_id="MEM-0001")
        counter.do("return_loan", loan_id="LOA-0001")
        assert counter.record("copies", "CPY-0002")["status"] == "on_shelf"
        assert "returned" in counter.refuses("return_loan", loan_id="LOA-0001")
        assert "returned" in counter.refuses("renew_loan", loan_id="LOA-0001")


@pytest.mark.parametrize("seed", SEEDS)
def test_nothing_is_lent_while_something_is_overdue_and_renewals_end(seed: int) -> None:
    with desk("public-library", seed, library()) as counter:
        lend(counter, 1, 1)
        assert counter.record("loans", "LOA-0001")["due_on"] == "2025-06-09"
        counter.do("renew_loan", loan_id="LOA-0001")
        assert counter.do("renew_loan", loan_id="LOA-0001")["due_on"] == "2025-06-23"
        assert "2 times" in counter.refuses("renew_loan", loan_id="LOA-0001")
        lend(counter, 2, 2)
        counter.set_clock("2025-06-24T09:00")

        counter.breaks("member_with_overdue_loan", "lend_copy", member_id="MEM-0001", copy_id="CPY-0003")
        counter.breaks("loan_renewed_in_time", "renew_loan", loan_id="LOA-0002")
        counter.do("return_loan", loan_id="LOA-0001")
        lend(counter, 1, 3)
        assert [each["loan_id"] for each in counter.do("list_loans", only_overdue=True)] == ["LOA-0002"]


@pytest.mark.parametrize("seed", SEEDS)
def test_who_waits_for_a_title_gets_it_in_order(seed: int) -> None:
    with desk("public-library", seed, library()) as counter:
        counter.breaks("hold_needs_waiting", "place_hold", member_id="MEM-0002", title_id="TTL-0001")
        lend(counter, 1, 1)
        assert "has TTL-0001" in counter.refuses("place_hold", member_id="MEM-0001", title_id="TTL-0001")
        counter.do("place_hold", member_id="MEM-0002", title_id="TTL-0001")
        counter.do("place_hold", member_id="MEM-0003", title_id="TTL-0001")
        assert "already" in counter.refuses("place_hold", member_id="MEM-0003", title_id="TTL-0001")
        counter.breaks("loan_renewed_in_time", "renew_loan", loan_id="LOA-0001")
        counter.do("return_loan", loan_id="LOA-0001")
        counter.breaks("hold_in_order", "lend_copy", member_id="MEM-0003", copy_id="CPY-0001")
        counter.breaks("hold_in_order", "lend_copy", member_id="MEM-0004", copy_id="CPY-0001")
        counter.breaks("copy_withdrawn_from_shelf", "withdraw_copy", copy_id="CPY-0001")
        assert counter.do("list_free_copies", title_id="TTL-0001", member_id="MEM-0003") == []
        counter.do("add_copy", title_id="TTL-0001", shelf_mark="B-200")
        free = counter.do("list_free_copies", title_id="TTL-0001", member_id="MEM-0003")
        assert len(free) == 2, "enough for both who wait"
        lend(counter, 3, 1)

        assert counter.record("holds", "HLD-0002")["status"] == "served"
        counter.do("cancel_hold", hold_id="HLD-0001")
        assert "not waiting" in counter.refuses("cancel_hold", hold_id="HLD-0001")


@pytest.mark.parametrize("seed", SEEDS)
def test_a_shelf_mark_is_one_copys_only_and_holds_are_limited(seed: int) -> None:
    titles = {
        f"TTL-000{number}": {
            "title_id": f"TTL-000{number}",
            "name": f"Title {number}",
            "author": "Ann Ode",
            "kind": "film",
        }
        for number in (1, 2, 3, 4)
    }
    copies = {
        f"CPY-000{number}": {
            "copy_id": f"CPY-000{number}",
            "title_id": f"TTL-000{number}",
            "shelf_mark": f"A-10{number}",
            "status": "on_shelf",
        }
        for number in (1, 2, 3, 4)
    }
    with desk("public-library", seed, {**library(), "titles": titles, "copies": copies}) as counter:
        assert "CPY-0002" in counter.refuses("add_copy", title_id="TTL-0001", shelf_mark="A-102")
        assert "capital letter" in counter.refuses("add_copy", title_id="TTL-0001", shelf_mark="B-2\n")
        for number in (1, 2, 3, 4):
            lend(counter, 1, number)
        for number in (1, 2, 3):
            counter.do("place_hold", member_id="MEM-0002", title_id=f"TTL-000{number}")
        assert "the most" in counter.refuses("place_hold", member_id="MEM-0002", title_id="TTL-0004")
        counter.do("return_loan", loan_id="LOA-0004")
        counter.do("withdraw_copy", copy_id="CPY-0004")
        assert "in use" in counter.refuses("place_hold", member_id="MEM-0003", title_id="TTL-0004")


def salon() -> dict[str, Any]:
    owners = {
        f"OWN-000{number}": {
            "owner_id": f"OWN-000{number}",
            "full_name": f"Owner {number}",
            "phone": f"+44113496000{number}",
            "email": None,
            "reminder": "by_phone",
            "status": "active",
        }
        for number in (1, 2)
    }
    looks = {"coat": "curly", "temper": "calm", "weight_kg": 9, "status": "active"}
    dogs = {
        f"DOG-000{number}": {"dog_id": f"DOG-000{number}", "name": name, "owner_id": f"OWN-000{number}", **looks}
        for number, name in ((1, "Olive"), (2, "Hugo"))
    }
    groomer = {
        "groomer_id": "GRM-0001",
        "full_name": "Lee Fern",
        "offers": ["bath"],
        "works_on": ["mon", "tue", "wed", "thu", "fri"],
        "status": "available",
    }
    visits = {
        f"APT-000{number}": {
            "appointment_id": f"APT-000{number}",
            "dog_id": "DOG-0001",
            "groomer_id": "GRM-0001",
            "service": "bath",
            "start": f"2025-06-02T{hour}:00",
            "minutes": 45,
            "status": status,
            "changed_at": "2025-06-02T09:00",
        }
        for number, hour, status in ((1, "10", "completed"), (2, "11", "completed"), (3, "12", "booked"))
    }
    state = {"now": "2025-06-02T14:00", "owners": owners, "dogs": dogs, "groomers": {"GRM-0001": groomer}}
    return {**state, "appointments": visits}


def billed(theme: str) -> list[int]:
    """Two seeds with which a theme has billing."""
    return [seed for seed in range(1, 30) if has_entity(theme, seed, "bills")][:2]


@pytest.mark.parametrize("seed", billed("pet-grooming-salon"))
def test_a_done_visit_is_billed_once_and_paid_down_to_nothing(seed: int) -> None:
    with desk("pet-grooming-salon", seed, salon()) as counter:
        counter.breaks("bill_for_done_appointment", "issue_bill", appointment_id="APT-0003")
        bill = counter.do("issue_bill", appointment_id="APT-0001")
        assert (bill["owner_id"], bill["amount_cents"], bill["due_on"]) == ("OWN-0001", 3500, "2025-06-07")
        assert "BIL-0001" in counter.refuses("issue_bill", appointment_id="APT-0001")
        assert "between 1 and 700" in counter.refuses("discount_bill", bill_id="BIL-0001", discount_cents=701)
        counter.do("discount_bill", bill_id="BIL-0001", discount_cents=500)
        assert "already" in counter.refuses("discount_bill", bill_id="BIL-0001", discount_cents=100)
        counter.do("record_payment", bill_id="BIL-0001", amount_cents=1000, method="card")
        over = {"bill_id": "BIL-0001", "amount_cents": 2001, "method": "cash"}
        assert "2000" in counter.refuses("record_payment", **over)
        assert counter.record("bills", "BIL-0001")["status"] == "open"
        counter.do("record_payment", bill_id="BIL-0001", amount_cents=2000, method="cash")

        shown = counter.do("get_bill", bill_id="BIL-0001")
        assert (shown["status"], shown["left_cents"], len(shown["payments"])) == ("paid", 0, 2)
        assert "not open" in counter.refuses("write_off_bill", bill_id="BIL-0001")


@pytest.mark.parametrize("seed", billed("pet-grooming-salon"))
def test_an_owner_with_an_open_bill_is_not_archived(seed: int) -> None:
    state = salon()
    for dog in state["dogs"].values():
        dog["status"] = "removed"
    with desk("pet-grooming-salon", seed, state) as counter:
        counter.do("issue_bill", appointment_id="APT-0002")

        assert "still open" in counter.refuses("archive_owner", owner_id="OWN-0001")


@pytest.mark.parametrize("seed", billed("pet-grooming-salon"))
def test_an_owner_with_an_overdue_bill_gets_no_new_visit(seed: int) -> None:
    wanted = {"groomer_id": "GRM-0001", "service": "bath", "start": "2025-06-10T10:00"}
    with desk("pet-grooming-salon", seed, salon()) as counter:
        counter.do("issue_bill", appointment_id="APT-0002")
        counter.set_clock("2025-06-08T09:00")

        counter.breaks("owner_with_overdue_bill", "book_appointment", dog_id="DOG-0001", **wanted)
        assert "DOG-0001 is still active" in counter.refuses("archive_owner", owner_id="OWN-0001")
        counter.do("book_appointment", dog_id="DOG-0002", **wanted)
        counter.do("write_off_bill", bill_id="BIL-0001")
        counter.do("book_appointment", dog_id="DOG-0001", **{**wanted, "start": "2025-06-10T11:00"})


@pytest.mark.parametrize("seed", billed("hotel-front-desk"))
def test_a_guest_with_an_overdue_bill_gets_no_room(seed: int) -> None:
    guest = {"guest_id": "GST-0001", "full_name": "Ida Kerr", "phone": "+441134960001", "email": None}
    guest |= {"membership": "gold", "breakfast": "vegan", "status": "active"}
    room = {"room_id": "ROM-0001", "name": "Room 101", "room_type": "single", "beds": 1, "nightly_rate_cents": 8000}
    room |= {"amenities": [], "status": "in_service", "out_reason": None}
    state = {"now": "2025-06-02T14:00", "guests": {"GST-0001": guest}, "rooms": {"ROM-0001": room}}
    wanted = {"guest_id": "GST-0001", "room_id": "ROM-0001", "people": 1}
    with desk("hotel-front-desk", seed, state) as front:
        front.do("make_reservation", **wanted, arrives_on="2025-06-02", leaves_on="2025-06-04")
        front.do("check_in_reservation", reservation_id="RSV-0001")
        front.do("check_out_reservation", reservation_id="RSV-0001")
        assert front.do("issue_bill", reservation_id="RSV-0001")["amount_cents"] == 16000
        front.set_clock("2025-06-20T09:00")
        new = {**wanted, "arrives_on": "2025-06-22", "leaves_on": "2025-06-23"}
        front.breaks("guest_with_overdue_bill", "make_reservation", **new)
        front.do("record_payment", bill_id="BIL-0001", amount_cents=16000, method="transfer")
        front.do("make_reservation", **new)
