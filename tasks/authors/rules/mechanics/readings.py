"""Readings: what sensors measure at a place, and alarms while a value is out of its limits."""

from collections.abc import Callable
from dataclasses import dataclass

from schemas.logic_models import Attribute
from tasks.authors.rules.mechanics.registry import is_active
from tasks.authors.rules.nouns import Noun
from tasks.authors.rules.spec import Deed, Draft, EntitySpec, Filter, Finder, Pick, Record, Told, Value, World
from tasks.authors.rules.spoken import pick, told_word
from tasks.authors.rules.statuses import in_status

_STATUSES = ("raised", "acknowledged", "cleared")


@dataclass(frozen=True)
class Quantity:
    """Something that is measured, in whole units."""

    name: str
    unit: str
    lowest: int
    """Least value that a working sensor can show."""
    highest: int
    low: int
    """Below it an alarm is raised."""
    high: int
    """Above it an alarm is raised."""


@dataclass(frozen=True)
class Readings:
    """What a theme says of its sensors."""

    reading: Noun
    alarm: Noun
    place: Noun
    """Where is measured: a registry."""
    quantities: tuple[Quantity, ...]
    record: str = "record"
    active_place: str = "active"

    def quantity(self, name: str) -> Quantity:
        """The quantity of this name.

        Raises:
            KeyError: there is none.
        """
        return {quantity.name: quantity for quantity in self.quantities}[name]


def add_readings(draft: Draft, what: Readings) -> None:
    """Adds the entities, their tools, rules, deeds and finders to the draft."""
    reading, alarm, place = what.reading, what.alarm, what.place
    names = tuple(quantity.name for quantity in what.quantities)
    draft.alias(f"{reading.title}Quantity", names)
    draft.alias(f"{alarm.title}Status", _STATUSES)
    draft.settings[f"{reading.one}_limits"] = {
        each.name: {
            "unit": each.unit,
            "lowest": each.lowest,
            "highest": each.highest,
            "low": each.low,
            "high": each.high,
        }
        for each in what.quantities
    }
    common = (
        Attribute(name=place.key, type="reference", to=place.many, description=f"The {place.spoken}."),
        Attribute(name="quantity", type="enum", values=names, description="What was measured."),
        Attribute(name="value", type="integer", description="In the unit of the quantity."),
    )
    taken = Attribute(name="recorded_at", type="datetime", description="When.")
    draft.entity(EntitySpec(reading, f"One measured value of one {place.spoken}.", (*common, taken)))
    draft.entity(
        EntitySpec(
            alarm,
            f"A value of one {place.spoken} that was out of its limits.",
            (
                *common,
                Attribute(name="status", type="enum", values=_STATUSES, description="Whether somebody has seen to it."),
                Attribute(name="raised_at", type="datetime", description="When."),
            ),
        )
    )
    _add_rules(draft, what)
    draft.templates.append(("readings", {"what": what, "reading": reading, "alarm": alarm, "place": place}))
    inside, quantity = Filter(place.key, place.key, "reference"), Filter("quantity", "quantity")
    words = f"the {{quantity}} {alarm.spoken} of {{{place.key}}}"
    for filters, says in (
        ((inside, quantity), words),
        ((inside, quantity, Filter("status", "status")), f"{words} that is {{status}}"),
    ):
        draft.finders.append(Finder(alarm.many, f"list_{alarm.many}", filters, (says,)))
    _add_deeds(draft, what)


