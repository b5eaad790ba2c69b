"""What a person may ask for about invoices."""

from collections.abc import Callable
from dataclasses import replace

from tasks.authors.rules.mechanics.billing_words import OPEN, Billing
from tasks.authors.rules.mechanics.past import leaving_one
from tasks.authors.rules.spec import Deed, Draft, Pick, Record, Told, Value, World
from tasks.authors.rules.spoken import pick, told_euros, told_word

_WHOLE_SHARE = 0.5
"""How many payments settle all that is left."""


def add_billing_deeds(draft: Draft, what: Billing) -> None:
    """Adds the deeds of every tool of the billing."""
    partly = replace(_pay(what, _round_part(what)), in_tasks=False)
    draft.deeds += [*leaving_one(_issue(what)), *leaving_one(_pay(what, _payment(what))), partly]
    draft.deeds += [_discount(what), _write_off(what)]


def _issue(what: Billing) -> Deed:
    invoice, thing = what.invoice, what.thing
    return Deed(
        what.issue_tool,
        (Pick(thing.key, thing.many, _is_not_invoiced(what)),),
        (f"issue the {invoice.spoken} for {{{thing.key}}}", f"write {invoice.a} for {{{thing.key}}}"),
        f"{{{thing.key}}} has {invoice.a} now.",
        creates=invoice.many,
        weight=12,
    )


def _pay(what: Billing, amount: Callable[[World], Told | None]) -> Deed:
    invoice, payment = what.invoice, what.payment
    return Deed(
        what.pay_tool,
        (
            Pick(invoice.key, invoice.many, _is_open),
            Value("amount_cents", amount),
            Value("method", lambda world: told_word(pick(world.rng, what.methods))),
        ),
        (
            f"record {payment.a} of {{amount_cents}} by {{method}} on {{{invoice.key}}}",
            f"enter {{amount_cents}} paid by {{method}} for {{{invoice.key}}}",
        ),
        f"{{amount_cents}} have been paid on {{{invoice.key}}}.",
        creates=payment.many,
        weight=7,
    )


def _discount(what: Billing) -> Deed:
    invoice = what.invoice
    return Deed(
        what.discount_tool,
        (Pick(invoice.key, invoice.many, _has_no_discount), Value("discount_cents", _part(what))),
        (
            f"give a discount of {{discount_cents}} on {{{invoice.key}}}",
            f"take {{discount_cents}} off {{{invoice.key}}}",
        ),
        f"{{discount_cents}} are let off on {{{invoice.key}}}.",
        weight=1,
    )


def _write_off(what: Billing) -> Deed:
    invoice = what.invoice
    return Deed(
        what.write_off_tool,
        (Pick(invoice.key, invoice.many, _is_overdue),),
        (f"write off what is left of {{{invoice.key}}}", f"write off {{{invoice.key}}}"),
        f"{{{invoice.key}}} is written off.",
        weight=0,
    )


def _left(invoice: Record) -> int:
    return int(invoice["amount_cents"] - invoice["discount_cents"] - invoice["paid_cents"])


def _is_open(invoice: Record, world: World) -> bool:
    return bool(invoice["status"] == OPEN)


def _is_overdue(invoice: Record, world: World) -> bool:
    return bool(invoice["status"] == OPEN and invoice["due_on"] < world.now[:10])


def _has_no_discount(invoice: Record, world: World) -> bool:
    return bool(invoice["status"] == OPEN and invoice["discount_cents"] == 0)


def _is_not_invoiced(what: Billing) -> Callable[[Record, World], bool]:
    def fits(thing: Record, world: World) -> bool:
        key = what.thing.key
        return thing["status"] == what.done and not any(
            invoice[key] == thing[key] for invoice in world.state[what.invoice.many].values()
        )

    return fits


def _payment(what: Billing) -> Callable[[World], Told]:
    """All that is left, or a round part of it."""

    def make(world: World) -> Told:
        part = _round_part(what)(world)
        whole = told_euros(_left(world.records[what.invoice.key]))
        return whole if part is None or world.rng.random() < _WHOLE_SHARE else part

    return make


def _round_part(what: Billing) -> Callable[[World], Told | None]:
    """About half of what is left, in whole euros; null where that is nothing."""

    def make(world: World) -> Told | None:
        euros = _left(world.records[what.invoice.key]) // 200
        return told_euros(100 * euros) if euros else None

    return make


def _part(what: Billing) -> Callable[[World], Told | None]:
    """A round discount within the limit that leaves something to pay."""

    def make(world: World) -> Told | None:
        invoice = world.records[what.invoice.key]
        most = min(invoice["amount_cents"] * what.most_discount_percent // 100, _left(invoice) - 1)
        euros = most // 100
        return told_euros(100 * world.rng.randint(1, euros)) if euros >= 1 else None

    return make
