"""Dispatch: rides and parcels, who carries them, and that every rule is enforced."""

from typing import Any

import pytest

from tests.fakes.desk import desk

SEEDS = (1, 2)
MONDAY = "2025-06-16T09:00"
ALL_WEEK = ["mon", "tue", "wed", "thu", "fri"]


def customers(one: str, prefix: str, **details: Any) -> dict[str, Any]:
    """Two customers of a registry, the second one out of use."""
    found = {}
    for number, status in ((1, "active"), (2, "blocked" if one == "rider" else "inactive")):
        key = f"{prefix}-000{number}"
        phone = {"phone": f"+4411349600{number:02d}", "email": None}
        found[key] = {f"{one}_id": key, "full_name": f"Person {number}", **phone, **details, "status": status}
    return found


def carriers(one: str, prefix: str, skill: str, *zones: list[str], away: int) -> dict[str, Any]:
    """Carriers who serve these zones; the one with the number `away` is away."""
    found = {}
    for number, each in enumerate(zones, start=1):
        key = f"{prefix}-000{number}"
        status = "away" if number == away else "available"
        named = {f"{one}_id": key, "full_name": f"Carrier {number}"}
        found[key] = {**named, skill: each, "works_on": ALL_WEEK, "status": status}
    return found


def vehicles(one: str, prefix: str, size: str, *sizes: int) -> dict[str, Any]:
    """Vehicles of these sizes."""
    keys = [f"{prefix}-000{number}" for number in range(1, len(sizes) + 1)]
    return {
        key: {f"{one}_id": key, "name": f"{one} {at}", size: at, "status": "active"}
        for key, at in zip(keys, sizes, strict=True)
    }


def taxis() -> dict[str, Any]:
    served = ["harbour", "airport"], ["harbour"], ["harbour"]
    return {
        "now": MONDAY,
        "riders": customers("rider", "RID", payment="card"),
        "drivers": carriers("driver", "DRV", "serves", *served, away=3),
        "cars": vehicles("car", "CAR", "seats", 4, 6),
    }


def a_ride(**details: Any) -> dict[str, Any]:
    usual = {"rider_id": "RID-0001", "from_zone": "harbour", "to_zone": "airport", "passengers": 3, "distance_km": 12}
    return {**usual, **details}


@pytest.mark.parametrize("seed", SEEDS)
def test_a_driver_and_a_car_are_on_one_shift_at_a_time(seed: int) -> None:
    with desk("ride-dispatch", seed, taxis()) as office:
        office.do("start_shift", driver_id="DRV-0001", car_id="CAR-0001")
        assert "SHF-0001" in office.refuses("start_shift", driver_id="DRV-0001", car_id="CAR-0002")
        assert "SHF-0001" in office.refuses("start_shift", driver_id="DRV-0002", car_id="CAR-0001")
        assert "away" in office.refuses("start_shift", driver_id="DRV-0003", car_id="CAR-0002")
        assert "SHF-0001" in office.refuses("mark_driver_away", driver_id="DRV-0001")
        assert "SHF-0001" in office.refuses("retire_car", car_id="CAR-0001")
        assert office.do("end_shift", shift_id="SHF-0001")["status"] == "ended"
        assert "ended" in office.refuses("end_shift", shift_id="SHF-0001")
        office.do("start_shift", driver_id="DRV-0002", car_id="CAR-0001")
        assert [each["shift_id"] for each in office.do("list_shifts", only_open=True)] == ["SHF-0002"]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_ride_is_given_to_one_driver_who_serves_the_zone_and_has_the_seats(seed: int) -> None:
    with desk("ride-dispatch", seed, taxis()) as office:
        office.do("start_shift", driver_id="DRV-0001", car_id="CAR-0001")
        office.do("start_shift", driver_id="DRV-0002", car_id="CAR-0002")
        assert office.do("request_ride", **a_ride())["fare_cents"] == 390 + 12 * 185
        office.do("request_ride", **a_ride(passengers=6))
        office.do("request_ride", **a_ride(from_zone="airport", to_zone="harbour"))
        office.do("request_ride", **a_ride())
        office.breaks("driver_fits_ride", "assign_ride", ride_id="RDE-0003", driver_id="DRV-0002")
        office.breaks("driver_fits_ride", "assign_ride", ride_id="RDE-0001", driver_id="DRV-0003")
        assert "only 4" in office.refuses("assign_ride", ride_id="RDE-0002", driver_id="DRV-0001")
        free = office.do("list_drivers_for_ride", ride_id="RDE-0001")
        assert [(each["driver_id"], each["room"]) for each in free] == [("DRV-0002", 6), ("DRV-0001", 4)]
        office.do("assign_ride", ride_id="RDE-0001", driver_id="DRV-0001")
        assert "RDE-0001" in office.refuses("assign_ride", ride_id="RDE-0004", driver_id="DRV-0001")
        assert "RDE-0001" in office.refuses("end_shift", shift_id="SHF-0001")
        assert "requested" in office.refuses("assign_ride", ride_id="RDE-0001", driver_id="DRV-0002")


