"""What people ask for around channels and messages."""

from tasks.authors.rules.mechanics.messages_choices import (
    has_unread,
    is_beside,
    is_inside,
    is_outside,
    is_pinned,
    is_recent,
    may_delete,
    may_reply,
    new_name,
    other_attention,
    other_text,
    wrote,
)
from tasks.authors.rules.mechanics.messages_options import Messages
from tasks.authors.rules.mechanics.registry import is_active
from tasks.authors.rules.spec import Deed, Draft, Filter, Finder, Pick, Value
from tasks.authors.rules.spoken import pick, told_text
from tasks.authors.rules.statuses import in_status


def add_message_finders(draft: Draft, what: Messages) -> None:
    """Ways to find one channel or one message."""
    channel, message, person = what.channel, what.message, what.person
    draft.finders.append(
        Finder(
            channel.many,
            f"list_{channel.many}",
            (Filter("name_contains", "name"),),
            (f"the {channel.spoken} {{name_contains}}", f"the {{name_contains}} {channel.spoken}"),
        )
    )
    text, author = Filter("text_contains", "text"), Filter(person.key, person.key, "reference")
    inside, day = Filter(channel.key, channel.key, "reference"), Filter("day", "posted_at", "day")
    words = f'the {message.spoken} "{{text_contains}}"'
    for filters, says in (
        ((text,), words),
        ((author, day), f"what {{{person.key}}} wrote on {{day}}"),
        ((text, inside), f"{words} in {{{channel.key}}}"),
        ((text, author), f'{{{person.key}}}\'s {message.spoken} "{{text_contains}}"'),
        ((text, author, inside), f'{{{person.key}}}\'s {message.spoken} "{{text_contains}}" in {{{channel.key}}}'),
    ):
        draft.finders.append(Finder(message.many, f"list_{message.many}", filters, (says,)))


def add_message_deeds(draft: Draft, what: Messages) -> None:
    """Channels, their members, and what is written in them."""
    _add_channels(draft, what)
    _add_members(draft, what)
    _add_writing(draft, what)
    _add_pins(draft, what)


def _add_channels(draft: Draft, what: Messages) -> None:
    channel, person, it = what.channel, what.person, f"{{{what.channel.key}}}"
    name = Value("name", new_name(what))
    draft.deeds += [
        Deed(
            what.on_channel("create"),
            (
                Pick(person.key, person.many, is_active(what.active_person)),
                name,
                Value("topic", lambda world: told_text(what.channels[world.chosen["name"]])),
            ),
            (
                f"create {channel.a} {{name}} about {{topic}}, with {{{person.key}}} as the first member",
                f"open a new {channel.spoken} called {{name}} for {{{person.key}}}; its topic is {{topic}}",
            ),
            f"The {channel.spoken} {{name}} is open.",
            creates=channel.many,
            weight=1,
        ),
        Deed(
            what.on_channel("rename"),
            (Pick(channel.key, channel.many, in_status("open")), name),
            (f"rename {it} to {{name}}",),
            f"{it} is called {{name}} now.",
            weight=0,
        ),
        Deed(
            what.on_channel("archive"),
            (Pick(channel.key, channel.many, in_status("open")),),
            (f"archive {it}", f"close {it} and put it in the archive"),
            f"{it} is archived.",
            weight=1,
        ),
        Deed(
            what.on_channel("reopen"),
            (Pick(channel.key, channel.many, in_status("archived")),),
            (f"reopen {it}", f"take {it} out of the archive"),
            f"{it} is open again.",
            weight=0,
        ),
    ]


