"""Seatings: a table, a room or a dock is booked for some people at a time; no space is booked twice."""

from schemas.logic_models import Attribute
from tasks.authors.rules.mechanics.roster import WEEKDAYS
from tasks.authors.rules.mechanics.seating_deeds import add_seating_deeds
from tasks.authors.rules.mechanics.seating_rules import add_seating_rules
from tasks.authors.rules.mechanics.seating_words import Seatings
from tasks.authors.rules.mechanics.units import alias_of
from tasks.authors.rules.nouns import words_of
from tasks.authors.rules.spec import Draft, EntitySpec, Filter, Finder

SLOT_MINUTES = 15


def add_seatings(draft: Draft, what: Seatings) -> None:
    """Adds the entity, its tools, rules, deeds and finders to the draft. The spaces have to be in the draft already."""
    booking, space, who = what.booking, what.space, what.who
    draft.alias(f"{booking.title}Status", what.statuses)
    draft.settings.update(
        {
            f"{what.setting}_opens": what.opens,
            f"{what.setting}_closes": what.closes,
            f"{what.setting}_closed_on": list(what.closed_on),
            f"{what.setting}_lengths": list(what.lengths),
            f"{what.setting}_notice_hours": what.notice_hours,
            f"{what.setting}_horizon_days": what.horizon_days,
        }
    )
    draft.constants["_WEEKDAYS"] = repr(WEEKDAYS).replace("'", '"')
    draft.entity(
        EntitySpec(booking, f"{space.a.capitalize()} booked by one {who.spoken} for a time.", _attributes(what))
    )
    add_seating_rules(draft, what)
    for noun, place in ((space, "take_out"), (who, "retire")):
        draft.hook(
            f"{noun.one}.{place}",
            f"for {booking.one} in self.{booking.many}.values():",
            f'    if {booking.one}["{noun.key}"] == {noun.key} and self._is_open_{booking.one}({booking.one}):',
            f"        return _fail(f\"{{{booking.one}['{booking.key}']}} is still open.\")",
        )
    context = {
        "what": what,
        "booking": booking,
        "space": space,
        "who": who,
        "kind_type": alias_of(space, what.kind),
        "feature_type": alias_of(space, what.feature),
        "slot": SLOT_MINUTES,
    }
    draft.templates.append(("seatings", context))
    draft.templates.append(("seating_steps", context))
    _add_finders(draft, what)
    add_seating_deeds(draft, what, draft.aliases[alias_of(space, what.kind)])


def _attributes(what: Seatings) -> tuple[Attribute, ...]:
    booking, space, who = what.booking, what.space, what.who
    return (
        Attribute(name=who.key, type="reference", to=who.many, description=f"The {who.spoken} who booked."),
        Attribute(name=space.key, type="reference", to=space.many, description=f"The {space.spoken}."),
        Attribute(name="start", type="datetime", description="When it starts, on a quarter of an hour."),
        Attribute(
            name="minutes",
            type="integer",
            minimum=SLOT_MINUTES,
            maximum=1440,
            unit="min",
            description="How long it takes.",
        ),
        Attribute(
            name=what.party, type="integer", minimum=1, maximum=500, description=f"How many {words_of(what.party)}."
        ),
        Attribute(
            name="status",
            type="enum",
            values=what.statuses,
            description=f"The {space.spoken} is taken while it is {' or '.join(map(words_of, what.taking))}.",
        ),
        Attribute(name="changed_at", type="datetime", description=f"Last change of the {booking.spoken}."),
    )


def _add_finders(draft: Draft, what: Seatings) -> None:
    booking, space, who = what.booking, what.space, what.who
    tool = f"list_{booking.many}"
    person, place = Filter(who.key, who.key, "reference"), Filter(space.key, space.key, "reference")
    day, status = Filter("day", "start", "day"), Filter("status", "status")
    draft.finders += [
        Finder(
            booking.many,
            tool,
            (person, day),
            (
                f"{{{who.key}}}'s {booking.spoken} on {{day}}",
                f"the {booking.spoken} of {{{who.key}}} on {{day}}",
            ),
        ),
        Finder(
            booking.many,
            tool,
            (person, day, status),
            (f"{{{who.key}}}'s {booking.spoken} on {{day}} that is {{status}}",),
        ),
        Finder(
            booking.many,
            tool,
            (person, place, day),
            (f"{{{who.key}}}'s {booking.spoken} of {{{space.key}}} on {{day}}",),
        ),
    ]
