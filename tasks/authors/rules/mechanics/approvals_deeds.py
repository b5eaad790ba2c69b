"""What is asked for around requests: handing in, deciding, withdrawing, paying."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from tasks.authors.rules.mechanics.registry import is_active
from tasks.authors.rules.spec import Deed, Draft, Pick, Record, Told, Value, World
from tasks.authors.rules.spoken import pick, told_euros, told_text, told_word
from tasks.authors.rules.statuses import in_status

if TYPE_CHECKING:
    from tasks.authors.rules.mechanics.approvals import Approvals


def add_approval_deeds(draft: Draft, what: "Approvals") -> None:
    """Adds the deeds, for the past of initial states and for tasks."""
    request, asker, pot = what.request, what.asker, what.pot
    one, who = f"{{{request.key}}}", f"{{{asker.key}}}"
    decider = Pick("decided_by", what.by.many, _may_decide(what))
    draft.deeds += [
        Deed(
            f"{what.submit}_{request.one}",
            (
                Pick(asker.key, asker.many, is_active()),
                Pick(pot.key, pot.many),
                Value("kind", lambda world: told_word(pick(world.rng, what.kinds))),
                Value("amount_cents", lambda world: told_euros(world.rng.randint(4, what.most_cents // 1250) * 250)),
                Value("purpose", lambda world: told_text(pick(world.rng, what.purposes))),
            ),
            (
                f"{what.submit} a {{kind}} {request.spoken} of {{amount_cents}} for {who}, paid from {{{pot.key}}},"
                f" with the purpose {{purpose}}",
                f"put in a {{kind}} {request.spoken} over {{amount_cents}} for {who} on {{{pot.key}}}; the purpose"
                f" is {{purpose}}",
            ),
            f"The {{kind}} {request.spoken} of {{amount_cents}} for {who} is in.",
            creates=request.many,
            weight=8,
        ),
        Deed(
            f"{what.approve}_{request.one}",
            (Pick(request.key, request.many, _fits_budget(what)), decider),
            (f"{what.approve} {one} in the name of {{decided_by}}", f"have {{decided_by}} {what.approve} {one}"),
            f"{one} is approved by {{decided_by}}.",
            weight=3,
        ),
        Deed(
            f"{what.reject}_{request.one}",
            (
                Pick(request.key, request.many, in_status("submitted")),
                Pick("decided_by", what.by.many, _somebody_else(what)),
            ),
            (f"{what.reject} {one} in the name of {{decided_by}}",),
            f"{one} is rejected by {{decided_by}}.",
            weight=1,
        ),
        Deed(
            f"withdraw_{request.one}",
            (Pick(request.key, request.many, in_status("submitted", "approved")),),
            (f"withdraw {one}", f"take back {one}"),
            f"{one} is withdrawn.",
            weight=1,
        ),
        Deed(
            f"{what.pay}_{request.one}",
            (Pick(request.key, request.many, in_status("approved")),),
            (f"{what.pay} {one}", f"mark {one} as {what.paid}"),
            f"{one} is {what.paid}.",
            weight=2,
        ),
        Deed(
            f"set_{pot.one}_budget",
            (Pick(pot.key, pot.many), Value("budget_cents", _larger_budget(what))),
            (f"raise the budget of {{{pot.key}}} to {{budget_cents}}",),
            f"The budget of {{{pot.key}}} is now {{budget_cents}}.",
            weight=0,
        ),
    ]


def _fits_budget(what: "Approvals") -> Callable[[Record, World], bool]:
    def fits(record: Record, world: World) -> bool:
        pot = world.state[what.pot.many][record[what.pot.key]]
        return bool(
            record["status"] == "submitted" and pot["spent_cents"] + record["amount_cents"] <= pot["budget_cents"]
        )

    return fits


def _somebody_else(what: "Approvals") -> Callable[[Record, World], bool]:
    def fits(record: Record, world: World) -> bool:
        asked_by = world.records[what.request.key][what.asker.key]
        return bool(record["status"] == "active" and record[what.by.key] != asked_by)

    return fits


def _may_decide(what: "Approvals") -> Callable[[Record, World], bool]:
    is_other = _somebody_else(what)
    return lambda record, world: (
        is_other(record, world) and record["limit_cents"] >= world.records[what.request.key]["amount_cents"]
    )


def _larger_budget(what: "Approvals") -> Callable[[World], Told]:
    return lambda world: told_euros(world.records[what.pot.key]["budget_cents"] + world.rng.randint(1, 8) * 25_000)
