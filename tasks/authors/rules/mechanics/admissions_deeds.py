"""What is asked for at a box office or a gate: holding, paying, changing and giving back seats."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from tasks.authors.rules.mechanics.registry import is_active
from tasks.authors.rules.spec import Deed, Draft, Pick, Record, Told, Value, World
from tasks.authors.rules.statuses import in_status

if TYPE_CHECKING:
    from tasks.authors.rules.mechanics.admissions import Admissions


def add_admission_deeds(draft: Draft, what: "Admissions") -> None:
    """Adds the deeds, for the past of initial states and for tasks."""
    event, category, booking, holder = what.event, what.category, what.booking, what.holder
    one, who, which = f"{{{booking.key}}}", f"{{{holder.key}}}", f"{{{category.key}}}"
    draft.deeds += [
        Deed(
            f"{what.hold}_seats",
            (
                Pick(holder.key, holder.many, is_active()),
                Pick(category.key, category.many, _has_room(what)),
                Value("quantity", _few),
            ),
            (
                f"{what.hold} {{quantity}} seats for {who}: {which}",
                f"{what.hold} {{quantity}} seats in {which} for {who}",
            ),
            f"{{quantity}} seats are on hold for {who}.",
            creates=booking.many,
            weight=8,
        ),
        Deed(
            f"pay_{booking.one}",
            (Pick(booking.key, booking.many, _yet_to_come(what, "held")),),
            (f"mark {one} as paid", f"take the payment for {one}"),
            f"{one} is paid.",
            weight=4,
        ),
        Deed(
            f"change_{booking.one}_{category.one}",
            (Pick(booking.key, booking.many, _changeable(what)), Pick(category.key, category.many, _other_class(what))),
            (f"move {one} to {which}", f"change {one} to {which}"),
            f"{one} is moved.",
            weight=1,
        ),
        Deed(
            f"cancel_{booking.one}",
            (Pick(booking.key, booking.many, _changeable(what)),),
            (f"cancel {one}", f"give back the seats of {one}"),
            f"{one} is cancelled.",
            weight=1,
        ),
        Deed(
            f"close_{event.one}_sales",
            (Pick(event.key, event.many, in_status("on_sale")),),
            (f"stop giving out seats for {{{event.key}}}", f"close the sales for {{{event.key}}}"),
            f"No more seats are given for {{{event.key}}}.",
            weight=0,
        ),
        Deed(
            f"set_{category.one}_price",
            (Pick(category.key, category.many), Value("price_cents", _other_price(what))),
            (f"set the price of one seat in {which} to {{price_cents}}",),
            f"One seat in {which} costs {{price_cents}} now.",
            weight=0,
        ),
    ]


def _few(world: World) -> Told:
    seats = world.rng.randint(2, 3)
    return Told(seats, str(seats))


def _starts(what: "Admissions", record: Record, world: World) -> datetime:
    return datetime.fromisoformat(world.state[what.event.many][record[what.event.key]]["starts_at"])


def _taken(what: "Admissions", record: Record, world: World) -> int:
    return sum(
        each["quantity"]
        for each in world.state[what.booking.many].values()
        if each[what.category.key] == record[what.category.key] and each["status"] != "cancelled"
    )


def _has_room(what: "Admissions") -> Callable[[Record, World], bool]:
    def fits(record: Record, world: World) -> bool:
        event = world.state[what.event.many][record[what.event.key]]
        is_open = event["status"] == "on_sale" and event["starts_at"] > world.now
        return bool(is_open and record["seats"] - _taken(what, record, world) >= 3)

    return fits


def _yet_to_come(what: "Admissions", status: str) -> Callable[[Record, World], bool]:
    return lambda record, world: bool(
        record["status"] == status and _starts(what, record, world) > datetime.fromisoformat(world.now)
    )


def _changeable(what: "Admissions") -> Callable[[Record, World], bool]:
    def fits(record: Record, world: World) -> bool:
        latest = datetime.fromisoformat(world.now) + timedelta(hours=what.notice_hours)
        return record["status"] in ("held", "paid") and _starts(what, record, world) > latest

    return fits


def _other_class(what: "Admissions") -> Callable[[Record, World], bool]:
    def fits(record: Record, world: World) -> bool:
        booking = world.records[what.booking.key]
        is_other = (
            record[what.event.key] == booking[what.event.key]
            and record[what.category.key] != booking[what.category.key]
        )
        return bool(is_other and record["seats"] - _taken(what, record, world) >= booking["quantity"])

    return fits


def _other_price(what: "Admissions") -> Callable[[World], Told]:
    def make(world: World) -> Told:
        price = world.records[what.category.key]["price_cents"] + 100 * world.rng.randint(1, 15)
        return Told(price, f"{price // 100} euros" if price % 100 == 0 else f"{price // 100}.{price % 100:02d} euros")

    return make
