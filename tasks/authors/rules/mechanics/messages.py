"""Messages: channels in which their members write, reply, pin and read; archived channels are closed."""

from collections.abc import Callable
from random import Random

from schemas.logic_models import Attribute
from tasks.authors.rules.mechanics.messages_deeds import add_message_deeds, add_message_finders
from tasks.authors.rules.mechanics.messages_options import ATTENTION, Messages
from tasks.authors.rules.mechanics.messages_rules import add_message_rules
from tasks.authors.rules.spec import Draft, EntitySpec, Record, State
from tasks.authors.rules.spoken import pick

_STATUSES = ("open", "archived")


def add_messages(draft: Draft, what: Messages) -> None:
    """Adds the entities, their tools, rules, deeds and finders to the draft."""
    channel, membership, message, person = what.channel, what.membership, what.message, what.person
    draft.alias(f"{channel.title}Status", _STATUSES)
    draft.alias(f"{membership.title}Attention", ATTENTION)
    draft.settings[f"{message.one}_edit_hours"] = what.edit_hours
    draft.settings[f"most_pinned_{message.many}"] = what.most_pinned
    draft.entity(
        EntitySpec(
            channel,
            f"{channel.a.capitalize()} with members and {message.spoken_many}.",
            (
                Attribute(name="name", type="string", max_length=60, description="What it is called; unique."),
                Attribute(name="topic", type="string", max_length=200, description="What it is about."),
                Attribute(
                    name="status", type="enum", values=_STATUSES, description="Archived: nothing is written in it."
                ),
            ),
            count=(6, 8),
            make=_channel_maker(what),
        )
    )
    draft.entity(
        EntitySpec(
            membership,
            f"One {person.spoken} in one {channel.spoken}.",
            (
                Attribute(name=channel.key, type="reference", to=channel.many, description=f"The {channel.spoken}."),
                Attribute(name=person.key, type="reference", to=person.many, description=f"The {person.spoken}."),
                Attribute(name="attention", type="enum", values=ATTENTION, description="What they are told about."),
                Attribute(
                    name=what.newest_read,
                    type="reference",
                    to=message.many,
                    nullable=True,
                    description=f"Newest {message.spoken} when they last read; null before.",
                ),
                Attribute(name="joined_at", type="datetime", description="When they joined."),
            ),
            count=(24, 34),
            make=_membership_maker(what),
        )
    )
    draft.entity(
        EntitySpec(
            message,
            f"What one {person.spoken} wrote in one {channel.spoken}.",
            (
                Attribute(name=channel.key, type="reference", to=channel.many, description=f"The {channel.spoken}."),
                Attribute(name=person.key, type="reference", to=person.many, description="Who wrote it."),
                Attribute(name="text", type="string", max_length=500, description="What it says."),
                Attribute(
                    name=what.parent,
                    type="reference",
                    to=message.many,
                    nullable=True,
                    description=f"The {message.spoken} that it replies to; null when it is no reply.",
                ),
                Attribute(
                    name="is_pinned", type="boolean", description=f"Whether it is pinned in its {channel.spoken}."
                ),
                Attribute(name="posted_at", type="datetime", description="When."),
                Attribute(name="edited_at", type="datetime", nullable=True, description="Last edit; null when never."),
            ),
        )
    )
    draft.hook(
        f"{person.one}.retire",
        f"for {membership.one} in self.{membership.many}.values():",
        f'    if {membership.one}["{person.key}"] == {person.key}:',
        f"        return _fail(f\"{{{person.key}}} is still in {{{membership.one}['{channel.key}']}}.\")",
    )
    add_message_rules(draft, what)
    context = {"what": what, "channel": channel, "membership": membership, "message": message, "person": person}
    draft.templates.append(("messages", context))
    draft.templates.append(("messages_writing", context))
    add_message_finders(draft, what)
    add_message_deeds(draft, what)


def _channel_maker(what: Messages) -> Callable[[Random, State, str], Record | None]:
    def make(rng: Random, state: State, new_id: str) -> Record | None:
        taken = [record["name"] for record in state[what.channel.many].values()]
        free = [name for name in what.channels if name not in taken]
        if not free:
            return None
        name = pick(rng, free)
        return {what.channel.key: new_id, "name": name, "topic": what.channels[name], "status": "open"}

    return make


def _membership_maker(what: Messages) -> Callable[[Random, State, str], Record | None]:
    def make(rng: Random, state: State, new_id: str) -> Record | None:
        there = [(each[what.channel.key], each[what.person.key]) for each in state[what.membership.many].values()]
        people = [key for key, each in state[what.person.many].items() if each["status"] == what.active_person]
        # The last person is left out everywhere, so that somebody can be added and somebody can leave for good.
        pairs = [(one, other) for one in state[what.channel.many] for other in people[:-1] if (one, other) not in there]
        if not pairs:
            return None
        channel_id, person_id = pairs[rng.randrange(len(pairs))]
        return {
            what.membership.key: new_id,
            what.channel.key: channel_id,
            what.person.key: person_id,
            "attention": rng.choice(ATTENTION),
            what.newest_read: None,
            "joined_at": state["now"],
        }

    return make