def _add_rules(draft: Draft, what: Readings) -> None:
    reading, alarm, place = what.reading, what.alarm, what.place
    limits = f'state["settings"]["{reading.one}_limits"]'
    alarms = f'state["{alarm.many}"]'
    this = f'{alarms}[args["{alarm.key}"]]'
    recording = f"{what.record}_{reading.one}"
    draft.rule(
        f"{reading.one}_plausible",
        "invariant",
        f"A {reading.spoken} lies between the least and the highest value that a working sensor can show.",
        f'all({limits}[r["quantity"]]["lowest"] <= r["value"] <= {limits}[r["quantity"]]["highest"]'
        f' for r in state["{reading.many}"].values())',
        by=(recording,),
    )
    kept = f'[(r["{place.key}"], r["quantity"]) for r in {alarms}.values() if r["status"] != "cleared"]'
    draft.rule(
        f"one_{alarm.one}_at_a_time",
        "uniqueness",
        f"{place.a.capitalize()} has at most one {alarm.spoken} per quantity that is not cleared.",
        f"len(set({kept})) == len({kept})",
        by=(recording,),
    )
    draft.rule(
        f"{alarm.one}_lifecycle",
        "transition",
        f"{alarm.a.capitalize()} is first acknowledged and then cleared.",
        f'all({alarms}[k]["status"] == r["status"] or (r["status"], {alarms}[k]["status"])'
        f' in (("raised", "acknowledged"), ("acknowledged", "cleared")) for k, r in before["{alarm.many}"].items())',
        by=(f"acknowledge_{alarm.one}", f"clear_{alarm.one}"),
    )
    latest = (
        f'sorted((k, r["value"]) for k, r in state["{reading.many}"].items()'
        f' if r["{place.key}"] == {this}["{place.key}"] and r["quantity"] == {this}["quantity"])[-1][1]'
    )
    draft.rule(
        f"{alarm.one}_cleared_when_back",
        "precondition",
        f"{alarm.a.capitalize()} is only cleared when the newest {reading.spoken} is within the limits again.",
        f'{limits}[{this}["quantity"]]["low"] <= {latest} <= {limits}[{this}["quantity"]]["high"]',
        by=(f"clear_{alarm.one}",),
    )


def _add_deeds(draft: Draft, what: Readings) -> None:
    reading, alarm, place = what.reading, what.alarm, what.place
    names = tuple(quantity.name for quantity in what.quantities)
    draft.deeds.append(
        Deed(
            f"{what.record}_{reading.one}",
            (
                Pick(place.key, place.many, is_active(what.active_place)),
                Value("quantity", lambda world: told_word(pick(world.rng, names))),
                Value("value", _measured(what)),
            ),
            (
                f"{what.record} {reading.a} of {{value}} for the {{quantity}} of {{{place.key}}}",
                f"note that the {{quantity}} of {{{place.key}}} is {{value}}",
            ),
            f"The {{quantity}} of {{{place.key}}} is noted: {{value}}.",
            creates=reading.many,
            weight=8,
        )
    )
    back_to_normal = (
        Pick(alarm.key, alarm.many, in_status("acknowledged")),
        Pick(place.key, place.many, lambda record, world: _is_there(what, record, world)),
        Value("quantity", lambda world: told_word(world.records[alarm.key]["quantity"])),
        Value("value", _within(what)),
    )
    draft.deeds.append(
        Deed(
            f"{what.record}_{reading.one}",
            back_to_normal,
            (f"{what.record} {reading.a} of {{value}}",),
            "It is noted: {value}.",
            creates=reading.many,
            in_tasks=False,
            weight=1,
        )
    )
    for tool, where, asks, end, weight in (
        (f"acknowledge_{alarm.one}", in_status("raised"), ("acknowledge", "take note of"), "acknowledged", 1),
        (f"clear_{alarm.one}", _is_back(what), ("clear", "close"), "cleared", 1),
    ):
        draft.deeds.append(
            Deed(
                tool,
                (Pick(alarm.key, alarm.many, where),),
                tuple(f"{ask} {{{alarm.key}}}" for ask in asks),
                f"{{{alarm.key}}} is {end}.",
                weight=weight,
            )
        )


def _measured(what: Readings) -> Callable[[World], Told]:
    def make(world: World) -> Told:
        quantity = what.quantity(world.chosen["quantity"])
        span = quantity.high - quantity.low
        near = (max(quantity.lowest, quantity.low - span // 3), min(quantity.highest, quantity.high + span // 3))
        value = world.rng.randint(*near)
        return Told(value, f"{value} {quantity.unit}")

    return make


def _within(what: Readings) -> Callable[[World], Told]:
    def make(world: World) -> Told:
        quantity = what.quantity(world.chosen["quantity"])
        value = world.rng.randint(quantity.low, quantity.high)
        return Told(value, f"{value} {quantity.unit}")

    return make


def _is_there(what: Readings, record: Record, world: World) -> bool:
    is_place = record[what.place.key] == world.records[what.alarm.key][what.place.key]
    return is_place and bool(record["status"] == what.active_place)


def _is_back(what: Readings) -> Callable[[Record, World], bool]:
    def fits(record: Record, world: World) -> bool:
        same = [
            each["value"]
            for each in world.state[what.reading.many].values()
            if (each[what.place.key], each["quantity"]) == (record[what.place.key], record["quantity"])
        ]
        quantity = what.quantity(record["quantity"])
        return bool(record["status"] == "acknowledged" and quantity.low <= same[-1] <= quantity.high)

    return fits
