"""What people ask for around tickets, and how they say which ticket they mean."""

from tasks.authors.rules.mechanics.registry import is_active
from tasks.authors.rules.mechanics.tickets_choices import (
    can_come_first,
    can_take,
    category_for,
    due_day,
    effort,
    is_another,
    may_join,
    may_reopen,
    other_priority,
)
from tasks.authors.rules.mechanics.tickets_options import Tickets
from tasks.authors.rules.nouns import Noun, words_of
from tasks.authors.rules.spec import Deed, Draft, Filter, Finder, FromQuery, Pick, Slot, Value
from tasks.authors.rules.spoken import pick, told_text, told_word
from tasks.authors.rules.statuses import Where, in_status


def add_ticket_finders(draft: Draft, what: Tickets) -> None:
    """Ways to find one ticket: by its title, and by whose it is, where it belongs or where it stands."""
    ticket = what.ticket
    title = Filter("title_contains", "title")
    named = f'the {ticket.spoken} "{{title_contains}}"'
    ways: list[tuple[tuple[Filter, ...], str]] = [((title,), named)]
    status = Filter("status", "status")
    for noun, words in (
        (what.requester, f'{{%s}}\'s {ticket.spoken} "{{title_contains}}"'),
        (what.place, f"{named} {what.place_word} {{%s}}"),
        (what.worker, f"{named} that {{%s}} has"),
    ):
        if noun is not None:
            whose = Filter(noun.key, noun.key, "reference")
            ways.append(((title, whose), words % noun.key))
            ways.append(((title, whose, status), f"{words % noun.key}, the one that is {{status}},"))
    ways.append(((title, status), f"{named} that is {{status}}"))
    ways.append(
        ((title, Filter("priority", "priority")), f'the {{priority}} priority {ticket.spoken} "{{title_contains}}"')
    )
    draft.finders += [Finder(ticket.many, f"list_{ticket.many}", filters, (says,)) for filters, says in ways]


def add_ticket_deeds(draft: Draft, what: Tickets) -> None:
    """Opening, giving, working, finishing, and the small changes in between."""
    _add_opening(draft, what)
    _add_giving(draft, what)
    _add_steps(draft, what)
    _add_edits(draft, what)
    if what.needs:
        _add_waiting(draft, what, what.needs)


def _add_opening(draft: Draft, what: Tickets) -> None:
    ticket, category = what.ticket, what.category
    slots: list[Slot] = []
    whose = ""
    if what.place:
        slots.append(Pick(what.place.key, what.place.many, is_active(what.active_place)))
        whose += f" {what.place_word} {{{what.place.key}}}"
    if what.requester:
        slots.append(Pick(what.requester.key, what.requester.many, is_active(what.active_requester)))
        whose += f" for {{{what.requester.key}}}"
    slots += [
        Value(category, category_for(what)),
        Value("title", lambda world: told_text(pick(world.rng, what.titles[world.chosen[category]]))),
        Value("priority", lambda world: told_word(pick(world.rng, what.priorities))),
    ]
    details = f"{words_of(category)} {{{category}}}, priority {{priority}}"
    if what.effort:
        slots.append(Value("effort", effort))
        details += ", {effort}"
    if what.due_date:
        slots.append(Value("due_on", due_day(what)))
        details += ", due on {due_on}"
    opening = words_of(what.open)
    draft.deeds.append(
        Deed(
            what.tool(what.open),
            tuple(slots),
            (
                f"{opening} {ticket.a}{whose} with the title {{title}} ({details})",
                f"{opening} a new {ticket.spoken}{whose}: {{title}}, {details}",
            ),
            f"The {ticket.spoken} {{title}} is on the list.",
            creates=ticket.many,
            weight=12,
        )
    )


