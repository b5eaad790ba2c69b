"""Stays, seatings and units: what their tools do, and that every rule is enforced."""

from typing import Any

import pytest

from tasks.scenarios.records import state_finding
from tasks.scenarios.states import rule_finding
from tests.fakes.desk import desk, lived_in_states
from tests.fakes.sandbox import SANDBOX

THEMES = (
    "hotel-front-desk",
    "hospital-ward",
    "car-rental",
    "public-library",
    "online-shop",
    "food-delivery",
    "pharmacy-counter",
    "restaurant-floor",
    "meeting-rooms",
    "warehouse-stock",
    "pet-grooming-salon",
)
SEEDS = (1, 2)
MONDAY = "2025-06-16T09:00"


def person(prefix: str, number: int, **details: Any) -> dict[str, Any]:
    """A record of a registry with contact details."""
    one = {"GST": "guest_id", "PAT": "patient_id", "DRV": "driver_id", "EMP": "employee_id"}[prefix]
    phone = f"+44113496000{number}"
    named = {one: f"{prefix}-000{number}", "full_name": f"Person {number}", "phone": phone, "email": None}
    return {**named, **details, "status": details.get("status", "active")}


def by_id(*records: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Records under their ids, which is their first value."""
    return {str(next(iter(record.values()))): record for record in records}


def unit(one: str, key: str, **details: Any) -> dict[str, Any]:
    """A unit in service, unless its details say otherwise."""
    return {f"{one}_id": key, "name": key, "status": "in_service", "out_reason": None, **details}


def hotel() -> dict[str, Any]:
    liked = {"membership": "basic", "breakfast": "vegan"}
    guests = by_id(*(person("GST", number, **liked) for number in (1, 2)), person("GST", 3, **liked, status="blocked"))
    rooms = [
        unit("room", f"ROM-000{number}", room_type="double", beds=2, nightly_rate_cents=10000, amenities=[])
        for number in (1, 2, 3)
    ]
    rooms[2] |= {"status": "out_of_service", "out_reason": "repair"}
    return {"now": MONDAY, "guests": guests, "rooms": by_id(*rooms)}


def reserve(guest: int, room: int, first: str, last: str, people: int = 2) -> dict[str, Any]:
    return {
        "guest_id": f"GST-000{guest}",
        "room_id": f"ROM-000{room}",
        "arrives_on": f"2025-{first}",
        "leaves_on": f"2025-{last}",
        "people": people,
    }


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_lived_in_state_fits_the_logic_model_and_its_rules(theme: str, seed: int) -> None:
    model, states = lived_in_states(theme, seed)

    with SANDBOX.checks() as checks:
        for state in states:
            assert (state_finding(state, model) or rule_finding(state, model, checks)) is None
    empty = [each.collection for each in model.entities if not any(state[each.collection] for state in states)]
    assert empty == [], "kinds of records that never come into being"


@pytest.mark.parametrize("seed", SEEDS)
def test_no_room_is_promised_to_two_guests_for_one_night(seed: int) -> None:
    with desk("hotel-front-desk", seed, hotel()) as front:
        first = front.do("make_reservation", **reserve(1, 1, "06-20", "06-23"))
        later = front.do("make_reservation", **reserve(2, 1, "06-23", "06-25"))

        assert (first["total_cents"], later["status"]) == (30000, "booked")
        assert "RSV-0001" in front.refuses("make_reservation", **reserve(2, 1, "06-22", "06-24"))
        assert "RSV-0002" in front.refuses("extend_reservation", reservation_id="RSV-0001", leaves_on="2025-06-24")
        dates = {"arrives_on": "2025-06-21", "leaves_on": "2025-06-24"}
        assert "RSV-0001" in front.refuses("change_reservation_dates", reservation_id="RSV-0002", **dates)
        front.do("make_reservation", **reserve(2, 2, "06-20", "06-21"))
        moved = {"reservation_id": "RSV-0001", "room_id": "ROM-0002"}
        assert "RSV-0003" in front.refuses("move_reservation_to_other_room", **moved)
        free = front.do("list_free_rooms", arrives_on="2025-06-23", leaves_on="2025-06-26")
        assert [room["room_id"] for room in free] == ["ROM-0002"]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_reservation_keeps_to_days_beds_and_rooms_in_service(seed: int) -> None:
    with desk("hotel-front-desk", seed, hotel()) as front:
        assert "1 to 21 days" in front.refuses("make_reservation", **reserve(1, 1, "06-20", "07-20"))
        assert "1 to 21 days" in front.refuses("make_reservation", **reserve(1, 1, "06-20", "06-20"))
        front.breaks("reservation_horizon", "make_reservation", **reserve(1, 1, "06-15", "06-17"))
        front.breaks("reservation_horizon", "make_reservation", **reserve(1, 1, "12-30", "12-31"))
        assert "at most 2" in front.refuses("make_reservation", **reserve(1, 1, "06-20", "06-21", people=3))
        assert "at least 1" in front.refuses("make_reservation", **reserve(1, 1, "06-20", "06-21", people=0))
        assert "blocked" in front.refuses("make_reservation", **reserve(3, 1, "06-20", "06-21"))
        front.breaks("reservation_room_usable", "make_reservation", **reserve(1, 3, "06-20", "06-21"))
        front.do("make_reservation", **reserve(1, 1, "06-20", "06-23"))
        broken = {"room_id": "ROM-0001", "reason": "repair"}
        front.breaks("room_with_reservation_stays_in_service", "take_room_out_of_service", **broken)
        assert "RSV-0001" in front.refuses("block_guest", guest_id="GST-0001")
        ends = {"reservation_id": "RSV-0001", "leaves_on": "2025-06-22"}
        front.breaks("reservation_extended_to_later_day", "extend_reservation", **ends)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_reservation_lives_from_booked_to_checked_out(seed: int) -> None:
    with desk("hotel-front-desk", seed, hotel()) as front:
        front.do("make_reservation", **reserve(1, 1, "06-16", "06-18"))
        front.do("make_reservation", **reserve(2, 1, "06-18", "06-20"))
        front.breaks("reservation_begins_on_its_days", "check_in_reservation", reservation_id="RSV-0002")
        front.breaks("reservation_notice", "cancel_reservation", reservation_id="RSV-0001")
        front.do("check_in_reservation", reservation_id="RSV-0001")
        front.set_clock("2025-06-18T10:00")

        assert "RSV-0001" in front.refuses("check_in_reservation", reservation_id="RSV-0002"), "still occupied"
        front.do("check_out_reservation", reservation_id="RSV-0001")
        front.do("check_in_reservation", reservation_id="RSV-0002")
        assert "not checked in" in front.refuses("check_out_reservation", reservation_id="RSV-0001")
        assert "not booked" in front.refuses("mark_reservation_no_show", reservation_id="RSV-0002")
        longer = front.do("extend_reservation", reservation_id="RSV-0002", leaves_on="2025-06-21")
        assert longer["total_cents"] == 30000


@pytest.mark.parametrize("seed", SEEDS)
def test_a_room_out_of_service_has_a_reason_and_a_price_has_limits(seed: int) -> None:
    with desk("hotel-front-desk", seed, hotel()) as front:
        front.do("take_room_out_of_service", room_id="ROM-0001", reason="painting")

        assert front.record("rooms", "ROM-0001")["out_reason"] == "painting"
        again = {"room_id": "ROM-0001", "reason": "repair"}
        front.breaks("room_taken_out_once", "take_room_out_of_service", **again)
        front.do("put_room_back_in_service", room_id="ROM-0001")
        assert front.record("rooms", "ROM-0001")["out_reason"] is None
        assert "in service" in front.refuses("put_room_back_in_service", room_id="ROM-0001")
        assert "4000" in front.refuses("set_room_nightly_rate", room_id="ROM-0001", nightly_rate_cents=10**30)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_patient_gets_one_bed_that_has_what_is_needed(seed: int) -> None:
    known = {"birth_date": "1950-01-01", "diet": "normal"}
    patients = by_id(person("PAT", 1, **known, needs="oxygen"), person("PAT", 2, **known, needs="nothing_special"))
    beds = by_id(
        unit("bed", "BED-0001", ward="surgery", equipment=["oxygen"]),
        unit("bed", "BED-0002", ward="surgery", equipment=[]),
    )
    days = {"admitted_on": "2025-06-20", "discharged_on": "2025-06-23"}
    with desk("hospital-ward", seed, {"now": MONDAY, "patients": patients, "beds": beds}) as ward:
        ward.breaks("bed_has_what_patient_needs", "plan_stay", patient_id="PAT-0001", bed_id="BED-0002", **days)
        fitting = ward.do("list_free_beds", patient_id="PAT-0001", **days)
        assert [bed["bed_id"] for bed in fitting] == ["BED-0001"]
        ward.do("plan_stay", patient_id="PAT-0001", bed_id="BED-0001", **days)
        assert "does not have" in ward.refuses("move_stay_to_other_bed", stay_id="STY-0001", bed_id="BED-0002")
        ward.do("plan_stay", patient_id="PAT-0002", bed_id="BED-0002", **days)
        other = {
            "patient_id": "PAT-0002",
            "bed_id": "BED-0001",
            "admitted_on": "2025-06-22",
            "discharged_on": "2025-06-25",
        }
        assert "STY-0001" in ward.refuses("plan_stay", **other)
        ward.do("cancel_stay", stay_id="STY-0001")
        assert "STY-0002" in ward.refuses("plan_stay", **other), "the patient has another bed"


@pytest.mark.parametrize("seed", SEEDS)
def test_a_car_is_rented_only_while_the_licence_is_valid(seed: int) -> None:
    drivers = by_id(person("DRV", 1, licence_expiry="2025-06-25", tariff="private"))
    cars = by_id(unit("car", "CAR-0001", car_class="small", seats=4, daily_rate_cents=4000, equipment=[]))
    booked = {"driver_id": "DRV-0001", "car_id": "CAR-0001", "picked_up_on": "2025-06-20", "people": 1}
    with desk("car-rental", seed, {"now": MONDAY, "drivers": drivers, "cars": cars}) as station:
        station.breaks("driver_licence_expiry", "book_rental", **booked, returned_on="2025-06-26")
        station.do("book_rental", **booked, returned_on="2025-06-25")
        assert "licence expiry" in station.refuses("extend_rental", rental_id="RNT-0001", returned_on="2025-06-26")
