"""Enrolment: members take places in groups that have room for so many; the others wait in line."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from random import Random

from schemas.logic_models import Attribute
from tasks.authors.rules.mechanics.registry import is_active
from tasks.authors.rules.nouns import Noun, words_of
from tasks.authors.rules.spec import Deed, Draft, EntitySpec, Filter, Finder, Pick, Record, State, Told, Value, World
from tasks.authors.rules.spoken import pick
from tasks.authors.rules.statuses import in_status


@dataclass(frozen=True)
class Enrolment:
    """What a theme says of its groups and the places in them."""

    group: Noun
    """What is joined: "course", "class", "tour"."""
    member: Noun
    """Who joins: a kind of registry."""
    place: Noun
    """One member in one group: "enrolment"."""
    names: tuple[str, ...]
    levels: tuple[str, ...] = ()
    """Ascending levels; the member has one too, and may not join a group above it. Empty: no levels."""
    enrol: str = "enrol"
    drop: str = "drop"
    most_places: int = 4
    """Most groups that one member is in or waits for."""
    capacities: tuple[int, ...] = (3, 4, 6, 8)
    count: tuple[int, int] = (7, 10)


def add_enrolment(draft: Draft, what: Enrolment) -> None:
    """Adds the entities, their tools, rules, deeds and finders to the draft."""
    group, member, place = what.group, what.member, what.place
    draft.alias(f"{group.title}Status", ("open", "closed"))
    draft.alias(f"{place.title}Status", ("enrolled", "waiting", "dropped"))
    draft.settings[f"most_{place.many}_per_{member.one}"] = what.most_places
    attributes = [
        Attribute(name="name", type="string", max_length=80, description=f"Name of the {group.spoken}."),
        Attribute(
            name="capacity", type="integer", minimum=1, maximum=500, unit="place", description="How many have room."
        ),
        Attribute(name="starts_on", type="date", description="First day; after it nobody joins or leaves."),
        Attribute(name="status", type="enum", values=("open", "closed"), description="Whether new ones are taken."),
    ]
    if what.levels:
        draft.alias(f"{group.title}Level", what.levels)
        draft.constants["_LEVELS"] = repr(what.levels).replace("'", '"')
        attributes.append(
            Attribute(name="level", type="enum", values=what.levels, description="Level that it asks for.")
        )
    draft.entity(
        EntitySpec(
            group,
            f"{group.a.capitalize()} that {member.spoken_many} join.",
            tuple(attributes),
            what.count,
            _maker(what),
        )
    )
    draft.entity(
        EntitySpec(
            place,
            f"One {member.spoken} in one {group.spoken}, or waiting for it.",
            (
                Attribute(name=member.key, type="reference", to=member.many, description=f"The {member.spoken}."),
                Attribute(name=group.key, type="reference", to=group.many, description=f"The {group.spoken}."),
                Attribute(
                    name="status",
                    type="enum",
                    values=draft.aliases[f"{place.title}Status"],
                    description="Dropped ones free their place.",
                ),
                Attribute(
                    name="position",
                    type="integer",
                    minimum=1,
                    nullable=True,
                    description="Place in the waiting line; null unless waiting.",
                ),
                Attribute(name="changed_at", type="datetime", description="Last change."),
            ),
        )
    )
    _add_rules(draft, what)
    draft.hook(
        f"{member.one}.retire",
        f"for {place.one} in self.{place.many}.values():",
        f'    if {place.one}["{member.key}"] == {member.key} and {place.one}["status"] != "dropped":',
        f'        if self.{group.many}[{place.one}["{group.key}"]]["starts_on"] > self.now[:10]:',
        f"            return _fail(f\"{{{place.one}['{place.key}']}} is still {{{place.one}['status']}}; {what.drop}"
        f' it first.")',
    )
    draft.templates.append(("enrolment", {"what": what, "group": group, "member": member, "place": place}))
    whose = Filter(member.key, member.key, "reference")
    which = Filter(group.key, group.key, "reference")
    draft.finders += [
        Finder(
            group.many,
            f"find_{group.many}",
            (Filter("name_contains", "name"),),
            ("{name_contains}", f"the {group.spoken} {{name_contains}}"),
        ),
        Finder(
            place.many,
            f"list_{place.many}",
            (whose, which),
            (
                f"{{{member.key}}}'s {place.spoken} in {{{group.key}}}",
                f"the {place.spoken} of {{{member.key}}} in {{{group.key}}}",
            ),
        ),
    ]
    _add_deeds(draft, what)


def _add_rules(draft: Draft, what: Enrolment) -> None:
    group, member, place = what.group, what.member, what.place
    enrol, drop, grow = f"{what.enrol}_{member.one}", f"{what.drop}_{place.one}", f"set_{group.one}_capacity"
    many = place.many
    draft.rule(
        f"{group.one}_not_overfull",
        "invariant",
        f"Never more {member.spoken_many} are in {group.a} than it has places.",
        f'all(sum(1 for p in state["{many}"].values() if p["{group.key}"] == k and p["status"] == "enrolled") <='
        f' g["capacity"]'
        f' for k, g in state["{group.many}"].items())',
        by=(enrol, drop, grow),
    )
    draft.rule(
        f"{member.one}_once_per_{group.one}",
        "uniqueness",
        f"One {member.spoken} has at most one {place.spoken} in {group.a} that is not dropped.",
        f'(lambda pairs: len(pairs) == len(set(pairs)))([(p["{member.key}"], p["{group.key}"])'
        f' for p in state["{many}"].values() if p["status"] != "dropped"])',
        by=(enrol,),
    )
    draft.rule(
        f"{group.one}_nobody_waits_for_a_free_place",
        "invariant",
        f"Nobody waits for {group.a} that still has a free place, and the line counts 1, 2, 3 without gaps.",
        f'all((lambda line: sorted(p["position"] for p in line) == list(range(1, len(line) + 1)) and (not line or'
        f' sum(1 for p in state["{many}"].values() if p["{group.key}"] == k and p["status"] == "enrolled") >='
        f' g["capacity"]))'
        f'([p for p in state["{many}"].values() if p["{group.key}"] == k and p["status"] == "waiting"])'
        f' for k, g in state["{group.many}"].items())',
        by=(enrol, drop, grow),
    )
    draft.rule(
        f"{member.one}_{place.one}_limit",
        "invariant",
        f"One {member.spoken} is in, or waits for, at most {what.most_places} {group.spoken_many} that have not"
        f" started.",
        f'all(sum(1 for p in state["{many}"].values() if p["{member.key}"] == k and p["status"] != "dropped" and'
        f' state["{group.many}"][p["{group.key}"]]["starts_on"] > now[:10]) <= {what.most_places} for k in'
        f' state["{member.many}"])',
        by=(enrol,),
    )
    draft.rule(
        f"{group.one}_open_before_start",
        "precondition",
        f"{group.a.capitalize()} takes new {member.spoken_many} only while it is open and before its first day.",
        f'state["{group.many}"][args["{group.key}"]]["status"] == "open" and'
        f' state["{group.many}"][args["{group.key}"]]["starts_on"] > now[:10]',
        by=(enrol,),
    )
    if what.levels:
        draft.rule(
            f"{member.one}_level_suffices",
            "precondition",
            f"A {member.spoken} joins {group.a} only if the own level is at least the level that it asks for.",
            f'{list(what.levels)!r}.index(state["{member.many}"][args["{member.key}"]]["level"])'
            f' >= {list(what.levels)!r}.index(state["{group.many}"][args["{group.key}"]]["level"])',
            by=(enrol,),
        )


def _maker(what: Enrolment) -> Callable[[Random, State, str], Record | None]:
    def make(rng: Random, state: State, new_id: str) -> Record | None:
        there = state[what.group.many]
        free = [name for name in what.names if name not in [each["name"] for each in there.values()]]
        if not free:
            return None
        start = date.fromisoformat(state["now"][:10]) + timedelta(days=rng.choice((6, 20, 27, 34, 41, 55)))
        record = {
            what.group.key: new_id,
            "name": pick(rng, free),
            "capacity": what.capacities[rng.randrange(len(what.capacities))],
            "starts_on": start.isoformat(),
            "status": "closed" if rng.random() < 0.1 else "open",
        }
        if what.levels:
            record["level"] = what.levels[min(rng.randrange(len(what.levels)), rng.randrange(len(what.levels)))]
        return record

    return make


def _add_deeds(draft: Draft, what: Enrolment) -> None:
    group, member, place = what.group, what.member, what.place
    who, which, one = f"{{{member.key}}}", f"{{{group.key}}}", f"{{{place.key}}}"
    draft.deeds += [
        Deed(
            f"{what.enrol}_{member.one}",
            (Pick(member.key, member.many, is_active()), Pick(group.key, group.many, _joinable(what))),
            (f"{words_of(what.enrol)} {who} in {which}", f"put {who} down for {which}"),
            f"{who} is down for {which}.",
            creates=place.many,
            weight=8,
        ),
        Deed(
            f"{what.drop}_{place.one}",
            (Pick(place.key, place.many, _can_leave(what)),),
            (f"{words_of(what.drop)} {one}", f"take back {one}"),
            f"{one} is dropped.",
            weight=1,
        ),
        Deed(
            f"close_{group.one}",
            (Pick(group.key, group.many, in_status("open")),),
            (f"close {which} to new {member.spoken_many}",),
            f"{which} takes nobody new.",
            weight=0,
        ),
        Deed(
            f"reopen_{group.one}",
            (Pick(group.key, group.many, in_status("closed")),),
            (f"reopen {which}",),
            f"{which} is open again.",
            weight=0,
        ),
        Deed(
            f"set_{group.one}_capacity",
            (Pick(group.key, group.many), Value("capacity", _more_room(what))),
            (
                f"raise the capacity of {which} to {{capacity}}",
                f"make room for {{capacity}} {member.spoken_many} in {which}",
            ),
            f"{which} has {{capacity}} places now.",
            weight=0,
        ),
    ]


def _joinable(what: Enrolment) -> Callable[[Record, World], bool]:
    def fits(record: Record, world: World) -> bool:
        level = world.records[what.member.key]["level"] if what.levels else None
        high_enough = level is None or what.levels.index(level) >= what.levels.index(record["level"])
        return bool(record["status"] == "open" and record["starts_on"] > world.now[:10] and high_enough)

    return fits


def _can_leave(what: Enrolment) -> Callable[[Record, World], bool]:
    def fits(record: Record, world: World) -> bool:
        starts = world.state[what.group.many][record[what.group.key]]["starts_on"]
        return bool(record["status"] != "dropped" and starts > world.now[:10])

    return fits


def _more_room(what: Enrolment) -> Callable[[World], Told]:
    def make(world: World) -> Told:
        room = world.records[what.group.key]["capacity"] + world.rng.randint(1, 6)
        return Told(room, str(room))

    return make
