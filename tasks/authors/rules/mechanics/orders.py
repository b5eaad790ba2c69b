"""Orders: customers order products line by line, and an order goes its way from open to its end."""

from schemas.logic_models import Attribute
from tasks.authors.rules.mechanics.order_deeds import add_order_deeds
from tasks.authors.rules.mechanics.order_rules import add_order_rules
from tasks.authors.rules.mechanics.order_words import Orders
from tasks.authors.rules.mechanics.roster import WEEKDAYS
from tasks.authors.rules.nouns import Noun, words_of
from tasks.authors.rules.spec import Draft, EntitySpec, Filter, Finder


def add_orders(draft: Draft, what: Orders) -> None:
    """Adds the entities, their tools, rules, deeds and finders. Products and people have to be there already."""
    order, line = what.order, what.line
    draft.alias(f"{order.title}Status", what.statuses)
    if what.return_days:
        draft.alias(f"{order.title}ReturnReason", what.return_reasons)
    draft.settings.update({f"least_per_{line.one}": what.least_of_one, f"most_per_{line.one}": what.most_of_one})
    draft.settings[f"most_{line.many}"] = what.most_lines
    if what.least_total_cents:
        draft.settings[f"least_{order.one}_total_cents"] = what.least_total_cents
    if what.return_days:
        draft.settings[f"{order.one}_return_days"] = what.return_days
    if what.carrier:
        draft.settings[f"most_{order.many}_per_{what.carrier.one}"] = what.most_carried
        draft.constants["_WEEKDAYS"] = repr(WEEKDAYS).replace("'", '"')
    draft.entity(EntitySpec(order, f"What one {what.customer.spoken} wants to have.", _order_attributes(what)))
    draft.entity(EntitySpec(line, f"One {what.product.spoken} in one {order.spoken}.", _line_attributes(what)))
    add_order_rules(draft, what)
    for noun in (what.customer, what.seller):
        if noun:
            _keep_while_open(draft, what, noun, "retire", f"not in ({_quoted(what.ends)})")
    if what.carrier:
        _keep_while_open(draft, what, what.carrier, "away", f"in ({_quoted(what.carrying)},)")
    context = {
        "what": what,
        "order": order,
        "line": line,
        "product": what.product,
        "customer": what.customer,
        "seller": what.seller,
        "carrier": what.carrier,
        "before": {step.verb: status for step, status in zip(what.steps, what.statuses[1:], strict=False)},
    }
    for template in ("orders", "order_lines", "order_steps"):
        draft.templates.append((template, context))
    _add_finders(draft, what)
    add_order_deeds(draft, what)


def _keep_while_open(draft: Draft, what: Orders, noun: Noun, place: str, condition: str) -> None:
    order = what.order
    draft.hook(
        f"{noun.one}.{place}",
        f"for {order.one} in self.{order.many}.values():",
        f'    if {order.one}["{noun.key}"] == {noun.key} and {order.one}["status"] {condition}:',
        f"        return _fail(f\"{{{order.one}['{order.key}']}} is still"
        f" {{{order.one}['status'].replace('_', ' ')}}.\")",
    )


def _quoted(names: tuple[str, ...]) -> str:
    return ", ".join(f'"{name}"' for name in names)


def _order_attributes(what: Orders) -> tuple[Attribute, ...]:
    customer, seller, carrier = what.customer, what.seller, what.carrier
    listed = [Attribute(name=customer.key, type="reference", to=customer.many, description=f"The {customer.spoken}.")]
    if seller:
        listed.append(
            Attribute(name=seller.key, type="reference", to=seller.many, description=f"The {seller.spoken} that sells.")
        )
    if what.permit:
        listed.append(
            Attribute(
                name=what.permit,
                type="string",
                nullable=True,
                max_length=20,
                description="What flagged products need, or null.",
            )
        )
    if carrier:
        listed.append(
            Attribute(
                name=carrier.key,
                type="reference",
                to=carrier.many,
                nullable=True,
                description=f"The {carrier.spoken}, once assigned.",
            )
        )
    listed += [
        Attribute(name="total_cents", type="integer", minimum=0, unit="euro cent", description="Sum of the lines."),
        Attribute(name="opened_at", type="datetime", description="When it was opened."),
        Attribute(
            name="ended_at", type="datetime", nullable=True, description=f"When it was {words_of(what.last)}, or null."
        ),
    ]
    if what.return_days:
        listed.append(
            Attribute(
                name="return_reason",
                type="enum",
                values=what.return_reasons,
                nullable=True,
                description="Why it came back, or null.",
            )
        )
    listed.append(Attribute(name="status", type="enum", values=what.statuses, description="Where it is on its way."))
    return tuple(listed)


def _line_attributes(what: Orders) -> tuple[Attribute, ...]:
    order, product = what.order, what.product
    return (
        Attribute(name=order.key, type="reference", to=order.many, description=f"The {order.spoken}."),
        Attribute(name=product.key, type="reference", to=product.many, description=f"The {product.spoken}."),
        Attribute(
            name="quantity", type="integer", minimum=1, maximum=what.most_of_one, unit="unit", description="How many."
        ),
        Attribute(
            name="price_cents",
            type="integer",
            minimum=0,
            unit="euro cent",
            description="Price of one when it was added.",
        ),
    )


def _add_finders(draft: Draft, what: Orders) -> None:
    order, line, customer, product = what.order, what.line, what.customer, what.product
    tool = f"list_{order.many}"
    who = Filter(customer.key, customer.key, "reference")
    day, status = Filter("opened_on", "opened_at", "day"), Filter("status", "status")
    draft.finders += [
        Finder(
            order.many,
            tool,
            (who, status),
            (
                f"the {order.spoken} of {{{customer.key}}} that is {{status}}",
                f"{{{customer.key}}}'s {order.spoken} that is {{status}}",
            ),
        ),
        Finder(
            order.many,
            tool,
            (who, day),
            (f"the {order.spoken} that was opened for {{{customer.key}}} on {{opened_on}}",),
        ),
        Finder(
            order.many,
            tool,
            (who, day, status),
            (f"the {order.spoken} of {{{customer.key}}} that was opened on {{opened_on}} and is {{status}}",),
        ),
        Finder(
            line.many,
            f"list_{line.many}",
            (Filter(order.key, order.key, "reference"), Filter(product.key, product.key, "reference")),
            (f"{{{product.key}}} in {{{order.key}}}",),
        ),
    ]
