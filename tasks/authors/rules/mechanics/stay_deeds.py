"""What a person may ask for about stays."""

from collections.abc import Callable
from datetime import date, timedelta

from tasks.authors.rules.mechanics.registry import is_active
from tasks.authors.rules.mechanics.stay_words import BOOKED, Stays
from tasks.authors.rules.mechanics.units import USABLE, alias_of, told_count
from tasks.authors.rules.nouns import with_article, words_of
from tasks.authors.rules.spec import Deed, Draft, FromQuery, Pick, Record, Slot, State, Told, Value, World
from tasks.authors.rules.spoken import later_day, pick, told_day

_FARTHEST_BEGIN = 9
"""Days from today to the first day, at most; many stays begin soon, so that the past of a state has all stages."""


def add_stay_deeds(draft: Draft, what: Stays) -> None:
    """Adds the deeds of every tool of the stays."""
    draft.deeds += [
        _book_first_free(what, draft.aliases[alias_of(what.unit, what.kind)]),
        _book_this_one(what),
        _change(what),
        _extend(what),
        _move(what),
    ]
    stay = what.stay
    steps: list[tuple[str, Callable[[Record, World], bool], tuple[str, ...], str, int]] = [
        (what.cancel_tool, _may_change(what), ("cancel {%s}", "call off {%s}"), "{%s} is cancelled.", 1),
        (
            what.start_tool,
            _may_start(what),
            (f"{what.start_words} {{%s}}",),
            f"{{%s}} is {words_of(what.started)} now.",
            6,
        ),
        (what.end_tool, _may_end(what), (f"{what.end_words} {{%s}}",), f"{{%s}} is {words_of(what.ended)} now.", 4),
    ]
    if what.marks_no_show:
        steps.append((what.no_show_tool, _is_late(what), ("mark {%s} as no show",), "{%s} is marked as no show.", 1))
    for tool, fits, asks, reports, weight in steps:
        draft.deeds.append(
            Deed(
                tool,
                (Pick(stay.key, stay.many, fits),),
                tuple(ask % stay.key for ask in asks),
                reports % stay.key,
                weight=weight,
            )
        )


def _book_first_free(what: Stays, kinds: tuple[str, ...]) -> Deed:
    guest, unit = what.guest, what.unit
    query = [(what.first, what.first), (what.last, what.last), (what.kind, what.kind)]
    slots: list[Slot] = [
        Pick(guest.key, guest.many, is_active(what.comes)),
        Value(what.kind, lambda world: _told_kind(world, kinds)),
        Value(what.first, _begin),
        Value(what.last, _end(what)),
    ]
    for_party = ""
    if what.capacity:
        slots.append(Value(what.party, _party(what)))
        query.append((what.party, what.party))
        for_party = f", for {{{what.party}}}"
    if what.need:
        query.append((guest.key, guest.key))
    slots.append(
        FromQuery(unit.key, f"list_free_{unit.many}", tuple(query), ("data", 0, unit.key), _first_listed(what))
    )
    days = f"from {{{what.first}}} to {{{what.last}}}{for_party}"
    return Deed(
        what.book_tool,
        tuple(slots),
        (
            f"{what.book_words} {{{what.kind}}} {unit.spoken} for {{{guest.key}}} {days}, taking {{{unit.key}}}",
            f"{what.book_words} {{{what.kind}}} {unit.spoken} {days} for {{{guest.key}}}; {{{unit.key}}} will do",
        ),
        f"{{{guest.key}}} has a {unit.spoken} from {{{what.first}}} to {{{what.last}}}.",
        creates=what.stay.many,
        weight=9,
    )


def _book_this_one(what: Stays) -> Deed:
    guest, unit = what.guest, what.unit
    slots: list[Slot] = [
        Pick(guest.key, guest.many, is_active(what.comes)),
        Value(what.first, _begin),
        Value(what.last, _end(what)),
        Pick(unit.key, unit.many, _suits(what)),
    ]
    for_party = ""
    if what.capacity:
        slots.append(Value(what.party, _party(what)))
        for_party = f", for {{{what.party}}}"
    return Deed(
        what.book_tool,
        tuple(slots),
        (f"{what.book_words} {{{unit.key}}} for {{{guest.key}}} from {{{what.first}}} to {{{what.last}}}{for_party}",),
        f"{{{guest.key}}} has {{{unit.key}}} from {{{what.first}}} to {{{what.last}}}.",
        creates=what.stay.many,
        weight=2,
    )


def _change(what: Stays) -> Deed:
    stay = what.stay
    return Deed(
        what.change_tool,
        (
            Pick(stay.key, stay.many, _may_change(what)),
            Value(what.first, _begin),
            Value(what.last, _end_of_moved(what)),
        ),
        (
            f"move {{{stay.key}}} so that it runs from {{{what.first}}} to {{{what.last}}}",
            f"change the dates of {{{stay.key}}} to {{{what.first}}} until {{{what.last}}}",
        ),
        f"{{{stay.key}}} now runs from {{{what.first}}} to {{{what.last}}}.",
        weight=1,
    )


def _extend(what: Stays) -> Deed:
    stay = what.stay
    return Deed(
        what.extend_tool,
        (Pick(stay.key, stay.many, _may_go_on(what)), Value(what.last, _later_end(what))),
        (f"extend {{{stay.key}}} until {{{what.last}}}", f"let {{{stay.key}}} run until {{{what.last}}}"),
        f"{{{stay.key}}} now runs until {{{what.last}}}.",
        weight=1,
    )


