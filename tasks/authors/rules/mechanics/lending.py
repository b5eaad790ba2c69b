"""Lending: copies of titles go out to members and come back; who waits for a title gets it first."""

from collections.abc import Callable
from random import Random

from schemas.logic_models import Attribute
from tasks.authors.rules.mechanics.lending_deeds import add_lending_deeds
from tasks.authors.rules.mechanics.lending_rules import add_lending_rules
from tasks.authors.rules.mechanics.lending_words import (
    CANCELLED,
    GIVEN_BACK,
    LENT,
    ON_SHELF,
    OUT,
    SERVED,
    WAITING,
    WITHDRAWN,
    Lending,
)
from tasks.authors.rules.spec import Draft, EntitySpec, Filter, Finder, Record, State
from tasks.authors.rules.spoken import pick

_FREE_MARKS = "ABCDEFGH"


def add_lending(draft: Draft, what: Lending) -> None:
    """Adds the entities, their tools, rules, deeds and finders to the draft."""
    title, copy, loan, hold, member = what.title, what.copy, what.loan, what.hold, what.member
    draft.alias(f"{title.title}Kind", tuple(what.days))
    draft.alias(f"{copy.title}Status", (ON_SHELF, LENT, WITHDRAWN))
    draft.alias(f"{loan.title}Status", (OUT, GIVEN_BACK))
    draft.alias(f"{hold.title}Status", (WAITING, SERVED, CANCELLED))
    draft.settings.update(
        {
            f"{loan.one}_days": dict(what.days),
            f"most_{loan.many}_per_{member.one}": what.most_loans,
            "most_renewals": what.most_renewals,
            f"most_{hold.many}_per_{member.one}": what.most_holds,
        }
    )
    _add_entities(draft, what)
    add_lending_rules(draft, what)
    for record, status in ((loan, OUT), (hold, WAITING)):
        draft.hook(
            f"{member.one}.retire",
            f"for {record.one} in self.{record.many}.values():",
            f'    if {record.one}["{member.key}"] == {member.key} and {record.one}["status"] == "{status}":',
            f"        return _fail(f\"{{{record.one}['{record.key}']}} is still {status}.\")",
        )
    context = {"what": what, "title": title, "copy": copy, "loan": loan, "hold": hold, "member": member}
    for template in ("lending", "lending_holds"):
        draft.templates.append((template, context))
    _add_finders(draft, what)
    add_lending_deeds(draft, what)


def _add_entities(draft: Draft, what: Lending) -> None:
    title, copy, loan, hold, member = what.title, what.copy, what.loan, what.hold, what.member
    of_title = Attribute(name=title.key, type="reference", to=title.many, description=f"The {title.spoken}.")
    of_member = Attribute(name=member.key, type="reference", to=member.many, description=f"The {member.spoken}.")
    draft.entity(
        EntitySpec(
            title,
            f"{title.a.capitalize()} of which there are {copy.spoken_many}.",
            (
                Attribute(name="name", type="string", max_length=80, description=f"Name of the {title.spoken}."),
                Attribute(name=what.by, type="string", max_length=80, description="Who made it."),
                Attribute(
                    name="kind", type="enum", values=tuple(what.days), description="Decides how long it is lent."
                ),
            ),
            count=what.count,
            make=_title_maker(what),
        )
    )
    draft.entity(
        EntitySpec(
            copy,
            f"One {copy.spoken} of one {title.spoken}.",
            (
                of_title,
                Attribute(
                    name=what.mark, type="string", max_length=5, description=f"Tells the {copy.spoken} from all others."
                ),
                Attribute(
                    name="status", type="enum", values=draft.aliases[f"{copy.title}Status"], description="Where it is."
                ),
            ),
            count=what.copies,
            make=_copy_maker(what),
        )
    )
    draft.entity(
        EntitySpec(
            loan,
            f"One {copy.spoken} lent to one {member.spoken}.",
            (
                Attribute(name=copy.key, type="reference", to=copy.many, description=f"The {copy.spoken}."),
                of_title,
                of_member,
                Attribute(name="lent_on", type="date", description="First day."),
                Attribute(name="due_on", type="date", description="Last day; after it the loan is overdue."),
                Attribute(name="returned_on", type="date", nullable=True, description="When it came back, or null."),
                Attribute(
                    name="renewals",
                    type="integer",
                    minimum=0,
                    maximum=what.most_renewals,
                    description="How often it was renewed.",
                ),
                Attribute(name="status", type="enum", values=(OUT, GIVEN_BACK), description="Whether it is back."),
            ),
        )
    )
    draft.entity(
        EntitySpec(
            hold,
            f"One {member.spoken} waiting for one {title.spoken}.",
            (
                of_title,
                of_member,
                Attribute(name="placed_at", type="datetime", description="Since when."),
                Attribute(
                    name="status",
                    type="enum",
                    values=(WAITING, SERVED, CANCELLED),
                    description=f"Served: got {copy.a}.",
                ),
            ),
        )
    )


def _title_maker(what: Lending) -> Callable[[Random, State, str], Record | None]:
    def make(rng: Random, state: State, new_id: str) -> Record | None:
        taken = [record["name"] for record in state[what.title.many].values()]
        free = [each for each in what.titles if each.name not in taken]
        if not free:
            return None
        drawn = rng.choice(free)
        return {what.title.key: new_id, "name": drawn.name, what.by: drawn.by, "kind": drawn.kind}

    return make


def _copy_maker(what: Lending) -> Callable[[Random, State, str], Record | None]:
    """Every title has a copy; some have more."""

    def make(rng: Random, state: State, new_id: str) -> Record | None:
        there, titles = len(state[what.copy.many]), list(state[what.title.many])
        if not titles:
            return None
        return {
            what.copy.key: new_id,
            what.title.key: titles[there] if there < len(titles) else pick(rng, titles),
            what.mark: f"{pick(rng, list(_FREE_MARKS))}-{there * 7 + rng.randrange(7) + 100}",
            "status": WITHDRAWN if there >= len(titles) and rng.random() < 0.1 else ON_SHELF,
        }

    return make


def _add_finders(draft: Draft, what: Lending) -> None:
    title, copy, loan, hold, member = what.title, what.copy, what.loan, what.hold, what.member
    who, of_title = Filter(member.key, member.key, "reference"), Filter(title.key, title.key, "reference")
    status = Filter("status", "status")
    draft.finders += [
        Finder(title.many, f"find_{title.many}", (Filter("name_contains", "name"),), ('"{name_contains}"',)),
        Finder(
            title.many,
            f"find_{title.many}",
            (Filter("name_contains", "name"), Filter("by_contains", what.by)),
            ('"{name_contains}" by {by_contains}',),
        ),
        Finder(
            copy.many, f"list_{copy.many}", (Filter(what.mark, what.mark),), (f"the {copy.spoken} {{{what.mark}}}",)
        ),
    ]
    for record, verb in ((loan, "of"), (hold, "on")):
        tool = f"list_{record.many}"
        phrase = f"{{{member.key}}}'s {record.spoken} {verb} {{{title.key}}}"
        draft.finders += [
            Finder(record.many, tool, (who, of_title), (phrase,)),
            Finder(record.many, tool, (who, of_title, status), (f"{phrase} that is {{status}}",)),
        ]
