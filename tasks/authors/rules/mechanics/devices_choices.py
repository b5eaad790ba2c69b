"""Which devices and values make sense for a deed."""

from collections.abc import Callable

from tasks.authors.rules.mechanics.devices_options import Devices, Kind
from tasks.authors.rules.spec import Record, Told, World
from tasks.authors.rules.spoken import pick, told_text, told_word
from tasks.authors.rules.statuses import Where


def is_free(what: Devices, record: Record) -> bool:
    """Whether something can be set on a device."""
    return record["connection"] == "online" and not (what.can_lock and record["is_locked"])


def in_reach(what: Devices, *statuses: str) -> Where:
    """Chooses devices on which something can be set, in one of these statuses where any are given."""
    return lambda record, world: is_free(what, record) and (not statuses or record["status"] in statuses)


def of_kind(what: Devices, kind: str, status: str) -> Where:
    """Chooses devices of one kind in one status on which something can be set."""
    return lambda record, world: record["kind"] == kind and record["status"] == status and is_free(what, record)


def has_level(what: Devices) -> Where:
    """Chooses devices whose level can be set."""
    return lambda record, world: is_free(what, record) and what.kind(record["kind"]).has_level


def has_mode(what: Devices) -> Where:
    """Chooses devices whose mode can be set."""
    return lambda record, world: is_free(what, record) and len(what.kind(record["kind"]).modes) > 1


def may_lock(what: Devices) -> Where:
    """Chooses devices that can be locked."""
    return lambda record, world: (
        is_free(what, record) and record["status"] != "open" and what.kind(record["kind"]).locks
    )


def may_unlock(record: Record, world: World) -> bool:
    """Chooses devices that can be unlocked."""
    return bool(record["connection"] == "online" and record["is_locked"])


def may_charge(record: Record, world: World) -> bool:
    """Chooses devices that can be charged."""
    return bool(record["connection"] == "online" and record["status"] == "off" and record["battery"] < 90)


def connected(connection: str) -> Where:
    """Chooses devices that are online, or offline."""
    return lambda record, world: bool(record["connection"] == connection)


def can_come(what: Devices) -> Where:
    """Chooses zones to which the device can go."""

    def fits(record: Record, world: World) -> bool:
        device, zone = world.records[what.device.key], what.zone.key
        inside = [each for each in world.state[what.device.many].values() if each[zone] == record[zone]]
        has_room = not what.room or len(inside) < record[what.room]
        is_other = record[zone] != device[zone] and record.get("status", "active") == "active"
        return is_other and has_room and (what.own_names or device["name"] not in [each["name"] for each in inside])

    return fits


def told_level(kind: Kind, level: int) -> Told:
    """A level as a person says it: "22 degrees"."""
    return Told(level, f"{level} {kind.unit}")


def some_level(kind: Kind, world: World, without: int | None = None) -> Told | None:
    """A level within the bounds of a kind, other than the one given; null when it has no levels."""
    if kind.lowest is None or kind.highest is None:
        return None
    levels = [level for level in range(kind.lowest, kind.highest + 1, kind.step) if level != without]
    return told_level(kind, levels[world.rng.randrange(len(levels))]) if levels else None


def other_level(what: Devices) -> Callable[[World], Told | None]:
    """A level of the device's kind that it does not have."""

    def make(world: World) -> Told | None:
        device = world.records[what.device.key]
        return some_level(what.kind(device["kind"]), world, without=device["level"])

    return make


def other_mode(what: Devices) -> Callable[[World], Told]:
    """A mode of the device's kind that it is not in."""

    def make(world: World) -> Told:
        device = world.records[what.device.key]
        return told_word(pick(world.rng, [mode for mode in what.kind(device["kind"]).modes if mode != device["mode"]]))

    return make


def more_charge(what: Devices) -> Callable[[World], Told]:
    """More charge than the device has."""

    def make(world: World) -> Told:
        charge = 5 * world.rng.randint(world.records[what.device.key]["battery"] // 5 + 1, 20)
        return Told(charge, str(charge))

    return make


def groups(what: Devices, world: World, zone_id: str) -> list[tuple[str, str]]:
    """Kind and status that could be set for several devices of a zone at once."""
    inside = [each for each in world.state[what.device.many].values() if each[what.zone.key] == zone_id]
    found = []
    for kind in what.kinds:
        of_kind = [each for each in inside if each["kind"] == kind.name]
        if all(is_free(what, each) for each in of_kind):
            found += [
                (kind.name, status) for status in kind.states if any(each["status"] != status for each in of_kind)
            ]
    return found


def group_kind(what: Devices) -> Callable[[World], Told]:
    """A kind of which several devices of the zone could be set at once."""

    def make(world: World) -> Told:
        kinds = [kind for kind, _ in groups(what, world, world.chosen[what.zone.key])]
        kind = pick(world.rng, kinds)
        return Told(kind, what.kind(kind).spoken_many)

    return make


def group_status(what: Devices) -> Callable[[World], Told]:
    """A status that some device of the chosen kind does not have."""

    def make(world: World) -> Told:
        offered = groups(what, world, world.chosen[what.zone.key])
        return told_word(pick(world.rng, [status for kind, status in offered if kind == world.chosen["kind"]]))

    return make


def new_name(what: Devices) -> Callable[[World], Told | None]:
    """A name that a new device of the chosen kind may get."""

    def make(world: World) -> Told | None:
        inside = [
            each["name"]
            for each in world.state[what.device.many].values()
            if what.own_names or each[what.zone.key] == world.chosen[what.zone.key]
        ]
        free = [name for name in what.kind(world.chosen["kind"]).names if name not in inside]
        return told_text(pick(world.rng, free)) if free else None

    return make
