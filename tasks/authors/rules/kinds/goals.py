"""Plain goals: one, several, and several that build on one another."""

from random import Random

from tasks.authors.rules.plan import Plan
from tasks.authors.rules.sketch import Known, Sketch, open_deeds, shuffled
from tasks.authors.rules.spec import Deed, Draft, Pick

_TRIES = 4
_UNDOING = (
    "cancel",
    "call",
    "delete",
    "remove",
    "close",
    "discontinue",
    "withdraw",
    "archive",
    "deactivate",
    "drop",
    "abort",
    "end",
    "reject",
    "unassign",
    "leave",
)
"""Verbs of tools that nobody asks for right after having made the record."""


def add_goal(draft: Draft, plan: Plan, rng: Random, used: list[str]) -> bool:
    """One more goal: one that goes on with a new record where there is one, else the ones asked for least so far.

    `used` are the tools that earlier scenarios asked for.
    """
    for _ in range(_TRIES):
        deed = _next_deed(draft, plan, rng, used)
        if deed is not None and plan.carry_out(deed):
            return True
    return False


def begin_goals(known: Known, plan: Plan, rng: Random) -> Sketch | None:
    """Nothing special: the goals that are added to every plan are all there is."""
    return Sketch(plan)


def begin_chain(known: Known, plan: Plan, rng: Random) -> Sketch | None:
    """Make a record, then go on with it: the second call needs the id that the first one gave."""
    deeds = [deed for deed in known.draft.deeds if deed.in_tasks]
    for creating in shuffled(rng, [deed for deed in deeds if deed.creates and not deed.follows]):
        following = [deed for deed in deeds if _goes_on(deed, creating)]
        if not following:
            continue
        if not plan.carry_out(creating):
            continue
        if _followed(plan, creating, shuffled(rng, following)):
            return Sketch(plan)
        return None
    return None


def _followed(plan: Plan, creating: Deed, following: list[Deed]) -> bool:
    new = plan.created()[str(creating.creates)][1]
    for deed in following:
        picks = [slot for slot in deed.slots if isinstance(slot, Pick) and slot.collection == creating.creates]
        if plan.carry_out(deed, {picks[0].param: new}):
            return True
    return False


def _goes_on(deed: Deed, creating: Deed) -> bool:
    if deed.tool.split("_")[0] in _UNDOING or deed.tool == creating.tool:
        return False
    if deed.follows and creating.tool not in deed.follows:
        return False
    return [slot.collection for slot in deed.slots if isinstance(slot, Pick)].count(str(creating.creates)) == 1


def _next_deed(draft: Draft, plan: Plan, rng: Random, used: list[str]) -> Deed | None:
    last = plan.done[-1].deed.tool if plan.done else None
    told = {each.deed.tool for each in plan.done}
    follow = [deed for deed in draft.deeds if deed.in_tasks and last in deed.follows and deed.tool not in told]
    if follow:
        return follow[rng.randrange(len(follow))]
    deeds = open_deeds(draft, plan)
    if not deeds:
        return None
    weights = [1 / (1 + 2 * used.count(deed.tool)) for deed in deeds]
    return rng.choices(deeds, weights)[0]
