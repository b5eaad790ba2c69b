"""Seatings: what their tools do, and that every rule is enforced."""

from typing import Any

import pytest

from tests.fakes.desk import desk

SEEDS = (1, 2)


def restaurant() -> dict[str, Any]:
    guests = {
        f"GST-000{number}": {
            "guest_id": f"GST-000{number}",
            "full_name": f"Guest {number}",
            "phone": f"+44113496000{number}",
            "email": None,
            "diet": "vegan",
            "standing": "new",
            "status": "active",
        }
        for number in (1, 2)
    }
    tables = {
        f"TAB-000{number}": {
            "table_id": f"TAB-000{number}",
            "name": f"Table {number}",
            "area": "hall",
            "chairs": chairs,
            "features": [],
            "status": status,
            "out_reason": None if status == "in_service" else "repair",
        }
        for number, chairs, status in (
            (1, 4, "in_service"),
            (2, 4, "in_service"),
            (3, 8, "in_service"),
            (4, 4, "out_of_service"),
        )
    }
    return {"now": "2025-06-19T12:00", "guests": guests, "tables": tables}  # a Thursday


def table(guest: int, number: int, start: str, minutes: int = 120, people: int = 4) -> dict[str, Any]:
    return {
        "guest_id": f"GST-000{guest}",
        "table_id": f"TAB-000{number}",
        "start": f"2025-{start}",
        "minutes": minutes,
        "people": people,
    }


@pytest.mark.parametrize("seed", SEEDS)
def test_no_table_is_booked_twice_for_one_time(seed: int) -> None:
    with desk("restaurant-floor", seed, restaurant()) as floor:
        floor.do("book_reservation", **table(1, 1, "06-20T18:00"))
        floor.do("book_reservation", **table(2, 1, "06-20T20:00"))

        assert "RSV-0001" in floor.refuses("book_reservation", **table(2, 1, "06-20T19:45"))
        move = {"reservation_id": "RSV-0002", "start": "2025-06-20T19:00"}
        assert "RSV-0001" in floor.refuses("reschedule_reservation", **move)
        floor.do("book_reservation", **table(2, 2, "06-20T18:30"))
        other = {"reservation_id": "RSV-0003", "table_id": "TAB-0001"}
        assert "RSV-0001" in floor.refuses("move_reservation_to_other_table", **other)
        free = floor.do("list_free_tables", start="2025-06-20T18:00", minutes=90, people=3)
        assert free == []
        floor.do("cancel_reservation", reservation_id="RSV-0001")
        free = floor.do("list_free_tables", for_reservation_id="RSV-0003")
        assert [each["table_id"] for each in free] == [], "the later reservation still overlaps"


@pytest.mark.parametrize("seed", SEEDS)
def test_people_fit_the_table_and_do_not_waste_it(seed: int) -> None:
    with desk("restaurant-floor", seed, restaurant()) as floor:
        assert "1 to 4 people" in floor.refuses("book_reservation", **table(1, 1, "06-20T18:00", people=5))
        assert "1 to 4 people" in floor.refuses("book_reservation", **table(1, 1, "06-20T18:00", people=-(10**20)))
        assert "at most 2 may stay free" in floor.refuses("book_reservation", **table(1, 3, "06-20T18:00", people=4))
        floor.do("book_reservation", **table(1, 1, "06-20T18:00", people=2))
        assert "at most 2" in floor.refuses("change_reservation_people", reservation_id="RSV-0001", people=1)
        assert floor.do("change_reservation_people", reservation_id="RSV-0001", people=4)["people"] == 4
        floor.breaks("reservation_table_usable", "book_reservation", **table(1, 4, "06-20T18:00"))
        broken = {"table_id": "TAB-0001", "reason": "repair"}
        floor.breaks("table_with_reservation_stays_in_service", "take_table_out_of_service", **broken)


