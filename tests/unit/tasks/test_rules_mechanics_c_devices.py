"""Devices, scenes, tanks, readings, journeys and missions: what their tools do, and that every rule is enforced."""

from typing import Any

from tests.fakes.desk import desk, has_entity

MONDAY = "2025-06-16T09:00"


def by_id(*records: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Records under their ids, which is their first value."""
    return {str(next(iter(record.values()))): record for record in records}


def device(number: int, kind: str, room: int = 1, status: str = "off", **details: Any) -> dict[str, Any]:
    named = {"device_id": f"DEV-000{number}", "name": f"{kind} {number}", "room_id": f"ROM-000{room}", "kind": kind}
    usual = {"status": status, "level": None, "mode": None, "is_locked": False, "connection": "online"}
    return {**named, **usual, "changed_at": MONDAY, **details}


def home() -> dict[str, Any]:
    rooms = [{"room_id": f"ROM-000{n}", "name": f"room {n}", "floor": 0, "status": "active"} for n in (1, 2)]
    heating = {"level": 20, "mode": "eco"}
    devices = by_id(
        device(1, "heater", **heating),
        device(2, "window", status="closed"),
        device(3, "light", level=50),
        device(4, "window", room=2, status="closed"),
        *(device(number, "heater", room=2, **heating) for number in (5, 6, 7)),
        device(8, "socket", room=2),
        device(9, "socket", room=2, status="on"),
    )
    return {"now": MONDAY, "rooms": by_id(*rooms), "devices": devices}


def test_a_device_refuses_when_it_is_locked_or_offline() -> None:
    with desk("smart-home", 1, home()) as house:
        assert house.do("switch_device_on", device_id="DEV-0003")["status"] == "on"
        assert "already" in house.refuses("switch_device_on", device_id="DEV-0003")
        assert "open or closed" in house.refuses("switch_device_on", device_id="DEV-0002")
        assert "on or off" in house.refuses("open_device", device_id="DEV-0003")
        house.do("lock_device", device_id="DEV-0003")
        house.breaks("device_refuses", "switch_device_off", device_id="DEV-0003")
        assert "locked" in house.refuses("set_device_level", device_id="DEV-0003", level=10)
        house.do("unlock_device", device_id="DEV-0003")
        house.do("take_device_offline", device_id="DEV-0003")
        house.breaks("device_refuses", "set_device_level", device_id="DEV-0003", level=10)
        assert "offline" in house.refuses("lock_device", device_id="DEV-0003")
        house.do("bring_device_online", device_id="DEV-0003")
        house.do("open_device", device_id="DEV-0002")
        assert "open" in house.refuses("lock_device", device_id="DEV-0002")


def test_levels_and_modes_keep_to_the_kind() -> None:
    with desk("smart-home", 1, home()) as house:
        assert "12 and 26" in house.refuses("set_device_level", device_id="DEV-0001", level=27)
        assert "12 and 26" in house.refuses("set_device_level", device_id="DEV-0001", level=-(10**50))
        assert house.do("set_device_level", device_id="DEV-0001", level=26)["level"] == 26
        assert "no level" in house.refuses("set_device_level", device_id="DEV-0002", level=1)
        assert house.do("set_device_mode", device_id="DEV-0001", mode="comfort")["mode"] == "comfort"
        assert "comfort" in house.refuses("set_device_mode", device_id="DEV-0001", mode="radio")
        kinds = {each["kind"]: each for each in house.do("list_device_kinds")}
        assert (kinds["heater"]["lowest"], kinds["window"]["states"]) == (12, ["open", "closed"])


def test_a_heater_and_a_window_of_one_room_exclude_each_other() -> None:
    with desk("smart-home", 1, home()) as house:
        house.do("switch_device_on", device_id="DEV-0001")
        assert "DEV-0002 is closed" in house.refuses("open_device", device_id="DEV-0002")
        house.do("open_device", device_id="DEV-0004")
        assert "DEV-0004 is closed" in house.refuses("switch_device_on", device_id="DEV-0005")
        assert "DEV-0004 is closed" in house.refuses("move_device", device_id="DEV-0001", room_id="ROM-0002")
        assert "DEV-0001" in house.refuses("move_device", device_id="DEV-0004", room_id="ROM-0001")
        assert "is on" in house.refuses("close_off_room", room_id="ROM-0001")


def test_what_is_on_together_keeps_below_the_power_limit() -> None:
    with desk("smart-home", 1, home()) as house:
        house.do("set_room_devices", room_id="ROM-0002", kind="heater", status="on")
        house.do("switch_device_on", device_id="DEV-0008")
        assert "4000 W" in house.refuses("switch_device_on", device_id="DEV-0001")
        assert "not on already" in house.refuses("set_room_devices", room_id="ROM-0002", kind="heater", status="on")
        assert "on or off" in house.refuses("set_room_devices", room_id="ROM-0002", kind="heater", status="open")
        house.do("set_room_devices", room_id="ROM-0002", kind="heater", status="off")
        house.do("switch_device_on", device_id="DEV-0001")


def test_a_scene_sets_all_or_nothing() -> None:
    with desk("smart-home", 1, home()) as house:
        one = {"scene_id": house.do("create_scene", name="Evening")["scene_id"]}
        assert "already" in house.refuses("create_scene", name="EVENING")
        assert "change nothing" in house.refuses("run_scene", **one)
        house.do("add_scene_setting", **one, device_id="DEV-0003", status="on", level=30)
        house.do("add_scene_setting", **one, device_id="DEV-0002", status="open")
        assert "already" in house.refuses("add_scene_setting", **one, device_id="DEV-0002", status="closed")
        assert "open or closed" in house.refuses("add_scene_setting", **one, device_id="DEV-0004", status="on")
        assert "12 and 26" in house.refuses("add_scene_setting", **one, device_id="DEV-0001", status="on", level=40)
        house.do("switch_device_on", device_id="DEV-0001")
        assert "DEV-0002 is closed" in house.refuses("run_scene", **one)
        house.do("switch_device_off", device_id="DEV-0001")
        assert [each["device_id"] for each in house.do("run_scene", **one)] == ["DEV-0003", "DEV-0002"]
        assert house.record("devices", "DEV-0003")["level"] == 30
        house.do("remove_scene_setting", scene_setting_id="SET-0001")
        house.do("delete_scene", **one)
        assert house.do("list_scene_settings") == []


def test_a_new_device_starts_off_and_a_closed_off_room_stays_dark() -> None:
    with desk("smart-home", 1, home()) as house:
        new = house.do("pair_device", name="lamp", room_id="ROM-0001", kind="light")
        assert (new["status"], new["level"], new["is_locked"]) == ("off", 5, False)
        assert "already" in house.refuses("pair_device", name="Lamp", room_id="ROM-0001", kind="socket")
        house.do("close_off_room", room_id="ROM-0001")
        assert "out of use" in house.refuses("switch_device_on", device_id="DEV-0003")
        assert "closed_off" in house.refuses("pair_device", name="other", room_id="ROM-0001", kind="light")


def greenhouse() -> dict[str, Any]:
    tank = {"tank_id": "TNK-0001", "name": "rain tank", "level": 160, "capacity": 800, "changed_at": MONDAY}
    bay = {"bay_id": "BAY-0001", "name": "basil bay", "tank_id": "TNK-0001", "substrate": "soil", "status": "active"}
    valve = {"device_id": "DEV-0001", "name": "drip valve", "bay_id": "BAY-0001", "kind": "valve", "level": None}
    fan = {"device_id": "DEV-0002", "name": "fan", "bay_id": "BAY-0001", "kind": "fan", "level": 2}
    rest = {"connection": "online", "changed_at": MONDAY}
    devices = by_id({**valve, "status": "closed", **rest}, {**fan, "status": "off", **rest})
    return {"now": MONDAY, "tanks": by_id(tank), "bays": by_id(bay), "devices": devices}


def test_a_valve_opens_only_while_its_tank_is_full_enough() -> None:
    with desk("greenhouse-control", 1, greenhouse()) as house:
        house.do("drain_tank", tank_id="TNK-0001", amount=20)
        house.breaks("tank_level_for_valve", "open_device", device_id="DEV-0001")
        assert "at most 660" in house.refuses("refill_tank", tank_id="TNK-0001", amount=661)
        house.breaks("tank_refill_fits", "refill_tank", tank_id="TNK-0001", amount=10**30)
        assert "at most 120" in house.refuses("drain_tank", tank_id="TNK-0001", amount=121)
        house.do("refill_tank", tank_id="TNK-0001", amount=10)
        house.do("open_device", device_id="DEV-0001")


def test_two_active_programs_do_not_set_one_device_at_the_same_time() -> None:
    with desk("greenhouse-control", 1, greenhouse()) as house:
        assert "06:30" in house.refuses("create_program", name="Night", starts_at="24:00", days=["mon"])
        assert "each only once" in house.refuses("create_program", name="Night", starts_at="23:00", days=[])
        for name, time in (("Sunrise", "06:00"), ("Morning", "06:00"), ("Noon", "12:00")):
            house.do("create_program", name=name, starts_at=time, days=["mon", "tue"])
        house.do("add_program_step", program_id="PRG-0001", device_id="DEV-0002", status="on")
        step = {"device_id": "DEV-0002", "status": "off"}
        assert "PRG-0001" in house.refuses("add_program_step", program_id="PRG-0002", **step)
        house.do("pause_program", program_id="PRG-0002")
        house.do("add_program_step", program_id="PRG-0002", **step)
        assert "PRG-0001" in house.refuses("resume_program", program_id="PRG-0002")
        house.do("add_program_step", program_id="PRG-0003", **step)
        assert "PRG-0001" in house.refuses("reschedule_program", program_id="PRG-0003", starts_at="06:00")
        house.do("reschedule_program", program_id="PRG-0003", starts_at="06:10")


def test_an_alarm_is_raised_once_and_cleared_when_the_value_is_back() -> None:
    seed = next(seed for seed in range(1, 20) if has_entity("greenhouse-control", seed, "alarms"))
    with desk("greenhouse-control", seed, greenhouse()) as house:
        measured = {"bay_id": "BAY-0001", "quantity": "temperature"}
        house.do("record_reading", **measured, value=30)
        assert house.do("list_alarms") == []
        house.do("record_reading", **measured, value=40)
        house.do("record_reading", **measured, value=41)
        assert [each["value"] for each in house.do("list_alarms")] == [40]
        assert "-20 and 60" in house.refuses("record_reading", **measured, value=61)
        assert "not acknowledged" in house.refuses("clear_alarm", alarm_id="ALM-0001")
        house.do("acknowledge_alarm", alarm_id="ALM-0001")
        house.breaks("alarm_cleared_when_back", "clear_alarm", alarm_id="ALM-0001")
        house.do("record_reading", **measured, value=25)
        house.do("clear_alarm", alarm_id="ALM-0001")
        assert "cleared" in house.refuses("acknowledge_alarm", alarm_id="ALM-0001")
