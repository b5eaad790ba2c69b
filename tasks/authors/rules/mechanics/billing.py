"""Billing: what is done is invoiced once and paid in one or more payments; who is late gets nothing new."""

from schemas.logic_models import Attribute
from tasks.authors.rules.mechanics.billing_deeds import add_billing_deeds
from tasks.authors.rules.mechanics.billing_words import OPEN, PAID, WRITTEN_OFF, Billing
from tasks.authors.rules.nouns import words_of
from tasks.authors.rules.spec import Draft, EntitySpec, Filter, Finder


def add_billing(draft: Draft, what: Billing) -> None:
    """Adds the entities, their tools, rules, deeds and finders to the draft. The things have to be there already."""
    invoice, payment, payer = what.invoice, what.payment, what.payer
    draft.alias(f"{invoice.title}Status", (OPEN, PAID, WRITTEN_OFF))
    draft.alias(f"{payment.title}Method", what.methods)
    draft.settings[f"{invoice.one}_due_days"] = what.due_days
    draft.settings[f"most_{invoice.one}_discount_percent"] = what.most_discount_percent
    if what.fees:
        draft.settings[f"{what.thing.one}_fee_cents"] = dict(what.fees)
    _add_entities(draft, what)
    _add_rules(draft, what)
    overdue = f'{invoice.one}["status"] == "{OPEN}" and {invoice.one}["due_on"] < self.now[:10]'
    through = what.through
    draft.hook(
        f"{what.thing.one}.book",
        *([f'{payer.key} = self.{through.many}[{through.key}]["{payer.key}"]'] if through else []),
        f"for {invoice.one} in self.{invoice.many}.values():",
        f"    is_overdue = {overdue}",
        f'    if is_overdue and {invoice.one}["{payer.key}"] == {payer.key}:',
        f"        return _fail(f\"{{{invoice.one}['{invoice.key}']}} has been overdue since"
        f" {{{invoice.one}['due_on']}}.\")",
    )
    draft.hook(
        f"{payer.one}.retire",
        f"for {invoice.one} in self.{invoice.many}.values():",
        f'    if {invoice.one}["{payer.key}"] == {payer.key} and {invoice.one}["status"] == "{OPEN}":',
        f"        return _fail(f\"{{{invoice.one}['{invoice.key}']}} is still open.\")",
    )
    draft.templates.append(
        (
            "billing",
            {
                "what": what,
                "invoice": invoice,
                "payment": payment,
                "payer": payer,
                "thing": what.thing,
                "through": through,
            },
        )
    )
    _add_finders(draft, what)
    add_billing_deeds(draft, what)


def _add_entities(draft: Draft, what: Billing) -> None:
    invoice, payment, thing, payer = what.invoice, what.payment, what.thing, what.payer
    cents = {"type": "integer", "minimum": 0, "unit": "euro cent"}
    draft.entity(
        EntitySpec(
            invoice,
            f"What one {payer.spoken} owes for one {thing.spoken}.",
            (
                Attribute(name=thing.key, type="reference", to=thing.many, description=f"The {thing.spoken}."),
                Attribute(
                    name=payer.key, type="reference", to=payer.many, description=f"The {payer.spoken} who owes it."
                ),
                Attribute.model_validate({"name": "amount_cents", "description": "What it comes to.", **cents}),
                Attribute.model_validate({"name": "discount_cents", "description": "What is let off.", **cents}),
                Attribute.model_validate({"name": "paid_cents", "description": "Sum of its payments.", **cents}),
                Attribute(name="issued_at", type="datetime", description="When it was issued."),
                Attribute(name="due_on", type="date", description="Last day on which it can be paid in time."),
                Attribute(
                    name="status",
                    type="enum",
                    values=(OPEN, PAID, WRITTEN_OFF),
                    description="Open while something is left.",
                ),
            ),
        )
    )
    draft.entity(
        EntitySpec(
            payment,
            f"Money that came in for one {invoice.spoken}.",
            (
                Attribute(name=invoice.key, type="reference", to=invoice.many, description=f"The {invoice.spoken}."),
                Attribute(name="amount_cents", type="integer", minimum=1, unit="euro cent", description="How much."),
                Attribute(name="method", type="enum", values=what.methods, description="How it was paid."),
                Attribute(name="paid_at", type="datetime", description="When it came in."),
            ),
        )
    )


