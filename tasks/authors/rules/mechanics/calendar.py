"""Calendar: one person's events that never overlap, invitations to them, and reminders."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random

from schemas.logic_models import Attribute
from tasks.authors.rules.mechanics.calendar_deeds import add_calendar_deeds
from tasks.authors.rules.nouns import Noun
from tasks.authors.rules.spec import Draft, EntitySpec, Filter, Finder, Record, State
from tasks.authors.rules.spoken import pick

_RESPONSES = ("pending", "accepted", "declined")


@dataclass(frozen=True)
class Calendar:
    """What a theme says of its calendar."""

    event: Noun
    contact: Noun
    """A kind of registry."""
    invitation: Noun
    reminder: Noun
    titles: dict[str, tuple[str, ...]]
    """Kind of event -> titles; a title occurs once."""
    reminder_texts: tuple[str, ...]
    most_guests: int = 8
    count: tuple[int, int] = (9, 13)

    @property
    def kind_of(self) -> dict[str, str]:
        """Title -> kind."""
        return {title: kind for kind, titles in self.titles.items() for title in titles}


def add_calendar(draft: Draft, what: Calendar) -> None:
    """Adds the entities, their tools, rules, deeds and finders to the draft."""
    event, contact, invitation, reminder = what.event, what.contact, what.invitation, what.reminder
    kinds = tuple(what.titles)
    draft.alias(f"{event.title}Kind", kinds)
    draft.alias(f"{event.title}Status", ("planned", "cancelled"))
    draft.alias(f"{invitation.title}Response", _RESPONSES)
    draft.alias(f"{reminder.title}Status", ("open", "done"))
    draft.settings.update(
        **{
            f"most_guests_per_{event.one}": what.most_guests,
            f"{event.one}_horizon_days": 400,
            "longest_snooze_days": 30,
        }
    )
    draft.entity(
        EntitySpec(
            event,
            f"{event.a.capitalize()} in the calendar.",
            (
                Attribute(name="title", type="string", max_length=80, description="What it is."),
                Attribute(name="kind", type="enum", values=kinds, description="What sort it is."),
                Attribute(name="start", type="datetime", description="When it starts."),
                Attribute(
                    name="minutes",
                    type="integer",
                    minimum=5,
                    maximum=1440,
                    unit="min",
                    description="How long it takes.",
                ),
                Attribute(
                    name="status",
                    type="enum",
                    values=("planned", "cancelled"),
                    description="Cancelled ones free their time.",
                ),
                Attribute(name="changed_at", type="datetime", description="Last change."),
            ),
            what.count,
            _event_maker(what),
        )
    )
    draft.entity(
        EntitySpec(
            invitation,
            f"One {contact.spoken} invited to one {event.spoken}.",
            (
                Attribute(name=event.key, type="reference", to=event.many, description=f"The {event.spoken}."),
                Attribute(name=contact.key, type="reference", to=contact.many, description=f"The {contact.spoken}."),
                Attribute(name="response", type="enum", values=_RESPONSES, description="What the answer was."),
                Attribute(name="changed_at", type="datetime", description="Last change."),
            ),
        )
    )
    draft.entity(
        EntitySpec(
            reminder,
            "Something to be reminded of.",
            (
                Attribute(name="text", type="string", max_length=120, description="What to do."),
                Attribute(name="due_at", type="datetime", description="When to be reminded."),
                Attribute(name="status", type="enum", values=("open", "done"), description="Whether it is done."),
                Attribute(name="snoozed", type="integer", minimum=0, description="How often it was put off."),
            ),
        )
    )
    _add_rules(draft, what)
    draft.templates.append(
        ("calendar", {"what": what, "event": event, "contact": contact, "invitation": invitation, "reminder": reminder})
    )
    by_title = Filter("title_contains", "title")
    which, who = Filter(event.key, event.key, "reference"), Filter(contact.key, contact.key, "reference")
    draft.finders += [
        Finder(
            event.many,
            f"find_{event.many}",
            (by_title,),
            ('"{title_contains}"', f'the {event.spoken} "{{title_contains}}"'),
        ),
        Finder(
            event.many,
            f"find_{event.many}",
            (by_title, Filter("day", "start", "day")),
            ('"{title_contains}" on {day}',),
        ),
        Finder(
            invitation.many,
            f"list_{invitation.many}",
            (which, who),
            (f"{{{contact.key}}}'s {invitation.spoken} to {{{event.key}}}",),
        ),
        Finder(
            reminder.many,
            f"list_{reminder.many}",
            (Filter("text_contains", "text"),),
            (f'the {reminder.spoken} "{{text_contains}}"',),
        ),
        Finder(
            reminder.many,
            f"list_{reminder.many}",
            (Filter("text_contains", "text"), Filter("status", "status")),
            (f'the {{status}} {reminder.spoken} "{{text_contains}}"',),
        ),
    ]
    add_calendar_deeds(draft, what)


def _add_rules(draft: Draft, what: Calendar) -> None:
    event, contact, invitation, reminder = what.event, what.contact, what.invitation, what.reminder
    create, move, invite = f"create_{event.one}", f"move_{event.one}", f"invite_{contact.one}"
    draft.rule(
        f"{event.many}_never_overlap",
        "invariant",
        f"Two {event.spoken_many} that are not cancelled never overlap.",
        f'all(a["{event.key}"] >= b["{event.key}"] or a["status"] == "cancelled" or b["status"] == "cancelled"'
        ' or datetime.fromisoformat(a["start"]) + timedelta(minutes=a["minutes"]) <= datetime.fromisoformat(b["start"])'
        ' or datetime.fromisoformat(b["start"]) + timedelta(minutes=b["minutes"]) <= datetime.fromisoformat(a["start"])'
        f' for a in state["{event.many}"].values() for b in state["{event.many}"].values())',
        by=(create, move),
    )
    draft.rule(
        f"{invitation.one}_once",
        "uniqueness",
        f"One {contact.spoken} is invited to {event.a} at most once.",
        f'len({{(i["{event.key}"], i["{contact.key}"]) for i in state["{invitation.many}"].values()}}) =='
        f' len(state["{invitation.many}"])',
        by=(invite,),
    )
    draft.rule(
        f"{event.one}_guest_limit",
        "invariant",
        f"At most {what.most_guests} {contact.spoken_many} are invited to {event.a}.",
        f'all(sum(1 for i in state["{invitation.many}"].values() if i["{event.key}"] == k) <= {what.most_guests}'
        f' for k in state["{event.many}"])',
        by=(invite,),
    )
    draft.rule(
        f"{event.one}_planned_and_ahead",
        "precondition",
        f"Only {event.a} that is planned and has not started is moved, cancelled or gets new guests.",
        f'state["{event.many}"][args["{event.key}"]]["status"] == "planned" and'
        f' state["{event.many}"][args["{event.key}"]]["start"] > now',
        by=(move, invite, f"cancel_{event.one}"),
    )
    draft.rule(
        f"{reminder.one}_open_to_change",
        "precondition",
        f"Only an open {reminder.spoken} is ticked off or put off.",
        f'state["{reminder.many}"][args["{reminder.key}"]]["status"] == "open"',
        by=(f"complete_{reminder.one}", f"snooze_{reminder.one}"),
    )
    draft.rule(
        f"{reminder.one}_stays_done",
        "transition",
        f"A {reminder.spoken} that is done stays done.",
        f'all(r["status"] == "open" or state["{reminder.many}"][k]["status"] == "done" for k, r in'
        f' before["{reminder.many}"].items())',
        by=(f"complete_{reminder.one}",),
    )


def _event_maker(what: Calendar) -> Callable[[Random, State, str], Record | None]:
    kind_of = what.kind_of

    def make(rng: Random, state: State, new_id: str) -> Record | None:
        there = list(state[what.event.many].values())
        taken = [each["title"] for each in there]
        free = [title for title in kind_of if title not in taken]
        if not free:
            return None
        title = pick(rng, free)
        start = datetime.fromisoformat(state["now"][:10]) + timedelta(days=rng.randint(3, 26), hours=rng.randint(8, 19))
        minutes = rng.choice((30, 45, 60, 90))
        for each in there:
            begins = datetime.fromisoformat(each["start"])
            if begins < start + timedelta(minutes=minutes) and start < begins + timedelta(minutes=each["minutes"]):
                start = begins + timedelta(days=30 + len(there))
        return {
            what.event.key: new_id,
            "title": title,
            "kind": kind_of[title],
            "start": start.strftime("%Y-%m-%dT%H:%M"),
            "minutes": minutes,
            "status": "planned",
            "changed_at": state["now"],
        }

    return make
