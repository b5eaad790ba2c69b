"""The rules of stays, as predicates."""

from tasks.authors.rules.mechanics.stay_words import BOOKED, CANCELLED, NO_SHOW, Stays
from tasks.authors.rules.mechanics.units import USABLE
from tasks.authors.rules.nouns import words_of
from tasks.authors.rules.spec import Draft


def add_stay_rules(draft: Draft, what: Stays) -> None:
    """Adds every rule that the options ask for."""
    _add_overlap_rules(draft, what)
    _add_day_rules(draft, what)
    _add_fit_rules(draft, what)
    _add_life_rules(draft, what)


def _add_overlap_rules(draft: Draft, what: Stays) -> None:
    stay, unit, guest = what.stay, what.unit, what.guest
    changing = (what.book_tool, what.change_tool, what.extend_tool)
    nouns = (unit, guest) if what.one_per_guest else (unit,)
    for noun in nouns:
        draft.rule(
            f"{noun.one}_has_one_{stay.one}_a_{what.day}",
            "invariant",
            f"Two open {stay.spoken_many} of one {noun.spoken} never share a {what.day}.",
            f'all(a["{stay.key}"] >= b["{stay.key}"] or a["{noun.key}"] != b["{noun.key}"]'
            f' or a["status"] not in {_open(what)} or b["status"] not in {_open(what)}'
            f' or a["{what.last}"] <= b["{what.first}"] or b["{what.last}"] <= a["{what.first}"]'
            f' for a in state["{stay.many}"].values() for b in state["{stay.many}"].values())',
            by=(*changing, what.move_tool) if noun is unit else changing,
        )
    inside = f'[r["{unit.key}"] for r in state["{stay.many}"].values() if r["status"] == "{what.started}"]'
    draft.rule(
        f"{unit.one}_given_out_once",
        "invariant",
        f"No {unit.spoken} has two {stay.spoken_many} that are {words_of(what.started)} at once, however late"
        " one of them ends.",
        f"len({inside}) == len(set({inside}))",
        by=(what.start_tool, what.move_tool),
    )


def _add_day_rules(draft: Draft, what: Stays) -> None:
    stay = what.stay
    days = f'(date.fromisoformat(r["{what.last}"]) - date.fromisoformat(r["{what.first}"])).days'
    draft.rule(
        f"{stay.one}_length",
        "invariant",
        f"{stay.a.capitalize()} has 1 to {what.longest} {what.day}s.",
        f'all(1 <= {days} <= state["settings"]["{what.longest_setting}"] for r in state["{stay.many}"].values())',
        by=(what.book_tool, what.change_tool, what.extend_tool),
    )
    draft.rule(
        f"{stay.one}_horizon",
        "precondition",
        f"{stay.a.capitalize()} is booked or moved to begin between today and {what.horizon_days} days from now.",
        f'0 <= (date.fromisoformat(args["{what.first}"]) - date.fromisoformat(now[:10])).days'
        f' <= state["settings"]["{what.horizon_setting}"]',
        by=(what.book_tool, what.change_tool),
    )
    record = f'state["{stay.many}"][args["{stay.key}"]]'
    draft.rule(
        f"{stay.one}_extended_to_later_day",
        "precondition",
        f"{stay.a.capitalize()} is only extended to a day that is later than its last one and lies ahead.",
        f'args["{what.last}"] > {record}["{what.last}"] and args["{what.last}"] > now[:10]',
        by=(what.extend_tool,),
    )
    ahead = f"{what.notice_days} day{'' if what.notice_days == 1 else 's'}"
    until = f"at least {ahead} before it begins" if what.notice_days else "its first day has not passed"
    draft.rule(
        f"{stay.one}_notice",
        "precondition",
        f"{stay.a.capitalize()} gets other days or is cancelled only while it is booked and {until}.",
        f'{record}["status"] == "{BOOKED}" and (date.fromisoformat({record}["{what.first}"])'
        f' - date.fromisoformat(now[:10])).days >= state["settings"]["{what.notice_setting}"]',
        by=(what.change_tool, what.cancel_tool),
    )
    if what.price:
        draft.rule(
            f"{stay.one}_total",
            "invariant",
            f"The total of {stay.a} is its agreed rate times its {what.day}s.",
            f'all(r["total_cents"] == r["rate_cents"] * {days} for r in state["{stay.many}"].values())',
            by=(what.book_tool, what.change_tool, what.extend_tool),
        )