def _add_rules(draft: Draft, what: Billing) -> None:
    invoice, payment, thing, payer = what.invoice, what.payment, what.thing, what.payer
    invoices = f'state["{invoice.many}"].values()'
    draft.rule(
        f"{invoice.one}_once_per_{thing.one}",
        "uniqueness",
        f"There is one {invoice.spoken} at most for {thing.a}.",
        f'len({{r["{thing.key}"] for r in {invoices}}}) == len(state["{invoice.many}"])',
        by=(what.issue_tool,),
    )
    draft.rule(
        f"{invoice.one}_for_done_{thing.one}",
        "precondition",
        f"{invoice.a.capitalize()} is only issued for {thing.a} that is {words_of(what.done)}.",
        f'state["{thing.many}"][args["{thing.key}"]]["status"] == "{what.done}"',
        by=(what.issue_tool,),
    )
    draft.rule(
        f"{invoice.one}_payments_add_up",
        "invariant",
        f"What is paid on {invoice.a} is the sum of its payments, and with the discount never more than its amount.",
        f'all(r["paid_cents"] == sum(p["amount_cents"] for p in state["{payment.many}"].values() if'
        f' p["{invoice.key}"] == k)'
        f' and r["paid_cents"] + r["discount_cents"] <= r["amount_cents"] for k, r in state["{invoice.many}"].items())',
        by=(what.pay_tool, what.discount_tool),
    )
    draft.rule(
        f"{invoice.one}_paid_when_nothing_is_left",
        "invariant",
        f"{invoice.a.capitalize()} is paid exactly when nothing of it is left.",
        f'all((r["status"] == "{PAID}") == (r["paid_cents"] + r["discount_cents"] == r["amount_cents"]) for r'
        f" in {invoices})",
        by=(what.pay_tool, what.discount_tool, what.write_off_tool),
    )
    draft.rule(
        f"{invoice.one}_most_discount",
        "invariant",
        f"At most {what.most_discount_percent} percent of {invoice.a} is let off.",
        f'all(r["discount_cents"] * 100 <= r["amount_cents"] * state["settings"]["most_{invoice.one}_discount_percent"]'
        f" for r in {invoices})",
        by=(what.discount_tool,),
    )
    draft.rule(
        f"{invoice.one}_stays_settled",
        "transition",
        f"{invoice.a.capitalize()} that is paid or written off stays so.",
        f'all(r["status"] == "{OPEN}" or state["{invoice.many}"][k] == r for k, r in before["{invoice.many}"].items())',
        by=(what.pay_tool, what.discount_tool, what.write_off_tool),
    )
    owes = (
        f'state["{what.through.many}"][args["{what.through.key}"]]["{payer.key}"]'
        if what.through
        else f'args["{payer.key}"]'
    )
    draft.rule(
        f"{payer.one}_with_overdue_{invoice.one}",
        "precondition",
        f"{payer.a.capitalize()} with {invoice.a} that is overdue gets no new {thing.spoken}.",
        f'not any(r["{payer.key}"] == {owes} and r["status"] == "{OPEN}" and r["due_on"] < now[:10] for r in'
        f" {invoices})",
        by=(what.booked_by,),
    )


def _add_finders(draft: Draft, what: Billing) -> None:
    invoice, payer = what.invoice, what.payer
    tool = f"list_{invoice.many}"
    who = Filter(payer.key, payer.key, "reference")
    day, status = Filter("issued_on", "issued_at", "day"), Filter("status", "status")
    draft.finders += [
        Finder(invoice.many, tool, (who, status), (f"the {{status}} {invoice.spoken} of {{{payer.key}}}",)),
        Finder(invoice.many, tool, (who, day), (f"{{{payer.key}}}'s {invoice.spoken} of {{issued_on}}",)),
        Finder(
            invoice.many, tool, (who, day, status), (f"{{{payer.key}}}'s {{status}} {invoice.spoken} of {{issued_on}}",)
        ),
    ]
