"""The rules of seatings, as predicates."""

from tasks.authors.rules.mechanics.seating_words import BOOKED, CANCELLED, NO_SHOW, Seatings
from tasks.authors.rules.mechanics.units import USABLE
from tasks.authors.rules.nouns import joined, words_of
from tasks.authors.rules.spec import Draft

_DAY_NAMES = {
    "mon": "Mondays",
    "tue": "Tuesdays",
    "wed": "Wednesdays",
    "thu": "Thursdays",
    "fri": "Fridays",
    "sat": "Saturdays",
    "sun": "Sundays",
}


def add_seating_rules(draft: Draft, what: Seatings) -> None:
    """Adds every rule that the options ask for."""
    _add_overlap_rules(draft, what)
    _add_time_rules(draft, what)
    _add_size_rules(draft, what)
    _add_life_rules(draft, what)


def _add_overlap_rules(draft: Draft, what: Seatings) -> None:
    booking, space, who = what.booking, what.space, what.who
    taking = f"({', '.join(repr(status) for status in what.taking)},)".replace("'", '"')
    for noun in (space, who) if what.one_at_a_time else (space,):
        tools = (what.book_tool, what.reschedule_tool)
        draft.rule(
            f"{noun.one}_has_one_{booking.one}_at_a_time",
            "invariant",
            f"Two {booking.spoken_many} of one {noun.spoken} never overlap while they are"
            f" {joined(_words(what.taking), 'or')}.",
            f'all(a["{booking.key}"] >= b["{booking.key}"] or a["{noun.key}"] != b["{noun.key}"]'
            f' or a["status"] not in {taking} or b["status"] not in {taking}'
            f" or {_end('a')} <= {_moment('b')} or {_end('b')} <= {_moment('a')}"
            f' for a in state["{booking.many}"].values() for b in state["{booking.many}"].values())',
            by=(*tools, what.move_tool) if noun is space else tools,
        )
    if what.arrives:
        there = f'[r["{space.key}"] for r in state["{booking.many}"].values() if r["status"] == "{what.arrived}"]'
        draft.rule(
            f"{space.one}_{what.arrived}_once",
            "invariant",
            f"No {space.spoken} has two {booking.spoken_many} that are {words_of(what.arrived)} at once,"
            " however long one of them lasts.",
            f"len({there}) == len(set({there}))",
            by=(what.arrive_tool,),
        )
    if what.most_open is not None:
        draft.rule(
            f"{who.one}_most_{booking.many}",
            "precondition",
            f"{who.a.capitalize()} has at most {what.most_open} {booking.spoken_many} ahead.",
            f'sum(r["{who.key}"] == args["{who.key}"] and r["status"] == "{BOOKED}" and r["start"] >= now'
            f' for r in state["{booking.many}"].values()) < {what.most_open}',
            by=(what.book_tool,),
        )


def _add_time_rules(draft: Draft, what: Seatings) -> None:
    booking = what.booking
    closed = f" and never on {joined([_DAY_NAMES[day] for day in what.closed_on])}" if what.closed_on else ""
    weekdays = '("mon", "tue", "wed", "thu", "fri", "sat", "sun")'
    setting = f'state["settings"]["{what.setting}'
    draft.rule(
        f"{booking.one}_hours",
        "invariant",
        f"{booking.a.capitalize()} starts at {what.opens} at the earliest and ends by {what.closes}{closed}.",
        f'all(r["start"][11:] >= {setting}_opens"]'
        f' and {_end("r")} <= datetime.fromisoformat(r["start"][:11] + {setting}_closes"])'
        f' and {weekdays}[{_moment("r")}.weekday()] not in {setting}_closed_on"]'
        f' for r in state["{booking.many}"].values())',
        by=(what.book_tool, what.reschedule_tool),
    )
    lengths = joined([str(minutes) for minutes in what.lengths], "or")
    draft.rule(
        f"{booking.one}_lengths",
        "invariant",
        f"{booking.a.capitalize()} takes {lengths} minutes.",
        f'all(r["minutes"] in {setting}_lengths"] for r in state["{booking.many}"].values())',
        by=(what.book_tool,),
    )
    draft.rule(
        f"{booking.one}_ahead",
        "precondition",
        f"{booking.a.capitalize()} is made for or moved to a time ahead, at most {what.horizon_days} days from now.",
        f'datetime.fromisoformat(now) < datetime.fromisoformat(args["start"])'
        f' <= datetime.fromisoformat(now) + timedelta(days={setting}_horizon_days"])',
        by=(what.book_tool, what.reschedule_tool),
    )
    record = f'state["{booking.many}"][args["{booking.key}"]]'
    draft.rule(
        f"{booking.one}_notice",
        "precondition",
        f"{booking.a.capitalize()} gets another time or number of {words_of(what.party)}, or is cancelled, only"
        " while it is"
        f" booked and at least {what.notice_hours} hours before it starts.",
        f'{record}["status"] == "{BOOKED}" and datetime.fromisoformat({record}["start"])'
        f' >= datetime.fromisoformat(now) + timedelta(hours={setting}_notice_hours"])',
        by=(what.reschedule_tool, what.resize_tool, what.cancel_tool),
    )