def _add_fit_rules(draft: Draft, what: Stays) -> None:
    stay, unit, guest = what.stay, what.unit, what.guest
    draft.rule(
        f"{stay.one}_{unit.one}_usable",
        "precondition",
        f"No {stay.spoken} is given {unit.a} that is out of service.",
        f'state["{unit.many}"][args["{unit.key}"]]["status"] == "{USABLE}"',
        by=(what.book_tool, what.move_tool),
    )
    draft.rule(
        f"{unit.one}_with_{stay.one}_stays_in_service",
        "precondition",
        f"{unit.a.capitalize()} is not taken out of service while {stay.a} for it is open.",
        f'not any(r["{unit.key}"] == args["{unit.key}"] and r["status"] in {_open(what)} for r in'
        f' state["{stay.many}"].values())',
        by=(f"take_{unit.one}_out_of_service",),
    )
    if what.capacity:
        draft.rule(
            f"{stay.one}_fits_{unit.one}",
            "invariant",
            f"{stay.a.capitalize()} is never for more {words_of(what.party)} than its {unit.spoken} takes.",
            f'all(1 <= r["{what.party}"] <= state["{unit.many}"][r["{unit.key}"]]["{what.capacity}"]'
            f' for r in state["{stay.many}"].values())',
            by=(what.book_tool, what.move_tool),
        )
    if what.need:
        need = f'state["{guest.many}"][args["{guest.key}"]]["{what.need}"]'
        draft.rule(
            f"{unit.one}_has_what_{guest.one}_needs",
            "precondition",
            f"{guest.a.capitalize()} who needs something only gets {unit.a} that has it.",
            f'{need} == "{what.no_need}" or {need} in state["{unit.many}"][args["{unit.key}"]]["{what.feature}"]',
            by=(what.book_tool,),
        )
    if what.valid_until:
        draft.rule(
            f"{guest.one}_{what.valid_until}",
            "precondition",
            f"The {words_of(what.valid_until)} of {guest.a} is not before the last day of {stay.a}.",
            f'args["{what.last}"] <= state["{guest.many}"][args["{guest.key}"]]["{what.valid_until}"]',
            by=(what.book_tool,),
        )


def _add_life_rules(draft: Draft, what: Stays) -> None:
    stay = what.stay
    record = f'state["{stay.many}"][args["{stay.key}"]]'
    draft.rule(
        f"{stay.one}_begins_on_its_days",
        "precondition",
        f"{stay.a.capitalize()} begins on one of its days and only in {what.unit.a} that is in service.",
        f'{record}["{what.first}"] <= now[:10] < {record}["{what.last}"]'
        f' and state["{what.unit.many}"][{record}["{what.unit.key}"]]["status"] == "{USABLE}"',
        by=(what.start_tool,),
    )
    steps = [(BOOKED, what.started), (what.started, what.ended), (BOOKED, CANCELLED)]
    tools = [what.start_tool, what.end_tool, what.cancel_tool]
    text = f"{stay.a.capitalize()} goes from booked over {words_of(what.started)} to {words_of(what.ended)}"
    text += ", or from booked to cancelled"
    if what.marks_no_show:
        steps.append((BOOKED, NO_SHOW))
        tools.append(what.no_show_tool)
        text += " or no show"
    allowed = ", ".join(f'("{one}", "{other}")' for one, other in steps)
    now = f'state["{stay.many}"][k]["status"]'
    draft.rule(
        f"{stay.one}_lifecycle",
        "transition",
        f"{text}.",
        f'all({now} == r["status"] or (r["status"], {now}) in ({allowed}) for k, r in before["{stay.many}"].items())',
        by=tuple(tools),
    )


def _open(what: Stays) -> str:
    return f'("{BOOKED}", "{what.started}")'