def _add_giving(draft: Draft, what: Tickets) -> None:
    ticket, worker = what.ticket, what.worker
    first = FromQuery(
        worker.key,
        f"list_{worker.many}_for_{ticket.one}",
        ((ticket.key, ticket.key),),
        ("data", 0, worker.key),
        f"whoever is first on the list of {worker.spoken_many} who can take it",
    )
    chosen = Pick(worker.key, worker.many, can_take(what))
    asks = (
        f"give {{{ticket.key}}} to {{{worker.key}}}",
        f"assign {{{ticket.key}}} to {{{worker.key}}}",
        f"put {{{worker.key}}} on {{{ticket.key}}}",
    )
    is_open, active = in_status("open"), in_status(*what.active)
    opened = (what.tool(what.open),)
    for slot, weight in ((chosen, 9), (first, 0)):
        for follows in ((), opened):
            slots: tuple[Slot, ...] = (Pick(ticket.key, ticket.many, is_open), slot)
            reports = f"{{{ticket.key}}} is assigned."
            draft.deeds.append(
                Deed(what.tool("assign"), slots, asks, reports, follows=follows, weight=0 if follows else weight)
            )
    for slot in (chosen, first):
        handing = (f"hand {{{ticket.key}}} over to {{{worker.key}}}", f"pass {{{ticket.key}}} on to {{{worker.key}}}")
        slots = (Pick(ticket.key, ticket.many, active), slot)
        draft.deeds.append(
            Deed(what.tool("reassign"), slots, handing, f"{{{ticket.key}}} has been handed over.", weight=0)
        )


def _add_steps(draft: Draft, what: Tickets) -> None:
    ticket = what.ticket
    it = f"{{{ticket.key}}}"
    steps: list[tuple[str, Where, tuple[str, ...], str, int]] = [
        (
            "unassign",
            in_status("assigned"),
            (f"take {it} away from whoever has it, so that it is open again",),
            "is open again",
            0,
        ),
        (
            "start",
            in_status("assigned"),
            (f"mark {it} as in progress", f"note that work on {it} has begun"),
            "is in progress",
            10,
        ),
        ("reopen", may_reopen(what), (f"reopen {it}",), "is open again", 1),
    ]
    if what.holds:
        steps.append(("hold", in_status("in_progress"), (f"put {it} on hold",), "is on hold", 2))
        steps.append(("resume", in_status("on_hold"), (f"take {it} off hold", f"go on with {it}"), "goes on", 1))
    if what.reviews:
        steps.append(("return", in_status("in_review"), (f"send {it} back from review",), "is back in progress", 1))
        steps.append(
            (
                "approve",
                in_status("in_review"),
                (f"approve {it}", f"pass {it} in review"),
                f"is {words_of(what.done)}",
                4,
            )
        )
        _add_submission(draft, what)
    else:
        _add_finish(draft, what)
    if what.closes:
        steps.append(("close", in_status(what.done), (f"close {it}",), "is closed", 3))
    for verb, where, asks, end, weight in steps:
        slots = (Pick(ticket.key, ticket.many, where),)
        draft.deeds.append(Deed(what.tool(verb), slots, asks, f"{it} {end}.", weight=weight))


def _add_submission(draft: Draft, what: Tickets) -> None:
    ticket, worker = what.ticket, what.worker
    draft.deeds.append(
        Deed(
            what.tool("submit"),
            (
                Pick(ticket.key, ticket.many, in_status("in_progress")),
                Pick(what.reviewer, worker.many, is_another(what)),
            ),
            (
                f"hand {{{ticket.key}}} in for review by {{{what.reviewer}}}",
                f"submit {{{ticket.key}}} for review, with {{{what.reviewer}}} as the reviewer",
            ),
            f"{{{ticket.key}}} is in review with {{{what.reviewer}}}.",
            weight=9,
        )
    )


