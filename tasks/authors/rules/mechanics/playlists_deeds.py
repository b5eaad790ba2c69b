"""What is asked for in a music library: playlists made, filled, ordered, shared and deleted."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from tasks.authors.rules.mechanics.registry import is_active
from tasks.authors.rules.spec import Deed, Draft, Pick, Record, Told, Value, World
from tasks.authors.rules.spoken import pick, told_text
from tasks.authors.rules.statuses import in_status

if TYPE_CHECKING:
    from tasks.authors.rules.mechanics.playlists import Playlists


def add_playlist_deeds(draft: Draft, what: "Playlists") -> None:
    """Adds the deeds, for the past of initial states and for tasks."""
    playlist, owner, title, entry = what.playlist, what.owner, what.title, what.entry
    which, who, song, one = f"{{{playlist.key}}}", f"{{{owner.key}}}", f"{{{title.key}}}", f"{{{entry.key}}}"
    create = f"create_{playlist.one}"
    add_slots = (Pick(playlist.key, playlist.many, _kept), Pick(title.key, title.many, _addable(what)))
    add_asks = (f"add {song} to {which}", f"put {song} at the end of {which}")
    draft.deeds += [
        Deed(
            create,
            (Pick(owner.key, owner.many, is_active()), Value("name", _free_name(what))),
            (
                f"create a {playlist.spoken} called {{name}} for {who}",
                f"start a new {playlist.spoken} {{name}} for {who}",
            ),
            f"{who} has the {playlist.spoken} {{name}} now.",
            creates=playlist.many,
            weight=4,
        ),
        Deed(f"add_{title.one}", add_slots, add_asks, f"{song} is in {which}.", creates=entry.many, weight=9),
        Deed(
            f"add_{title.one}",
            add_slots,
            add_asks,
            f"{song} is in {which}.",
            creates=entry.many,
            follows=(create,),
            weight=0,
        ),
        Deed(
            f"remove_{entry.one}",
            (Pick(entry.key, entry.many, _removable(what)),),
            (f"take out {one}", f"remove {one}"),
            f"{one} is taken out.",
            weight=1,
        ),
        Deed(
            f"move_{entry.one}",
            (Pick(entry.key, entry.many, _removable(what)), Value("position", _other_place(what))),
            (f"move {one} to place {{position}}",),
            f"{one} is at place {{position}} now.",
            weight=1,
        ),
        Deed(
            f"rename_{playlist.one}",
            (Pick(playlist.key, playlist.many, _kept), Value("name", _free_name(what))),
            (f"rename {which} to {{name}}",),
            f"{which} is called {{name}} now.",
            weight=0,
        ),
        Deed(
            f"share_{playlist.one}",
            (Pick(playlist.key, playlist.many, in_status("private")),),
            (f"share {which}", f"make {which} visible to others"),
            f"{which} is shared.",
            weight=1,
        ),
        Deed(
            f"unshare_{playlist.one}",
            (Pick(playlist.key, playlist.many, in_status("shared")),),
            (f"stop sharing {which}",),
            f"{which} is private.",
            weight=0,
        ),
        Deed(
            f"delete_{playlist.one}",
            (Pick(playlist.key, playlist.many, in_status("private")),),
            (f"delete {which}",),
            f"{which} is deleted.",
            weight=0,
        ),
    ]


def _kept(record: Record, world: World) -> bool:
    return bool(record["status"] != "deleted")


def _addable(what: "Playlists") -> Callable[[Record, World], bool]:
    def fits(record: Record, world: World) -> bool:
        playlist = world.records[what.playlist.key]
        owner = world.state[what.owner.many][playlist[what.owner.key]]
        there = [
            each[what.title.key]
            for each in world.state[what.entry.many].values()
            if each[what.playlist.key] == playlist[what.playlist.key]
        ]
        return record[what.title.key] not in there and not (owner["profile"] == "child" and record["is_explicit"])

    return fits


def _removable(what: "Playlists") -> Callable[[Record, World], bool]:
    def fits(record: Record, world: World) -> bool:
        return bool(
            record["position"] > 0 and world.state[what.playlist.many][record[what.playlist.key]]["status"] != "deleted"
        )

    return fits


def _other_place(what: "Playlists") -> Callable[[World], Told | None]:
    def make(world: World) -> Told | None:
        record = world.records[what.entry.key]
        others = [
            each["position"]
            for each in world.state[what.entry.many].values()
            if each[what.playlist.key] == record[what.playlist.key] and each["position"] not in (0, record["position"])
        ]
        place = others[world.rng.randrange(len(others))] if others else None
        return Told(place, str(place)) if place else None

    return make


def _free_name(what: "Playlists") -> Callable[[World], Told | None]:
    def make(world: World) -> Told | None:
        taken = [each["name"] for each in world.state[what.playlist.many].values()]
        free = [name for name in what.names if name not in taken]
        return told_text(pick(world.rng, free)) if free else None

    return make
