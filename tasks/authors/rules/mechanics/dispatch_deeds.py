"""What people ask for around dispatch, and how they say which trip they mean."""

from tasks.authors.rules.mechanics.dispatch_choices import (
    a_code,
    an_address,
    an_amount,
    another_zone,
    can_carry,
    has_no_shift,
    is_idle,
    some_km,
    some_zone,
    the_code,
)
from tasks.authors.rules.mechanics.dispatch_options import Dispatch
from tasks.authors.rules.mechanics.registry import is_active
from tasks.authors.rules.mechanics.roster import is_available
from tasks.authors.rules.nouns import words_of
from tasks.authors.rules.spec import Deed, Draft, Filter, Finder, FromQuery, Pick, Slot, Value
from tasks.authors.rules.spoken import pick, told_text
from tasks.authors.rules.statuses import Where, in_status


def add_dispatch_finders(draft: Draft, what: Dispatch) -> None:
    """Ways to find one trip or one shift."""
    trip, customer, carrier, shift = what.trip, what.customer, what.carrier, what.shift
    whose, status = Filter(customer.key, customer.key, "reference"), Filter("status", "status")
    to_zone, day = Filter("to_zone", "to_zone"), Filter("day", "requested_at", "day")
    own = f"{{{customer.key}}}'s"
    ways: list[tuple[tuple[Filter, ...], str]] = []
    if what.recipients:
        recipient = Filter("recipient_contains", "recipient")
        to_whom = f"the {trip.spoken} for {{recipient_contains}}"
        ways += [
            ((recipient, status), f"{to_whom} that is {{status}}"),
            ((recipient, whose), f"{own} {trip.spoken} for {{recipient_contains}}"),
            ((recipient, whose, day), f"{own} {trip.spoken} for {{recipient_contains}} of {{day}}"),
        ]
    ways += [
        ((whose, status), f"{own} {trip.spoken} that is {{status}}"),
        ((whose, to_zone), f"{own} {trip.spoken} to {{to_zone}}"),
        ((whose, to_zone, status), f"{own} {trip.spoken} to {{to_zone}} that is {{status}}"),
        ((whose, day), f"{own} {trip.spoken} of {{day}}"),
        (
            (Filter(carrier.key, carrier.key, "reference"), status),
            f"the {trip.spoken} of {{{carrier.key}}} that is {{status}}",
        ),
    ]
    draft.finders += [Finder(trip.many, f"list_{trip.many}", filters, (says,)) for filters, says in ways]
    driver, car = Filter(carrier.key, carrier.key, "reference"), Filter(what.vehicle.key, what.vehicle.key, "reference")
    says = f"{{{carrier.key}}}'s {shift.spoken}"
    draft.finders.append(Finder(shift.many, f"list_{shift.many}", (driver,), (says,)))
    draft.finders.append(
        Finder(shift.many, f"list_{shift.many}", (driver, car), (f"{says} with {{{what.vehicle.key}}}",))
    )


def add_dispatch_deeds(draft: Draft, what: Dispatch) -> None:
    """Shifts, requests, giving, and every step of a trip."""
    _add_shifts(draft, what)
    _add_request(draft, what)
    _add_giving(draft, what)
    _add_steps(draft, what)
    _add_reroute(draft, what)


def _add_shifts(draft: Draft, what: Dispatch) -> None:
    carrier, vehicle, shift = what.carrier, what.vehicle, what.shift
    free_carrier, free_vehicle = has_no_shift(what, carrier), has_no_shift(what, vehicle)
    draft.deeds.append(
        Deed(
            f"start_{shift.one}",
            (
                Pick(
                    carrier.key,
                    carrier.many,
                    lambda record, world: is_available(record, world) and free_carrier(record, world),
                ),
                Pick(
                    vehicle.key,
                    vehicle.many,
                    lambda record, world: record["status"] == what.active_vehicle and free_vehicle(record, world),
                ),
            ),
            (
                f"start {shift.a} for {{{carrier.key}}} with {{{vehicle.key}}}",
                f"let {{{carrier.key}}} begin {shift.a} with {{{vehicle.key}}}",
            ),
            f"{{{carrier.key}}} is on {shift.a} with {{{vehicle.key}}}.",
            creates=shift.many,
            weight=4,
        )
    )
    draft.deeds.append(
        Deed(
            f"end_{shift.one}",
            (Pick(shift.key, shift.many, is_idle(what)),),
            (f"end {{{shift.key}}}", f"close {{{shift.key}}}"),
            f"{{{shift.key}}} has ended.",
            weight=2,
        )
    )


