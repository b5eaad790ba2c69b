"""A car with journeys and a fleet of robots with missions: what their tools do, and that every rule is enforced."""

from typing import Any

from tests.fakes.desk import desk

MONDAY = "2025-06-16T09:00"


def by_id(*records: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Records under their ids, which is their first value."""
    return {str(next(iter(record.values()))): record for record in records}


def part(number: int, kind: str, area: int, status: str, is_locked: bool = False) -> dict[str, Any]:
    named = {"part_id": f"PRT-000{number}", "name": kind, "area_id": f"ARE-000{area}", "kind": kind}
    set_to = {"status": status, "level": 1 if kind == "seat_heating" else None, "mode": None, "is_locked": is_locked}
    return {**named, **set_to, "connection": "online", "changed_at": MONDAY}


def car() -> dict[str, Any]:
    areas = [{"area_id": f"ARE-000{number}", "name": f"area {number}"} for number in (1, 2)]
    parts = by_id(
        part(1, "door", 1, "closed", is_locked=True),
        part(2, "door", 2, "closed"),
        part(3, "engine", 1, "off"),
        part(4, "parking_brake", 1, "off"),
        part(5, "tailgate", 2, "closed"),
        part(6, "seat_heating", 1, "off"),
    )
    tank = {"fuel_tank_id": "FUL-0001", "name": "fuel tank", "level": 10, "capacity": 50, "changed_at": MONDAY}
    places = [
        {"destination_id": f"DST-000{number}", "name": f"place {number}", "distance_km": km}
        for number, km in ((1, 84), (2, 120))
    ]
    fuel = {"fuel_tanks": by_id(tank), "destinations": by_id(*places)}
    return {"now": MONDAY, "areas": by_id(*areas), "parts": parts, **fuel}


def start_engine(driver: Any) -> None:
    """Lock up, put the brake on, start."""
    driver.do("lock_part", part_id="PRT-0002")
    driver.do("switch_part_on", part_id="PRT-0004")
    driver.do("switch_part_on", part_id="PRT-0003")


def test_the_engine_starts_only_with_locked_doors_and_the_brake_on() -> None:
    with desk("vehicle-control", 1, car()) as driver:
        driver.breaks("part_start_1", "switch_part_on", part_id="PRT-0003")
        driver.do("lock_part", part_id="PRT-0002")
        driver.breaks("part_start_2", "switch_part_on", part_id="PRT-0003")
        driver.do("switch_part_on", part_id="PRT-0004")
        driver.do("drain_fuel_tank", fuel_tank_id="FUL-0001", amount=8)
        driver.breaks("fuel_tank_level_for_engine", "switch_part_on", part_id="PRT-0003")
        driver.do("refill_fuel_tank", fuel_tank_id="FUL-0001", amount=8)
        assert "only be on while PRT-0003 is on" in driver.refuses("switch_part_on", part_id="PRT-0006")
        driver.do("switch_part_on", part_id="PRT-0003")
        driver.do("switch_part_off", part_id="PRT-0004")
        driver.do("unlock_part", part_id="PRT-0001")
        assert "PRT-0005 is closed" in driver.refuses("open_part", part_id="PRT-0005")
        driver.do("switch_part_on", part_id="PRT-0006")
        assert "PRT-0006" in driver.refuses("switch_part_off", part_id="PRT-0003")
        assert [each["part_count"] for each in driver.do("list_areas")] == [4, 2]


def test_a_journey_takes_an_engine_that_runs_and_enough_fuel() -> None:
    with desk("vehicle-control", 1, car()) as driver:
        driver.do("plan_journey", destination_id="DST-0001", planned_for="2025-06-16")
        assert "JRN-0001" in driver.refuses("plan_journey", destination_id="DST-0002", planned_for="2025-06-16")
        assert "between today" in driver.refuses("plan_journey", destination_id="DST-0002", planned_for="9999-12-31")
        driver.do("plan_journey", destination_id="DST-0002", planned_for="2025-06-17")
        assert "engine is off" in driver.refuses("start_journey", journey_id="JRN-0001")
        start_engine(driver)
        driver.breaks("fuel_tank_lasts_for_journey", "start_journey", journey_id="JRN-0002")
        driver.do("start_journey", journey_id="JRN-0001")
        assert "under way" in driver.refuses("switch_part_off", part_id="PRT-0003")
        driver.do("refill_fuel_tank", fuel_tank_id="FUL-0001", amount=30)
        assert "JRN-0001 is under way" in driver.refuses("start_journey", journey_id="JRN-0002")
        assert "not planned" in driver.refuses("cancel_journey", journey_id="JRN-0001")
        driver.do("finish_journey", journey_id="JRN-0001")
        assert driver.record("fuel_tanks", "FUL-0001")["level"] == 40 - 6
        driver.do("switch_part_off", part_id="PRT-0003")


def robot(number: int, kind: str, battery: int, hall: int = 1, status: str = "on") -> dict[str, Any]:
    named = {"robot_id": f"ROB-000{number}", "name": f"Robot {number}", "hall_id": f"HAL-000{hall}", "kind": kind}
    set_to = {"status": status, "level": 4, "is_locked": False, "battery": battery, "connection": "online"}
    return {**named, **set_to, "changed_at": MONDAY}


def fleet() -> dict[str, Any]:
    halls = [
        {"hall_id": f"HAL-000{number}", "name": f"hall {number}", "places": places, "status": "active"}
        for number, places in ((1, 6), (2, 1))
    ]
    robots = (robot(1, "picker", 40), robot(2, "picker", 15), robot(3, "tug", 90), robot(4, "tug", 60, hall=2))
    return {"now": MONDAY, "halls": by_id(*halls), "robots": by_id(*robots, robot(5, "scout", 15, status="off"))}


def queue(yard: Any, job: str = "pick", hall: int = 1) -> str:
    """Id of a new mission."""
    mission = yard.do("queue_mission", job=job, cargo="Totes", hall_id=f"HAL-000{hall}", priority="normal")
    return str(mission["mission_id"])


def test_a_robot_is_charged_while_it_is_off_and_moves_where_there_is_room() -> None:
    with desk("robot-fleet", 1, fleet()) as yard:
        yard.breaks("robot_battery", "switch_robot_on", robot_id="ROB-0005")
        yard.breaks("robot_charged_while_off", "charge_robot", robot_id="ROB-0001", battery=80)
        yard.breaks("robot_charged_while_off", "charge_robot", robot_id="ROB-0005", battery=10**20)
        assert "more than the 15" in yard.refuses("charge_robot", robot_id="ROB-0005", battery=15)
        yard.do("charge_robot", robot_id="ROB-0005", battery=20)
        yard.do("switch_robot_on", robot_id="ROB-0005")
        assert "full" in yard.refuses("send_robot", robot_id="ROB-0001", hall_id="HAL-0002")
        yard.do("send_robot", robot_id="ROB-0004", hall_id="HAL-0001")
        yard.do("send_robot", robot_id="ROB-0001", hall_id="HAL-0002")
        assert "called so" in yard.refuses("enlist_robot", name="robot 3", hall_id="HAL-0001", kind="tug")
        assert yard.do("enlist_robot", name="Nova", hall_id="HAL-0001", kind="tug")["battery"] == 100
        assert "full" in yard.refuses("enlist_robot", name="Luna", hall_id="HAL-0002", kind="tug")


def test_a_mission_needs_one_able_robot_with_enough_charge() -> None:
    with desk("robot-fleet", 1, fleet()) as yard:
        pick, tow = {"mission_id": queue(yard)}, {"mission_id": queue(yard, "tow", hall=2)}
        yard.breaks("robot_can_do_mission", "assign_mission", **pick, robot_id="ROB-0003")
        assert [each["robot_id"] for each in yard.do("list_robots_for_mission", **tow)] == ["ROB-0003", "ROB-0004"]
        yard.do("assign_mission", **pick, robot_id="ROB-0002")
        yard.breaks("mission_battery", "start_mission", **pick)
        assert "already" in yard.refuses("assign_mission", mission_id=queue(yard), robot_id="ROB-0002")
        yard.do("assign_mission", **tow, robot_id="ROB-0003")
        yard.do("switch_robot_off", robot_id="ROB-0003")
        assert "off" in yard.refuses("start_mission", **tow)
        yard.do("switch_robot_on", robot_id="ROB-0003")
        yard.do("start_mission", **tow)
        assert "running" in yard.refuses("switch_robot_off", robot_id="ROB-0003")
        assert "not queued or assigned" in yard.refuses("set_mission_priority", **tow, priority="low")
        assert "full" in yard.refuses("finish_mission", **tow)
        yard.do("send_robot", robot_id="ROB-0004", hall_id="HAL-0001")
        yard.do("finish_mission", **tow)
        assert (yard.record("robots", "ROB-0003")["battery"], yard.record("robots", "ROB-0003")["hall_id"]) == (
            65,
            "HAL-0002",
        )
        assert "done" in yard.refuses("abort_mission", **tow)
        assert "ROB" in yard.refuses("close_hall", hall_id="HAL-0001")
