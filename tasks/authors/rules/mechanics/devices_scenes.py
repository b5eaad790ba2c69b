"""Scenes: named sets of what devices should do, run at once; with a time of day and weekdays they are programs."""

from collections.abc import Callable
from random import Random
from typing import Any

from schemas.logic_models import Attribute
from tasks.authors.rules.mechanics.devices_choices import some_level
from tasks.authors.rules.mechanics.devices_options import Devices, Kind
from tasks.authors.rules.mechanics.roster import WEEKDAYS
from tasks.authors.rules.nouns import Noun, joined
from tasks.authors.rules.spec import (
    Deed,
    Draft,
    EntitySpec,
    Filter,
    Finder,
    Pick,
    Record,
    Slot,
    State,
    Told,
    Value,
    World,
)
from tasks.authors.rules.spoken import pick, told_text, told_word
from tasks.authors.rules.statuses import in_status

_DAY_NAMES = dict(
    zip(WEEKDAYS, ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"), strict=True)
)


def add_scenes(draft: Draft, what: Devices, scene: Noun, setting: Noun) -> None:
    """Adds scenes and their settings to the draft of the devices that they set."""
    device = what.device
    attributes = [Attribute(name="name", type="string", max_length=60, description="What it is called.")]
    if what.scheduled:
        draft.alias("Weekday", WEEKDAYS)
        draft.alias(f"{scene.title}Status", ("active", "paused"))
        attributes += [
            Attribute(name="starts_at", type="string", max_length=5, description="Time of day, HH:MM."),
            Attribute(
                name="days", type="list", items="enum", values=WEEKDAYS, description="Weekdays on which it runs."
            ),
            Attribute(
                name="status", type="enum", values=("active", "paused"), description="Whether it runs by itself."
            ),
        ]
    attributes.append(Attribute(name="last_run_at", type="datetime", nullable=True, description="Null before it ran."))
    description = f"{scene.a.capitalize()}: what several {device.spoken_many} should do at once."
    draft.entity(EntitySpec(scene, description, tuple(attributes), count=(4, 6), make=_scene_maker(what, scene)))
    parts = [
        Attribute(name=scene.key, type="reference", to=scene.many, description=f"The {scene.spoken}."),
        Attribute(name=device.key, type="reference", to=device.many, description=f"The {device.spoken}."),
        Attribute(name="status", type="enum", values=what.statuses, description="Status that it gets."),
    ]
    if what.has_levels:
        described = "Level that it gets; null when the level stays."
        parts.append(Attribute(name="level", type="integer", nullable=True, description=described))
    description = f"What one {scene.spoken} does to one {device.spoken}."
    draft.entity(
        EntitySpec(setting, description, tuple(parts), count=(8, 12), make=_setting_maker(what, scene, setting))
    )
    draft.templates.append(
        ("devices_scenes", {"what": what, "device": device, "zone": what.zone, "scene": scene, "setting": setting})
    )
    _add_rules(draft, what, scene, setting)
    _add_deeds(draft, what, scene, setting)


def _scene_maker(what: Devices, scene: Noun) -> Callable[[Random, State, str], Record | None]:
    def make(rng: Random, state: State, new_id: str) -> Record | None:
        taken = [record["name"] for record in state[scene.many].values()]
        free = [name for name in what.scene_names if name not in taken]
        if not free:
            return None
        record: dict[str, Any] = {scene.key: new_id, "name": pick(rng, free)}
        if what.scheduled:
            hour = 5 + len(taken) * 2  # each at its own time, so that no two of them meet
            record |= {"starts_at": f"{hour:02d}:{rng.choice((0, 15, 30, 45)):02d}", "days": _some_days(rng)}
            record["status"] = "paused" if rng.random() < 0.2 else "active"
        return {**record, "last_run_at": None}

    return make


def _setting_maker(what: Devices, scene: Noun, setting: Noun) -> Callable[[Random, State, str], Record | None]:
    device = what.device

    def make(rng: Random, state: State, new_id: str) -> Record | None:
        scenes, devices = list(state[scene.many]), list(state[device.many])
        taken = [(record[scene.key], record[device.key]) for record in state[setting.many].values()]
        free = [(one, other) for one in scenes for other in devices if (one, other) not in taken]
        if not free:
            return None
        scene_id, device_id = free[rng.randrange(len(free))]
        kind = what.kind(state[device.many][device_id]["kind"])
        record: dict[str, Any] = {setting.key: new_id, scene.key: scene_id, device.key: device_id}
        record["status"] = pick(rng, kind.states)
        if what.has_levels:
            told = some_level(kind, World(rng, state, {}, {})) if rng.random() < 0.6 else None
            record["level"] = told.value if told else None
        return record

    return make


def _add_rules(draft: Draft, what: Devices, scene: Noun, setting: Noun) -> None:
    device, settings = what.device, f'state["{setting.many}"].values()'
    add = f"add_{setting.one}"
    draft.rule(
        f"{scene.one}_name_unique",
        "uniqueness",
        f"No two {scene.spoken_many} have the same name.",
        f'len({{r["name"].lower() for r in state["{scene.many}"].values()}}) == len(state["{scene.many}"])',
        by=(f"create_{scene.one}",),
    )
    draft.rule(
        f"{setting.one}_once",
        "uniqueness",
        f"{scene.a.capitalize()} sets each {device.spoken} at most once.",
        f'len({{(r["{scene.key}"], r["{device.key}"]) for r in {settings}}}) == len(state["{setting.many}"])',
        by=(add,),
    )
    draft.rule(
        f"{setting.one}_fits_kind",
        "invariant",
        f"{scene.a.capitalize()} gives {device.a} only a status that its kind has.",
        f'all(r["status"] in state["settings"]["{what.facts}"]'
        f'[state["{device.many}"][r["{device.key}"]]["kind"]]["states"] for r in {settings})',
        by=(add,),
    )
    if what.scheduled:
        active = f'[p for p in state["{scene.many}"].values() if p["status"] == "active"]'
        draft.rule(
            f"{scene.many}_do_not_meet",
            "invariant",
            f"No two active {scene.spoken_many} set the same {device.spoken} at the same time on the same day.",
            f"not any(p['{scene.key}'] < q['{scene.key}'] and p['starts_at'] == q['starts_at']"
            f" and set(p['days']) & set(q['days']) and {{r['{device.key}'] for r in {settings}"
            f" if r['{scene.key}'] == p['{scene.key}']}} & {{r['{device.key}'] for r in {settings}"
            f" if r['{scene.key}'] == q['{scene.key}']}} for p in {active} for q in {active})",
            by=(add, f"reschedule_{scene.one}", f"resume_{scene.one}"),
        )


def _add_deeds(draft: Draft, what: Devices, scene: Noun, setting: Noun) -> None:
    device = what.device
    named = Filter("name_contains", "name")
    draft.finders.append(
        Finder(scene.many, f"list_{scene.many}", (named,), (f'the {scene.spoken} "{{name_contains}}"',))
    )
    parts = (Filter(scene.key, scene.key, "reference"), Filter(device.key, device.key, "reference"))
    says = f"what {{{scene.key}}} does to {{{device.key}}}"
    draft.finders.append(Finder(setting.many, f"list_{setting.many}", parts, (says,)))
    it = f"{{{scene.key}}}"
    slots: tuple[Slot, ...] = (Value("name", _new_name(what, scene)),)
    asks: tuple[str, ...] = (f"create {scene.a} called {{name}}", f"make a new {scene.spoken} with the name {{name}}")
    if what.scheduled:
        slots = (*slots, Value("starts_at", _time_of_day), Value("days", _told_days))
        asks = tuple(f"{ask} that runs at {{starts_at}} on {{days}}" for ask in asks)
    reports = f"The {scene.spoken} {{name}} is there now."
    draft.deeds.append(Deed(f"create_{scene.one}", slots, asks, reports, creates=scene.many, weight=1))
    for follows in ((), (f"create_{scene.one}",)):
        _add_setting_deeds(draft, what, scene, setting, follows)
    simple: list[tuple[str, Noun, Callable[[Record, World], bool] | None, tuple[str, ...], str, int]] = [
        (
            f"remove_{setting.one}",
            setting,
            None,
            (f"remove {{{setting.key}}}", f"drop {{{setting.key}}}"),
            "is removed",
            0,
        ),
        (
            f"run_{scene.one}",
            scene,
            _would_do(what, scene, setting),
            (f"run {it}", f"start {it}"),
            "has been run",
            2,
        ),
    ]
    if what.scheduled:
        simple += [
            (f"pause_{scene.one}", scene, in_status("active"), (f"pause {it}",), "is paused", 1),
            (f"resume_{scene.one}", scene, in_status("paused"), (f"resume {it}",), "runs again", 1),
        ]
        draft.deeds.append(
            Deed(
                f"reschedule_{scene.one}",
                (Pick(scene.key, scene.many), Value("starts_at", _time_of_day)),
                (f"let {it} run at {{starts_at}} from now on", f"move {it} to {{starts_at}}"),
                f"{it} runs at {{starts_at}} now.",
                weight=1,
            )
        )
    else:
        simple.append((f"delete_{scene.one}", scene, None, (f"delete {it}",), "is deleted", 0))
    for tool, noun, where, asks, end, weight in simple:
        reports = f"{{{noun.key}}} {end}."
        draft.deeds.append(Deed(tool, (Pick(noun.key, noun.many, where),), asks, reports, weight=weight))


def _add_setting_deeds(draft: Draft, what: Devices, scene: Noun, setting: Noun, follows: tuple[str, ...]) -> None:
    device = what.device
    picks: tuple[Slot, ...] = (
        Pick(scene.key, scene.many),
        Pick(device.key, device.many, _not_in_scene(what, scene, setting)),
    )
    either = Value("status", lambda world: told_word(pick(world.rng, _kind_of(what, world).states)))
    active = Value("status", lambda world: told_word(_kind_of(what, world).states[0]))
    level = Value("level", lambda world: some_level(_kind_of(what, world), world))
    asks = (
        f"let {{{scene.key}}} set {{{device.key}}} to {{status}}",
        f"add {{{device.key}}} to {{{scene.key}}}, with the status {{status}}",
    )
    reports = f"{{{scene.key}}} sets {{{device.key}}} to {{status}}"
    ways: list[tuple[tuple[Slot, ...], str]] = [((*picks, either), "")]
    if what.has_levels:
        ways.append(((*picks, active, level), " at {level}"))
    for slots, at in ways:
        says = tuple(ask + at for ask in asks)
        weight = 0 if follows else 2
        draft.deeds.append(
            Deed(
                f"add_{setting.one}",
                slots,
                says,
                f"{reports}{at} now.",
                creates=setting.many,
                follows=follows,
                weight=weight,
            )
        )


def _kind_of(what: Devices, world: World) -> Kind:
    return what.kind(world.records[what.device.key]["kind"])


def _new_name(what: Devices, scene: Noun) -> Callable[[World], Told | None]:
    def make(world: World) -> Told | None:
        taken = [record["name"] for record in world.state[scene.many].values()]
        free = [name for name in what.scene_names if name not in taken]
        return told_text(pick(world.rng, free)) if free else None

    return make


def _time_of_day(world: World) -> Told:
    time = f"{world.rng.randint(5, 22):02d}:{world.rng.choice((0, 10, 20, 30, 40, 50)):02d}"
    return Told(time, time)


def _some_days(rng: Random) -> list[str]:
    days = sorted(rng.sample(range(7), rng.randint(1, 4)))
    return [WEEKDAYS[day] for day in days]


def _told_days(world: World) -> Told:
    days = _some_days(world.rng)
    return Told(days, joined([_DAY_NAMES[day] for day in days]))


def _not_in_scene(what: Devices, scene: Noun, setting: Noun) -> Callable[[Record, World], bool]:
    def fits(record: Record, world: World) -> bool:
        pairs = [(each[scene.key], each[what.device.key]) for each in world.state[setting.many].values()]
        return (world.chosen[scene.key], record[what.device.key]) not in pairs

    return fits


def _would_do(what: Devices, scene: Noun, setting: Noun) -> Callable[[Record, World], bool]:
    def fits(record: Record, world: World) -> bool:
        parts = [each for each in world.state[setting.many].values() if each[scene.key] == record[scene.key]]
        devices = [world.state[what.device.many][each[what.device.key]] for each in parts]
        is_free = all(each["connection"] == "online" and not each.get("is_locked") for each in devices)
        differs = any(each["status"] != device["status"] for each, device in zip(parts, devices, strict=True))
        return is_free and differs

    return fits
