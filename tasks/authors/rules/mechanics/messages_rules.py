"""The rules of channels and messages."""

from tasks.authors.rules.mechanics.messages_options import Messages
from tasks.authors.rules.spec import Draft


def add_message_rules(draft: Draft, what: Messages) -> None:
    """Who writes where, what is edited until when, how many are pinned, and that archived channels are closed."""
    channel, membership, message, person = what.channel, what.membership, what.message, what.person
    channels, messages = f'state["{channel.many}"]', f'state["{message.many}"]'
    members = f'state["{membership.many}"].values()'
    this = f'{messages}[args["{message.key}"]]'
    write = (what.on_message("post"),)
    own = (what.on_message("edit"), what.on_message("delete"))
    is_member = f'any(m["{channel.key}"] == %s and m["{person.key}"] == args["{person.key}"] for m in {members})'
    draft.rule(
        f"only_members_{message.one}",
        "precondition",
        f"Only members of {channel.a} write in it, and only while it is open.",
        is_member % f'args["{channel.key}"]' + f' and {channels}[args["{channel.key}"]]["status"] == "open"',
        by=write,
    )
    draft.rule(
        "only_members_reply",
        "precondition",
        f"Only members of {channel.a} reply in it, and only while it is open.",
        is_member % f'{this}["{channel.key}"]' + f' and {channels}[{this}["{channel.key}"]]["status"] == "open"',
        by=(f"reply_to_{message.one}",),
    )
    draft.rule(
        f"own_{message.one}_in_time",
        "precondition",
        f"{message.a.capitalize()} is only edited or deleted by its author, within {what.edit_hours} hours.",
        f'{this}["{person.key}"] == args["{person.key}"] and datetime.fromisoformat(now)'
        f' <= datetime.fromisoformat({this}["posted_at"])'
        f' + timedelta(hours=state["settings"]["{message.one}_edit_hours"])',
        by=own,
    )
    draft.rule(
        f"few_pinned_{message.many}",
        "invariant",
        f"At most {what.most_pinned} {message.spoken_many} are pinned in {channel.a}.",
        f'all(sum(r["is_pinned"] and r["{channel.key}"] == k for r in {messages}.values())'
        f' <= state["settings"]["most_pinned_{message.many}"] for k in {channels})',
        by=(what.on_message("pin"),),
    )
    draft.rule(
        "replies_stay_together",
        "invariant",
        f"A reply is in the {channel.spoken} of what it replies to, and nothing replies to a reply.",
        f'all(r["{what.parent}"] is None or ({messages}[r["{what.parent}"]]["{what.parent}"] is None'
        f' and {messages}[r["{what.parent}"]]["{channel.key}"] == r["{channel.key}"]) for r in {messages}.values())',
        by=(f"reply_to_{message.one}", what.on_message("delete")),
    )
    draft.rule(
        f"{person.one}_in_{channel.one}_once",
        "uniqueness",
        f"{person.a.capitalize()} is a member of the same {channel.spoken} only once.",
        f'len({{(m["{channel.key}"], m["{person.key}"]) for m in {members}}}) == len(state["{membership.many}"])',
        by=(f"add_{person.one}_to_{channel.one}",),
    )
    draft.rule(
        f"{channel.one}_name_unique",
        "uniqueness",
        f"No two {channel.spoken_many} have the same name.",
        f'len({{r["name"].lower() for r in {channels}.values()}}) == len({channels})',
        by=(what.on_channel("create"), what.on_channel("rename")),
    )
    draft.rule(
        f"archived_{channel.one}_closed",
        "transition",
        f"In an archived {channel.spoken} no {message.spoken} is added, changed or deleted.",
        f'all(before["{channel.many}"][r["{channel.key}"]]["status"] == "open"'
        f' for k, r in before["{message.many}"].items() if {messages}.get(k) != r)',
        by=(*own, what.on_message("pin"), what.on_message("unpin")),
    )