@pytest.mark.parametrize("seed", SEEDS)
def test_a_ride_is_rerouted_until_it_is_over_and_cancelled_until_it_begins(seed: int) -> None:
    with desk("ride-dispatch", seed, taxis()) as office:
        assert "not active" in office.refuses("request_ride", **a_ride(rider_id="RID-0002"))
        assert "1 and 6" in office.refuses("request_ride", **a_ride(passengers=0))
        assert "1 and 200" in office.refuses("request_ride", **a_ride(distance_km=10**40))
        office.do("start_shift", driver_id="DRV-0001", car_id="CAR-0001")
        office.do("request_ride", **a_ride())
        one = {"ride_id": "RDE-0001"}
        assert "assigned" in office.refuses("pick_up_ride", **one)
        office.do("assign_ride", **one, driver_id="DRV-0001")
        office.do("pick_up_ride", **one)
        assert "under_way" in office.refuses("cancel_ride", **one)
        assert "under_way" in office.refuses("unassign_ride", **one)
        assert office.do("reroute_ride", **one, to_zone="university", distance_km=20)["fare_cents"] == 390 + 20 * 185
        office.do("complete_ride", **one)
        office.breaks("ride_rerouted_in_time", "reroute_ride", **one, to_zone="harbour", distance_km=2)
        office.do("request_ride", **a_ride())
        assert "RDE-0002" in office.refuses("block_rider", rider_id="RID-0001")
        office.do("cancel_ride", ride_id="RDE-0002")
        office.do("block_rider", rider_id="RID-0001")


def couriers() -> dict[str, Any]:
    zones = ["centre"], ["centre", "riverside"]
    return {
        "now": MONDAY,
        "senders": customers("sender", "SND"),
        "couriers": carriers("courier", "COU", "covers", *zones, away=0),
        "vans": vehicles("van", "VAN", "capacity_kg", 100, 140),
    }


def a_parcel(**details: Any) -> dict[str, Any]:
    recipient = {"recipient": "Ada Lindqvist", "address": "Mill Lane 3", "code": 4711}
    return {"sender_id": "SND-0001", "to_zone": "centre", "weight_kg": 40, **recipient, **details}


@pytest.mark.parametrize("seed", SEEDS)
def test_a_van_carries_several_parcels_up_to_its_capacity(seed: int) -> None:
    with desk("parcel-courier", seed, couriers()) as depot:
        assert "on no tour" in self_assign(depot, "COU-0001")
        depot.do("start_tour", courier_id="COU-0001", van_id="VAN-0001")
        for number in (2, 3):
            depot.do("accept_parcel", **a_parcel())
            depot.do("assign_parcel", parcel_id=f"PCL-000{number}", courier_id="COU-0001")
        assert "room for only 20" in depot.refuses("assign_parcel", parcel_id="PCL-0001", courier_id="COU-0001")
        depot.do("accept_parcel", **a_parcel(to_zone="riverside", weight_kg=5))
        depot.breaks("courier_fits_parcel", "assign_parcel", parcel_id="PCL-0004", courier_id="COU-0001")
        assert "1 and 60" in depot.refuses("accept_parcel", **a_parcel(weight_kg=61))
        assert "four digits" in depot.refuses("accept_parcel", **a_parcel(code=99))


def self_assign(depot: Any, courier_id: str) -> str:
    """Why a courier without a tour gets no parcel."""
    parcel = depot.do("accept_parcel", **a_parcel())
    return str(depot.refuses("assign_parcel", parcel_id=parcel["parcel_id"], courier_id=courier_id))


@pytest.mark.parametrize("seed", SEEDS)
def test_a_parcel_is_handed_over_for_its_code_or_returned_after_three_attempts(seed: int) -> None:
    with desk("parcel-courier", seed, couriers()) as depot:
        depot.do("start_tour", courier_id="COU-0001", van_id="VAN-0001")
        one = {"parcel_id": depot.do("accept_parcel", **a_parcel())["parcel_id"]}
        depot.do("reroute_parcel", **one, to_zone="centre", address="Quay Street 5")
        depot.do("assign_parcel", **one, courier_id="COU-0001")
        depot.breaks("parcel_rerouted_in_time", "reroute_parcel", **one, to_zone="centre", address="Quay Street 7")
        depot.do("load_parcel", **one)
        depot.breaks("parcel_code_shown", "deliver_parcel", **one, code=4712)
        assert depot.do("fail_parcel", **one)["status"] == "accepted"
        for attempt in (2, 3):
            depot.do("assign_parcel", **one, courier_id="COU-0001")
            depot.do("load_parcel", **one)
            assert depot.do("fail_parcel", **one)["failed_attempts"] == attempt
        assert depot.record("parcels", one["parcel_id"])["status"] == "returned"
        other = {"parcel_id": depot.do("accept_parcel", **a_parcel())["parcel_id"]}
        depot.do("assign_parcel", **other, courier_id="COU-0001")
        depot.do("load_parcel", **other)
        assert depot.do("deliver_parcel", **other, code=4711)["status"] == "delivered"
        depot.do("end_tour", tour_id="TOU-0001")
