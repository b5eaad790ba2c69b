"""The rules of devices."""

from tasks.authors.rules.mechanics.devices_options import Devices, Interlock
from tasks.authors.rules.spec import Draft


def add_device_rules(draft: Draft, what: Devices) -> None:
    """Who refuses what, the bounds of each kind, the interlocks, and what the theme's options ask for."""
    device, many = what.device, f'state["{what.device.many}"]'
    this = f'{many}[args["{device.key}"]]'
    facts = f'state["settings"]["{what.facts}"]'
    locked = f' and not {this}["is_locked"]' if what.can_lock else ""
    setting = (
        *((f"set_{device.one}_level",) if what.has_levels else ()),
        *((f"set_{device.one}_mode",) if what.modes else ()),
    )
    draft.rule(
        f"{device.one}_refuses",
        "precondition",
        f"Nothing is set on {device.a} that is offline{' or locked' if what.can_lock else ''}.",
        f'{this}["connection"] == "online"{locked}',
        by=(*what.turning(), *setting),
    )
    draft.rule(
        f"{device.one}_status_fits_kind",
        "invariant",
        f"The status of {device.a} is one of those of its kind.",
        f'all(r["status"] in {facts}[r["kind"]]["states"] for r in {many}.values())',
        by=what.turning(),
    )
    if what.has_levels:
        draft.rule(
            f"{device.one}_level_in_bounds",
            "invariant",
            f"The level of {device.a} lies within the bounds of its kind; kinds without a level have none.",
            f'all(r["level"] is None if "lowest" not in {facts}[r["kind"]]'
            f' else {facts}[r["kind"]]["lowest"] <= r["level"] <= {facts}[r["kind"]]["highest"]'
            f" for r in {many}.values())",
            by=(f"set_{device.one}_level",),
        )
    if what.modes:
        draft.rule(
            f"{device.one}_mode_fits_kind",
            "invariant",
            f"The mode of {device.a} is one of those of its kind; kinds without modes have none.",
            f'all((r["mode"] is None) if "modes" not in {facts}[r["kind"]]'
            f' else r["mode"] in {facts}[r["kind"]]["modes"] for r in {many}.values())',
            by=(f"set_{device.one}_mode",),
        )
    if what.can_lock and what.openings:
        draft.rule(
            f"open_{device.one}_not_locked",
            "invariant",
            f"{device.a.capitalize()} that is open is never locked.",
            f'all(not (r["status"] == "open" and r["is_locked"]) for r in {many}.values())',
            by=(f"lock_{device.one}",),
        )
    if not what.zone_names:
        zone = what.zone
        draft.rule(
            f"{zone.one}_out_of_use",
            "invariant",
            f"Nothing is on or open {what.zone_word} {zone.a} that is out of use.",
            f'all(state["{zone.many}"][r["{zone.key}"]]["status"] == "active" for r in {many}.values()'
            ' if r["status"] in ("on", "open"))',
            by=(*what.turning()[::2], *what.together()),
        )
    for number, lock in enumerate(what.interlocks, start=1):
        _add_interlock(draft, what, lock, number)
    _add_supply_rules(draft, what)
    _add_place_rules(draft, what)


def _add_interlock(draft: Draft, what: Devices, lock: Interlock, number: int) -> None:
    device, zone, many = what.device, what.zone, f'state["{what.device.many}"]'
    active = what.kind(lock.kind).states[0]
    fits = 'o["is_locked"]' if lock.must_be == "locked" else f'o["status"] == "{lock.must_be}"'
    if lock.only_at_start:
        near = "True" if lock.anywhere else f'o["{zone.key}"] == {many}[args["{device.key}"]]["{zone.key}"]'
        draft.rule(
            f"{device.one}_start_{number}",
            "precondition",
            lock.text,
            f'{many}[args["{device.key}"]]["kind"] != "{lock.kind}" or all({fits} for o in {many}.values()'
            f' if o["kind"] == "{lock.other}" and {near})',
            by=(f"switch_{device.one}_on" if active == "on" else f"open_{device.one}",),
        )
        return
    near = "True" if lock.anywhere else f'o["{zone.key}"] == r["{zone.key}"]'
    unlocking = (f"unlock_{device.one}",) if lock.must_be == "locked" else ()
    draft.rule(
        f"{device.one}_interlock_{number}",
        "invariant",
        lock.text,
        f'all({fits} for r in {many}.values() if r["kind"] == "{lock.kind}" and r["status"] == "{active}"'
        f' for o in {many}.values() if o["kind"] == "{lock.other}" and {near})',
        by=(*what.turning(), *what.together(), *unlocking),
    )


