"""Units: rooms, beds, cars or tables that are given out one by one, and taken out of service for a reason."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from schemas.logic_models import Attribute
from tasks.authors.rules.nouns import Noun, words_of
from tasks.authors.rules.spec import Deed, Draft, EntitySpec, Filter, Finder, Pick, Record, State, Told, Value, World
from tasks.authors.rules.spoken import pick, told_euros, told_word

USABLE, UNUSABLE = "in_service", "out_of_service"


@dataclass(frozen=True)
class UnitKind:
    """One kind of unit, and what its units may look like."""

    name: str
    labels: tuple[str, ...]
    """Names of its units to draw from; no name is part of another one."""
    capacities: tuple[int, ...] = (1,)
    prices: tuple[int, ...] = (0,)
    """In euro cents."""


@dataclass(frozen=True)
class Units:
    """What a theme says of its units."""

    of: Noun
    kinds: tuple[UnitKind, ...]
    kind: str = "kind"
    """Name of the attribute: "room_type", "ward"."""
    capacity: str = ""
    """Attribute with the number of people (or things) that a unit takes; empty where that plays no part."""
    price: str = ""
    """Attribute with the price in euro cents, ending in "_cents"; empty where nothing is paid."""
    price_limits: tuple[int, int] = (100, 100_000)
    feature: str = ""
    """Attribute with the list of what a unit has; empty where units have nothing special."""
    features: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ("repair", "cleaning", "inspection")
    """Why a unit may be out of service."""
    count: tuple[int, int] = (9, 13)

    @property
    def take_out(self) -> str:
        """Tool that takes a unit out of service."""
        return f"take_{self.of.one}_out_of_service"

    @property
    def put_back(self) -> str:
        """Tool that puts a unit back in service."""
        return f"put_{self.of.one}_back_in_service"

    @property
    def set_price(self) -> str:
        """Tool that changes the price of a unit."""
        return f"set_{self.of.one}_{self.price.removesuffix('_cents')}"


def add_units(draft: Draft, what: Units) -> None:
    """Adds the entity, its tools, rules, deeds and finders to the draft."""
    noun = what.of
    label = noun.label or "name"
    kind_type = draft.alias(alias_of(noun, what.kind), tuple(kind.name for kind in what.kinds))
    draft.alias(f"{noun.title}Status", (USABLE, UNUSABLE))
    draft.alias(f"{noun.title}OutReason", what.reasons)
    if what.feature:
        draft.alias(alias_of(noun, what.feature), what.features)
    draft.entity(
        EntitySpec(
            noun=noun,
            description=f"{noun.a.capitalize()} that is given out here.",
            attributes=_attributes(what, label),
            count=what.count,
            make=_maker(what, label),
        )
    )
    _add_rules(draft, what)
    draft.templates.append(
        (
            "units",
            {
                "unit": noun,
                "label": label,
                "what": what,
                "kind_type": kind_type,
                "feature_type": alias_of(noun, what.feature),
            },
        )
    )
    by_name = Filter("name_contains", label)
    is_named_so = all(text.lower().startswith(noun.spoken) for kind in what.kinds for text in kind.labels)
    named = ("{name_contains}",) if is_named_so else ("the {name_contains}", f"the {noun.spoken} {{name_contains}}")
    draft.finders.append(Finder(noun.many, f"find_{noun.many}", (by_name,), named))
    _add_deeds(draft, what)


def alias_of(noun: Noun, attribute: str) -> str:
    """Name of the Literal type with the values of an attribute: "BedWard", and "RoomType" for a room's room type."""
    return noun.title + "".join(part.capitalize() for part in attribute.removeprefix(f"{noun.one}_").split("_"))


def is_usable(record: Record, world: World) -> bool:
    """Chooses units that are in service."""
    return bool(record["status"] == USABLE)


def _attributes(what: Units, label: str) -> tuple[Attribute, ...]:
    noun = what.of
    kinds = tuple(kind.name for kind in what.kinds)
    listed = [
        Attribute(name=label, type="string", max_length=80, description=f"What the {noun.spoken} is called."),
        Attribute(name=what.kind, type="enum", values=kinds, description=f"Kind of {noun.spoken}."),
    ]
    if what.capacity:
        listed.append(
            Attribute(name=what.capacity, type="integer", minimum=1, maximum=500, description="How many it takes.")
        )
    if what.price:
        low, high = what.price_limits
        listed.append(
            Attribute(
                name=what.price,
                type="integer",
                minimum=low,
                maximum=high,
                unit="euro cent",
                description="What it costs.",
            )
        )
    if what.feature:
        listed.append(
            Attribute(name=what.feature, type="list", items="enum", values=what.features, description="What it has.")
        )
    listed += [
        Attribute(name="status", type="enum", values=(USABLE, UNUSABLE), description="Out of service: not given out."),
        Attribute(
            name="out_reason",
            type="enum",
            values=what.reasons,
            nullable=True,
            description="Why it is out of service, or null.",
        ),
    ]
    return tuple(listed)