def _add_finish(draft: Draft, what: Tickets) -> None:
    ticket = what.ticket
    slots: list[Slot] = [Pick(ticket.key, ticket.many, in_status("in_progress"))]
    ending = ""
    if what.outcomes:
        slots.append(Value("outcome", lambda world: told_word(pick(world.rng, what.outcomes))))
        ending += ", outcome {outcome}"
    if what.fixes:
        slots.append(Value("resolution", lambda world: told_text(pick(world.rng, what.fixes))))
        ending += ", with the resolution {resolution}"
    asks = (f"{what.finish} {{{ticket.key}}}{ending}", f"set {{{ticket.key}}} to {words_of(what.done)}{ending}")
    reports = f"{{{ticket.key}}} is {words_of(what.done)}."
    draft.deeds.append(Deed(what.tool(what.finish), tuple(slots), asks, reports, weight=5))


def _add_edits(draft: Draft, what: Tickets) -> None:
    ticket, note = what.ticket, what.note
    it = f"{{{ticket.key}}}"
    unfinished = Pick(ticket.key, ticket.many, in_status("open", *what.active))
    draft.deeds.append(
        Deed(
            what.tool("set") + "_priority",
            (unfinished, Value("priority", other_priority(what))),
            (f"change the priority of {it} to {{priority}}", f"make {it} {{priority}} priority"),
            f"{it} has priority {{priority}} now.",
            weight=1,
        )
    )
    writing = (f"leave {note.a} on {it} that says {{text}}", f"add {note.a} to {it}: {{text}}")
    for follows, where in (((), in_status(*what.statuses[:-1])), ((what.tool(what.open),), None)):
        draft.deeds.append(
            Deed(
                f"add_{note.one}",
                (
                    Pick(ticket.key, ticket.many, where),
                    Value("text", lambda world: told_text(pick(world.rng, what.remarks))),
                ),
                writing,
                f"The {note.spoken} is on {it}.",
                creates=note.many,
                follows=follows,
                weight=0 if follows else 3,
            )
        )
    if what.due_date:
        draft.deeds.append(
            Deed(
                what.tool("set") + "_due_date",
                (unfinished, Value("due_on", due_day(what))),
                (f"move the due date of {it} to {{due_on}}", f"make {it} due on {{due_on}}"),
                f"{it} is due on {{due_on}} now.",
                weight=1,
            )
        )
    if what.supporters and what.requester:
        requester = what.requester
        draft.deeds.append(
            Deed(
                what.tool("support"),
                (unfinished, Pick(requester.key, requester.many, may_join(what))),
                (
                    f"add {{{requester.key}}} as a supporter of {it}",
                    f"note that {{{requester.key}}} has the same concern as {it}",
                ),
                f"{{{requester.key}}} supports {it} now.",
                weight=3,
            )
        )


def _add_waiting(draft: Draft, what: Tickets, needed: Noun) -> None:
    ticket, needs = what.ticket, f"needs_{what.ticket.key}"
    draft.deeds.append(
        Deed(
            f"add_{needed.one}",
            (
                Pick(ticket.key, ticket.many, in_status("open", "assigned")),
                Pick(needs, ticket.many, can_come_first(what)),
            ),
            (f"let {{{ticket.key}}} wait for {{{needs}}}", f"mark {{{ticket.key}}} as blocked by {{{needs}}}"),
            f"{{{ticket.key}}} waits for {{{needs}}} now.",
            weight=4,
        )
    )
    by_waiting = Filter(ticket.key, ticket.key, "reference")
    by_first = Filter(needs, needs, "reference")
    draft.finders.append(
        Finder(needed.many, f"list_{needed.many}", (by_waiting,), (f"the {needed.spoken} of {{{ticket.key}}}",))
    )
    draft.finders.append(
        Finder(
            needed.many,
            f"list_{needed.many}",
            (by_waiting, by_first),
            (f"the {needed.spoken} that makes {{{ticket.key}}} wait for {{{needs}}}",),
        )
    )
    draft.deeds.append(
        Deed(
            f"remove_{needed.one}",
            (Pick(needed.key, needed.many),),
            (f"remove {{{needed.key}}}", f"take away {{{needed.key}}}"),
            f"{{{needed.key}}} is gone.",
            weight=0,
        )
    )
