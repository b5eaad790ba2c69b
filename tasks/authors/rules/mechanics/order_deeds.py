"""What a person may ask for about orders."""

from collections.abc import Callable
from datetime import datetime, timedelta

from tasks.authors.rules.mechanics.order_words import OPEN, Orders, Step
from tasks.authors.rules.mechanics.past import leaving_one
from tasks.authors.rules.mechanics.registry import is_active
from tasks.authors.rules.nouns import words_of
from tasks.authors.rules.spec import Deed, Draft, FromQuery, Pick, Record, Slot, State, Told, Value, World
from tasks.authors.rules.spoken import pick, told_word
from tasks.authors.rules.statuses import in_status

Fits = Callable[[Record, World], bool]


def add_order_deeds(draft: Draft, what: Orders) -> None:
    """Adds the deeds of every tool of the orders; some go on with an order that the same task has opened."""
    draft.deeds += [_open(what), _add(what, (), 18), _add(what, (what.open_tool, what.add_tool), 0)]
    draft.deeds += [*leaving_one(_place(what, (), 14)), _place(what, (what.open_tool, what.add_tool), 0)]
    draft.deeds += [_change(what), _remove(what), _cancel(what)]
    if what.permit:
        draft.deeds.append(_permit(what))
    before = what.statuses[1:]
    for step, status in zip(what.steps[:-1], before, strict=False):
        draft.deeds += leaving_one(_step(what, step, status))
    draft.deeds.append(_step(what, what.steps[-1], before[len(what.steps) - 1]))
    if what.return_days:
        draft.deeds += leaving_one(_return(what))


def _open(what: Orders) -> Deed:
    order, customer, seller = what.order, what.customer, what.seller
    slots: list[Slot] = [Pick(customer.key, customer.many, _has_no_open_order(what))]
    from_seller = ""
    if seller:
        slots.append(Pick(seller.key, seller.many, is_active(what.comes)))
        from_seller = f" from {{{seller.key}}}"
    return Deed(
        what.open_tool,
        tuple(slots),
        (
            f"open a new {order.spoken} for {{{customer.key}}}{from_seller}",
            f"start a new {order.spoken}{from_seller} for {{{customer.key}}}",
        ),
        f"{{{customer.key}}} has a new {order.spoken}.",
        creates=order.many,
        weight=12,
    )


def _add(what: Orders, follows: tuple[str, ...], weight: int) -> Deed:
    order, product = what.order, what.product
    return Deed(
        what.add_tool,
        (
            Pick(order.key, order.many, _has_room(what)),
            Pick(product.key, product.many, _may_be_added(what)),
            Value("quantity", _quantity(what)),
        ),
        (
            f"add {{quantity}} of {{{product.key}}} to {{{order.key}}}",
            f"put {{quantity}} of {{{product.key}}} into {{{order.key}}}",
        ),
        f"{{quantity}} of {{{product.key}}} are in {{{order.key}}}.",
        creates=what.line.many,
        follows=follows,
        weight=weight,
    )


def _place(what: Orders, follows: tuple[str, ...], weight: int) -> Deed:
    order = what.order
    return Deed(
        what.place_tool,
        (Pick(order.key, order.many, _can_be_placed(what)),),
        (what.place_words.replace("{}", f"{{{order.key}}}"),),
        f"{{{order.key}}} is placed.",
        follows=follows,
        weight=weight,
    )


def _change(what: Orders) -> Deed:
    line = what.line
    return Deed(
        what.change_tool,
        (Pick(line.key, line.many, _is_in_open_order(what)), Value("quantity", _other_quantity(what))),
        (f"change the quantity of {{{line.key}}} to {{quantity}}", f"make it {{quantity}} of {{{line.key}}}"),
        f"The quantity of {{{line.key}}} is now {{quantity}}.",
        weight=1,
    )


def _remove(what: Orders) -> Deed:
    line = what.line
    return Deed(
        what.remove_tool,
        (Pick(line.key, line.many, _is_in_open_order(what)),),
        (f"remove {{{line.key}}}", f"take out {{{line.key}}}"),
        f"{{{line.key}}} is removed.",
        weight=1,
    )


def _cancel(what: Orders) -> Deed:
    order = what.order
    return Deed(
        what.cancel_tool,
        (Pick(order.key, order.many, in_status(*what.cancellable)),),
        (f"cancel {{{order.key}}}", f"call off {{{order.key}}}"),
        f"{{{order.key}}} is cancelled.",
        weight=1,
    )


def _permit(what: Orders) -> Deed:
    order, spoken = what.order, words_of(what.permit)
    return Deed(
        what.permit_tool,
        (Pick(order.key, order.many, _lacks_permit(what)), Value(what.permit, _permit_text)),
        (
            f"record the {spoken} {{{what.permit}}} for {{{order.key}}}",
            f"note {{{what.permit}}} as the {spoken} of {{{order.key}}}",
        ),
        f"{{{order.key}}} has the {spoken} {{{what.permit}}}.",
        weight=8,
    )