def _add_size_rules(draft: Draft, what: Seatings) -> None:
    booking, space = what.booking, what.space
    size = f'state["{space.many}"][r["{space.key}"]]["{what.capacity}"]'
    tools = (what.book_tool, what.move_tool, what.resize_tool)
    draft.rule(
        f"{booking.one}_fits_{space.one}",
        "invariant",
        f"{booking.a.capitalize()} is never for more {words_of(what.party)} than its {space.spoken} takes.",
        f'all(1 <= r["{what.party}"] <= {size} for r in state["{booking.many}"].values())',
        by=tools,
    )
    if what.spare is not None:
        draft.rule(
            f"{booking.one}_fills_{space.one}",
            "invariant",
            f"{booking.a.capitalize()} leaves at most {what.spare} {words_of(what.capacity)} of its"
            f" {space.spoken} free.",
            f'all({size} - r["{what.party}"] <= {what.spare} for r in state["{booking.many}"].values())',
            by=tools,
        )
    draft.rule(
        f"{booking.one}_{space.one}_usable",
        "precondition",
        f"No {booking.spoken} is given {space.a} that is out of service.",
        f'state["{space.many}"][args["{space.key}"]]["status"] == "{USABLE}"',
        by=(what.book_tool, what.move_tool),
    )
    arrived = f' or r["status"] == "{what.arrived}"' if what.arrives else ""
    draft.rule(
        f"{space.one}_with_{booking.one}_stays_in_service",
        "precondition",
        f"{space.a.capitalize()} is not taken out of service while {booking.a} for it is open.",
        f'not any(r["{space.key}"] == args["{space.key}"] and (r["status"] == "{BOOKED}" and r["start"] >='
        f" now{arrived})"
        f' for r in state["{booking.many}"].values())',
        by=(f"take_{space.one}_out_of_service",),
    )


def _add_life_rules(draft: Draft, what: Seatings) -> None:
    booking = what.booking
    steps, tools = [(BOOKED, CANCELLED)], [what.cancel_tool]
    text = f"{booking.a.capitalize()} that is cancelled stays so"
    if what.arrives:
        steps += [(BOOKED, what.arrived), (what.arrived, what.left), (BOOKED, NO_SHOW)]
        tools += [what.arrive_tool, what.leave_tool, what.no_show_tool]
        text = (
            f"{booking.a.capitalize()} goes from booked over {words_of(what.arrived)} to {words_of(what.left)},"
            " or from booked to cancelled or no show"
        )
        record = f'state["{booking.many}"][args["{booking.key}"]]'
        draft.rule(
            f"{booking.one}_{what.arrived}_on_its_day",
            "precondition",
            f"{booking.a.capitalize()} becomes {words_of(what.arrived)} only on its day.",
            f'{record}["start"][:10] == now[:10]',
            by=(what.arrive_tool,),
        )
    allowed = ", ".join(f'("{one}", "{other}")' for one, other in steps)
    now = f'state["{booking.many}"][k]["status"]'
    draft.rule(
        f"{booking.one}_lifecycle",
        "transition",
        f"{text}.",
        f'all({now} == r["status"] or (r["status"], {now}) in ({allowed},) for k, r in'
        f' before["{booking.many}"].items())',
        by=tuple(tools),
    )


def _moment(name: str) -> str:
    return f'datetime.fromisoformat({name}["start"])'


def _end(name: str) -> str:
    return f'{_moment(name)} + timedelta(minutes={name}["minutes"])'


def _words(names: tuple[str, ...]) -> list[str]:
    return [words_of(name) for name in names]
