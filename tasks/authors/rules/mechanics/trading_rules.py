"""The rules of trading: nothing is spent or sold twice, and limits hold."""

from typing import TYPE_CHECKING

from tasks.authors.rules.spec import Draft

if TYPE_CHECKING:
    from tasks.authors.rules.mechanics.trading import Trading


def add_trading_rules(draft: Draft, what: "Trading") -> None:
    """Adds the rules, with the tools that enforce them."""
    portfolio, owner, security, position, order = what.portfolio, what.owner, what.security, what.position, what.order
    buy, sell = f"place_buy_{order.one}", f"place_sell_{order.one}"
    fill, cancel = f"fill_{order.one}", f"cancel_{order.one}"
    orders = f'state["{order.many}"].values()'
    draft.rule(
        f"{portfolio.one}_cash_is_reserved_once",
        "invariant",
        f"The reserved cash of {portfolio.a} is what its open buy orders need at their limits, and never more than"
        f" its cash.",
        f'all(p["reserved_cents"] == sum(o["units"] * o["limit_cents"] for o in {orders} if o["{portfolio.key}"] == k'
        f' and o["status"] == "open" and o["side"] == "buy") and p["reserved_cents"] <= p["cash_cents"]'
        f' for k, p in state["{portfolio.many}"].items())',
        by=(buy, fill, cancel, "withdraw_cash"),
    )
    draft.rule(
        f"{position.one}_units_are_offered_once",
        "invariant",
        f"The reserved units of {position.a} are what open sell orders offer, and never more than its units.",
        f'all(p["reserved_units"] == sum(o["units"] for o in {orders} if o["{portfolio.key}"] == p["{portfolio.key}"]'
        f' and o["{security.key}"] == p["{security.key}"] and o["status"] == "open" and o["side"] == "sell")'
        f' and p["reserved_units"] <= p["units"] for p in state["{position.many}"].values())',
        by=(sell, fill, cancel),
    )
    draft.rule(
        f"{owner.one}_one_{portfolio.one}",
        "uniqueness",
        f"One {owner.spoken} has at most one {portfolio.spoken}.",
        f'len({{p["{owner.key}"] for p in state["{portfolio.many}"].values()}}) == len(state["{portfolio.many}"])',
        by=(f"open_{portfolio.one}",),
    )
    draft.rule(
        f"{position.one}_once_per_{security.one}",
        "uniqueness",
        f"{portfolio.a.capitalize()} has at most one {position.spoken} in a {security.spoken}.",
        f'len({{(p["{portfolio.key}"], p["{security.key}"]) for p in state["{position.many}"].values()}}) =='
        f' len(state["{position.many}"])',
        by=(fill,),
    )
    draft.rule(
        f"{order.one}_only_while_trading",
        "precondition",
        f"Orders are only placed for {security.a} that is not halted.",
        f'state["{security.many}"][args["{security.key}"]]["status"] == "trading"',
        by=(buy, sell),
    )
    draft.rule(
        f"{order.one}_limit_holds",
        "precondition",
        f"{order.a.capitalize()} is only filled at a price that its limit allows.",
        f'(lambda o: state["{security.many}"][o["{security.key}"]]["price_cents"] <= o["limit_cents"] if o["side"]'
        f' == "buy"'
        f' else state["{security.many}"][o["{security.key}"]]["price_cents"] >='
        f' o["limit_cents"])(state["{order.many}"][args["{order.key}"]])',
        by=(fill,),
    )
    draft.rule(
        f"{order.one}_lifecycle",
        "transition",
        f"{order.a.capitalize()} is open, then filled or cancelled, and stays so.",
        f'all(state["{order.many}"][k]["status"] == o["status"] or o["status"] == "open" for k, o in'
        f' before["{order.many}"].items())',
        by=(fill, cancel),
    )
