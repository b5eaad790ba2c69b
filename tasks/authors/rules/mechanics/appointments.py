"""Appointments: somebody sees somebody else at a time of day; nobody is in two places at once."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta

from schemas.logic_models import Attribute
from tasks.authors.rules.mechanics.registry import is_active
from tasks.authors.rules.mechanics.roster import WEEKDAYS, is_available
from tasks.authors.rules.nouns import Noun
from tasks.authors.rules.spec import (
    Deed,
    Draft,
    EntitySpec,
    Filter,
    Finder,
    FromQuery,
    Pick,
    Record,
    Slot,
    Told,
    Value,
    World,
)
from tasks.authors.rules.spoken import pick, told_day, told_word


@dataclass(frozen=True)
class Appointments:
    """What a theme says of its appointments."""

    booking: Noun
    who: Noun
    """Who comes: a kind of registry."""
    by: Noun
    """Who is seen: a roster."""
    skill: str
    """Attribute of the roster that must contain the kind of the booking."""
    kinds: dict[str, int]
    """Kind -> length in minutes; a multiple of 15. Every kind is a skill of the roster."""
    kind: str = "kind"
    """Name of the attribute: "reason", "service"."""
    book: str = "book"
    opens: str = "08:00"
    closes: str = "18:00"
    notice_hours: int = 24
    horizon_days: int = 120
    checks_in: bool = True
    """Whether a booking is checked in before it is completed."""
    comes: str = "active"
    """Status of `who` that may be booked in."""

    @property
    def ready(self) -> str:
        """Status from which a booking is completed."""
        return "checked_in" if self.checks_in else "booked"


def add_appointments(draft: Draft, what: Appointments) -> None:
    """Adds the entity, its tools, rules, deeds and finders to the draft."""
    booking, who, by = what.booking, what.who, what.by
    statuses = (
        ("booked", "checked_in", "completed", "cancelled") if what.checks_in else ("booked", "completed", "cancelled")
    )
    kind_type = draft.alias(f"{booking.title}{what.kind.capitalize()}", tuple(what.kinds))
    draft.alias(f"{booking.title}Status", statuses)
    draft.settings.update(
        opens=what.opens,
        closes=what.closes,
        slot_minutes=15,
        notice_hours=what.notice_hours,
        booking_horizon_days=what.horizon_days,
        **{f"{booking.one}_minutes": dict(what.kinds)},
    )
    draft.constants["_WEEKDAYS"] = repr(WEEKDAYS).replace("'", '"')
    draft.entity(
        EntitySpec(
            noun=booking,
            description=f"One {booking.spoken} of one {who.spoken} with one {by.spoken}.",
            attributes=(
                Attribute(name=who.key, type="reference", to=who.many, description=f"The {who.spoken}."),
                Attribute(name=by.key, type="reference", to=by.many, description=f"The {by.spoken}."),
                Attribute(
                    name=what.kind, type="enum", values=tuple(what.kinds), description="Decides how long it takes."
                ),
                Attribute(name="start", type="datetime", description="When it starts, on a quarter of an hour."),
                Attribute(
                    name="minutes",
                    type="integer",
                    minimum=15,
                    maximum=600,
                    unit="min",
                    description="How long it takes.",
                ),
                Attribute(name="status", type="enum", values=statuses, description="Cancelled ones free their time."),
                Attribute(name="changed_at", type="datetime", description="Last change."),
            ),
        )
    )
    _add_rules(draft, what)
    draft.hook(
        f"{who.one}.retire",
        f"for {booking.one} in self.{booking.many}.values():",
        f'    if {booking.one}["{who.key}"] == {who.key} and {booking.one}["status"] == "booked":',
        f"        return _fail(f\"{{{booking.one}['{booking.key}']}} is still booked; cancel it first.\")",
    )
    draft.templates.append(
        ("appointments", {"what": what, "booking": booking, "who": who, "by": by, "kind_type": kind_type})
    )
    _add_finders(draft, what)
    _add_deeds(draft, what)


def _add_rules(draft: Draft, what: Appointments) -> None:
    booking, who, by = what.booking, what.who, what.by
    book, move, cancel = f"{what.book}_{booking.one}", f"reschedule_{booking.one}", f"cancel_{booking.one}"
    for noun in (by, who):
        draft.rule(
            f"{noun.one}_in_one_place",
            "invariant",
            f"Two {booking.spoken_many} of one {noun.spoken} that are not cancelled never overlap.",
            f'all(a["{booking.key}"] >= b["{booking.key}"] or a["{noun.key}"] != b["{noun.key}"]'
            ' or a["status"] == "cancelled" or b["status"] == "cancelled"'
            ' or datetime.fromisoformat(a["start"]) + timedelta(minutes=a["minutes"]) <='
            ' datetime.fromisoformat(b["start"])'
            ' or datetime.fromisoformat(b["start"]) + timedelta(minutes=b["minutes"]) <='
            ' datetime.fromisoformat(a["start"])'
            f' for a in state["{booking.many}"].values() for b in state["{booking.many}"].values())',
            by=(book, move),
        )
    draft.rule(
        f"{by.one}_can_do_it",
        "precondition",
        f"{booking.a.capitalize()} is only booked with {by.a} who does this {what.kind} and is not away.",
        f'args["{what.kind}"] in state["{by.many}"][args["{by.key}"]]["{what.skill}"]'
        f' and state["{by.many}"][args["{by.key}"]]["status"] == "available"',
        by=(book,),
    )
    draft.rule(
        f"{booking.one}_notice",
        "precondition",
        f"{booking.a.capitalize()} is moved or cancelled only while it is booked and at least {what.notice_hours}"
        f" hours before it starts.",
        f'state["{booking.many}"][args["{booking.key}"]]["status"] == "booked" and'
        f' datetime.fromisoformat(state["{booking.many}"][args["{booking.key}"]]["start"])'
        ' >= datetime.fromisoformat(now) + timedelta(hours=state["settings"]["notice_hours"])',
        by=(move, cancel),
    )
    steps = '("booked", "checked_in"), ("checked_in", "completed")' if what.checks_in else '("booked", "completed")'
    draft.rule(
        f"{booking.one}_lifecycle",
        "transition",
        f"{booking.a.capitalize()} goes from booked {'over checked in ' if what.checks_in else ''}to completed, or"
        f" from booked to cancelled.",
        f'all(state["{booking.many}"][k]["status"] == r["status"] or (r["status"],'
        f' state["{booking.many}"][k]["status"])'
        f' in (("booked", "cancelled"), {steps}) for k, r in before["{booking.many}"].items())',
        by=(cancel, f"complete_{booking.one}", *((f"check_in_{booking.one}",) if what.checks_in else ())),
    )


def _add_finders(draft: Draft, what: Appointments) -> None:
    booking, who, by = what.booking, what.who, what.by
    person = Filter(who.key, who.key, "reference")
    day = Filter("day", "start", "day")
    tool = f"list_{booking.many}"
    draft.finders.append(
        Finder(
            booking.many,
            tool,
            (person, day),
            (
                f"{{{who.key}}}'s {booking.spoken} on {{day}}",
                f"the {booking.spoken} of {{{who.key}}} on {{day}}",
            ),
        )
    )
    draft.finders.append(
        Finder(
            booking.many,
            tool,
            (person, Filter(by.key, by.key, "reference"), day),
            (f"{{{who.key}}}'s {booking.spoken} with {{{by.key}}} on {{day}}",),
        )
    )


def _add_deeds(draft: Draft, what: Appointments) -> None:
    booking, who, by = what.booking, what.who, what.by
    comes = is_active(what.comes)
    free = f"list_free_{booking.one}_times"
    first_free = ((by.key, by.key), (who.key, who.key), ("day", "day"), (what.kind, what.kind))
    new: tuple[Slot, ...] = (
        Pick(who.key, who.many, comes),
        Value(what.kind, lambda world: told_word(pick(world.rng, tuple(what.kinds)))),
        Pick(by.key, by.many, _does(what)),
        Value("day", _working_day(what)),
        FromQuery("start", free, first_free, ("data", 0), "the first free time"),
    )
    draft.deeds.append(
        Deed(
            f"{what.book}_{booking.one}",
            new,
            (
                f"{what.book} {{{who.key}}} in for {{{what.kind}}} with {{{by.key}}} on {{day}}, at {{start}} of"
                f" that day",
                f"give {{{who.key}}} a {{{what.kind}}} {booking.spoken} with {{{by.key}}} on {{day}}, taking {{start}}",
            ),
            f"{{{who.key}}} is booked in with {{{by.key}}} on {{day}}.",
            creates=booking.many,
            weight=8,
        )
    )
    movable = _movable(what)
    draft.deeds.append(
        Deed(
            f"reschedule_{booking.one}",
            (
                Pick(booking.key, booking.many, movable),
                Value("day", _other_day(what)),
                FromQuery(
                    "start",
                    free,
                    (("for_" + booking.key, booking.key), ("day", "day")),
                    ("data", 0),
                    "the first free time",
                ),
            ),
            (
                f"move {{{booking.key}}} to {{day}}, to {{start}} of that day with the same {by.spoken}",
                f"reschedule {{{booking.key}}} to {{start}} on {{day}}, same {by.spoken}",
            ),
            f"{{{booking.key}}} is moved to {{day}}.",
            weight=1,
        )
    )
    draft.deeds.append(
        Deed(
            f"cancel_{booking.one}",
            (Pick(booking.key, booking.many, movable),),
            (f"cancel {{{booking.key}}}", f"call off {{{booking.key}}}"),
            f"{{{booking.key}}} is cancelled.",
            weight=1,
        )
    )
    if what.checks_in:
        draft.deeds.append(
            Deed(
                f"check_in_{booking.one}",
                (Pick(booking.key, booking.many, _today(what, "booked")),),
                (f"check in {{{booking.key}}}",),
                f"{{{booking.key}}} is checked in.",
                weight=7,
            )
        )
    draft.deeds.append(
        Deed(
            f"complete_{booking.one}",
            (Pick(booking.key, booking.many, _today(what, what.ready)),),
            (f"close {{{booking.key}}} as completed", f"mark {{{booking.key}}} as completed"),
            f"{{{booking.key}}} is completed.",
            weight=7,
        )
    )


def _does(what: Appointments) -> Callable[[Record, World], bool]:
    return lambda record, world: is_available(record, world) and world.chosen[what.kind] in record[what.skill]


def _working_day(what: Appointments) -> Callable[[World], Told | None]:
    return lambda world: _day_for(world, world.records[what.by.key])


def _other_day(what: Appointments) -> Callable[[World], Told | None]:
    return lambda world: _day_for(world, world.state[what.by.many][world.records[what.booking.key][what.by.key]])


def _day_for(world: World, worker: Record) -> Told | None:
    today = date.fromisoformat(world.now[:10])
    days = [today + timedelta(days=ahead) for ahead in range(1, 11)]
    fitting = [day for day in days if WEEKDAYS[day.weekday()] in worker["works_on"]]
    return told_day(fitting[world.rng.randrange(len(fitting))].isoformat()) if fitting else None


def _movable(what: Appointments) -> Callable[[Record, World], bool]:
    def fits(record: Record, world: World) -> bool:
        last = date.fromisoformat(world.now[:10]) + timedelta(hours=what.notice_hours) + timedelta(days=1)
        return bool(record["status"] == "booked" and record["start"][:10] > last.isoformat())

    return fits


def _today(what: Appointments, status: str) -> Callable[[Record, World], bool]:
    return lambda record, world: bool(record["status"] == status and record["start"][:10] <= world.now[:10])
