"""Dispatch: trips of people or parcels that are requested, given to a carrier on a shift, picked up and delivered."""

from schemas.logic_models import Attribute
from tasks.authors.rules.mechanics.dispatch_deeds import add_dispatch_deeds, add_dispatch_finders
from tasks.authors.rules.mechanics.dispatch_options import Dispatch
from tasks.authors.rules.mechanics.dispatch_rules import add_dispatch_rules
from tasks.authors.rules.mechanics.tickets_rules import literal
from tasks.authors.rules.spec import Draft, EntitySpec


def add_dispatch(draft: Draft, what: Dispatch) -> None:
    """Adds the entities, their tools, rules, deeds and finders to the draft."""
    trip, carrier, vehicle, shift = what.trip, what.carrier, what.vehicle, what.shift
    draft.alias(f"{trip.title}Zone", what.zones)
    draft.alias(f"{trip.title}Status", what.statuses)
    if what.fare:
        draft.settings["base_fare_cents"] = what.fare["base_cents"]
        draft.settings["fare_per_km_cents"] = what.fare["km_cents"]
    if what.attempts:
        draft.settings["most_attempts"] = what.attempts
    draft.entity(EntitySpec(trip, f"{trip.a.capitalize()} that one {carrier.spoken} carries.", _attributes(what)))
    draft.entity(
        EntitySpec(
            shift,
            f"One {carrier.spoken} with one {vehicle.spoken}, from a start to an end.",
            (
                Attribute(name=carrier.key, type="reference", to=carrier.many, description=f"The {carrier.spoken}."),
                Attribute(name=vehicle.key, type="reference", to=vehicle.many, description=f"The {vehicle.spoken}."),
                Attribute(name="status", type="enum", values=("open", "ended"), description="Whether it goes on."),
                Attribute(name="started_at", type="datetime", description="When it started."),
                Attribute(name="ended_at", type="datetime", nullable=True, description="Null while it goes on."),
            ),
        )
    )
    _add_hooks(draft, what)
    add_dispatch_rules(draft, what)
    context = {
        "what": what,
        "trip": trip,
        "carrier": carrier,
        "vehicle": vehicle,
        "shift": shift,
        "customer": what.customer,
    }
    draft.templates.append(("dispatch", context))
    draft.templates.append(("dispatch_steps", context))
    add_dispatch_finders(draft, what)
    add_dispatch_deeds(draft, what)


def _add_hooks(draft: Draft, what: Dispatch) -> None:
    """A customer with an open trip, and a carrier or vehicle on a shift, stays in use."""
    trip, customer, shift = what.trip, what.customer, what.shift
    draft.hook(
        f"{customer.one}.retire",
        f"for {trip.one} in self.{trip.many}.values():",
        f'    if {trip.one}["{customer.key}"] == {customer.key}'
        f' and {trip.one}["status"] in {literal(what.open_statuses)}:',
        f"        return _fail(f\"{{{trip.one}['{trip.key}']}} is {{{trip.one}['status']}}; it has to end first.\")",
    )
    for place, noun in ((f"{what.carrier.one}.away", what.carrier), (f"{what.vehicle.one}.retire", what.vehicle)):
        draft.hook(
            place,
            f"for {shift.one} in self.{shift.many}.values():",
            f'    if {shift.one}["{noun.key}"] == {noun.key} and {shift.one}["status"] == "open":',
            f"        return _fail(f\"{{{shift.one}['{shift.key}']}} has to end first.\")",
        )


def _attributes(what: Dispatch) -> tuple[Attribute, ...]:
    customer, carrier = what.customer, what.carrier
    listed = [
        Attribute(
            name=customer.key, type="reference", to=customer.many, description=f"The {customer.spoken} who asked."
        )
    ]
    if what.recipients:
        listed += [
            Attribute(name="recipient", type="string", max_length=80, description="Who gets it."),
            Attribute(name="address", type="string", max_length=80, description="Street and number."),
        ]
    if what.origin:
        listed.append(Attribute(name="from_zone", type="enum", values=what.zones, description="Where it starts."))
    amount = Attribute(
        name=what.amount,
        type="integer",
        minimum=1,
        maximum=what.most,
        unit=what.unit.removesuffix("s"),
        description=f"How much it takes of the {what.vehicle.spoken}.",
    )
    listed += [Attribute(name="to_zone", type="enum", values=what.zones, description="Where it ends."), amount]
    if what.fare:
        fare = "Follows from the distance."
        listed += [
            Attribute(name="distance_km", type="integer", minimum=1, maximum=200, unit="km", description="Way."),
            Attribute(name="fare_cents", type="integer", minimum=0, unit="euro cent", description=fare),
        ]
    if what.proof:
        code = "Four digits that the recipient has to show."
        listed.append(Attribute(name="code", type="integer", description=code))
    if what.attempts:
        failed = "Times that nobody was there."
        listed.append(
            Attribute(
                name="failed_attempts",
                type="integer",
                minimum=0,
                maximum=what.attempts,
                unit="attempt",
                description=failed,
            )
        )
    who = f"The {carrier.spoken} who has it; null while nobody does."
    listed += [
        Attribute(name="status", type="enum", values=what.statuses, description="Where it stands."),
        Attribute(name=carrier.key, type="reference", to=carrier.many, nullable=True, description=who),
        Attribute(name="requested_at", type="datetime", description="When it was asked for."),
        Attribute(name="changed_at", type="datetime", description="Last change of the status."),
    ]
    return tuple(listed)
