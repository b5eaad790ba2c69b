"""Products: what customers can order, with a price, and with units in stock where they are counted."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any

from schemas.logic_models import Attribute
from tasks.authors.rules.nouns import Noun, words_of
from tasks.authors.rules.spec import Deed, Draft, EntitySpec, Filter, Finder, Pick, Record, State, Told, Value, World
from tasks.authors.rules.spoken import pick, told_euros
from tasks.authors.rules.statuses import in_status

MOST_RESTOCKED = 1000
"""Units that come in with one call."""


@dataclass(frozen=True)
class ProductGroup:
    """Products of one category."""

    name: str
    labels: tuple[str, ...]
    prices: tuple[int, ...]
    """In euro cents, to draw from."""
    flagged: bool = False
    """Value of the flag of these products."""


@dataclass(frozen=True)
class Products:
    """What a theme says of its products."""

    of: Noun
    groups: tuple[ProductGroup, ...]
    category: str = "category"
    """Name of the attribute: "course", "aisle"."""
    counted: bool = True
    """Whether units are counted; if not, a product is there or not."""
    seller: Noun | None = None
    """Kind of registry whose records sell them; null where the house itself does."""
    flag: str = ""
    """Boolean attribute such as "needs_prescription"; empty for none."""
    offered: str = "listed"
    withdrawn: str = "delisted"
    """Status of a product that nobody can order."""
    sets_prices: bool = True
    """Whether there is a tool that changes prices."""
    price_limits: tuple[int, int] = (50, 100_000)
    count: tuple[int, int] = (10, 14)

    @property
    def restock_tool(self) -> str:
        """Tool that adds units."""
        return f"restock_{self.of.one}"

    @property
    def price_tool(self) -> str:
        """Tool that changes a price."""
        return f"set_{self.of.one}_price"

    @property
    def offer_tool(self) -> str:
        """Tool that offers a product again."""
        return f"mark_{self.of.one}_{self.offered}"

    @property
    def withdraw_tool(self) -> str:
        """Tool that takes a product off the offer."""
        return f"mark_{self.of.one}_{self.withdrawn}"


def add_products(draft: Draft, what: Products) -> None:
    """Adds the entity, its tools, rules, deeds and finders to the draft."""
    noun = what.of
    draft.alias(f"{noun.title}Category", tuple(group.name for group in what.groups))
    draft.alias(f"{noun.title}Status", (what.offered, what.withdrawn))
    draft.entity(
        EntitySpec(
            noun, f"{noun.a.capitalize()} that can be ordered.", _attributes(what), count=what.count, make=_maker(what)
        )
    )
    _add_rules(draft, what)
    draft.templates.append(("products", {"product": noun, "what": what, "seller": what.seller, "most": MOST_RESTOCKED}))
    by_name, tool = Filter("name_contains", "name"), f"find_{noun.many}"
    draft.finders.append(
        Finder(noun.many, tool, (by_name,), ("the {name_contains}", f"the {noun.spoken} {{name_contains}}"))
    )
    if what.seller:
        key = what.seller.key
        draft.finders.append(
            Finder(noun.many, tool, (by_name, Filter(key, key, "reference")), (f"the {{name_contains}} of {{{key}}}",))
        )
    _add_deeds(draft, what)


def is_offered(what: Products) -> Callable[[Record, World], bool]:
    """Chooses products that can be ordered."""
    return in_status(what.offered)


def _attributes(what: Products) -> tuple[Attribute, ...]:
    low, high = what.price_limits
    listed = [
        Attribute(name="name", type="string", max_length=80, description=f"What the {what.of.spoken} is called."),
        Attribute(
            name=what.category,
            type="enum",
            values=tuple(group.name for group in what.groups),
            description="What kind it is.",
        ),
        Attribute(
            name="price_cents", type="integer", minimum=low, maximum=high, unit="euro cent", description="Price of one."
        ),
    ]
    if what.seller:
        listed.append(
            Attribute(
                name=what.seller.key,
                type="reference",
                to=what.seller.many,
                description=f"The {what.seller.spoken} that sells it.",
            )
        )
    if what.flag:
        listed.append(Attribute(name=what.flag, type="boolean", description=f"Whether it {words_of(what.flag)}."))
    if what.counted:
        listed += [
            Attribute(
                name="stock",
                type="integer",
                minimum=0,
                unit="unit",
                description="Units that are there and not yet ordered.",
            ),
            Attribute(
                name="stocked", type="integer", minimum=0, unit="unit", description="All units that ever came in."
            ),
        ]
    listed.append(
        Attribute(
            name="status",
            type="enum",
            values=(what.offered, what.withdrawn),
            description=f"{words_of(what.withdrawn).capitalize()}: not ordered.",
        )
    )
    return tuple(listed)


def _maker(what: Products) -> Callable[[Random, State, str], Record | None]:
    def make(rng: Random, state: State, new_id: str) -> Record | None:
        there = list(state[what.of.many].values())
        sellers = list(state[what.seller.many]) if what.seller else []
        seller = sellers[len(there) % len(sellers)] if what.seller and sellers else None
        group = (
            what.groups[rng.randrange(len(what.groups))] if what.seller else what.groups[len(there) % len(what.groups)]
        )
        taken = [each["name"] for each in there if what.seller is None or each[what.seller.key] == seller]
        free = [label for label in group.labels if label not in taken]
        if not free or (what.seller and seller is None):
            return None
        record: dict[str, Any] = {
            what.of.key: new_id,
            "name": pick(rng, free),
            what.category: group.name,
            "price_cents": rng.choice(group.prices),
        }
        if what.seller:
            record[what.seller.key] = seller
        if what.flag:
            record[what.flag] = group.flagged
        if what.counted:
            record["stock"] = record["stocked"] = rng.choice((0, 4, 8, 12, 18, 25, 40))
        record["status"] = what.withdrawn if rng.random() < 0.1 else what.offered
        return record

    return make


def _add_rules(draft: Draft, what: Products) -> None:
    noun, (low, high) = what.of, what.price_limits
    if what.sets_prices:
        draft.rule(
            f"{noun.one}_price_in_range",
            "invariant",
            f"The price of {noun.a} lies between {low / 100:.2f} and {high / 100:.2f} euros.",
            f'all({low} <= r["price_cents"] <= {high} for r in state["{noun.many}"].values())',
            by=(what.price_tool,),
        )
    if what.counted:
        draft.rule(
            f"{noun.one}_{what.withdrawn}_not_restocked",
            "precondition",
            f"{noun.a.capitalize()} that is {words_of(what.withdrawn)} is not restocked.",
            f'state["{noun.many}"][args["{noun.key}"]]["status"] == "{what.offered}"',
            by=(what.restock_tool,),
        )


def _add_deeds(draft: Draft, what: Products) -> None:
    noun, offered = what.of, is_offered(what)
    if what.counted:
        draft.deeds.append(
            Deed(
                what.restock_tool,
                (Pick(noun.key, noun.many, offered), Value("quantity", _units)),
                (f"restock {{{noun.key}}} with {{quantity}}", f"book {{quantity}} of {{{noun.key}}} into stock"),
                f"{{quantity}} of {{{noun.key}}} have come in.",
                weight=2,
            )
        )
    if what.sets_prices:
        draft.deeds.append(
            Deed(
                what.price_tool,
                (Pick(noun.key, noun.many), Value("price_cents", _other_price(what))),
                (
                    f"set the price of {{{noun.key}}} to {{price_cents}}",
                    f"change the price of {{{noun.key}}} to {{price_cents}}",
                ),
                f"{{{noun.key}}} now costs {{price_cents}}.",
                weight=0,
            )
        )
    for tool, status, fits in (
        (what.withdraw_tool, what.withdrawn, offered),
        (what.offer_tool, what.offered, lambda record, world: not offered(record, world)),
    ):
        draft.deeds.append(
            Deed(
                tool,
                (Pick(noun.key, noun.many, fits),),
                (f"mark {{{noun.key}}} as {words_of(status)}",),
                f"{{{noun.key}}} is now {words_of(status)}.",
                weight=0,
            )
        )


def _units(world: World) -> Told:
    units = world.rng.randint(5, 60)
    return Told(units, f"{units} units")


def _other_price(what: Products) -> Callable[[World], Told | None]:
    def make(world: World) -> Told | None:
        changed = world.records[what.of.key]["price_cents"] + world.rng.choice((-150, -50, 50, 100, 150, 250))
        return told_euros(changed) if what.price_limits[0] <= changed <= what.price_limits[1] else None

    return make
