"""Journeys: a vehicle goes to destinations, which takes an engine that runs and enough in the tank."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from schemas.logic_models import Attribute
from tasks.authors.rules.nouns import Noun
from tasks.authors.rules.spec import Deed, Draft, EntitySpec, Filter, Finder, Pick, Record, State, Value
from tasks.authors.rules.spoken import later_day, told_day
from tasks.authors.rules.statuses import in_status

_STATUSES = ("planned", "under_way", "finished", "cancelled")


@dataclass(frozen=True)
class Journeys:
    """What a theme says of its journeys. There is one vehicle, with one tank."""

    journey: Noun
    destination: Noun
    destinations: dict[str, int]
    """Name -> distance in kilometres."""
    device: Noun
    """Parts of the vehicle: devices."""
    engine: str
    """Kind of device that has to be on during a journey."""
    tank: Noun
    per_100_km: int = 7
    """What 100 kilometres take from the tank, in its unit."""
    reserve: int = 5
    """What has to be left in the tank at the end of a journey."""


def add_journeys(draft: Draft, what: Journeys) -> None:
    """Adds the entities, their tools, rules, deeds and finders to the draft."""
    journey, destination = what.journey, what.destination
    draft.alias(f"{journey.title}Status", _STATUSES)
    draft.settings[f"{what.tank.one}_use_per_100_km"] = what.per_100_km
    draft.settings[f"{what.tank.one}_reserve"] = what.reserve
    draft.settings[f"{journey.one}_horizon_days"] = 60
    draft.entity(
        EntitySpec(
            destination,
            f"{destination.a.capitalize()} and how far it is.",
            (
                Attribute(name="name", type="string", max_length=60, description="What it is called."),
                Attribute(name="distance_km", type="integer", minimum=1, unit="km", description="Way there and back."),
            ),
            count=(6, 9),
            make=_maker(what),
        )
    )
    draft.entity(
        EntitySpec(
            journey,
            f"{journey.a.capitalize()} to one {destination.spoken} and back.",
            (
                Attribute(name=destination.key, type="reference", to=destination.many, description="Where it goes."),
                Attribute(name="planned_for", type="date", description="Day of the journey."),
                Attribute(name="status", type="enum", values=_STATUSES, description="How far it has got."),
                Attribute(name="started_at", type="datetime", nullable=True, description="Null before it started."),
            ),
        )
    )
    draft.hook(
        f"{what.device.one}.clash",
        f'if any(each["status"] == "under_way" for each in self.{journey.many}.values()):',
        "    for one in changes.values():",
        f'        if one["kind"] == "{what.engine}" and one["status"] == "off":',
        f'            return "{journey.a.capitalize()} is under way; the {what.engine} stays on until it is finished."',
    )
    _add_rules(draft, what)
    draft.templates.append(
        (
            "journeys",
            {
                "what": what,
                "journey": journey,
                "destination": destination,
                "tank": what.tank,
                "device": what.device,
            },
        )
    )
    named = Filter("name_contains", "name")
    where = Filter(destination.key, destination.key, "reference")
    status = Filter("status", "status")
    words = f"the {journey.spoken} to {{{destination.key}}}"
    draft.finders += [
        Finder(destination.many, f"list_{destination.many}", (named,), ("{name_contains}",)),
        Finder(journey.many, f"list_{journey.many}", (where,), (words,)),
        Finder(journey.many, f"list_{journey.many}", (where, status), (f"{words} that is {{status}}",)),
        Finder(journey.many, f"list_{journey.many}", (where, Filter("day", "planned_for")), (f"{words} on {{day}}",)),
    ]
    _add_deeds(draft, what)


def _maker(what: Journeys) -> Callable[[Random, State, str], Record | None]:
    def make(rng: Random, state: State, new_id: str) -> Record | None:
        taken = [record["name"] for record in state[what.destination.many].values()]
        free = [name for name in what.destinations if name not in taken]
        if not free:
            return None
        name = free[rng.randrange(len(free))]
        return {what.destination.key: new_id, "name": name, "distance_km": what.destinations[name]}

    return make


def _add_rules(draft: Draft, what: Journeys) -> None:
    journey, destination, journeys = what.journey, what.destination, f'state["{what.journey.many}"]'
    start = f"start_{journey.one}"
    planned = f'[r["planned_for"] for r in {journeys}.values() if r["status"] == "planned"]'
    draft.rule(
        f"one_{journey.one}_a_day",
        "uniqueness",
        f"At most one {journey.spoken} is planned for a day.",
        f"len(set({planned})) == len({planned})",
        by=(f"plan_{journey.one}",),
    )
    draft.rule(
        f"one_{journey.one}_under_way",
        "invariant",
        f"At most one {journey.spoken} is under way, and the {what.engine} is on during it.",
        f'sum(r["status"] == "under_way" for r in {journeys}.values()) <= (1 if any(d["status"] == "on"'
        f' for d in state["{what.device.many}"].values() if d["kind"] == "{what.engine}") else 0)',
        by=(start, f"switch_{what.device.one}_off"),
    )
    use = f'state["settings"]["{what.tank.one}_use_per_100_km"]'
    km = f'state["{destination.many}"][{journeys}[args["{journey.key}"]]["{destination.key}"]]["distance_km"]'
    draft.rule(
        f"{what.tank.one}_lasts_for_{journey.one}",
        "precondition",
        f"{journey.a.capitalize()} starts only if {what.reserve} will be left in the {what.tank.spoken} at its end.",
        f'min(t["level"] for t in state["{what.tank.many}"].values()) - ({km} * {use} + 99) // 100'
        f' >= state["settings"]["{what.tank.one}_reserve"]',
        by=(start,),
    )
    draft.rule(
        f"{journey.one}_lifecycle",
        "transition",
        f"{journey.a.capitalize()} goes from planned over under way to finished, or from planned to cancelled.",
        f'all({journeys}[k]["status"] == r["status"] or (r["status"], {journeys}[k]["status"])'
        ' in (("planned", "under_way"), ("under_way", "finished"), ("planned", "cancelled"))'
        f' for k, r in before["{journey.many}"].items())',
        by=(start, f"finish_{journey.one}", f"cancel_{journey.one}"),
    )


def _add_deeds(draft: Draft, what: Journeys) -> None:
    journey, destination, it = what.journey, what.destination, f"{{{what.journey.key}}}"
    draft.deeds.append(
        Deed(
            f"plan_{journey.one}",
            (
                Pick(destination.key, destination.many),
                Value("planned_for", lambda world: told_day(later_day(world, 0, 20))),
            ),
            (
                f"plan {journey.a} to {{{destination.key}}} for {{planned_for}}",
                f"put down {journey.a} to {{{destination.key}}} on {{planned_for}}",
            ),
            f"The {journey.spoken} to {{{destination.key}}} is planned for {{planned_for}}.",
            creates=journey.many,
            weight=5,
        )
    )
    for verb, status, end, weight in (
        ("start", "planned", "is under way", 6),
        ("finish", "under_way", "is finished", 4),
        ("cancel", "planned", "is cancelled", 1),
    ):
        slots = (Pick(journey.key, journey.many, in_status(status)),)
        asks = (f"{verb} {it}",)
        draft.deeds.append(Deed(f"{verb}_{journey.one}", slots, asks, f"{it} {end}.", weight=weight))
