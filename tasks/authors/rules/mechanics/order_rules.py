"""The rules of orders, as predicates."""

from tasks.authors.rules.mechanics.order_words import CANCELLED, OPEN, PLACED, RETURNED, Orders
from tasks.authors.rules.nouns import joined, words_of
from tasks.authors.rules.spec import Draft


def add_order_rules(draft: Draft, what: Orders) -> None:
    """Adds every rule that the options ask for."""
    _add_line_rules(draft, what)
    _add_sum_rules(draft, what)
    _add_placing_rules(draft, what)
    _add_life_rules(draft, what)
    if what.carrier:
        _add_carrier_rules(draft, what)


def _add_line_rules(draft: Draft, what: Orders) -> None:
    order, line, product = what.order, what.line, what.product
    lines = f'state["{line.many}"].values()'
    draft.rule(
        f"{line.one}_per_{product.one}_once",
        "uniqueness",
        f"{order.a.capitalize()} has one line a {product.spoken} at most.",
        f'len({{(r["{order.key}"], r["{product.key}"]) for r in {lines}}}) == len(state["{line.many}"])',
        by=(what.add_tool,),
    )
    draft.rule(
        f"{line.one}_quantity_in_range",
        "invariant",
        f"One line is for {what.least_of_one} to {what.most_of_one} units.",
        f'all(state["settings"]["least_per_{line.one}"] <= r["quantity"] <='
        f' state["settings"]["most_per_{line.one}"] for r in {lines})',
        by=(what.add_tool, what.change_tool),
    )
    draft.rule(
        f"{order.one}_most_lines",
        "invariant",
        f"{order.a.capitalize()} has {what.most_lines} lines at most.",
        f'all(sum(r["{order.key}"] == k for r in {lines}) <= state["settings"]["most_{line.many}"] for k in'
        f' state["{order.many}"])',
        by=(what.add_tool,),
    )
    draft.rule(
        f"{order.one}_edited_while_open",
        "transition",
        f"Lines are only added to, changed in or removed from {order.a} that is open.",
        f'all(k in state["{line.many}"] and state["{line.many}"][k]["quantity"] == r["quantity"]'
        f' for k, r in before["{line.many}"].items() if before["{order.many}"][r["{order.key}"]]["status"] != "{OPEN}")'
        f' and all(before["{order.many}"][r["{order.key}"]]["status"] == "{OPEN}"'
        f' for k, r in state["{line.many}"].items() if k not in before["{line.many}"])',
        by=(what.add_tool, what.change_tool, what.remove_tool),
    )
    if what.seller:
        key = what.seller.key
        draft.rule(
            f"{order.one}_from_one_{what.seller.one}",
            "invariant",
            f"All {product.spoken_many} of {order.a} are sold by its {what.seller.spoken}.",
            f'all(state["{product.many}"][r["{product.key}"]]["{key}"] =='
            f' state["{order.many}"][r["{order.key}"]]["{key}"]'
            f" for r in {lines})",
            by=(what.add_tool,),
        )


def _add_sum_rules(draft: Draft, what: Orders) -> None:
    order, line, product = what.order, what.line, what.product
    lines = f'state["{line.many}"].values()'
    draft.rule(
        f"{order.one}_total",
        "invariant",
        f"The total of {order.a} is the sum of its lines.",
        f'all(o["total_cents"] == sum(r["quantity"] * r["price_cents"] for r in {lines} if r["{order.key}"] == k)'
        f' for k, o in state["{order.many}"].items())',
        by=(what.add_tool, what.change_tool, what.remove_tool),
    )
    if what.counted:
        changing = [what.place_tool, what.cancel_tool, f"restock_{product.one}"]
        draft.rule(
            f"{product.one}_stock_adds_up",
            "invariant",
            f"The stock of {product.a} is what ever came in less what {order.spoken_many} have taken, and never"
            " below 0.",
            f'all(p["stock"] >= 0 and p["stock"] == p["stocked"] - sum(r["quantity"] for r in {lines}'
            f' if r["{product.key}"] == k and state["{order.many}"][r["{order.key}"]]["status"] in'
            f" {_tuple(what.consuming)})"
            f' for k, p in state["{product.many}"].items())',
            by=(*changing, what.return_tool) if what.return_days else tuple(changing),
        )


