"""What people ask for around missions."""

from collections.abc import Callable

from tasks.authors.rules.mechanics.missions_options import Missions
from tasks.authors.rules.mechanics.registry import is_active
from tasks.authors.rules.nouns import words_of
from tasks.authors.rules.spec import Deed, Draft, FromQuery, Pick, Record, Slot, Told, Value, World
from tasks.authors.rules.spoken import pick, told_text, told_word
from tasks.authors.rules.statuses import Where, in_status


def add_mission_deeds(draft: Draft, what: Missions) -> None:
    """Queueing, assigning, running and ending missions."""
    mission, robot, zone = what.mission, what.robot, what.zone
    it = f"{{{mission.key}}}"
    queue = f"{what.queue}_{mission.one}"
    draft.deeds.append(
        Deed(
            queue,
            (
                Pick(zone.key, zone.many, is_active()),
                Value("job", lambda world: told_word(pick(world.rng, what.kinds))),
                Value("cargo", lambda world: told_text(pick(world.rng, what.cargo))),
                Value("priority", lambda world: told_word(pick(world.rng, what.priorities))),
            ),
            (
                f"{words_of(what.queue)} a {{priority}} {mission.spoken} in {{{zone.key}}}: {{job}}, for {{cargo}}",
                f"{words_of(what.queue)} a new {{job}} {mission.spoken} in {{{zone.key}}} for {{cargo}},"
                " priority {priority}",
            ),
            f"The {mission.spoken} for {{cargo}} is queued.",
            creates=mission.many,
            weight=7,
        )
    )
    first = FromQuery(
        robot.key,
        f"list_{robot.many}_for_{mission.one}",
        ((mission.key, mission.key),),
        ("data", 0, robot.key),
        f"the first {robot.spoken} on the list of those that can do it",
    )
    chosen = Pick(robot.key, robot.many, _can_do(what))
    for slot, weight in ((chosen, 8), (first, 0)):
        for follows in ((), (queue,)):
            slots: tuple[Slot, ...] = (Pick(mission.key, mission.many, in_status("queued")), slot)
            asks = (f"give {it} to {{{robot.key}}}", f"let {{{robot.key}}} do {it}")
            reports = f"{it} is assigned."
            deed = Deed(f"assign_{mission.one}", slots, asks, reports, follows=follows, weight=0 if follows else weight)
            draft.deeds.append(deed)
    for verb, where, words, end, weight in (
        ("start", _can_start(what), "start", "is running", 6),
        ("finish", in_status("running"), "report {} as done", "is done", 3),
        ("abort", in_status("queued", "assigned", "running"), "abort", "is aborted", 1),
    ):
        ask = words.format(it) if "{}" in words else f"{words} {it}"
        slots = (Pick(mission.key, mission.many, where),)
        draft.deeds.append(Deed(f"{verb}_{mission.one}", slots, (ask,), f"{it} {end}.", weight=weight))
    slots = (Pick(mission.key, mission.many, in_status("queued", "assigned")), Value("priority", _other_priority(what)))
    asks = (f"change the priority of {it} to {{priority}}", f"make {it} {{priority}} priority")
    reports = f"{it} has priority {{priority}} now."
    draft.deeds.append(Deed(f"set_{mission.one}_priority", slots, asks, reports, weight=1))


def _can_do(what: Missions) -> Where:
    def fits(record: Record, world: World) -> bool:
        mission = world.records[what.mission.key]
        busy = [
            each[what.robot.key]
            for each in world.state[what.mission.many].values()
            if each["status"] in ("assigned", "running")
        ]
        able = (
            record["kind"] in what.jobs[mission["job"]]
            and record["connection"] == "online"
            and record["status"] == "on"
        )
        return able and record[what.robot.key] not in busy

    return fits


def _can_start(what: Missions) -> Where:
    def fits(record: Record, world: World) -> bool:
        if record["status"] != "assigned":
            return False
        robot = world.state[what.robot.many][record[what.robot.key]]
        charged = robot["battery"] - what.use[record["job"]] >= what.reserve
        return charged and robot["status"] == "on" and robot["connection"] == "online" and not robot["is_locked"]

    return fits


def _other_priority(what: Missions) -> Callable[[World], Told]:
    def make(world: World) -> Told:
        others = [each for each in what.priorities if each != world.records[what.mission.key]["priority"]]
        return told_word(pick(world.rng, others))

    return make
