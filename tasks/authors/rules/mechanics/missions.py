"""Missions: jobs for robots, which have to be able to do them, be switched on and have enough charge."""

from schemas.logic_models import Attribute
from tasks.authors.rules.mechanics.missions_deeds import add_mission_deeds
from tasks.authors.rules.mechanics.missions_options import STATUSES, STEPS, Missions
from tasks.authors.rules.mechanics.tickets_rules import literal
from tasks.authors.rules.spec import Draft, EntitySpec, Filter, Finder


def add_missions(draft: Draft, what: Missions) -> None:
    """Adds the entity, its tools, rules, deeds and finders to the draft."""
    mission, robot, zone = what.mission, what.robot, what.zone
    draft.alias(f"{mission.title}Job", what.kinds)
    draft.alias(f"{mission.title}Priority", what.priorities)
    draft.alias(f"{mission.title}Status", STATUSES)
    draft.settings[f"{mission.one}_jobs"] = {
        job: {"robots": list(kinds), "battery": what.use[job]} for job, kinds in what.jobs.items()
    }
    draft.settings[f"{mission.one}_battery_reserve"] = what.reserve
    who = f"The {robot.spoken} that does it; null while it is queued."
    draft.entity(
        EntitySpec(
            mission,
            f"{mission.a.capitalize()} for one {robot.spoken} in one {zone.spoken}.",
            (
                Attribute(name="job", type="enum", values=what.kinds, description="What has to be done."),
                Attribute(name="cargo", type="string", max_length=80, description="What it is about."),
                Attribute(name=zone.key, type="reference", to=zone.many, description="Where it ends."),
                Attribute(name="priority", type="enum", values=what.priorities, description="How pressing it is."),
                Attribute(name="status", type="enum", values=STATUSES, description="How far it has got."),
                Attribute(name=robot.key, type="reference", to=robot.many, nullable=True, description=who),
                Attribute(name="changed_at", type="datetime", description="Last change."),
            ),
        )
    )
    draft.hook(
        f"{robot.one}.clash",
        f"for each in self.{mission.many}.values():",
        f'    one = changes.get(each["{robot.key}"]) if each["status"] == "running" else None',
        f'    if one and (one["status"] == "off" or one["{zone.key}"] !='
        f' self.{robot.many}[each["{robot.key}"]]["{zone.key}"]):',
        f"        return f\"{{each['{mission.key}']}} is running; {{each['{robot.key}']}} has to finish it first.\"",
    )
    draft.hook(
        f"{zone.one}.retire",
        f"for each in self.{mission.many}.values():",
        f'    if each["{zone.key}"] == {zone.key} and each["status"] in ("queued", "assigned", "running"):',
        f"        return _fail(f\"{{each['{mission.key}']}} is not done yet.\")",
    )
    _add_rules(draft, what)
    draft.templates.append(("missions", {"what": what, "mission": mission, "robot": robot, "zone": zone}))
    cargo = Filter("cargo_contains", "cargo")
    words = f'the {mission.spoken} for "{{cargo_contains}}"'
    for filters, says in (
        ((cargo,), words),
        ((cargo, Filter(zone.key, zone.key, "reference")), f"{words} in {{{zone.key}}}"),
        ((cargo, Filter("status", "status")), f"{words} that is {{status}}"),
        (
            (Filter(robot.key, robot.key, "reference"), Filter("status", "status")),
            f"{{{robot.key}}}'s {{status}} {mission.spoken}",
        ),
        (
            (cargo, Filter("job", "job"), Filter("status", "status")),
            f'the {{status}} {{job}} {mission.spoken} for "{{cargo_contains}}"',
        ),
    ):
        draft.finders.append(Finder(mission.many, f"list_{mission.many}", filters, (says,)))
    add_mission_deeds(draft, what)


def _add_rules(draft: Draft, what: Missions) -> None:
    mission, robot = what.mission, what.robot
    missions, robots = f'state["{mission.many}"]', f'state["{robot.many}"]'
    this = f'{missions}[args["{mission.key}"]]'
    jobs = f'state["settings"]["{mission.one}_jobs"]'
    assign, start = f"assign_{mission.one}", f"start_{mission.one}"
    draft.rule(
        f"{robot.one}_can_do_{mission.one}",
        "precondition",
        f"{mission.a.capitalize()} is only given to {robot.a} that can do it and is online.",
        f'{robots}[args["{robot.key}"]]["kind"] in {jobs}[{this}["job"]]["robots"]'
        f' and {robots}[args["{robot.key}"]]["connection"] == "online"',
        by=(assign,),
    )
    draft.rule(
        f"{robot.one}_one_{mission.one}",
        "invariant",
        f"{robot.a.capitalize()} has at most one {mission.spoken} that is assigned or running.",
        f'all(sum(m["{robot.key}"] == k and m["status"] in ("assigned", "running") for m in {missions}.values()) <= 1'
        f" for k in {robots})",
        by=(assign,),
    )
    draft.rule(
        f"{mission.one}_battery",
        "precondition",
        f"{mission.a.capitalize()} starts only if {what.reserve} percent of charge will be left at its end.",
        f'{robots}[{this}["{robot.key}"]]["battery"] - {jobs}[{this}["job"]]["battery"]'
        f' >= state["settings"]["{mission.one}_battery_reserve"]',
        by=(start,),
    )
    draft.rule(
        f"{mission.one}_running_{robot.one}_is_on",
        "invariant",
        f"{robot.a.capitalize()} is on while its {mission.spoken} is running.",
        f'all({robots}[m["{robot.key}"]]["status"] == "on" for m in {missions}.values() if m["status"] == "running")',
        by=(start, f"switch_{robot.one}_off"),
    )
    draft.rule(
        f"{mission.one}_lifecycle",
        "transition",
        f"{mission.a.capitalize()} goes from queued over assigned and running to done; until then it can be aborted.",
        f'all({missions}[k]["status"] == r["status"] or (r["status"], {missions}[k]["status"])'
        f' in {literal(STEPS)} for k, r in before["{mission.many}"].items())',
        by=(assign, start, f"finish_{mission.one}", f"abort_{mission.one}"),
    )
