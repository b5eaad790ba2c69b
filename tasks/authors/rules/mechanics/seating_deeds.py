"""What a person may ask for about seatings."""

from collections.abc import Callable
from datetime import date, datetime, timedelta

from tasks.authors.rules.mechanics.registry import is_active
from tasks.authors.rules.mechanics.roster import WEEKDAYS
from tasks.authors.rules.mechanics.seating_words import BOOKED, Seatings
from tasks.authors.rules.mechanics.units import told_count
from tasks.authors.rules.nouns import with_article, words_of
from tasks.authors.rules.spec import Deed, Draft, FromQuery, Pick, Record, Slot, Told, Value, World
from tasks.authors.rules.spoken import later_day, pick, told_moment
from tasks.authors.rules.statuses import in_status

_FARTHEST_DAY = 7
_STEP_MINUTES = 30
"""People ask for the full or the half hour."""


def add_seating_deeds(draft: Draft, what: Seatings, kinds: tuple[str, ...]) -> None:
    """Adds the deeds of every tool of the seatings."""
    booking = what.booking
    draft.deeds += [_book(what, ()), _book(what, kinds), _reschedule(what), _move(what), _resize(what)]
    steps: list[tuple[str, Callable[[Record, World], bool], tuple[str, ...], str, int]] = [
        (what.cancel_tool, _may_change(what), ("cancel {%s}", "call off {%s}"), "{%s} is cancelled.", 1),
    ]
    if what.arrives:
        steps += [
            (
                what.arrive_tool,
                _is_today,
                (f"{what.arrive_words} {{%s}}",),
                f"{{%s}} is {words_of(what.arrived)} now.",
                5,
            ),
            (
                what.leave_tool,
                in_status(what.arrived),
                (f"{what.leave_words} {{%s}}",),
                f"{{%s}} is {words_of(what.left)} now.",
                4,
            ),
            (what.no_show_tool, _is_missed, ("mark {%s} as no show",), "{%s} is marked as no show.", 1),
        ]
    for tool, fits, asks, reports, weight in steps:
        draft.deeds.append(
            Deed(
                tool,
                (Pick(booking.key, booking.many, fits),),
                tuple(ask % booking.key for ask in asks),
                reports % booking.key,
                weight=weight,
            )
        )


def _book(what: Seatings, kinds: tuple[str, ...]) -> Deed:
    """With kinds, one of them is asked for; without, any space will do."""
    who, space = what.who, what.space
    query = [("start", "start"), ("minutes", "minutes"), (what.party, what.party)]
    slots: list[Slot] = [Pick(who.key, who.many, is_active(what.comes))]
    if kinds:
        slots.append(Value(what.kind, lambda world: _told_kind(world, kinds)))
        query.append((what.kind, what.kind))
    slots += [
        Value(what.party, _party(what)),
        Value("minutes", lambda world: _told_minutes(world.rng.choice(what.lengths))),
        Value("start", _free_start(what)),
        FromQuery(space.key, f"list_free_{space.many}", tuple(query), ("data", 0, space.key), _first_listed(what)),
    ]
    wanted = f"{{{what.kind}}} {space.spoken}" if kinds else space.a
    return Deed(
        what.book_tool,
        tuple(slots),
        (
            f"{what.book_words} {wanted} for {{{who.key}}} on {{start}}, for {{{what.party}}} and {{minutes}},"
            f" taking {{{space.key}}}",
            f"{what.book_words} {wanted} on {{start}} for {{minutes}} and {{{what.party}}} in the name of"
            f" {{{who.key}}};"
            f" {{{space.key}}} is fine",
        ),
        f"{{{who.key}}} has a {space.spoken} on {{start}}.",
        creates=what.booking.many,
        weight=4 if kinds else 6,
    )


def _reschedule(what: Seatings) -> Deed:
    booking = what.booking
    return Deed(
        what.reschedule_tool,
        (Pick(booking.key, booking.many, _may_change(what)), Value("start", _other_start(what))),
        (
            f"move {{{booking.key}}} to {{start}}",
            f"reschedule {{{booking.key}}} to {{start}}, same {what.space.spoken}",
        ),
        f"{{{booking.key}}} is moved to {{start}}.",
        weight=1,
    )


def _move(what: Seatings) -> Deed:
    booking, space = what.booking, what.space
    query = ((f"for_{booking.key}", booking.key),)
    return Deed(
        what.move_tool,
        (
            Pick(booking.key, booking.many, _is_ahead),
            FromQuery(space.key, f"list_free_{space.many}", query, ("data", 0, space.key), _first_listed(what)),
        ),
        (
            f"give {{{booking.key}}} another {space.spoken} at the same time: {{{space.key}}}",
            f"move {{{booking.key}}} to another {space.spoken}, namely {{{space.key}}}",
        ),
        f"{{{booking.key}}} is moved to another {space.spoken}.",
        weight=1,
    )