def _add_members(draft: Draft, what: Messages) -> None:
    channel, person, it = what.channel, what.person, f"{{{what.channel.key}}}"
    who = f"{{{person.key}}}"
    for follows in ((), (what.on_channel("create"),)):
        draft.deeds.append(
            Deed(
                f"add_{person.one}_to_{channel.one}",
                (
                    Pick(channel.key, channel.many, in_status("open")),
                    Pick(person.key, person.many, is_outside(what)),
                ),
                (f"add {who} to {it}", f"make {who} a member of {it}"),
                f"{who} is in {it} now.",
                creates=what.membership.many,
                follows=follows,
                weight=0 if follows else 3,
            )
        )
    inside = (Pick(channel.key, channel.many), Pick(person.key, person.many, is_inside(what)))
    draft.deeds += [
        Deed(
            f"remove_{person.one}_from_{channel.one}",
            inside,
            (f"remove {who} from {it}", f"take {who} out of {it}"),
            f"{who} is no longer in {it}.",
            weight=1,
        ),
        Deed(
            f"set_{channel.one}_attention",
            (*inside, Value("attention", other_attention(what))),
            (f"set {it} to {{attention}} for {who}", f"change what {who} is told about in {it} to {{attention}}"),
            f"{it} is set to {{attention}} for {who}.",
            weight=1,
        ),
        Deed(
            f"mark_{channel.one}_read",
            (Pick(channel.key, channel.many), Pick(person.key, person.many, has_unread(what))),
            (f"mark {it} as read for {who}", f"note that {who} has read everything in {it}"),
            f"{who} has read everything in {it}.",
            weight=4,
        ),
    ]


def _add_writing(draft: Draft, what: Messages) -> None:
    channel, message, person = what.channel, what.message, what.person
    it, who = f"{{{message.key}}}", f"{{{person.key}}}"
    posted = what.on_message("post")
    draft.deeds.append(
        Deed(
            posted,
            (
                Pick(channel.key, channel.many, in_status("open")),
                Pick(person.key, person.many, is_inside(what)),
                Value("text", lambda world: told_text(pick(world.rng, what.texts))),
            ),
            (
                f"post {{text}} in {{{channel.key}}} for {who}",
                f"write in {{{channel.key}}} in the name of {who}: {{text}}",
            ),
            f"{{text}} is in {{{channel.key}}}.",
            creates=message.many,
            weight=12,
        )
    )
    draft.deeds.append(
        Deed(
            f"reply_to_{message.one}",
            (
                Pick(message.key, message.many, may_reply(what)),
                Pick(person.key, person.many, is_beside(what)),
                Value("text", lambda world: told_text(pick(world.rng, what.replies))),
            ),
            (f"reply {{text}} to {it} for {who}", f"answer {it} in the name of {who}: {{text}}"),
            f"{{text}} is the reply to {it}.",
            creates=message.many,
            weight=6,
        )
    )
    own = (
        Pick(message.key, message.many, is_recent(what)),
        Pick(person.key, person.many, lambda record, world: wrote(what, record, world)),
    )
    for follows in ((), (posted,)):
        draft.deeds.append(
            Deed(
                what.on_message("edit"),
                (*own, Value("text", other_text(what))),
                (
                    f"change {it} to {{text}}; {who} wrote it",
                    f"let {it}, which is from {who}, read {{text}} instead",
                ),
                f"{it} reads {{text}} now.",
                follows=follows,
                weight=0 if follows else 1,
            )
        )
    draft.deeds.append(
        Deed(
            what.on_message("delete"),
            (Pick(message.key, message.many, may_delete(what)), own[1]),
            (f"delete {it}, which {who} wrote", f"delete {it} for its author {who}"),
            f"{it} is deleted.",
            weight=0,
        )
    )


def _add_pins(draft: Draft, what: Messages) -> None:
    message, it = what.message, f"{{{what.message.key}}}"
    for tool, pinned, follows, ask, end, weight in (
        (what.on_message("pin"), False, (), "pin", "is pinned", 4),
        (what.on_message("pin"), False, (what.on_message("post"),), "pin", "is pinned", 0),
        (what.on_message("unpin"), True, (), "unpin", "is no longer pinned", 1),
    ):
        slots = (Pick(message.key, message.many, is_pinned(what, pinned)),)
        draft.deeds.append(Deed(tool, slots, (f"{ask} {it}",), f"{it} {end}.", follows=follows, weight=weight))