@pytest.mark.parametrize("seed", SEEDS)
def test_times_keep_to_hours_lengths_and_horizon(seed: int) -> None:
    with desk("restaurant-floor", seed, restaurant()) as floor:
        assert "hours" in floor.refuses("book_reservation", **table(1, 1, "06-20T11:15"))
        assert "hours" in floor.refuses("book_reservation", **table(1, 1, "06-20T21:30"))
        assert "mon" in floor.refuses("book_reservation", **table(1, 1, "06-23T18:00"))
        assert "90, 120, 150" in floor.refuses("book_reservation", **table(1, 1, "06-20T18:00", minutes=10**40))
        assert "quarter" in floor.refuses("book_reservation", **table(1, 1, "06-20T18:10"))
        floor.breaks("reservation_ahead", "book_reservation", **table(1, 1, "06-19T12:00"))
        floor.breaks("reservation_ahead", "book_reservation", **table(1, 1, "12-19T12:00"))
        for number, day in enumerate(("20", "21", "22"), start=1):
            floor.do("book_reservation", **table(1, 1, f"06-{day}T18:00"))
            assert floor.record("reservations", f"RSV-000{number}")["status"] == "booked"
        floor.breaks("guest_most_reservations", "book_reservation", **table(1, 2, "06-24T18:00"))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_table_reservation_lives_from_booked_to_finished(seed: int) -> None:
    with desk("restaurant-floor", seed, restaurant()) as floor:
        floor.do("book_reservation", **table(1, 1, "06-19T13:00", minutes=90))
        floor.do("book_reservation", **table(2, 1, "06-19T14:30"))
        floor.do("book_reservation", **table(2, 2, "06-20T14:30"))
        floor.breaks("reservation_notice", "cancel_reservation", reservation_id="RSV-0001")
        floor.breaks("reservation_seated_on_its_day", "seat_reservation", reservation_id="RSV-0003")
        assert "may still come" in floor.refuses("mark_reservation_no_show", reservation_id="RSV-0001")
        floor.do("seat_reservation", reservation_id="RSV-0001")
        assert "still at" in floor.refuses("seat_reservation", reservation_id="RSV-0002")
        floor.do("finish_reservation", reservation_id="RSV-0001")
        assert "not seated" in floor.refuses("finish_reservation", reservation_id="RSV-0001")
        floor.set_clock("2025-06-19T15:00")
        floor.do("mark_reservation_no_show", reservation_id="RSV-0002")
        assert "no show" in floor.refuses(
            "move_reservation_to_other_table", reservation_id="RSV-0002", table_id="TAB-0002"
        )


@pytest.mark.parametrize("seed", SEEDS)
def test_an_employee_is_in_one_meeting_at_a_time(seed: int) -> None:
    employee = {
        "employee_id": "EMP-0001",
        "full_name": "Ada Moor",
        "phone": "+441134960001",
        "email": None,
        "department": "sales",
        "office_days": 3,
        "status": "active",
    }
    rooms = {
        key: {
            "meeting_room_id": key,
            "name": key,
            "floor": "first_floor",
            "places": 6,
            "equipment": [],
            "status": "in_service",
            "out_reason": None,
        }
        for key in ("ROM-0001", "ROM-0002")
    }
    state = {"now": "2025-06-19T12:00", "employees": {"EMP-0001": employee}, "meeting_rooms": rooms}
    wanted = {"employee_id": "EMP-0001", "minutes": 60, "people": 2}
    with desk("meeting-rooms", seed, state) as office:
        office.do("book_meeting", **wanted, meeting_room_id="ROM-0001", start="2025-06-20T10:00")

        parallel = {**wanted, "meeting_room_id": "ROM-0002", "start": "2025-06-20T10:30"}
        assert "EMP-0001 has MTG-0001" in office.refuses("book_meeting", **parallel)
        office.do("book_meeting", **{**parallel, "start": "2025-06-20T11:00"})
        moved = {"meeting_id": "MTG-0002", "start": "2025-06-20T10:15"}
        assert "EMP-0001 has MTG-0001" in office.refuses("reschedule_meeting", **moved)
        office.do("cancel_meeting", meeting_id="MTG-0001")
        assert office.do("reschedule_meeting", **moved)["start"] == "2025-06-20T10:15"
