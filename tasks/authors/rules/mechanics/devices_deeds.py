"""What people ask of devices, and how they say which one they mean."""

from tasks.authors.rules.mechanics.devices_choices import (
    can_come,
    connected,
    group_kind,
    group_status,
    groups,
    has_level,
    has_mode,
    in_reach,
    may_charge,
    may_lock,
    may_unlock,
    more_charge,
    new_name,
    of_kind,
    other_level,
    other_mode,
)
from tasks.authors.rules.mechanics.devices_options import Devices
from tasks.authors.rules.mechanics.registry import is_active
from tasks.authors.rules.nouns import words_of
from tasks.authors.rules.spec import Deed, Draft, Filter, Finder, Pick, Slot, Value
from tasks.authors.rules.spoken import pick, told_word
from tasks.authors.rules.statuses import Where


def add_device_finders(draft: Draft, what: Devices) -> None:
    """Ways to find one device: by its name, its zone, its kind and its status."""
    device, zone = what.device, what.zone
    name, kind = Filter("name_contains", "name"), Filter("kind", "kind")
    inside = Filter(zone.key, zone.key, "reference")
    place = f"{what.zone_word} {{{zone.key}}}"
    named = "{name_contains}" if what.own_names else "the {name_contains}"
    ways = (
        ((name,), named),
        ((name, inside), f"{named} {place}"),
        ((kind, inside), f"the {{kind}} {place}"),
        ((name, inside, Filter("status", "status")), f"{named} {place} that is {{status}}"),
    )
    draft.finders += [Finder(device.many, f"find_{device.many}", filters, (says,)) for filters, says in ways]


def add_device_deeds(draft: Draft, what: Devices) -> None:
    """Switching, setting, locking, and what the theme's options add."""
    _add_turning(draft, what)
    _add_preparing(draft, what)
    _add_setting(draft, what)
    _add_locking(draft, what)
    if what.reach:
        _add_reach(draft, what)
    if what.group:
        _add_group(draft, what)
    if what.add or what.move:
        _add_places(draft, what)


def _add_turning(draft: Draft, what: Devices) -> None:
    device, it = what.device, f"{{{what.device.key}}}"
    ways = (
        (what.switches, f"switch_{device.one}_on", "off", (f"switch on {it}", f"turn on {it}"), "on", 8),
        (what.switches, f"switch_{device.one}_off", "on", (f"switch off {it}", f"turn off {it}"), "off", 4),
        (what.openings, f"open_{device.one}", "closed", (f"open {it}",), "open", 5),
        (what.openings, f"close_{device.one}", "open", (f"close {it}",), "closed", 3),
    )
    for exists, tool, before, asks, after, weight in ways:
        if exists:
            slots: tuple[Slot, ...] = (Pick(device.key, device.many, in_reach(what, before)),)
            draft.deeds.append(Deed(tool, slots, asks, f"{it} is {after} now.", weight=weight))


def _add_preparing(draft: Draft, what: Devices) -> None:
    """In the past of an initial state, what has to hold at a start is seen to; else hardly anything would start."""
    device, it = what.device, f"{{{what.device.key}}}"

    def past(tool: str, where: Where, weight: int) -> None:
        slots = (Pick(device.key, device.many, where),)
        draft.deeds.append(Deed(tool, slots, (f"see to {it}",), f"{it} is seen to.", in_tasks=False, weight=weight))

    tools = {"on": "switch_{}_on", "off": "switch_{}_off", "open": "open_{}", "closed": "close_{}"}
    for lock in what.interlocks:
        other, kind = what.kind(lock.other), what.kind(lock.kind)
        if not lock.only_at_start:
            continue
        if lock.must_be == "locked":
            past(f"lock_{device.one}", of_kind(what, other.name, other.states[1]), 4)
        must_be = other.states[1] if lock.must_be == "locked" else lock.must_be
        opposite = other.states[0 if must_be == other.states[1] else 1]
        past(tools[must_be].format(device.one), of_kind(what, other.name, opposite), 4)
        past(tools[kind.states[0]].format(device.one), of_kind(what, kind.name, kind.states[1]), 4)


