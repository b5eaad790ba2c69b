"""Trading: portfolios with cash and positions; orders that are placed with a limit, filled or cancelled."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from schemas.logic_models import Attribute
from tasks.authors.rules.mechanics.trading_deeds import add_trading_deeds
from tasks.authors.rules.mechanics.trading_rules import add_trading_rules
from tasks.authors.rules.nouns import Noun
from tasks.authors.rules.spec import Draft, EntitySpec, Filter, Finder, Record, State


@dataclass(frozen=True)
class Trading:
    """What a theme says of its trading."""

    portfolio: Noun
    owner: Noun
    """A kind of registry."""
    security: Noun
    position: Noun
    order: Noun
    securities: dict[str, tuple[str, ...]]
    """Sector -> names of securities."""
    most_units: int = 500
    """Most units in one order."""


def add_trading(draft: Draft, what: Trading) -> None:
    """Adds the entities, their tools, rules, deeds and finders to the draft."""
    portfolio, owner, security, position, order = what.portfolio, what.owner, what.security, what.position, what.order
    sectors, security_count = tuple(what.securities), sum(len(names) for names in what.securities.values())
    draft.alias(f"{security.title}Sector", sectors)
    draft.alias(f"{security.title}Status", ("trading", "halted"))
    draft.alias(f"{order.title}Side", ("buy", "sell"))
    draft.alias(f"{order.title}Status", ("open", "filled", "cancelled"))
    draft.settings[f"most_units_per_{order.one}"] = what.most_units
    cents = "euro cent"
    draft.entity(
        EntitySpec(
            security,
            "Something that is bought and sold in units.",
            (
                Attribute(name="name", type="string", max_length=80, description="Full name."),
                Attribute(name="sector", type="enum", values=sectors, description="Line of business."),
                Attribute(
                    name="price_cents", type="integer", minimum=1, unit=cents, description="Last price of one unit."
                ),
                Attribute(name="status", type="enum", values=("trading", "halted"), description="Halted: no orders."),
            ),
            (security_count, security_count),
            _security_maker(what),
        )
    )
    draft.entity(
        EntitySpec(
            portfolio,
            f"Cash and positions of one {owner.spoken}; each {owner.spoken} has one.",
            (
                Attribute(name=owner.key, type="reference", to=owner.many, description=f"The {owner.spoken}."),
                Attribute(
                    name="cash_cents", type="integer", minimum=0, unit=cents, description="Cash, reserved or not."
                ),
                Attribute(
                    name="reserved_cents",
                    type="integer",
                    minimum=0,
                    unit=cents,
                    description="Cash that open buy orders may need.",
                ),
            ),
            (8, 12),
            _portfolio_maker(what),
        )
    )
    draft.entity(
        EntitySpec(
            position,
            f"Units of one {security.spoken} in one {portfolio.spoken}.",
            (
                Attribute(
                    name=portfolio.key, type="reference", to=portfolio.many, description=f"The {portfolio.spoken}."
                ),
                Attribute(name=security.key, type="reference", to=security.many, description=f"The {security.spoken}."),
                Attribute(name="units", type="integer", minimum=0, unit="unit", description="Units owned."),
                Attribute(
                    name="reserved_units",
                    type="integer",
                    minimum=0,
                    unit="unit",
                    description="Units that open sell orders offer.",
                ),
            ),
            (14, 20),
            _position_maker(what),
        )
    )
    draft.entity(
        EntitySpec(
            order,
            f"An order to buy or sell for one {portfolio.spoken}.",
            (
                Attribute(
                    name=portfolio.key, type="reference", to=portfolio.many, description=f"The {portfolio.spoken}."
                ),
                Attribute(name=security.key, type="reference", to=security.many, description=f"The {security.spoken}."),
                Attribute(name="side", type="enum", values=("buy", "sell"), description="Buy or sell."),
                Attribute(
                    name="units",
                    type="integer",
                    minimum=1,
                    maximum=what.most_units,
                    unit="unit",
                    description="How many.",
                ),
                Attribute(
                    name="limit_cents",
                    type="integer",
                    minimum=1,
                    unit=cents,
                    description="Worst price per unit that is accepted.",
                ),
                Attribute(
                    name="status", type="enum", values=("open", "filled", "cancelled"), description="Where it stands."
                ),
                Attribute(name="changed_at", type="datetime", description="Last change."),
            ),
        )
    )
    add_trading_rules(draft, what)
    draft.hook(
        f"{owner.one}.retire",
        f"for {order.one} in self.{order.many}.values():",
        f'    {portfolio.one} = self.{portfolio.many}[{order.one}["{portfolio.key}"]]',
        f'    if {portfolio.one}["{owner.key}"] == {owner.key} and {order.one}["status"] == "open":',
        f"        return _fail(f\"{{{order.one}['{order.key}']}} is still open; cancel it first.\")",
    )
    names = {"portfolio": portfolio, "owner": owner, "security": security, "position": position, "order": order}
    draft.templates.append(("trading", {"what": what, **names}))
    whose = Filter(owner.key, owner.key, "reference")
    which = Filter(security.key, security.key, "reference")
    whose_portfolio = Filter(portfolio.key, portfolio.key, "reference")
    draft.finders += [
        Finder(
            security.many,
            f"find_{security.many}",
            (Filter("name_contains", "name"),),
            ("{name_contains}", f"the {security.spoken} {{name_contains}}"),
        ),
        Finder(
            portfolio.many,
            f"list_{portfolio.many}",
            (whose,),
            (f"{{{owner.key}}}'s {portfolio.spoken}", f"the {portfolio.spoken} of {{{owner.key}}}"),
        ),
        Finder(
            order.many,
            f"list_{order.many}",
            (whose_portfolio, which, Filter("status", "status"), Filter("side", "side")),
            (f"the {{status}} {{side}} {order.spoken} for {{{security.key}}} in {{{portfolio.key}}}",),
        ),
    ]
    add_trading_deeds(draft, what)


def _security_maker(what: Trading) -> Callable[[Random, State, str], Record | None]:
    listed = [(name, sector) for sector, names in what.securities.items() for name in names]

    def make(rng: Random, state: State, new_id: str) -> Record | None:
        name, sector = listed[len(state[what.security.many])]
        return {
            what.security.key: new_id,
            "name": name,
            "sector": sector,
            "price_cents": rng.randint(12, 180) * 100 + rng.choice((0, 25, 50, 75)),
            "status": "halted" if rng.random() < 0.1 else "trading",
        }

    return make


def _portfolio_maker(what: Trading) -> Callable[[Random, State, str], Record | None]:
    def make(rng: Random, state: State, new_id: str) -> Record | None:
        taken = [each[what.owner.key] for each in state[what.portfolio.many].values()]
        free = [key for key in state[what.owner.many] if key not in taken]
        if not free:
            return None
        cash = rng.choice((45_000, 180_000, 420_000, 1_250_000, 2_600_050))
        return {what.portfolio.key: new_id, what.owner.key: free[0], "cash_cents": cash, "reserved_cents": 0}

    return make


def _position_maker(what: Trading) -> Callable[[Random, State, str], Record | None]:
    def make(rng: Random, state: State, new_id: str) -> Record | None:
        there = {(each[what.portfolio.key], each[what.security.key]) for each in state[what.position.many].values()}
        free = [
            (one, other)
            for one in state[what.portfolio.many]
            for other in state[what.security.many]
            if (one, other) not in there
        ]
        if not free:
            return None
        one, other = free[rng.randrange(len(free))]
        return {
            what.position.key: new_id,
            what.portfolio.key: one,
            what.security.key: other,
            "units": rng.randint(4, 90),
            "reserved_units": 0,
        }

    return make