def _add_request(draft: Draft, what: Dispatch) -> None:
    trip, customer = what.trip, what.customer
    slots: list[Slot] = [Pick(customer.key, customer.many, is_active(what.active_customer))]
    whom, details = "", [f"{{{what.amount}}}"]
    if what.recipients:
        slots.append(Value("recipient", lambda world: told_text(pick(world.rng, what.recipients))))
        slots.append(Value("address", an_address(what)))
        whom = " to {recipient}, {address}"
    if what.origin:
        slots.append(Value("from_zone", some_zone(what)))
        whom = " from {from_zone}"
    slots += [Value("to_zone", some_zone(what)), Value(what.amount, an_amount(what))]
    if what.fare:
        slots.append(Value("distance_km", some_km))
        details.append("{distance_km}")
    if what.proof:
        slots.append(Value("code", a_code))
        details.append("code {code}")
    where = " to {to_zone}" if what.origin else " in the zone {to_zone}"
    asked, listed = words_of(what.request), ", ".join(details)
    draft.deeds.append(
        Deed(
            what.tool(what.request),
            tuple(slots),
            (
                f"{asked} {trip.a} for {{{customer.key}}}{whom}{where}: {listed}",
                f"{asked} a new {trip.spoken}{whom}{where} for {{{customer.key}}} ({listed})",
            ),
            f"The {trip.spoken} of {{{customer.key}}} is on the list.",
            creates=trip.many,
            weight=9,
        )
    )


def _add_giving(draft: Draft, what: Dispatch) -> None:
    trip, carrier = what.trip, what.carrier
    first = FromQuery(
        carrier.key,
        f"list_{carrier.many}_for_{trip.one}",
        ((trip.key, trip.key),),
        ("data", 0, carrier.key),
        f"the first {carrier.spoken} on the list of those who can take it",
    )
    asks = (f"give {{{trip.key}}} to {{{carrier.key}}}", f"assign {{{trip.key}}} to {{{carrier.key}}}")
    for slot, weight in ((Pick(carrier.key, carrier.many, can_carry(what)), 10), (first, 0)):
        for follows in ((), (what.tool(what.request),)):
            slots: tuple[Slot, ...] = (Pick(trip.key, trip.many, in_status(what.waiting)), slot)
            draft.deeds.append(
                Deed(
                    what.tool("assign"),
                    slots,
                    asks,
                    f"{{{trip.key}}} is assigned.",
                    follows=follows,
                    weight=0 if follows else weight,
                )
            )


def _add_steps(draft: Draft, what: Dispatch) -> None:
    trip = what.trip
    it = f"{{{trip.key}}}"
    assigned, carried = in_status("assigned"), in_status(what.carried)
    done, under_way = words_of(what.done), words_of(what.carried)
    steps: list[tuple[str, Where, tuple[str, ...], str, int]] = [
        ("unassign", assigned, (f"take {it} away from whoever has it",), "waits again", 1),
        (
            what.pick_up,
            assigned,
            (f"mark {it} as {under_way}", f"note that {it} is {under_way}"),
            f"is {under_way}",
            10,
        ),
        ("cancel", in_status(what.waiting, "assigned"), (f"cancel {it}", f"call off {it}"), "is cancelled", 1),
    ]
    if what.attempts:
        steps.append(("fail", carried, (f"note that nobody was there for {it}",), "has one more failed attempt", 1))
    if not what.proof:
        steps.append((what.finish, carried, (f"mark {it} as {done}", f"note that {it} is {done}"), f"is {done}", 7))
    for verb, where, asks, end, weight in steps:
        slots = (Pick(trip.key, trip.many, where),)
        draft.deeds.append(Deed(what.tool(verb), slots, asks, f"{it} {end}.", weight=weight))
    if what.proof:
        draft.deeds.append(
            Deed(
                what.tool(what.finish),
                (Pick(trip.key, trip.many, carried), Value("code", the_code(what))),
                (
                    f"mark {it} as {done}, the code shown was {{code}}",
                    f"note that {it} is {done} for the code {{code}}",
                ),
                f"{it} is {done}.",
                weight=4,
            )
        )


def _add_reroute(draft: Draft, what: Dispatch) -> None:
    trip = what.trip
    slots: list[Slot] = [Pick(trip.key, trip.many, in_status(*what.reroutable)), Value("to_zone", another_zone(what))]
    where = "{to_zone}"
    if what.recipients:
        slots.append(Value("address", an_address(what)))
        where = "{address} in the zone {to_zone}"
    if what.fare:
        slots.append(Value("distance_km", some_km))
        where += ", which makes it {distance_km} in all"
    draft.deeds.append(
        Deed(
            what.tool("reroute"),
            tuple(slots),
            (f"reroute {{{trip.key}}} to {where}", f"let {{{trip.key}}} end at {where}"),
            f"{{{trip.key}}} ends at {{to_zone}} now.",
            weight=1,
        )
    )
