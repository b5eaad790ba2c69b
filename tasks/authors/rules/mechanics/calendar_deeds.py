"""What is asked for in a calendar: events, guests, answers and reminders."""

from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from tasks.authors.rules.mechanics.registry import is_active
from tasks.authors.rules.spec import Deed, Draft, Pick, Record, Told, Value, World
from tasks.authors.rules.spoken import pick, told_moment, told_text, told_word

if TYPE_CHECKING:
    from tasks.authors.rules.mechanics.calendar import Calendar


def add_calendar_deeds(draft: Draft, what: "Calendar") -> None:
    """Adds the deeds, for the past of initial states and for tasks."""
    event, contact, invitation, reminder = what.event, what.contact, what.invitation, what.reminder
    which, who, note = f"{{{event.key}}}", f"{{{contact.key}}}", f"{{{reminder.key}}}"
    minutes = Value("minutes", lambda world: _told_number(world, (30, 45, 60)))
    draft.deeds += [
        Deed(
            f"create_{event.one}",
            (
                Value("title", lambda world: told_text(pick(world.rng, list(what.kind_of)))),
                Value("kind", lambda world: told_word(what.kind_of[world.chosen["title"]])),
                Value("start", _some_moment),
                minutes,
            ),
            (
                f"put a {{kind}} {event.spoken} called {{title}} into the calendar on {{start}} for {{minutes}}"
                f" minutes",
                "add {title} ({kind}) on {start}, {minutes} minutes long",
            ),
            "{title} is in the calendar on {start}.",
            creates=event.many,
            weight=3,
        ),
        Deed(
            f"invite_{contact.one}",
            (Pick(contact.key, contact.many, is_active()), Pick(event.key, event.many, _ahead)),
            (f"invite {who} to {which}", f"add {who} as a guest of {which}"),
            f"{who} is invited to {which}.",
            creates=invitation.many,
            follows=(f"create_{event.one}",),
            weight=6,
        ),
        Deed(
            f"invite_{contact.one}",
            (Pick(contact.key, contact.many, is_active()), Pick(event.key, event.many, _ahead)),
            (f"invite {who} to {which}", f"add {who} as a guest of {which}"),
            f"{who} is invited to {which}.",
            creates=invitation.many,
            weight=0,
        ),
        Deed(
            "record_response",
            (
                Pick(invitation.key, invitation.many, lambda record, world: bool(record["response"] == "pending")),
                Value("response", lambda world: told_word(pick(world.rng, ("accepted", "declined")))),
            ),
            (f"note that {{{invitation.key}}} was {{response}}",),
            f"{{{invitation.key}}} is noted as {{response}}.",
            weight=3,
        ),
        Deed(
            f"move_{event.one}",
            (Pick(event.key, event.many, _ahead), Value("start", _some_moment)),
            (f"move {which} to {{start}}", f"shift {which} to {{start}}"),
            f"{which} is now on {{start}}.",
            weight=1,
        ),
        Deed(
            f"cancel_{event.one}",
            (Pick(event.key, event.many, _ahead),),
            (f"cancel {which}", f"call off {which}"),
            f"{which} is cancelled.",
            weight=1,
        ),
        Deed(
            f"set_{reminder.one}",
            (
                Value("text", lambda world: told_text(pick(world.rng, what.reminder_texts))),
                Value("due_at", _some_moment),
            ),
            (
                "remind me on {due_at} with the text {text}",
                f"set a {reminder.spoken} for {{due_at}} that says {{text}}",
            ),
            "You will be reminded on {due_at}.",
            creates=reminder.many,
            weight=4,
        ),
        Deed(
            f"complete_{reminder.one}",
            (Pick(reminder.key, reminder.many, _is_open),),
            (f"tick off {note}", f"mark {note} as done"),
            f"{note} is done.",
            weight=1,
        ),
        Deed(
            f"snooze_{reminder.one}",
            (
                Pick(reminder.key, reminder.many, _is_open),
                Value("days", lambda world: _told_number(world, (2, 3, 5, 7))),
            ),
            (f"put {note} off by {{days}} days",),
            f"{note} is put off by {{days}} days.",
            weight=1,
        ),
    ]


def _told_number(world: World, options: tuple[int, ...]) -> Told:
    number = options[world.rng.randrange(len(options))]
    return Told(number, str(number))


def _some_moment(world: World) -> Told:
    day = datetime.fromisoformat(world.now[:10]) + timedelta(days=world.rng.randint(2, 40))
    moment = day + timedelta(hours=world.rng.randint(8, 20), minutes=15 * world.rng.randrange(4))
    return told_moment(moment.strftime("%Y-%m-%dT%H:%M"))


def _ahead(record: Record, world: World) -> bool:
    return bool(record["status"] == "planned" and record["start"] > world.now)


def _is_open(record: Record, world: World) -> bool:
    return bool(record["status"] == "open")