def _add_placing_rules(draft: Draft, what: Orders) -> None:
    order, line, product, customer = what.order, what.line, what.product, what.customer
    mine = f'for r in state["{line.many}"].values() if r["{order.key}"] == args["{order.key}"]'
    record = f'state["{order.many}"][args["{order.key}"]]'
    of_line = f'state["{product.many}"][r["{product.key}"]]'
    opened = f'[o["{customer.key}"] for o in state["{order.many}"].values() if o["status"] == "{OPEN}"]'
    draft.rule(
        f"{customer.one}_has_one_open_{order.one}",
        "invariant",
        f"{customer.a.capitalize()} has one open {order.spoken} at most.",
        f"len({opened}) == len(set({opened}))",
        by=(what.open_tool,),
    )
    draft.rule(
        f"{order.one}_placed_with_lines",
        "precondition",
        f"Only {order.a} that is open and has lines is placed, and only with {product.spoken_many} that are"
        f" {words_of(what.product_on)}.",
        f'{record}["status"] == "{OPEN}" and any(True {mine}) and all({of_line}["status"] =='
        f' "{what.product_on}" {mine})',
        by=(what.place_tool,),
    )
    if what.counted:
        draft.rule(
            f"{order.one}_placed_from_stock",
            "precondition",
            f"{order.a.capitalize()} is only placed when every {product.spoken} in it is in stock; placing"
            " takes the units.",
            f'all(r["quantity"] <= {of_line}["stock"] {mine})',
            by=(what.place_tool,),
        )
    if what.least_total_cents:
        draft.rule(
            f"{order.one}_least_total",
            "precondition",
            f"{order.a.capitalize()} below {what.least_total_cents / 100:.2f} euros is not placed.",
            f'{record}["total_cents"] >= state["settings"]["least_{order.one}_total_cents"]',
            by=(what.place_tool,),
        )
    if what.permit:
        draft.rule(
            f"{order.one}_{what.permit}",
            "precondition",
            f"{order.a.capitalize()} without a {words_of(what.permit)} is only placed when no {product.spoken} in it"
            " needs one.",
            f'{record}["{what.permit}"] is not None or not any({of_line}["{what.flag}"] {mine})',
            by=(what.place_tool,),
        )


def _add_life_rules(draft: Draft, what: Orders) -> None:
    order = what.order
    record = f'state["{order.many}"][args["{order.key}"]]'
    way = [OPEN, PLACED, *(step.to for step in what.steps)]
    moves = [*zip(way, way[1:], strict=False), *((status, CANCELLED) for status in what.cancellable)]
    tools = [what.place_tool, *(what.step_tool(step) for step in what.steps), what.cancel_tool]
    text = f"{order.a.capitalize()} goes from {' to '.join(words_of(each) for each in way)}"
    text += f"; it is cancelled only while it is {joined([words_of(each) for each in what.cancellable], 'or')}"
    if what.return_days:
        moves.append((what.last, RETURNED))
        tools.append(what.return_tool)
        text += f", and returned only once it is {words_of(what.last)}"
        draft.rule(
            f"{order.one}_returned_in_time",
            "precondition",
            f"{order.a.capitalize()} is taken back within {what.return_days} days after it was {words_of(what.last)}.",
            f'{record}["status"] == "{what.last}" and datetime.fromisoformat(now) <='
            f' datetime.fromisoformat({record}["ended_at"])'
            f' + timedelta(days=state["settings"]["{order.one}_return_days"])',
            by=(what.return_tool,),
        )
    allowed = ", ".join(f'("{one}", "{other}")' for one, other in moves)
    now = f'state["{order.many}"][k]["status"]'
    draft.rule(
        f"{order.one}_lifecycle",
        "transition",
        f"{text}.",
        f'all({now} == r["status"] or (r["status"], {now}) in ({allowed}) for k, r in before["{order.many}"].items())',
        by=tuple(tools),
    )


def _add_carrier_rules(draft: Draft, what: Orders) -> None:
    order, carrier, customer = what.order, what.carrier, what.customer
    if carrier is None or what.assigning is None:
        return
    chosen = f'state["{carrier.many}"][args["{carrier.key}"]]'
    record = f'state["{order.many}"][args["{order.key}"]]'
    tool = what.step_tool(what.assigning)
    draft.rule(
        f"{carrier.one}_goes_there",
        "precondition",
        f"{order.a.capitalize()} is only given to {carrier.a} who is on duty today and goes to the"
        f" {words_of(what.zone)}"
        f" of the {customer.spoken}.",
        f'{chosen}["status"] == "available"'
        f' and state["{customer.many}"][{record}["{customer.key}"]]["{what.zone}"] in {chosen}["{what.carrier_skill}"]'
        ' and ("mon", "tue", "wed", "thu", "fri", "sat", "sun")[datetime.fromisoformat(now).weekday()] in'
        f' {chosen}["works_on"]',
        by=(tool,),
    )
    draft.rule(
        f"{carrier.one}_most_{order.many}",
        "invariant",
        f"{carrier.a.capitalize()} has {what.most_carried} {order.spoken_many} under way at most.",
        f'all(sum(o["{carrier.key}"] == k and o["status"] in {_tuple(what.carrying)} for o in'
        f' state["{order.many}"].values())'
        f' <= state["settings"]["most_{order.many}_per_{carrier.one}"] for k in state["{carrier.many}"])',
        by=(tool,),
    )


def _tuple(names: tuple[str, ...]) -> str:
    return "(" + "".join(f'"{name}", ' for name in names).rstrip() + ")"
