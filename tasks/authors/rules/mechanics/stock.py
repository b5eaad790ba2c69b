"""Stock: items with a quantity that comes in and goes out, every movement on record."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from schemas.logic_models import Attribute
from tasks.authors.rules.nouns import Noun, words_of
from tasks.authors.rules.spec import Deed, Draft, EntitySpec, Filter, Finder, Pick, Record, State, Told, Value, World
from tasks.authors.rules.spoken import pick
from tasks.authors.rules.statuses import in_status


@dataclass(frozen=True)
class Stock:
    """What a theme says of its stock."""

    item: Noun
    movement: Noun
    items: dict[str, tuple[str, ...]]
    """Category -> names on the shelf; a name occurs once."""
    receive: str = "receive"
    take: str = "use"
    """Verb of the tool that takes units out."""
    most_at_once: int = 50
    """Most units taken out in one call."""
    has_expiry: bool = False
    """Whether items have a last day of use."""
    count: tuple[int, int] = (9, 14)

    @property
    def category_of(self) -> dict[str, str]:
        """Name -> category."""
        return {name: category for category, names in self.items.items() for name in names}


def add_stock(draft: Draft, what: Stock) -> None:
    """Adds the entities, their tools, rules, deeds and finders to the draft."""
    item, movement = what.item, what.movement
    categories = tuple(what.items)
    draft.alias(f"{item.title}Category", categories)
    draft.alias(f"{item.title}Status", ("listed", "discontinued"))
    draft.settings["most_units_at_once"] = what.most_at_once
    attributes = [
        Attribute(name="name", type="string", max_length=80, description="Name on the shelf."),
        Attribute(name="category", type="enum", values=categories, description=f"Kind of {item.spoken}."),
        Attribute(name="quantity", type="integer", minimum=0, unit="unit", description="Units on the shelf."),
        Attribute(
            name="opening_quantity", type="integer", minimum=0, unit="unit", description="Units before any movement."
        ),
        Attribute(
            name="reorder_level",
            type="integer",
            minimum=0,
            maximum=1000,
            unit="unit",
            description="At or below it the item is low.",
        ),
        Attribute(
            name="status",
            type="enum",
            values=("listed", "discontinued"),
            description="Discontinued ones are used up, never received.",
        ),
    ]
    if what.has_expiry:
        attributes.append(Attribute(name="expires_on", type="date", description="Last day on which it may be used."))
    draft.entity(
        EntitySpec(
            item, f"{item.a.capitalize()} kept in stock.", tuple(attributes), count=what.count, make=_maker(what)
        )
    )
    draft.entity(
        EntitySpec(
            movement,
            f"Units of one {item.spoken} that came in or went out.",
            (
                Attribute(name=item.key, type="reference", to=item.many, description=f"The {item.spoken}."),
                Attribute(
                    name="direction", type="enum", values=("in", "out"), description="Whether units came or went."
                ),
                Attribute(
                    name="quantity", type="integer", minimum=1, maximum=1000, unit="unit", description="How many units."
                ),
                Attribute(name="moved_at", type="datetime", description="When."),
            ),
        )
    )
    draft.alias(f"{movement.title}Direction", ("in", "out"))
    _add_rules(draft, what)
    draft.templates.append(("stock", {"what": what, "item": item, "movement": movement}))
    by_name = Filter("name_contains", "name")
    draft.finders.append(Finder(item.many, f"find_{item.many}", (by_name,), ("the {name_contains}", "{name_contains}")))
    draft.finders.append(
        Finder(
            item.many,
            f"find_{item.many}",
            (by_name, Filter("category", "category")),
            ("{name_contains} (under {category})",),
        )
    )
    _add_deeds(draft, what)


def _add_rules(draft: Draft, what: Stock) -> None:
    item, movement = what.item, what.movement
    take, receive = f"{what.take}_{item.one}", f"{what.receive}_{item.one}"
    draft.rule(
        f"{item.one}_never_negative",
        "invariant",
        f"There are never fewer than 0 units of {item.a}.",
        f'all(r["quantity"] >= 0 for r in state["{item.many}"].values())',
        by=(take,),
    )
    draft.rule(
        f"{item.one}_movements_add_up",
        "invariant",
        f"The quantity of {item.a} is its opening quantity plus what came in minus what went out.",
        f'all(r["quantity"] == r["opening_quantity"] + sum(m["quantity"] if m["direction"] == "in" else -m["quantity"]'
        f' for m in state["{movement.many}"].values() if m["{item.key}"] == k) for k, r in'
        f' state["{item.many}"].items())',
        by=(take, receive),
    )
    draft.rule(
        f"{item.one}_discontinued_not_received",
        "precondition",
        f"A discontinued {item.spoken} is never received again.",
        f'state["{item.many}"][args["{item.key}"]]["status"] == "listed"',
        by=(receive,),
    )
    if what.has_expiry:
        draft.rule(
            f"{item.one}_not_expired",
            "precondition",
            f"{item.a.capitalize()} is only taken out until the day on which it expires.",
            f'state["{item.many}"][args["{item.key}"]]["expires_on"] >= now[:10]',
            by=(take,),
        )


def _maker(what: Stock) -> Callable[[Random, State, str], Record | None]:
    category_of = what.category_of

    def make(rng: Random, state: State, new_id: str) -> Record | None:
        taken = [record["name"] for record in state[what.item.many].values()]
        free = [name for name in category_of if name not in taken]
        if not free:
            return None
        name = pick(rng, free)
        quantity = rng.choice((0, 3, 6, 9, 14, 22, 30, 45))
        record = {
            what.item.key: new_id,
            "name": name,
            "category": category_of[name],
            "quantity": quantity,
            "opening_quantity": quantity,
            "reorder_level": rng.choice((2, 5, 8, 10)),
            "status": "discontinued" if rng.random() < 0.1 else "listed",
        }
        if what.has_expiry:
            record["expires_on"] = f"{2025 + rng.randrange(2)}-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}"
        return record

    return make


def _add_deeds(draft: Draft, what: Stock) -> None:
    item, movement = what.item, what.movement
    draft.deeds.append(
        Deed(
            f"{what.receive}_{item.one}",
            (
                Pick(item.key, item.many, in_status("listed")),
                Value("quantity", _units(60)),
            ),
            (
                f"book {{quantity}} units of {{{item.key}}} into stock",
                f"{words_of(what.receive)} {{quantity}} units of {{{item.key}}}",
            ),
            f"{{quantity}} units of {{{item.key}}} are in stock now.",
            creates=movement.many,
            weight=3,
        )
    )
    draft.deeds.append(
        Deed(
            f"{what.take}_{item.one}",
            (Pick(item.key, item.many, _in_stock(what)), Value("quantity", _some_of(what))),
            (
                f"take {{quantity}} units of {{{item.key}}} out of stock",
                f"{words_of(what.take)} {{quantity}} units of {{{item.key}}}",
            ),
            f"{{quantity}} units of {{{item.key}}} are taken out.",
            creates=movement.many,
            weight=4,
        )
    )
    draft.deeds.append(
        Deed(
            f"set_{item.one}_reorder_level",
            (Pick(item.key, item.many), Value("reorder_level", _units(40))),
            (f"set the reorder level of {{{item.key}}} to {{reorder_level}}",),
            f"The reorder level of {{{item.key}}} is now {{reorder_level}}.",
            weight=0,
        )
    )
    draft.deeds.append(
        Deed(
            f"discontinue_{item.one}",
            (Pick(item.key, item.many, in_status("listed")),),
            (f"mark {{{item.key}}} as discontinued", f"discontinue {{{item.key}}}"),
            f"{{{item.key}}} is discontinued.",
            weight=0,
        )
    )


def _units(most: int) -> Callable[[World], Told]:
    def make(world: World) -> Told:
        units = world.rng.randint(2, most)
        return Told(units, str(units))

    return make


def _in_stock(what: Stock) -> Callable[[Record, World], bool]:
    def fits(record: Record, world: World) -> bool:
        return bool(record["quantity"] >= 2 and (not what.has_expiry or record["expires_on"] >= world.now[:10]))

    return fits


def _some_of(what: Stock) -> Callable[[World], Told]:
    def make(world: World) -> Told:
        there = min(world.records[what.item.key]["quantity"], what.most_at_once)
        units = world.rng.randint(2, max(2, there))
        return Told(units, str(units))

    return make
