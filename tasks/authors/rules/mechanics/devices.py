"""Devices: things in zones that are switched, opened and set within bounds, with interlocks between them and scenes."""

from collections.abc import Callable
from random import Random
from typing import Any

from schemas.logic_models import Attribute
from tasks.authors.rules.mechanics.devices_deeds import add_device_deeds, add_device_finders
from tasks.authors.rules.mechanics.devices_options import Devices, Kind
from tasks.authors.rules.mechanics.devices_rules import add_device_rules
from tasks.authors.rules.mechanics.devices_scenes import add_scenes
from tasks.authors.rules.spec import Draft, EntitySpec, Filter, Finder, Record, State


def add_devices(draft: Draft, what: Devices) -> None:
    """Adds the entities, their tools, rules, deeds and finders to the draft.

    Raises:
        ValueError: new devices may be added although an interlock would let an inactive one break it.
    """
    if what.add and any(lock.must_be not in ("off", "closed") for lock in what.interlocks):
        raise ValueError(f"{what.device.many}: a new {what.device.spoken} could break an interlock; leave out 'add'")
    device, zone = what.device, what.zone
    for name, values in (
        ("Kind", what.kind_names),
        ("Status", what.statuses),
        ("Mode", what.modes),
        ("Connection", ("online", "offline")),
    ):
        if values:
            draft.alias(f"{device.title}{name}", values)
    _add_settings(draft, what)
    if what.zone_names:
        _add_zones(draft, what)
    draft.entity(
        EntitySpec(
            device,
            f"{device.a.capitalize()} {what.zone_word} {zone.a}.",
            _attributes(what),
            count=what.count,
            make=_maker(what),
        )
    )
    if not what.zone_names:
        draft.hook(
            f"{zone.one}.retire",
            f"for {device.one} in self.{device.many}.values():",
            f'    if {device.one}["{zone.key}"] == {zone.key} and {device.one}["status"] in ("on", "open"):',
            f"        return _fail(f\"{{{device.one}['{device.key}']}} {what.zone_word} {{{zone.key}}}"
            f" is {{{device.one}['status']}}.\")",
        )
    add_device_rules(draft, what)
    context = {"what": what, "device": device, "zone": zone}
    draft.templates.append(("devices", context))
    draft.templates.append(("devices_places", context))
    add_device_finders(draft, what)
    add_device_deeds(draft, what)
    if what.scene and what.setting:
        add_scenes(draft, what, what.scene, what.setting)


def _add_settings(draft: Draft, what: Devices) -> None:
    draft.settings[what.facts] = {kind.name: kind.facts for kind in what.kinds}
    if what.most_watts:
        draft.settings["most_watts"] = what.most_watts
    if what.battery:
        draft.settings["least_battery"] = what.battery
    if what.tank:
        draft.settings[f"least_{what.tank.one}_level"] = what.tank_least
    if what.interlocks:
        rows = [
            f'    ("{lock.kind}", "{lock.other}", "{lock.must_be}", {lock.anywhere}, {lock.only_at_start}),\n'
            for lock in what.interlocks
        ]
        draft.constants[f"_{what.device.one.upper()}_INTERLOCKS"] = f"(\n{''.join(rows)})"


def _add_zones(draft: Draft, what: Devices) -> None:
    zone = what.zone

    def make(rng: Random, state: State, new_id: str) -> Record | None:
        at = len(state[zone.many])
        return {zone.key: new_id, "name": what.zone_names[at]} if at < len(what.zone_names) else None

    name = Attribute(name="name", type="string", max_length=60, description=f"What the {zone.spoken} is called.")
    count = len(what.zone_names)
    draft.entity(EntitySpec(zone, f"{zone.a.capitalize()}, given once and for all.", (name,), (count, count), make))
    draft.templates.append(("devices_zones", {"what": what, "device": what.device, "zone": zone}))
    draft.finders.append(
        Finder(zone.many, f"list_{zone.many}", (Filter("name_contains", "name"),), ("the {name_contains}",))
    )


def _attributes(what: Devices) -> tuple[Attribute, ...]:
    zone = what.zone
    listed = [
        Attribute(name="name", type="string", max_length=60, description="What it is called."),
        Attribute(name=zone.key, type="reference", to=zone.many, description=f"The {zone.spoken} where it is."),
        Attribute(name="kind", type="enum", values=what.kind_names, description="Decides what can be set on it."),
        Attribute(name="status", type="enum", values=what.statuses, description="What it does now."),
    ]
    if what.has_levels:
        described = "In the unit of its kind; null for kinds without one."
        listed.append(Attribute(name="level", type="integer", nullable=True, description=described))
    if what.modes:
        described = "Null for kinds without modes."
        listed.append(Attribute(name="mode", type="enum", values=what.modes, nullable=True, description=described))
    if what.can_lock:
        listed.append(Attribute(name="is_locked", type="boolean", description="Locked: nothing can be set on it."))
    if what.battery:
        described = "Charge that is left."
        listed.append(
            Attribute(name="battery", type="integer", minimum=0, maximum=100, unit="percent", description=described)
        )
    reach = "Offline: it can't be reached."
    listed += [
        Attribute(name="connection", type="enum", values=("online", "offline"), description=reach),
        Attribute(name="changed_at", type="datetime", description="Last change."),
    ]
    return tuple(listed)


def _maker(what: Devices) -> Callable[[Random, State, str], Record | None]:
    def make(rng: Random, state: State, new_id: str) -> Record | None:
        free = _free_places(what, state)
        if not free:
            return None
        there = [record["kind"] for record in state[what.device.many].values()]
        fewest = min(there.count(kind.name) for kind, _, _ in free)
        rarest = [place for place in free if there.count(place[0].name) == fewest]
        kind, name, zone_id = rarest[rng.randrange(len(rarest))]
        record: dict[str, Any] = {what.device.key: new_id, "name": name, what.zone.key: zone_id, "kind": kind.name}
        record["status"] = kind.states[0 if kind.starts_active else 1]
        if what.has_levels:
            record["level"] = any_level(kind, rng)
        if what.modes:
            record["mode"] = kind.modes[rng.randrange(len(kind.modes))] if kind.modes else None
        if what.can_lock:
            record["is_locked"] = kind.starts_locked
        if what.battery:
            record["battery"] = 5 * rng.randint(3, 19)
        record["connection"] = (
            "offline" if kind.starts_active is kind.starts_locked is False and rng.random() < 0.08 else "online"
        )
        record["changed_at"] = state["now"]
        return record

    return make


def any_level(kind: Kind, rng: Random) -> int | None:
    """A level within the bounds of a kind; null when it has none."""
    if kind.lowest is None or kind.highest is None:
        return None
    return kind.lowest + kind.step * rng.randint(0, (kind.highest - kind.lowest) // kind.step)


def _free_places(what: Devices, state: State) -> list[tuple[Kind, str, str]]:
    """Every kind, name and zone that a new device may have."""
    devices = list(state[what.device.many].values())
    taken = [(record["name"], None if what.own_names else record[what.zone.key]) for record in devices]
    label = what.zone.label or "name"
    free = []
    for zone_id, zone in state[what.zone.many].items():
        inside = sum(record[what.zone.key] == zone_id for record in devices)
        if zone.get("status", "active") != "active" or (what.room and inside >= zone[what.room]):
            continue
        free += [
            (kind, name, zone_id)
            for kind in what.kinds
            if not kind.zones or zone[label] in kind.zones
            for name in kind.names
            if (name, None if what.own_names else zone_id) not in taken
        ]
    return free
