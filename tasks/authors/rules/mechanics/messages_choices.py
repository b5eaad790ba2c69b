"""Which channels, messages, members and values make sense for a deed."""

from collections.abc import Callable
from datetime import datetime, timedelta

from tasks.authors.rules.mechanics.messages_options import ATTENTION, Messages
from tasks.authors.rules.spec import Record, Told, World
from tasks.authors.rules.spoken import pick, told_text, told_word
from tasks.authors.rules.statuses import Where


def is_member(what: Messages, world: World, channel_id: str, person_id: str) -> bool:
    """Whether somebody is in a channel."""
    return any(
        (each[what.channel.key], each[what.person.key]) == (channel_id, person_id)
        for each in world.state[what.membership.many].values()
    )


def is_inside(what: Messages) -> Where:
    """Chooses members of the chosen channel."""
    return lambda record, world: is_member(what, world, world.chosen[what.channel.key], record[what.person.key])


def is_outside(what: Messages) -> Where:
    """Chooses people who are not in the chosen channel."""
    inside = is_inside(what)
    return lambda record, world: record["status"] == what.active_person and not inside(record, world)


def is_beside(what: Messages) -> Where:
    """Chooses members of the message's channel."""

    def fits(record: Record, world: World) -> bool:
        return is_member(what, world, world.records[what.message.key][what.channel.key], record[what.person.key])

    return fits


def in_open_channel(what: Messages, record: Record, world: World) -> bool:
    """Whether a message is in an open channel."""
    return bool(world.state[what.channel.many][record[what.channel.key]]["status"] == "open")


def may_reply(what: Messages) -> Where:
    """Chooses messages that may be replied to."""
    return lambda record, world: record[what.parent] is None and in_open_channel(what, record, world)


def is_recent(what: Messages) -> Where:
    """Chooses messages that may still be edited."""

    def fits(record: Record, world: World) -> bool:
        last = datetime.fromisoformat(record["posted_at"]) + timedelta(hours=what.edit_hours)
        return datetime.fromisoformat(world.now) <= last and in_open_channel(what, record, world)

    return fits


def may_delete(what: Messages) -> Where:
    """Chooses messages that may still be deleted."""
    recent = is_recent(what)

    def fits(record: Record, world: World) -> bool:
        has_reply = any(
            each[what.parent] == record[what.message.key] for each in world.state[what.message.many].values()
        )
        return recent(record, world) and not record["is_pinned"] and not has_reply

    return fits


def wrote(what: Messages, record: Record, world: World) -> bool:
    """Whether somebody wrote the chosen message."""
    return bool(record[what.person.key] == world.records[what.message.key][what.person.key])


def is_pinned(what: Messages, pinned: bool) -> Where:
    """Chooses messages in open channels that are pinned, or are not."""
    return lambda record, world: record["is_pinned"] == pinned and in_open_channel(what, record, world)


def has_unread(what: Messages) -> Where:
    """Chooses members who have not read everything in the chosen channel."""

    def fits(record: Record, world: World) -> bool:
        channel_id = world.chosen[what.channel.key]
        written = [key for key, each in world.state[what.message.many].items() if each[what.channel.key] == channel_id]
        return any(
            (each[what.channel.key], each[what.person.key]) == (channel_id, record[what.person.key])
            and written
            and each[what.newest_read] != max(written)
            for each in world.state[what.membership.many].values()
        )

    return fits


def other_attention(what: Messages) -> Callable[[World], Told]:
    """What the chosen member is not told about yet."""

    def make(world: World) -> Told:
        pair = (world.chosen[what.channel.key], world.chosen[what.person.key])
        now = [
            each["attention"]
            for each in world.state[what.membership.many].values()
            if (each[what.channel.key], each[what.person.key]) == pair
        ]
        return told_word(pick(world.rng, [each for each in ATTENTION if each not in now]))

    return make


def other_text(what: Messages) -> Callable[[World], Told]:
    """A text that the chosen message does not have."""

    def make(world: World) -> Told:
        return told_text(
            pick(world.rng, [text for text in what.texts if text != world.records[what.message.key]["text"]])
        )

    return make


def new_name(what: Messages) -> Callable[[World], Told | None]:
    """A name that no channel has."""

    def make(world: World) -> Told | None:
        taken = [record["name"] for record in world.state[what.channel.many].values()]
        free = [name for name in what.channels if name not in taken]
        return told_text(pick(world.rng, free)) if free else None

    return make
