"""Stays: a unit is given to one guest for some days; no unit is promised to two guests for the same day."""

from schemas.logic_models import Attribute
from tasks.authors.rules.mechanics.stay_deeds import add_stay_deeds
from tasks.authors.rules.mechanics.stay_rules import add_stay_rules
from tasks.authors.rules.mechanics.stay_words import BOOKED, CANCELLED, NO_SHOW, Stays
from tasks.authors.rules.mechanics.units import alias_of
from tasks.authors.rules.spec import Draft, EntitySpec, Filter, Finder


def add_stays(draft: Draft, what: Stays) -> None:
    """Adds the entity, its tools, rules, deeds and finders to the draft. The units have to be in the draft already."""
    stay, unit, guest = what.stay, what.unit, what.guest
    draft.alias(f"{stay.title}Status", what.statuses)
    draft.settings.update(
        {
            what.longest_setting: what.longest,
            what.notice_setting: what.notice_days,
            what.horizon_setting: what.horizon_days,
        }
    )
    draft.entity(EntitySpec(stay, f"{unit.a.capitalize()} promised or given to one {guest.spoken}.", _attributes(what)))
    add_stay_rules(draft, what)
    is_open = f'{stay.one}["status"] in ("{BOOKED}", "{what.started}")'
    for noun, place in ((unit, "take_out"), (guest, "retire")):
        draft.hook(
            f"{noun.one}.{place}",
            f"for {stay.one} in self.{stay.many}.values():",
            f'    if {stay.one}["{noun.key}"] == {noun.key} and {is_open}:',
            f"        return _fail(f\"{{{stay.one}['{stay.key}']}} is still open.\")",
        )
    context = {"what": what, "stay": stay, "unit": unit, "guest": guest, "kind_type": alias_of(unit, what.kind)}
    draft.templates.append(("stays", context))
    draft.templates.append(("stay_steps", context))
    _add_finders(draft, what)
    add_stay_deeds(draft, what)


def _attributes(what: Stays) -> tuple[Attribute, ...]:
    unit, guest = what.unit, what.guest
    listed = [
        Attribute(name=guest.key, type="reference", to=guest.many, description=f"The {guest.spoken}."),
        Attribute(name=unit.key, type="reference", to=unit.many, description=f"The {unit.spoken}."),
        Attribute(name=what.first, type="date", description="First day."),
        Attribute(
            name=what.last, type="date", description=f"Last day; the {unit.spoken} is free again from this day on."
        ),
    ]
    if what.capacity:
        listed.append(Attribute(name=what.party, type="integer", minimum=1, maximum=500, description="For how many."))
    if what.price:
        listed.append(
            Attribute(
                name="rate_cents",
                type="integer",
                minimum=0,
                unit="euro cent",
                description=f"Agreed price of one {what.day}.",
            )
        )
        listed.append(
            Attribute(
                name="total_cents",
                type="integer",
                minimum=0,
                unit="euro cent",
                description=f"Price of all {what.day}s.",
            )
        )
    closed = [what.ended, CANCELLED, *([NO_SHOW] if what.marks_no_show else [])]
    free = " or ".join(status.replace("_", " ") for status in closed)
    listed += [
        Attribute(
            name="status", type="enum", values=what.statuses, description=f"The days are free again once it is {free}."
        ),
        Attribute(name="changed_at", type="datetime", description="Last change."),
    ]
    return tuple(listed)


def _add_finders(draft: Draft, what: Stays) -> None:
    stay, guest, unit = what.stay, what.guest, what.unit
    tool = f"list_{stay.many}"
    person = Filter(guest.key, guest.key, "reference")
    first, status = Filter(what.first, what.first), Filter("status", "status")
    draft.finders.append(
        Finder(
            stay.many,
            tool,
            (person, first),
            (
                f"{{{guest.key}}}'s {stay.spoken} that begins on {{{what.first}}}",
                f"the {stay.spoken} of {{{guest.key}}} that begins on {{{what.first}}}",
            ),
        )
    )
    draft.finders.append(
        Finder(
            stay.many,
            tool,
            (Filter(unit.key, unit.key, "reference"), first, status),
            (f"the {{status}} {stay.spoken} of {{{unit.key}}} that begins on {{{what.first}}}",),
        )
    )
    draft.finders.append(
        Finder(
            stay.many,
            tool,
            (person, first, status),
            (f"{{{guest.key}}}'s {{status}} {stay.spoken} that begins on {{{what.first}}}",),
        )
    )