def _maker(what: Units, label: str) -> Callable[[Random, State, str], Record | None]:
    def make(rng: Random, state: State, new_id: str) -> Record | None:
        there = state[what.of.many]
        taken = [record[label] for record in there.values()]
        kind = what.kinds[len(there) % len(what.kinds)]
        free = [text for text in kind.labels if text not in taken]
        if not free:
            return None
        record: dict[str, Any] = {what.of.key: new_id, label: pick(rng, free), what.kind: kind.name}
        if what.capacity:
            record[what.capacity] = rng.choice(kind.capacities)
        if what.price:
            record[what.price] = rng.choice(kind.prices)
        if what.feature:
            record[what.feature] = [feature for feature in what.features if rng.random() < 0.4]
        is_out = len(there) > 2 and rng.random() < 0.12
        record["status"] = UNUSABLE if is_out else USABLE
        record["out_reason"] = pick(rng, what.reasons) if is_out else None
        return record

    return make


def _add_rules(draft: Draft, what: Units) -> None:
    noun = what.of
    draft.rule(
        f"{noun.one}_out_for_a_reason",
        "invariant",
        f"{noun.a.capitalize()} has a reason for being out of service exactly while it is out of service.",
        f'all((r["status"] == "{UNUSABLE}") == (r["out_reason"] is not None) for r in state["{noun.many}"].values())',
        by=(what.take_out, what.put_back),
    )
    draft.rule(
        f"{noun.one}_taken_out_once",
        "precondition",
        f"Only {noun.a} in service is taken out of service.",
        f'state["{noun.many}"][args["{noun.key}"]]["status"] == "{USABLE}"',
        by=(what.take_out,),
    )
    if what.price:
        low, high = what.price_limits
        draft.rule(
            f"{noun.one}_price_in_range",
            "invariant",
            f"The {words_of(what.price.removesuffix('_cents'))} of {noun.a} lies between {low // 100} and"
            f" {high // 100} euros.",
            f'all({low} <= r["{what.price}"] <= {high} for r in state["{noun.many}"].values())',
            by=(what.set_price,),
        )


def _add_deeds(draft: Draft, what: Units) -> None:
    noun = what.of
    draft.deeds.append(
        Deed(
            what.take_out,
            (
                Pick(noun.key, noun.many, is_usable),
                Value("reason", lambda world: told_word(pick(world.rng, what.reasons))),
            ),
            (
                f"take {{{noun.key}}} out of service for {{reason}}",
                f"put {{{noun.key}}} out of service, reason: {{reason}}",
            ),
            f"{{{noun.key}}} is out of service for {{reason}}.",
            weight=0,
        )
    )
    draft.deeds.append(
        Deed(
            what.put_back,
            (Pick(noun.key, noun.many, lambda record, world: not is_usable(record, world)),),
            (f"put {{{noun.key}}} back in service", f"bring {{{noun.key}}} back into service"),
            f"{{{noun.key}}} is in service again.",
            weight=0,
        )
    )
    if what.price:
        spoken = words_of(what.price.removesuffix("_cents"))
        draft.deeds.append(
            Deed(
                what.set_price,
                (Pick(noun.key, noun.many), Value(what.price, _other_price(what))),
                (
                    f"set the {spoken} of {{{noun.key}}} to {{{what.price}}}",
                    f"change the {spoken} of {{{noun.key}}} to {{{what.price}}}",
                ),
                f"The {spoken} of {{{noun.key}}} is now {{{what.price}}}.",
                weight=0,
            )
        )


def _other_price(what: Units) -> Callable[[World], Told | None]:
    def make(world: World) -> Told | None:
        now = world.records[what.of.key][what.price]
        changed = now + world.rng.choice((-1500, -1000, -500, 500, 1000, 1500, 2000))
        return told_euros(changed) if what.price_limits[0] <= changed <= what.price_limits[1] else None

    return make


def told_count(number: int, one: str, many: str) -> Told:
    """A number of people or things: "1 person", "4 people"."""
    return Told(number, f"{number} {one if number == 1 else many}")