def _add_setting(draft: Draft, what: Devices) -> None:
    device, it = what.device, f"{{{what.device.key}}}"
    if what.has_levels:
        draft.deeds.append(
            Deed(
                f"set_{device.one}_level",
                (Pick(device.key, device.many, has_level(what)), Value("level", other_level(what))),
                (f"set {it} to {{level}}", f"put {it} at {{level}}"),
                f"{it} is at {{level}} now.",
                weight=5,
            )
        )
    if what.modes:
        draft.deeds.append(
            Deed(
                f"set_{device.one}_mode",
                (Pick(device.key, device.many, has_mode(what)), Value("mode", other_mode(what))),
                (f"set {it} to the mode {{mode}}", f"put {it} into {{mode}} mode"),
                f"{it} is in {{mode}} mode now.",
                weight=3,
            )
        )
    if what.battery:
        draft.deeds.append(
            Deed(
                f"charge_{device.one}",
                (Pick(device.key, device.many, may_charge), Value("battery", more_charge(what))),
                (f"charge {it} up to {{battery}} percent", f"put {it} on charge until it has {{battery}} percent"),
                f"{it} has {{battery}} percent of charge now.",
                weight=4,
            )
        )


def _add_locking(draft: Draft, what: Devices) -> None:
    device, it = what.device, f"{{{what.device.key}}}"
    if not what.can_lock:
        return
    draft.deeds.append(
        Deed(
            f"lock_{device.one}",
            (Pick(device.key, device.many, may_lock(what)),),
            (f"lock {it}", f"lock {it} so that nothing is set on it"),
            f"{it} is locked.",
            weight=2,
        )
    )
    draft.deeds.append(
        Deed(
            f"unlock_{device.one}",
            (Pick(device.key, device.many, may_unlock),),
            (f"unlock {it}", f"take the lock off {it}"),
            f"{it} is unlocked.",
            weight=1,
        )
    )


def _add_reach(draft: Draft, what: Devices) -> None:
    device, it = what.device, f"{{{what.device.key}}}"
    for tool, before, asks, after in (
        (f"take_{device.one}_offline", "online", (f"take {it} offline", f"note that {it} is offline"), "offline"),
        (f"bring_{device.one}_online", "offline", (f"bring {it} back online", f"note that {it} is online"), "online"),
    ):
        slots = (Pick(device.key, device.many, connected(before)),)
        draft.deeds.append(Deed(tool, slots, asks, f"{it} is {after} now.", weight=1))


def _add_group(draft: Draft, what: Devices) -> None:
    device, zone = what.device, what.zone
    place = f"{what.zone_word} {{{zone.key}}}"
    draft.deeds.append(
        Deed(
            f"set_{zone.one}_{device.many}",
            (
                Pick(zone.key, zone.many, lambda record, world: bool(groups(what, world, record[zone.key]))),
                Value("kind", group_kind(what)),
                Value("status", group_status(what)),
            ),
            (
                f"see to it that all {{kind}} {place} are {{status}}",
                f"make sure that all {{kind}} {place} are {{status}}",
            ),
            f"All {{kind}} {place} are {{status}} now.",
            weight=2,
        )
    )


def _add_places(draft: Draft, what: Devices) -> None:
    device, zone, it = what.device, what.zone, f"{{{what.device.key}}}"
    if what.add:
        verb = words_of(what.add)
        draft.deeds.append(
            Deed(
                f"{what.add}_{device.one}",
                (
                    Pick(zone.key, zone.many, None if what.zone_names else is_active()),
                    Value("kind", lambda world: told_word(pick(world.rng, what.kind_names))),
                    Value("name", new_name(what)),
                ),
                (
                    f"{verb} a new {{kind}} {what.zone_word} {{{zone.key}}} and call it {{name}}",
                    f"{verb} a {{kind}} {what.zone_word} {{{zone.key}}}; its name is {{name}}",
                ),
                "{name} is there now.",
                creates=device.many,
                weight=1,
            )
        )
    if what.move:
        verb = words_of(what.move)
        draft.deeds.append(
            Deed(
                f"{what.move}_{device.one}",
                (Pick(device.key, device.many, in_reach(what)), Pick(zone.key, zone.many, can_come(what))),
                (f"{verb} {it} to {{{zone.key}}}", f"{verb} {it} over to {{{zone.key}}}"),
                f"{it} is {what.zone_word} {{{zone.key}}} now.",
                weight=4,
            )
        )