def _resize(what: Seatings) -> Deed:
    booking = what.booking
    return Deed(
        what.resize_tool,
        (Pick(booking.key, booking.many, _may_change(what)), Value(what.party, _other_party(what))),
        (f"change {{{booking.key}}} to {{{what.party}}}", f"put {{{booking.key}}} down for {{{what.party}}} instead"),
        f"{{{booking.key}}} is now for {{{what.party}}}.",
        weight=1,
    )


def _first_listed(what: Seatings) -> str:
    return f"the first {what.space.spoken} in the list of free ones"


def _told_kind(world: World, kinds: tuple[str, ...]) -> Told:
    kind = pick(world.rng, kinds)
    return Told(kind, with_article(words_of(kind)))


def _told_minutes(minutes: int) -> Told:
    return Told(minutes, f"{minutes} minutes")


def _told_party(what: Seatings, number: int) -> Told:
    return told_count(number, what.party_one, words_of(what.party))


def _party(what: Seatings) -> Callable[[World], Told | None]:
    """A number that some space of the chosen kind takes without staying too empty."""

    def make(world: World) -> Told | None:
        kind = world.chosen.get(what.kind)
        sizes = [
            space[what.capacity] for space in world.state[what.space.many].values() if kind in (None, space[what.kind])
        ]
        if not sizes:
            return None
        size = world.rng.choice(sizes)
        fewest = max(1, size - what.spare) if what.spare is not None else 1
        return _told_party(what, world.rng.randint(fewest, size))

    return make


def _other_party(what: Seatings) -> Callable[[World], Told | None]:
    def make(world: World) -> Told | None:
        booking = world.records[what.booking.key]
        size = world.state[what.space.many][booking[what.space.key]][what.capacity]
        fewest = max(1, size - what.spare) if what.spare is not None else 1
        others = [number for number in range(fewest, size + 1) if number != booking[what.party]]
        return _told_party(what, world.rng.choice(others)) if others else None

    return make


def _free_start(what: Seatings) -> Callable[[World], Told | None]:
    """A time ahead in the hours of the house; whether a space is free then is for the query to say."""
    return lambda world: _start_ahead(what, world, world.chosen["minutes"])


def _other_start(what: Seatings) -> Callable[[World], Told | None]:
    """A time at which the space of the picked booking is free."""

    def make(world: World) -> Told | None:
        moved = world.records[what.booking.key]
        told = _start_ahead(what, world, moved["minutes"])
        if told is None or told.value == moved["start"]:
            return None
        begins = datetime.fromisoformat(told.value)
        ends = begins + timedelta(minutes=moved["minutes"])
        for other in world.state[what.booking.many].values():
            starts = datetime.fromisoformat(other["start"])
            is_near = starts < ends and begins < starts + timedelta(minutes=other["minutes"])
            if other is not moved and other[what.space.key] == moved[what.space.key] and is_near:
                return None
        return told

    return make


def _start_ahead(what: Seatings, world: World, minutes: int) -> Told | None:
    day = later_day(world, 0, world.rng.choice((0, 2, 4, _FARTHEST_DAY)))
    if WEEKDAYS[date.fromisoformat(day).weekday()] in what.closed_on:
        return None
    first = datetime.fromisoformat(f"{day}T{what.opens}")
    last = datetime.fromisoformat(f"{day}T{what.closes}") - timedelta(minutes=minutes)
    steps = int((last - first) / timedelta(minutes=_STEP_MINUTES))
    start = (first + timedelta(minutes=_STEP_MINUTES * world.rng.randint(0, steps))).strftime("%Y-%m-%dT%H:%M")
    return told_moment(start) if start > world.now else None


def _is_ahead(booking: Record, world: World) -> bool:
    return bool(booking["status"] == BOOKED and booking["start"] > world.now)


def _may_change(what: Seatings) -> Callable[[Record, World], bool]:
    def fits(booking: Record, world: World) -> bool:
        earliest = datetime.fromisoformat(world.now) + timedelta(hours=what.notice_hours)
        return bool(booking["status"] == BOOKED and datetime.fromisoformat(booking["start"]) >= earliest)

    return fits


def _is_today(booking: Record, world: World) -> bool:
    return bool(booking["status"] == BOOKED and booking["start"][:10] == world.now[:10])


def _is_missed(booking: Record, world: World) -> bool:
    return bool(booking["status"] == BOOKED and booking["start"] < world.now)
