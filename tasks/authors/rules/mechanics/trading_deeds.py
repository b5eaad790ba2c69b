"""What is asked for at an order desk: orders placed, filled and cancelled, cash and portfolios."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from tasks.authors.rules.mechanics.registry import is_active
from tasks.authors.rules.spec import Deed, Draft, Pick, Record, Told, Value, World
from tasks.authors.rules.spoken import euro_words, told_euros
from tasks.authors.rules.statuses import in_status

if TYPE_CHECKING:
    from tasks.authors.rules.mechanics.trading import Trading


def add_trading_deeds(draft: Draft, what: "Trading") -> None:
    """Adds the deeds, for the past of initial states and for tasks."""
    portfolio, owner, security, order = what.portfolio, what.owner, what.security, what.order
    one, which, whose = f"{{{order.key}}}", f"{{{security.key}}}", f"{{{portfolio.key}}}"
    trades = in_status("trading")
    draft.deeds += [
        Deed(
            f"place_buy_{order.one}",
            (
                Pick(
                    portfolio.key,
                    portfolio.many,
                    lambda record, world: record["cash_cents"] - record["reserved_cents"] >= 40_000,
                ),
                Pick(security.key, security.many, trades),
                Value("units", _affordable_units(what)),
                Value("limit_cents", _limit(what, above=True)),
            ),
            (
                f"place an order to buy {{units}} units of {which} for {whose}, at {{limit_cents}} each at most",
                f"buy {{units}} units of {which} for {whose} with a limit of {{limit_cents}} per unit",
            ),
            f"The order to buy {{units}} units of {which} is placed.",
            creates=order.many,
            weight=5,
        ),
        Deed(
            f"place_sell_{order.one}",
            (
                Pick(portfolio.key, portfolio.many, _owns_something(what)),
                Pick(security.key, security.many, _owned(what)),
                Value("units", _owned_units(what)),
                Value("limit_cents", _limit(what, above=False)),
            ),
            (
                f"place an order to sell {{units}} units of {which} out of {whose}, at {{limit_cents}} each at least",
                f"sell {{units}} units of {which} from {whose} with a limit of {{limit_cents}} per unit",
            ),
            f"The order to sell {{units}} units of {which} is placed.",
            creates=order.many,
            weight=4,
        ),
        Deed(
            f"fill_{order.one}",
            (Pick(order.key, order.many, _fillable(what)),),
            (f"fill {one} at the last price", f"execute {one}"),
            f"{one} is filled.",
            weight=4,
        ),
        Deed(
            f"cancel_{order.one}",
            (Pick(order.key, order.many, in_status("open")),),
            (f"cancel {one}", f"take back {one}"),
            f"{one} is cancelled.",
            weight=2,
        ),
        Deed(
            "deposit_cash",
            (
                Pick(portfolio.key, portfolio.many),
                Value("amount_cents", lambda world: told_euros(world.rng.randint(2, 60) * 5_000)),
            ),
            (f"pay {{amount_cents}} into {whose}", f"add {{amount_cents}} in cash to {whose}"),
            f"{{amount_cents}} is in {whose} now.",
            weight=2,
        ),
        Deed(
            f"halt_{security.one}",
            (Pick(security.key, security.many, trades),),
            (f"halt the trading of {which}",),
            f"{which} is halted.",
            weight=0,
        ),
        Deed(
            f"open_{portfolio.one}",
            (Pick(owner.key, owner.many, _without_portfolio(what)),),
            (f"open a {portfolio.spoken} for {{{owner.key}}}",),
            f"{{{owner.key}}} has a {portfolio.spoken} now.",
            creates=portfolio.many,
            weight=1,
        ),
    ]


def _free_units(what: "Trading", world: World, portfolio: str, security: str) -> int:
    for each in world.state[what.position.many].values():
        if (each[what.portfolio.key], each[what.security.key]) == (portfolio, security):
            return int(each["units"] - each["reserved_units"])
    return 0


def _owns_something(what: "Trading") -> Callable[[Record, World], bool]:
    def fits(record: Record, world: World) -> bool:
        key = record[what.portfolio.key]
        return any(_free_units(what, world, key, each) >= 2 for each in world.state[what.security.many])

    return fits


def _owned(what: "Trading") -> Callable[[Record, World], bool]:
    def fits(record: Record, world: World) -> bool:
        free = _free_units(what, world, world.chosen[what.portfolio.key], record[what.security.key])
        return bool(record["status"] == "trading" and free >= 2)

    return fits


def _owned_units(what: "Trading") -> Callable[[World], Told]:
    def make(world: World) -> Told:
        free = _free_units(what, world, world.chosen[what.portfolio.key], world.chosen[what.security.key])
        units = world.rng.randint(1, min(free, what.most_units))
        return Told(units, str(units))

    return make


def _affordable_units(what: "Trading") -> Callable[[World], Told | None]:
    def make(world: World) -> Told | None:
        portfolio = world.records[what.portfolio.key]
        limit = world.records[what.security.key]["price_cents"] + 500
        most = min((portfolio["cash_cents"] - portfolio["reserved_cents"]) // limit, 40)
        units = world.rng.randint(1, most) if most >= 1 else 0
        return Told(units, str(units)) if units else None

    return make


def _limit(what: "Trading", *, above: bool) -> Callable[[World], Told]:
    def make(world: World) -> Told:
        price = world.records[what.security.key]["price_cents"] // 100 * 100
        step = world.rng.choice((0, 100, 200, 300))
        cents = price + 100 + step if above else max(100, price - step)
        return Told(cents, euro_words(cents))

    return make


def _fillable(what: "Trading") -> Callable[[Record, World], bool]:
    def fits(record: Record, world: World) -> bool:
        security = world.state[what.security.many][record[what.security.key]]
        price, limit = security["price_cents"], record["limit_cents"]
        is_reached = price <= limit if record["side"] == "buy" else price >= limit
        return bool(record["status"] == "open" and security["status"] == "trading" and is_reached)

    return fits


def _without_portfolio(what: "Trading") -> Callable[[Record, World], bool]:
    def fits(record: Record, world: World) -> bool:
        owners = [each[what.owner.key] for each in world.state[what.portfolio.many].values()]
        return is_active()(record, world) and record[what.owner.key] not in owners

    return fits