def _step(what: Orders, step: Step, before: str) -> Deed:
    order, carrier = what.order, what.carrier
    slots: list[Slot] = [Pick(order.key, order.many, in_status(before))]
    by = ""
    if step.assigns and carrier:
        by = f" with {{{carrier.key}}}"
        slots.append(
            FromQuery(
                carrier.key,
                what.carriers_tool,
                ((order.key, order.key),),
                ("data", 0, carrier.key),
                f"the first {carrier.spoken} in the list of those who may take it",
            )
        )
    return Deed(
        what.step_tool(step),
        tuple(slots),
        (step.words.replace("{}", f"{{{order.key}}}") + by,),
        f"{{{order.key}}} is {words_of(step.to)} now.",
        weight=12,
    )


def _return(what: Orders) -> Deed:
    order = what.order
    return Deed(
        what.return_tool,
        (
            Pick(order.key, order.many, _may_come_back(what)),
            Value("reason", lambda world: told_word(pick(world.rng, what.return_reasons))),
        ),
        (
            f"take {{{order.key}}} back, reason: {{reason}}",
            f"book {{{order.key}}} as a return with the reason {{reason}}",
        ),
        f"{{{order.key}}} is returned.",
        weight=1,
    )


def _lines_of(what: Orders, state: State, order_id: str) -> list[Record]:
    return [line for line in state[what.line.many].values() if line[what.order.key] == order_id]


def _has_no_open_order(what: Orders) -> Fits:
    def fits(customer: Record, world: World) -> bool:
        key = what.customer.key
        orders = world.state[what.order.many].values()
        return customer["status"] == what.comes and not any(
            order[key] == customer[key] and order["status"] == OPEN for order in orders
        )

    return fits


def _has_room(what: Orders) -> Fits:
    def fits(order: Record, world: World) -> bool:
        lines = _lines_of(what, world.state, order[what.order.key])
        return bool(order["status"] == OPEN and len(lines) < min(what.most_lines, 4))

    return fits


def _may_be_added(what: Orders) -> Fits:
    """Products on offer, sold by the chosen order's seller, in stock, and not in the order yet."""

    def fits(product: Record, world: World) -> bool:
        order = world.records[what.order.key]
        key = what.product.key
        is_sold_there = what.seller is None or product[what.seller.key] == order[what.seller.key]
        is_there = not what.counted or product["stock"] >= what.least_of_one
        taken = [line[key] for line in _lines_of(what, world.state, order[what.order.key])]
        return product["status"] == what.product_on and is_sold_there and is_there and product[key] not in taken

    return fits


def _quantity(what: Orders) -> Callable[[World], Told]:
    def make(world: World) -> Told:
        product = world.records[what.product.key]
        most = min(what.most_of_one, product["stock"]) if what.counted else what.most_of_one
        return _told_units(world.rng.randint(what.least_of_one, min(most, what.least_of_one + 7)))

    return make


def _other_quantity(what: Orders) -> Callable[[World], Told | None]:
    def make(world: World) -> Told | None:
        quantity = world.rng.randint(what.least_of_one, min(what.most_of_one, what.least_of_one + 7))
        return None if quantity == world.records[what.line.key]["quantity"] else _told_units(quantity)

    return make


def _told_units(units: int) -> Told:
    return Told(units, str(units))


def _can_be_placed(what: Orders) -> Fits:
    def fits(order: Record, world: World) -> bool:
        lines = _lines_of(what, world.state, order[what.order.key])
        products = world.state[what.product.many]
        ordered = [(line["quantity"], products[line[what.product.key]]) for line in lines]
        are_there = all(
            product["status"] == what.product_on and (not what.counted or quantity <= product["stock"])
            for quantity, product in ordered
        )
        has_permit = not what.permit or order[what.permit] or not any(product[what.flag] for _, product in ordered)
        is_enough = order["total_cents"] >= what.least_total_cents
        return bool(order["status"] == OPEN and lines and are_there and has_permit and is_enough)

    return fits


def _is_in_open_order(what: Orders) -> Fits:
    return lambda line, world: bool(world.state[what.order.many][line[what.order.key]]["status"] == OPEN)


def _lacks_permit(what: Orders) -> Fits:
    def fits(order: Record, world: World) -> bool:
        products = world.state[what.product.many]
        lines = _lines_of(what, world.state, order[what.order.key])
        is_needed = any(products[line[what.product.key]][what.flag] for line in lines)
        return bool(order["status"] == OPEN and order[what.permit] is None and is_needed)

    return fits


def _permit_text(world: World) -> Told:
    text = f"RX-{world.rng.randrange(10_000, 99_999)}"
    return Told(text, text)


def _may_come_back(what: Orders) -> Fits:
    def fits(order: Record, world: World) -> bool:
        if order["status"] != what.last:
            return False
        latest = datetime.fromisoformat(order["ended_at"]) + timedelta(days=what.return_days)
        return datetime.fromisoformat(world.now) <= latest

    return fits
