"""The rules of admissions: nothing oversold, totals right, changes in time."""

from typing import TYPE_CHECKING

from tasks.authors.rules.spec import Draft

if TYPE_CHECKING:
    from tasks.authors.rules.mechanics.admissions import Admissions


def add_admission_rules(draft: Draft, what: "Admissions") -> None:
    """Adds the rules, with the tools that enforce them."""
    event, category, booking, holder = what.event, what.category, what.booking, what.holder
    hold, pay, cancel = f"{what.hold}_seats", f"pay_{booking.one}", f"cancel_{booking.one}"
    change, use, price = (
        f"change_{booking.one}_{category.one}",
        f"{what.use}_{booking.one}",
        f"set_{category.one}_price",
    )
    many = booking.many
    draft.rule(
        f"{category.one}_not_oversold",
        "invariant",
        f"Never more seats are booked in {category.a} than it has.",
        f'all(sum(b["quantity"] for b in state["{many}"].values() if b["{category.key}"] == k and b["status"] !='
        f' "cancelled")'
        f' <= c["seats"] for k, c in state["{category.many}"].items())',
        by=(hold, change),
    )
    draft.rule(
        f"{holder.one}_seat_limit",
        "invariant",
        f"One {holder.spoken} has at most {what.most_seats} seats at {event.a}.",
        f'all(sum(b["quantity"] for b in state["{many}"].values() if b["{holder.key}"] == h and b["{event.key}"] == e'
        f' and b["status"] != "cancelled") <= state["settings"]["most_seats_per_{event.one}"]'
        f' for h in state["{holder.many}"] for e in state["{event.many}"])',
        by=(hold,),
    )
    draft.rule(
        f"{booking.one}_belongs_to_{event.one}",
        "invariant",
        f"The {category.spoken} of {booking.a} belongs to its {event.spoken}.",
        f'all(state["{category.many}"][b["{category.key}"]]["{event.key}"] == b["{event.key}"] for b in'
        f' state["{many}"].values())',
        by=(hold, change),
    )
    draft.rule(
        f"{booking.one}_on_sale",
        "precondition",
        f"Seats are only given while the {event.spoken} is on sale and has not started.",
        f'state["{event.many}"][state["{category.many}"][args["{category.key}"]]["{event.key}"]]["status"] =='
        f' "on_sale" and'
        f' state["{event.many}"][state["{category.many}"][args["{category.key}"]]["{event.key}"]]["starts_at"] > now',
        by=(hold,),
    )
    draft.rule(
        f"{booking.one}_notice",
        "precondition",
        f"{booking.a.capitalize()} is changed or cancelled at least {what.notice_hours} hours before the"
        f" {event.spoken} starts.",
        f'datetime.fromisoformat(state["{event.many}"][state["{many}"][args["{booking.key}"]]["{event.key}"]]["starts_at"])'
        f' >= datetime.fromisoformat(now) + timedelta(hours=state["settings"]["{booking.one}_notice_hours"])',
        by=(change, cancel),
    )
    draft.rule(
        f"{booking.one}_lifecycle",
        "transition",
        f"{booking.a.capitalize()} is held, then paid, then {what.used}; before that it may be cancelled.",
        f'all(state["{many}"][k]["status"] == b["status"] or (b["status"], state["{many}"][k]["status"]) in'
        f' (("held", "paid"),'
        f' ("held", "cancelled"), ("paid", "cancelled"), ("paid", "{what.used}")) for k, b in'
        f' before["{many}"].items())',
        by=(pay, cancel, use),
    )
    draft.rule(
        f"{booking.one}_price_is_kept",
        "transition",
        f"A new price never changes what {booking.a} costs that is there already, unless its seats change.",
        f'all(state["{many}"][k]["total_cents"] == b["total_cents"] or state["{many}"][k]["{category.key}"] !='
        f' b["{category.key}"]'
        f' for k, b in before["{many}"].items())',
        by=(price,),
    )
