"""Tickets: work that is opened, given to one worker who can do it, worked on and finished; every remark on record."""

from schemas.logic_models import Attribute
from tasks.authors.rules.mechanics.tickets_deeds import add_ticket_deeds, add_ticket_finders
from tasks.authors.rules.mechanics.tickets_options import Tickets
from tasks.authors.rules.mechanics.tickets_rules import add_ticket_rules, literal
from tasks.authors.rules.nouns import words_of
from tasks.authors.rules.spec import Draft, EntitySpec


def add_tickets(draft: Draft, what: Tickets) -> None:
    """Adds the entities, their tools, rules, deeds and finders to the draft."""
    ticket, note = what.ticket, what.note
    draft.settings[what.limit] = what.most_open
    draft.settings[f"{ticket.one}_reopen_days"] = what.reopen_days
    if what.due_date:
        draft.settings[f"{ticket.one}_horizon_days"] = 365
    if what.target_hours:
        draft.settings[f"{ticket.one}_target_hours"] = dict(what.target_hours)
    draft.entity(
        EntitySpec(
            ticket, f"{ticket.a.capitalize()}: work that one {what.worker.spoken} does.", _attributes(draft, what)
        )
    )
    draft.entity(
        EntitySpec(
            note,
            f"A remark on one {ticket.spoken}.",
            (
                Attribute(name=ticket.key, type="reference", to=ticket.many, description=f"The {ticket.spoken}."),
                Attribute(name="text", type="string", max_length=300, description="What was remarked."),
                Attribute(name="written_at", type="datetime", description="When."),
            ),
        )
    )
    if what.needs:
        draft.entity(
            EntitySpec(
                what.needs,
                f"One {ticket.spoken} waits for another.",
                (
                    Attribute(name=ticket.key, type="reference", to=ticket.many, description="The one that waits."),
                    Attribute(
                        name=f"needs_{ticket.key}",
                        type="reference",
                        to=ticket.many,
                        description="The one that comes first.",
                    ),
                ),
            )
        )
    add_ticket_rules(draft, what)
    for noun in (what.requester, what.place):
        if noun is not None:
            draft.hook(
                f"{noun.one}.retire",
                f"for {ticket.one} in self.{ticket.many}.values():",
                f'    if {ticket.one}["{noun.key}"] == {noun.key}'
                f' and {ticket.one}["status"] not in {literal(what.ended)}:',
                f"        return _fail(f\"{{{ticket.one}['{ticket.key}']}} is not {words_of(what.done)} yet.\")",
            )
    context = {
        "what": what,
        "ticket": ticket,
        "worker": what.worker,
        "note": note,
        "requester": what.requester,
        "place": what.place,
    }
    draft.templates.append(("tickets", context))
    draft.templates.append(("tickets_work", context))
    draft.templates.append(("tickets_end", context))
    if what.needs:
        draft.templates.append(("tickets_needs", {**context, "needs": what.needs}))
    add_ticket_finders(draft, what)
    add_ticket_deeds(draft, what)


def _attributes(draft: Draft, what: Tickets) -> tuple[Attribute, ...]:
    ticket, worker = what.ticket, what.worker
    for name, values in ((what.category, what.categories), ("priority", what.priorities), ("status", what.statuses)):
        draft.alias(f"{ticket.title}{name.title().replace('_', '')}", values)
    listed = [Attribute(name="title", type="string", max_length=120, description="What it is about.")]
    for noun in (what.requester, what.place):
        if noun is not None:
            listed.append(Attribute(name=noun.key, type="reference", to=noun.many, description=f"The {noun.spoken}."))
    listed += [
        Attribute(name=what.category, type="enum", values=what.categories, description="Decides who can do it."),
        Attribute(name="priority", type="enum", values=what.priorities, description="How pressing it is."),
    ]
    if what.effort:
        listed.append(
            Attribute(
                name="effort", type="integer", minimum=1, maximum=8, unit="point", description="How much work it is."
            )
        )
    if what.due_date:
        listed.append(Attribute(name="due_on", type="date", description="Day by which it has to be done."))
    if what.target_hours:
        listed.append(
            Attribute(
                name="due_at", type="datetime", description="Follows from when it was opened and from its priority."
            )
        )
    if what.supporters and what.requester:
        listed.append(
            Attribute(
                name="supporter_ids",
                type="list",
                items="reference",
                to=what.requester.many,
                description=f"Other {what.requester.spoken_many} who joined it.",
            )
        )
    listed += [
        Attribute(name="status", type="enum", values=what.statuses, description="Where it stands."),
        Attribute(
            name=worker.key,
            type="reference",
            to=worker.many,
            nullable=True,
            description="Who does it; null while it is open.",
        ),
    ]
    listed += _result_attributes(draft, what)
    listed += [
        Attribute(name="opened_at", type="datetime", description="When it came in."),
        Attribute(
            name=f"{what.done}_at", type="datetime", nullable=True, description="When it was done; null until then."
        ),
    ]
    return tuple(listed)


def _result_attributes(draft: Draft, what: Tickets) -> list[Attribute]:
    """Who reviewed it and what came of it, as far as the theme has that."""
    ticket, worker = what.ticket, what.worker
    listed: list[Attribute] = []
    if what.reviews:
        description = "Who reviews it; null before it was handed in."
        listed.append(
            Attribute(name=what.reviewer, type="reference", to=worker.many, nullable=True, description=description)
        )
    if what.outcomes:
        draft.alias(f"{ticket.title}Outcome", what.outcomes)
        listed.append(
            Attribute(
                name="outcome", type="enum", values=what.outcomes, nullable=True, description="Result; null until then."
            )
        )
    if what.fixes:
        listed.append(
            Attribute(
                name="resolution",
                type="string",
                nullable=True,
                max_length=300,
                description="How it was done; null until then.",
            )
        )
    return listed
