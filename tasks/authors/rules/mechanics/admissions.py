"""Admissions: seats in categories at events that take place once, held, paid, changed and used."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random

from schemas.logic_models import Attribute
from tasks.authors.rules.mechanics.admissions_deeds import add_admission_deeds
from tasks.authors.rules.mechanics.admissions_rules import add_admission_rules
from tasks.authors.rules.nouns import Noun
from tasks.authors.rules.spec import Draft, EntitySpec, Filter, Finder, Record, State
from tasks.authors.rules.spoken import pick


@dataclass(frozen=True)
class Admissions:
    """What a theme says of its events and the seats in them."""

    event: Noun
    """What takes place once: "show", "flight"."""
    category: Noun
    """Seats of one class at one event: "price_category", "cabin"."""
    booking: Noun
    holder: Noun
    """Who books: a kind of registry."""
    names: tuple[str, ...]
    classes: tuple[str, ...]
    """Seat classes, cheapest first; every event has all of them."""
    hold: str = "hold"
    """Verb of the tool that books seats without paying."""
    use: str = "admit"
    """Verb of the tool that notes that the holder has come."""
    used: str = "admitted"
    most_seats: int = 6
    """Most seats of one holder at one event."""
    notice_hours: int = 24
    base_cents: int = 2_500
    """Price of a seat in the cheapest class, roughly."""
    seats: tuple[int, ...] = (4, 6, 8, 12)
    count: tuple[int, int] = (6, 8)


def add_admissions(draft: Draft, what: Admissions) -> None:
    """Adds the entities, their tools, rules, deeds and finders to the draft."""
    event, category, booking, holder = what.event, what.category, what.booking, what.holder
    statuses = ("held", "paid", what.used, "cancelled")
    draft.alias(f"{event.title}Status", ("on_sale", "closed"))
    draft.alias(f"{category.title}Class", what.classes)
    draft.alias(f"{booking.title}Status", statuses)
    draft.settings.update(
        **{f"most_seats_per_{event.one}": what.most_seats, f"{booking.one}_notice_hours": what.notice_hours}
    )
    draft.entity(
        EntitySpec(
            event,
            f"{event.a.capitalize()} that takes place once.",
            (
                Attribute(name="name", type="string", max_length=80, description=f"What the {event.spoken} is called."),
                Attribute(name="starts_at", type="datetime", description="When it starts."),
                Attribute(
                    name="status", type="enum", values=("on_sale", "closed"), description="Whether seats are given."
                ),
            ),
            what.count,
            _event_maker(what),
        )
    )
    draft.entity(
        EntitySpec(
            category,
            f"The seats of one class at one {event.spoken}.",
            (
                Attribute(name=event.key, type="reference", to=event.many, description=f"The {event.spoken}."),
                Attribute(name="seat_class", type="enum", values=what.classes, description="Class of the seats."),
                Attribute(
                    name="seats",
                    type="integer",
                    minimum=1,
                    maximum=100_000,
                    unit="seat",
                    description="How many there are.",
                ),
                Attribute(
                    name="price_cents", type="integer", minimum=0, unit="euro cent", description="Price of one seat."
                ),
            ),
            (what.count[1] * len(what.classes), what.count[1] * len(what.classes)),
            _category_maker(what),
        )
    )
    draft.entity(
        EntitySpec(
            booking,
            f"Seats of one {holder.spoken} in one {category.spoken}.",
            (
                Attribute(name=holder.key, type="reference", to=holder.many, description=f"The {holder.spoken}."),
                Attribute(name=event.key, type="reference", to=event.many, description=f"The {event.spoken}."),
                Attribute(name=category.key, type="reference", to=category.many, description=f"The {category.spoken}."),
                Attribute(
                    name="quantity",
                    type="integer",
                    minimum=1,
                    maximum=what.most_seats,
                    unit="seat",
                    description="How many seats.",
                ),
                Attribute(
                    name="total_cents",
                    type="integer",
                    minimum=0,
                    unit="euro cent",
                    description="What all seats cost together.",
                ),
                Attribute(name="status", type="enum", values=statuses, description="Cancelled ones free their seats."),
                Attribute(name="changed_at", type="datetime", description="Last change."),
            ),
        )
    )
    add_admission_rules(draft, what)
    draft.hook(
        f"{holder.one}.retire",
        f"for {booking.one} in self.{booking.many}.values():",
        f'    if {booking.one}["{holder.key}"] == {holder.key} and {booking.one}["status"] in ("held", "paid"):',
        f"        return _fail(f\"{{{booking.one}['{booking.key}']}} is still {{{booking.one}['status']}}.\")",
    )
    context = {"what": what, "event": event, "category": category, "booking": booking, "holder": holder}
    draft.templates.append(("admissions", context))
    _add_finders(draft, what)
    add_admission_deeds(draft, what)


def _event_maker(what: Admissions) -> Callable[[Random, State, str], Record | None]:
    def make(rng: Random, state: State, new_id: str) -> Record | None:
        free = [name for name in what.names if name not in [each["name"] for each in state[what.event.many].values()]]
        if not free:
            return None
        start = datetime.fromisoformat(state["now"][:10]) + timedelta(
            days=rng.randint(9, 40), hours=rng.choice((9, 14, 19, 20))
        )
        return {
            what.event.key: new_id,
            "name": pick(rng, free),
            "starts_at": start.strftime("%Y-%m-%dT%H:%M"),
            "status": "closed" if rng.random() < 0.1 else "on_sale",
        }

    return make


def _category_maker(what: Admissions) -> Callable[[Random, State, str], Record | None]:
    def make(rng: Random, state: State, new_id: str) -> Record | None:
        taken = {(each[what.event.key], each["seat_class"]) for each in state[what.category.many].values()}
        free = [(key, name) for key in state[what.event.many] for name in what.classes if (key, name) not in taken]
        if not free:
            return None
        key, name = free[0]
        price = what.base_cents * (2 + 2 * what.classes.index(name) + rng.randrange(2)) // 2
        return {
            what.category.key: new_id,
            what.event.key: key,
            "seat_class": name,
            "seats": what.seats[rng.randrange(len(what.seats))],
            "price_cents": price,
        }

    return make


def _add_finders(draft: Draft, what: Admissions) -> None:
    event, category, booking, holder = what.event, what.category, what.booking, what.holder
    which = Filter(event.key, event.key, "reference")
    whose = Filter(holder.key, holder.key, "reference")
    draft.finders += [
        Finder(
            event.many,
            f"find_{event.many}",
            (Filter("name_contains", "name"),),
            ("{name_contains}", f"the {event.spoken} {{name_contains}}"),
        ),
        Finder(
            category.many,
            f"list_{category.many}",
            (which, Filter("seat_class", "seat_class")),
            (f"the {{seat_class}} class of {{{event.key}}}", f"the {{seat_class}} seats of {{{event.key}}}"),
        ),
        Finder(
            booking.many,
            f"list_{booking.many}",
            (whose, which),
            (
                f"{{{holder.key}}}'s {booking.spoken} for {{{event.key}}}",
                f"the {booking.spoken} of {{{holder.key}}} for {{{event.key}}}",
            ),
        ),
        Finder(
            booking.many,
            f"list_{booking.many}",
            (whose, which, Filter("status", "status")),
            (f"{{{holder.key}}}'s {{status}} {booking.spoken} for {{{event.key}}}",),
        ),
    ]
