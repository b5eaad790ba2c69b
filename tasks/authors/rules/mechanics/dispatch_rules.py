"""The rules of dispatch."""

from tasks.authors.rules.mechanics.dispatch_options import Dispatch
from tasks.authors.rules.mechanics.tickets_rules import literal
from tasks.authors.rules.nouns import words_of
from tasks.authors.rules.spec import Draft


def add_dispatch_rules(draft: Draft, what: Dispatch) -> None:
    """Who may carry, how much fits, the lifecycle, the shifts, and what the theme's options ask for."""
    trip, carrier, vehicle, shift = what.trip, what.carrier, what.vehicle, what.shift
    trips, carriers = f'state["{trip.many}"]', f'state["{carrier.many}"]'
    this = f'{trips}[args["{trip.key}"]]'
    assign, start = what.tool("assign"), f"start_{shift.one}"
    who = f'{carriers}[args["{carrier.key}"]]'
    on_duty = f'[s for s in state["{shift.many}"].values() if s["status"] == "open"]'
    draft.rule(
        f"{carrier.one}_fits_{trip.one}",
        "precondition",
        f"{trip.a.capitalize()} is only given to {carrier.a} who serves its {words_of(what.served)} and is not away.",
        f'{this}["{what.served}"] in {who}["{what.skill}"] and {who}["status"] == "available"',
        by=(assign,),
    )
    for noun in (carrier, vehicle):
        ids = f'[s["{noun.key}"] for s in {on_duty}]'
        draft.rule(
            f"{noun.one}_one_{shift.one}",
            "uniqueness",
            f"{noun.a.capitalize()} is on at most one {shift.spoken} at a time.",
            f"len(set({ids})) == len({ids})",
            by=(start,),
        )
    active = literal(what.active)
    draft.rule(
        f"{carrier.one}_on_{shift.one}",
        "invariant",
        f"{carrier.a.capitalize()} has {trip.spoken_many} only while on {shift.a}.",
        f'all(any(s["{carrier.key}"] == r["{carrier.key}"] for s in {on_duty}) for r in {trips}.values()'
        f' if r["status"] in {active})',
        by=(assign, f"end_{shift.one}"),
    )
    load = f'sum(r["{what.amount}"] for r in {trips}.values() if r["{carrier.key}"] == s["{carrier.key}"]'
    draft.rule(
        f"{vehicle.one}_not_overloaded",
        "invariant",
        f"What {carrier.a} has fits into the {vehicle.spoken} of the {shift.spoken}.",
        f'all({load} and r["status"] in {active}) <= state["{vehicle.many}"][s["{vehicle.key}"]]["{what.size}"]'
        f" for s in {on_duty})",
        by=(assign,),
    )
    if not what.several:
        draft.rule(
            f"{carrier.one}_one_{trip.one}",
            "invariant",
            f"{carrier.a.capitalize()} has at most one {trip.spoken} at a time.",
            f'all(sum(r["{carrier.key}"] == k and r["status"] in {active} for r in {trips}.values()) <= 1'
            f" for k in {carriers})",
            by=(assign,),
        )
    draft.rule(
        f"{trip.one}_lifecycle",
        "transition",
        f"{trip.a.capitalize()} goes from {words_of(what.waiting)} over assigned and {words_of(what.carried)}"
        f" to {words_of(what.done)}; until it is {words_of(what.carried)} it can be cancelled.",
        f'all({trips}[k]["status"] == r["status"] or (r["status"], {trips}[k]["status"]) in {literal(what.steps)}'
        f' for k, r in before["{trip.many}"].items())',
        by=(assign, what.tool(what.pick_up), what.tool(what.finish), what.tool("cancel")),
    )
    _add_optional_rules(draft, what)


def _add_optional_rules(draft: Draft, what: Dispatch) -> None:
    trip, trips = what.trip, f'state["{what.trip.many}"]'
    this = f'{trips}[args["{trip.key}"]]'
    draft.rule(
        f"{trip.one}_rerouted_in_time",
        "precondition",
        f"{trip.a.capitalize()} is rerouted only while it is {' or '.join(map(words_of, what.reroutable))}.",
        f'{this}["status"] in {literal(what.reroutable)}',
        by=(what.tool("reroute"),),
    )
    if what.proof:
        draft.rule(
            f"{trip.one}_code_shown",
            "precondition",
            f"{trip.a.capitalize()} is only handed over for the right code.",
            f'{this}["code"] == args["code"]',
            by=(what.tool(what.finish),),
        )
    if what.fare:
        draft.rule(
            f"{trip.one}_fare",
            "invariant",
            f"The fare of {trip.a} is the base fare plus the price per kilometre of its distance.",
            f'all(r["fare_cents"] == state["settings"]["base_fare_cents"]'
            f' + r["distance_km"] * state["settings"]["fare_per_km_cents"] for r in {trips}.values())',
            by=(what.tool(what.request), what.tool("reroute")),
        )
    if what.attempts:
        draft.rule(
            f"{trip.one}_returned_after_{what.attempts}",
            "invariant",
            f"After {what.attempts} failed attempts {trip.a} is returned, and only then.",
            f'all((r["failed_attempts"] == state["settings"]["most_attempts"]) == (r["status"] == "returned")'
            f" for r in {trips}.values())",
            by=(what.tool("fail"),),
        )
