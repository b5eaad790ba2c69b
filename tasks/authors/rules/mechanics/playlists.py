"""Playlists: an ordered selection of titles from a catalogue, kept by its owner and shared or not."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from schemas.logic_models import Attribute
from tasks.authors.rules.mechanics.playlists_deeds import add_playlist_deeds
from tasks.authors.rules.nouns import Noun
from tasks.authors.rules.spec import Draft, EntitySpec, Filter, Finder, Record, State


@dataclass(frozen=True)
class Playlists:
    """What a theme says of its playlists."""

    playlist: Noun
    owner: Noun
    """A kind of registry."""
    title: Noun
    """What is in the catalogue: "track"."""
    entry: Noun
    """One title at one place of one playlist."""
    titles: dict[str, str]
    """Title -> who made it."""
    genres: dict[str, tuple[str, ...]]
    """Genre -> artists who play it."""
    names: tuple[str, ...]
    """Names of playlists."""
    most_entries: int = 30


def add_playlists(draft: Draft, what: Playlists) -> None:
    """Adds the entities, their tools, rules, deeds and finders to the draft."""
    playlist, owner, title, entry = what.playlist, what.owner, what.title, what.entry
    genres = tuple(what.genres)
    draft.alias(f"{title.title}Genre", genres)
    draft.alias(f"{playlist.title}Status", ("private", "shared", "deleted"))
    draft.settings[f"most_{entry.many}_per_{playlist.one}"] = what.most_entries
    draft.entity(
        EntitySpec(
            title,
            f"{title.a.capitalize()} of the catalogue.",
            (
                Attribute(name="name", type="string", max_length=80, description="Title."),
                Attribute(name="artist", type="string", max_length=80, description="Who made it."),
                Attribute(name="genre", type="enum", values=genres, description="Genre."),
                Attribute(name="seconds", type="integer", minimum=1, unit="s", description="How long it is."),
                Attribute(name="is_explicit", type="boolean", description="Not for children."),
            ),
            (len(what.titles), len(what.titles)),
            _title_maker(what),
        )
    )
    draft.entity(
        EntitySpec(
            playlist,
            f"{playlist.a.capitalize()} of one {owner.spoken}.",
            (
                Attribute(
                    name=owner.key, type="reference", to=owner.many, description=f"The {owner.spoken} who keeps it."
                ),
                Attribute(name="name", type="string", max_length=60, description="Name, once for each owner."),
                Attribute(
                    name="status", type="enum", values=("private", "shared", "deleted"), description="Who sees it."
                ),
                Attribute(name="changed_at", type="datetime", description="Last change."),
            ),
        )
    )
    draft.entity(
        EntitySpec(
            entry,
            f"One {title.spoken} at one place of one {playlist.spoken}.",
            (
                Attribute(name=playlist.key, type="reference", to=playlist.many, description=f"The {playlist.spoken}."),
                Attribute(name=title.key, type="reference", to=title.many, description=f"The {title.spoken}."),
                Attribute(
                    name="position", type="integer", minimum=0, description="Place, from 1; 0 when it was taken out."
                ),
            ),
        )
    )
    _add_rules(draft, what)
    draft.templates.append(
        ("playlists", {"what": what, "playlist": playlist, "owner": owner, "title": title, "entry": entry})
    )
    by_name = Filter("name_contains", "name")
    whose = Filter(owner.key, owner.key, "reference")
    draft.finders += [
        Finder(
            title.many,
            f"find_{title.many}",
            (by_name,),
            ('"{name_contains}"', f'the {title.spoken} "{{name_contains}}"'),
        ),
        Finder(
            title.many,
            f"find_{title.many}",
            (by_name, Filter("artist_contains", "artist")),
            ('"{name_contains}" by {artist_contains}',),
        ),
        Finder(
            playlist.many,
            f"list_{playlist.many}",
            (whose, by_name),
            (
                f'{{{owner.key}}}\'s {playlist.spoken} "{{name_contains}}"',
                f'the {playlist.spoken} "{{name_contains}}" of {{{owner.key}}}',
            ),
        ),
        Finder(
            entry.many,
            f"list_{entry.many}",
            (Filter(playlist.key, playlist.key, "reference"), Filter(title.key, title.key, "reference")),
            (f"{{{title.key}}} in {{{playlist.key}}}",),
        ),
    ]
    add_playlist_deeds(draft, what)


def _add_rules(draft: Draft, what: Playlists) -> None:
    playlist, owner, title, entry = what.playlist, what.owner, what.title, what.entry
    add, remove, move = f"add_{title.one}", f"remove_{entry.one}", f"move_{entry.one}"
    kept = f'[e for e in state["{entry.many}"].values() if e["{playlist.key}"] == k and e["position"] > 0]'
    draft.rule(
        f"{entry.many}_in_line",
        "invariant",
        f"The places of {playlist.a} count 1, 2, 3 without gaps.",
        f'all(sorted(e["position"] for e in {kept}) == list(range(1, len({kept}) + 1)) for k in'
        f' state["{playlist.many}"])',
        by=(add, remove, move),
    )
    draft.rule(
        f"{title.one}_once_per_{playlist.one}",
        "invariant",
        f"{title.a.capitalize()} is in {playlist.a} at most once.",
        f'all(len({{e["{title.key}"] for e in {kept}}}) == len({kept}) for k in state["{playlist.many}"])',
        by=(add,),
    )
    draft.rule(
        f"{playlist.one}_not_too_long",
        "invariant",
        f"{playlist.a.capitalize()} has at most {what.most_entries} {title.spoken_many}.",
        f'all(len({kept}) <= state["settings"]["most_{entry.many}_per_{playlist.one}"] for k in'
        f' state["{playlist.many}"])',
        by=(add,),
    )
    draft.rule(
        f"{playlist.one}_name_once",
        "uniqueness",
        f"One {owner.spoken} has no two {playlist.spoken_many} of the same name.",
        f'(lambda names: len(names) == len(set(names)))([(p["{owner.key}"], p["name"].lower())'
        f' for p in state["{playlist.many}"].values() if p["status"] != "deleted"])',
        by=(f"create_{playlist.one}", f"rename_{playlist.one}"),
    )
    draft.rule(
        f"{playlist.one}_for_children",
        "invariant",
        f"The {playlist.spoken_many} of a child have no explicit {title.spoken}.",
        f'all(state["{owner.many}"][state["{playlist.many}"][e["{playlist.key}"]]["{owner.key}"]]["profile"] != "child"'
        f' or not state["{title.many}"][e["{title.key}"]]["is_explicit"]'
        f' for e in state["{entry.many}"].values() if e["position"] > 0)',
        by=(add,),
    )
    draft.rule(
        f"{playlist.one}_stays_deleted",
        "transition",
        f"A deleted {playlist.spoken} stays deleted.",
        f'all(p["status"] != "deleted" or state["{playlist.many}"][k]["status"] == "deleted" for k, p in'
        f' before["{playlist.many}"].items())',
        by=(f"delete_{playlist.one}",),
    )


def _title_maker(what: Playlists) -> Callable[[Random, State, str], Record | None]:
    def make(rng: Random, state: State, new_id: str) -> Record | None:
        at = len(state[what.title.many])
        name, artist = list(what.titles.items())[at]
        return {
            what.title.key: new_id,
            "name": name,
            "artist": artist,
            "genre": next(genre for genre, artists in what.genres.items() if artist in artists),
            "seconds": rng.randint(95, 420),
            "is_explicit": at % 5 == 3,
        }

    return make
