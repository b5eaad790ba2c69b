"""The rules of tickets."""

from tasks.authors.rules.mechanics.tickets_options import Tickets
from tasks.authors.rules.nouns import joined, words_of
from tasks.authors.rules.spec import Draft


def literal(values: tuple[object, ...]) -> str:
    """A tuple as Python source with double quotes."""
    return repr(values).replace("'", '"')


def add_ticket_rules(draft: Draft, what: Tickets) -> None:
    """Lifecycle, who may have a ticket, workload, edits, and what the theme's options ask for."""
    ticket, worker, many = what.ticket, what.worker, f'state["{what.ticket.many}"]'
    this = f'{many}[args["{ticket.key}"]]'
    give = (what.tool("assign"), what.tool("reassign"))
    last = what.tool("approve" if what.reviews else what.finish)
    path = joined([words_of(each) for each in what.statuses if each != "on_hold"], "and")
    ended = joined([words_of(each) for each in what.ended], "or")
    pause = " It may pause on hold while it is in progress." if what.holds else ""
    draft.rule(
        f"{ticket.one}_lifecycle",
        "transition",
        f"{ticket.a.capitalize()} takes these steps, none left out: {path}.{pause} What is {ended} can be reopened.",
        f'all({many}[k]["status"] == r["status"] or (r["status"], {many}[k]["status"]) in {literal(what.steps)}'
        f' for k, r in before["{ticket.many}"].items())',
        by=(*give[:1], what.tool("unassign"), what.tool("start"), last, what.tool("reopen")),
    )
    draft.rule(
        f"{ticket.one}_has_one_{worker.one}",
        "invariant",
        f"An open {ticket.spoken} has no {worker.spoken}, every other has exactly one.",
        f'all((r["status"] == "open") == (r["{worker.key}"] is None) for r in {many}.values())',
        by=(*give, what.tool("unassign"), what.tool("reopen")),
    )
    draft.rule(
        f"{ticket.one}_fits_{worker.one}",
        "precondition",
        f"{ticket.a.capitalize()} is only given to {worker.a} who does its {words_of(what.category)} and is not away.",
        f'{this}["{what.category}"] in state["{worker.many}"][args["{worker.key}"]]["{what.skill}"]'
        f' and state["{worker.many}"][args["{worker.key}"]]["status"] == "available"',
        by=give,
    )
    amount = 'r["effort"]' if what.effort else "1"
    draft.rule(
        f"{worker.one}_workload",
        "invariant",
        f"{worker.a.capitalize()} has at most {what.most_open} {what.load} at a time.",
        f'all(sum({amount} for r in {many}.values() if r["{worker.key}"] == k'
        f' and r["status"] in {literal(what.active)}) <= state["settings"]["{what.limit}"]'
        f' for k in state["{worker.many}"])',
        by=give,
    )
    edits = [what.tool("set") + "_priority", *((what.tool("set") + "_due_date",) if what.due_date else ())]
    draft.rule(
        f"{ticket.one}_not_edited_when_done",
        "precondition",
        f"Nothing is edited in {ticket.a} that is {ended}.",
        f'{this}["status"] not in {literal(what.ended)}',
        by=tuple(edits),
    )
    draft.rule(
        f"{ticket.one}_reopened_soon",
        "precondition",
        f"{ticket.a.capitalize()} can be reopened for {what.reopen_days} days after it was {words_of(what.done)}.",
        f'datetime.fromisoformat(now) <= datetime.fromisoformat({this}["{what.done}_at"])'
        f' + timedelta(days=state["settings"]["{ticket.one}_reopen_days"])',
        by=(what.tool("reopen"),),
    )
    _add_optional_rules(draft, what)
    if what.needs:
        _add_dependency_rules(draft, what)


def _add_optional_rules(draft: Draft, what: Tickets) -> None:
    ticket, many = what.ticket, f'state["{what.ticket.many}"]'
    opened = what.tool(what.open)
    if what.target_hours:
        draft.rule(
            f"{ticket.one}_due_follows_priority",
            "invariant",
            f"When {ticket.a} is due follows from when it was opened and from its priority.",
            f'all(datetime.fromisoformat(r["due_at"]) == datetime.fromisoformat(r["opened_at"])'
            f' + timedelta(hours=state["settings"]["{ticket.one}_target_hours"][r["priority"]])'
            f" for r in {many}.values())",
            by=(opened, what.tool("set") + "_priority"),
        )
    if what.deadline and what.place:
        draft.rule(
            f"{ticket.one}_within_{what.place.one}",
            "invariant",
            f"{ticket.a.capitalize()} is due no later than its {what.place.spoken} {words_of(what.deadline)}.",
            f'all(r["due_on"] <= state["{what.place.many}"][r["{what.place.key}"]]["{what.deadline}"]'
            f" for r in {many}.values())",
            by=(opened, what.tool("set") + "_due_date"),
        )
    if what.once_per_place and what.place:
        unfinished = f'for r in {many}.values() if r["status"] not in {literal(what.ended)}'
        kept = f'[(r["{what.place.key}"], r["{what.category}"]) {unfinished}]'
        draft.rule(
            f"one_{ticket.one}_per_{what.place.one}",
            "uniqueness",
            f"{what.place.a.capitalize()} has at most one unfinished {ticket.spoken} per {words_of(what.category)}.",
            f"len(set({kept})) == len({kept})",
            by=(opened, what.tool("reopen")),
        )
    if what.supporters and what.requester:
        draft.rule(
            f"{ticket.one}_supported_once",
            "uniqueness",
            f"{what.requester.a.capitalize()} joins {ticket.a} once, and never their own.",
            f'all(len(set(r["supporter_ids"])) == len(r["supporter_ids"])'
            f' and r["{what.requester.key}"] not in r["supporter_ids"] for r in {many}.values())',
            by=(what.tool("support"),),
        )
    if what.reviews:
        draft.rule(
            f"{ticket.one}_reviewed_by_another",
            "invariant",
            f"Nobody reviews their own {ticket.spoken}.",
            f'all(r["{what.reviewer}"] is None or r["{what.reviewer}"] != r["{what.worker.key}"]'
            f" for r in {many}.values())",
            by=(what.tool("submit"), what.tool("reassign")),
        )


def _add_dependency_rules(draft: Draft, what: Tickets) -> None:
    ticket = what.ticket
    links = f'list(state["{what.needs.many}"].values())' if what.needs else "[]"
    first = f"needs_{ticket.key}"
    add = f"add_{what.needs.one}" if what.needs else ""
    draft.rule(
        f"{ticket.one}_waits_for_others",
        "precondition",
        f"{ticket.a.capitalize()} is only started when everything that it waits for is {words_of(what.done)}.",
        f'all(state["{ticket.many}"][d["{first}"]]["status"] in {literal(what.ended)}'
        f' for d in {links} if d["{ticket.key}"] == args["{ticket.key}"])',
        by=(what.tool("start"),),
    )
    draft.rule(
        f"{ticket.one}_no_waiting_in_circles",
        "invariant",
        f"No {ticket.spoken} waits for itself, directly or through others.",
        "(lambda links, reach: all(not"
        f' reach(reach, links, d["{first}"], d["{ticket.key}"], len(links)) for d in links))('
        f"{links}, lambda reach, links, at, wanted, left: at == wanted or left > 0 and any("
        f'reach(reach, links, d["{first}"], wanted, left - 1) for d in links if d["{ticket.key}"] == at))',
        by=(add,),
    )