def _move(what: Stays) -> Deed:
    stay, unit = what.stay, what.unit
    offered = FromQuery(
        unit.key, f"list_free_{unit.many}", ((f"for_{stay.key}", stay.key),), ("data", 0, unit.key), _first_listed(what)
    )
    return Deed(
        what.move_tool,
        (Pick(stay.key, stay.many, _is_open(what)), offered),
        (
            f"move {{{stay.key}}} to another {unit.spoken}, namely {{{unit.key}}}",
            f"give {{{stay.key}}} another {unit.spoken}: {{{unit.key}}}",
        ),
        f"{{{stay.key}}} is moved to another {unit.spoken}.",
        weight=1,
    )


def _first_listed(what: Stays) -> str:
    price = words_of(what.price.removesuffix("_cents"))
    order = f" when free ones are listed by {price}" if what.price else " that is listed as free"
    return f"the first {what.unit.spoken}{order}"


def _told_kind(world: World, kinds: tuple[str, ...]) -> Told:
    kind = pick(world.rng, kinds)
    return Told(kind, with_article(words_of(kind)))


def _begin(world: World) -> Told:
    return told_day(later_day(world, 0, world.rng.choice((1, 2, 4, _FARTHEST_BEGIN))))


def _end(what: Stays) -> Callable[[World], Told | None]:
    return lambda world: _told_end(what, world, world.rng.randint(1, min(6, what.longest)))


def _end_of_moved(what: Stays) -> Callable[[World], Told | None]:
    """As many days as before, so that only the days change."""

    def make(world: World) -> Told | None:
        moved = world.records[what.stay.key]
        days = (date.fromisoformat(moved[what.last]) - date.fromisoformat(moved[what.first])).days
        return None if world.chosen[what.first] == moved[what.first] else _told_end(what, world, days)

    return make


def _told_end(what: Stays, world: World, days: int) -> Told | None:
    end = (date.fromisoformat(world.chosen[what.first]) + timedelta(days=days)).isoformat()
    guest = world.records.get(what.guest.key)
    if what.valid_until and guest and guest[what.valid_until] < end:
        return None
    return told_day(end)


def _later_end(what: Stays) -> Callable[[World], Told | None]:
    def make(world: World) -> Told | None:
        stay = world.records[what.stay.key]
        end = (date.fromisoformat(stay[what.last]) + timedelta(days=world.rng.randint(1, 3))).isoformat()
        days = (date.fromisoformat(end) - date.fromisoformat(stay[what.first])).days
        is_free = _is_free(what, world.state, stay[what.unit.key], (stay[what.last], end))
        return told_day(end) if is_free and days <= what.longest and end > world.now[:10] else None

    return make


def _party(what: Stays) -> Callable[[World], Told | None]:
    """At most as many as the chosen unit, or the largest one of the chosen kind, takes."""

    def make(world: World) -> Told | None:
        units = world.state[what.unit.many].values()
        chosen = world.records.get(what.unit.key)
        fitting = [chosen] if chosen else [unit for unit in units if unit[what.kind] == world.chosen[what.kind]]
        if not fitting:
            return None
        most = max(unit[what.capacity] for unit in fitting)
        return told_count(world.rng.randint(1, most), what.party_one, words_of(what.party))

    return make


def _suits(what: Stays) -> Callable[[Record, World], bool]:
    """Units in service that are free for the chosen days and have what the chosen guest needs."""

    def fits(unit: Record, world: World) -> bool:
        days = (world.chosen[what.first], world.chosen[what.last])
        need = world.records[what.guest.key][what.need] if what.need else what.no_need
        has_it = need == what.no_need or need in unit[what.feature]
        return unit["status"] == USABLE and has_it and _is_free(what, world.state, unit[what.unit.key], days)

    return fits


def _is_free(what: Stays, state: State, unit_id: str, days: tuple[str, str]) -> bool:
    return not any(
        stay[what.unit.key] == unit_id
        and stay["status"] in (BOOKED, what.started)
        and stay[what.first] < days[1]
        and days[0] < stay[what.last]
        for stay in state[what.stay.many].values()
    )


def _is_open(what: Stays) -> Callable[[Record, World], bool]:
    """Open, and not only because nobody noted that it is over."""
    return lambda stay, world: stay["status"] in (BOOKED, what.started) and stay[what.last] > world.now[:10]


def _may_go_on(what: Stays) -> Callable[[Record, World], bool]:
    """Open; one that has begun may be late by a day."""
    yesterday = timedelta(days=1)

    def fits(stay: Record, world: World) -> bool:
        latest = (date.fromisoformat(world.now[:10]) - yesterday).isoformat()
        return bool(_is_open(what)(stay, world) or (stay["status"] == what.started and stay[what.last] >= latest))

    return fits


def _may_change(what: Stays) -> Callable[[Record, World], bool]:
    def fits(stay: Record, world: World) -> bool:
        ahead = (date.fromisoformat(stay[what.first]) - date.fromisoformat(world.now[:10])).days
        return bool(stay["status"] == BOOKED and ahead >= what.notice_days)

    return fits


def _may_start(what: Stays) -> Callable[[Record, World], bool]:
    return lambda stay, world: bool(stay["status"] == BOOKED and stay[what.first] <= world.now[:10] < stay[what.last])


def _may_end(what: Stays) -> Callable[[Record, World], bool]:
    """Those who leave today or are late."""
    return lambda stay, world: bool(stay["status"] == what.started and stay[what.last] <= world.now[:10])


def _is_late(what: Stays) -> Callable[[Record, World], bool]:
    return lambda stay, world: bool(stay["status"] == BOOKED and stay[what.first] < world.now[:10])