def _add_supply_rules(draft: Draft, what: Devices) -> None:
    device, many = what.device, f'state["{what.device.many}"]'
    this = f'{many}[args["{device.key}"]]'
    if what.most_watts:
        draft.rule(
            f"{device.many}_power_limit",
            "invariant",
            f"All {device.spoken_many} that are on draw at most {what.most_watts} W together.",
            f'sum(state["settings"]["{what.facts}"][r["kind"]].get("watts", 0) for r in {many}.values()'
            f' if r["status"] in ("on", "open")) <= state["settings"]["most_watts"]',
            by=(*what.turning()[:1], *what.together()),
        )
    if what.battery:
        draft.rule(
            f"{device.one}_battery",
            "precondition",
            f"{device.a.capitalize()} is only switched on with at least {what.battery} percent of charge.",
            f'{this}["battery"] >= state["settings"]["least_battery"]',
            by=(f"switch_{device.one}_on",),
        )
        draft.rule(
            f"{device.one}_charged_while_off",
            "precondition",
            f"{device.a.capitalize()} is only charged while it is off.",
            f'{this}["status"] == "off" and {this}["battery"] < args["battery"] <= 100',
            by=(f"charge_{device.one}",),
        )
    if what.tank:
        tank = what.tank
        least = f'state["settings"]["least_{tank.one}_level"]'
        zone_id = f'{this}["{what.zone.key}"]'
        of_zone = f'state["{tank.many}"][state["{what.zone.many}"][{zone_id}]["{tank.key}"]]["level"] >= {least}'
        of_all = f'all(t["level"] >= {least} for t in state["{tank.many}"].values())'
        kind = what.kind(what.tank_kind)
        verb = "opened" if kind.opens else "switched on"
        whose = f"the {tank.spoken} of its {what.zone.spoken}" if what.zone_has_tank else f"every {tank.spoken}"
        draft.rule(
            f"{tank.one}_level_for_{kind.name}",
            "precondition",
            f"A {kind.name.replace('_', ' ')} is only {verb} while the level of {whose} is at least {what.tank_least}.",
            f'{this}["kind"] != "{kind.name}" or {of_zone if what.zone_has_tank else of_all}',
            by=(f"open_{device.one}" if kind.opens else f"switch_{device.one}_on",),
        )


def _add_place_rules(draft: Draft, what: Devices) -> None:
    device, zone, many = what.device, what.zone, f'state["{what.device.many}"]'
    tools = tuple(f"{verb}_{device.one}" for verb in (what.add, what.move) if verb)
    if what.room:
        draft.rule(
            f"{zone.one}_has_room",
            "invariant",
            f"There are never more {device.spoken_many} {what.zone_word} {zone.a} than it has room for.",
            f'all(sum(r["{zone.key}"] == k for r in {many}.values()) <= z["{what.room}"]'
            f' for k, z in state["{zone.many}"].items())',
            by=tools,
        )
    if tools:
        names = 'r["name"].lower()' if what.own_names else f'(r["{zone.key}"], r["name"].lower())'
        where = "" if what.own_names else f" {what.zone_word} the same {zone.spoken}"
        draft.rule(
            f"{device.one}_name_unique",
            "uniqueness",
            f"No two {device.spoken_many}{where} have the same name.",
            f"len({{{names} for r in {many}.values()}}) == len({many})",
            by=tools,
        )
