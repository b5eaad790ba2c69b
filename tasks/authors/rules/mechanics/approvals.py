"""Approvals: somebody asks for money or time, somebody else with enough authority decides, within a budget."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from schemas.logic_models import Attribute
from tasks.authors.rules.mechanics.approvals_deeds import add_approval_deeds
from tasks.authors.rules.nouns import Noun
from tasks.authors.rules.spec import Draft, EntitySpec, Filter, Finder, Record, State
from tasks.authors.rules.spoken import pick


@dataclass(frozen=True)
class Approvals:
    """What a theme says of its requests and who decides on them."""

    request: Noun
    """What is asked for: "expense", "claim"."""
    asker: Noun
    """Who asks: a kind of registry."""
    pot: Noun
    """Where the money comes from: "cost_center", "policy"."""
    pots: tuple[str, ...]
    """Names of the pots."""
    kinds: tuple[str, ...]
    purposes: tuple[str, ...]
    """Texts that requests carry."""
    decider: Noun | None = None
    """Who decides: a kind of registry with an extra attribute `limit_cents`. Null: the askers decide on one another."""
    submit: str = "submit"
    approve: str = "approve"
    reject: str = "reject"
    pay: str = "reimburse"
    paid: str = "reimbursed"
    most_cents: int = 250_000
    budgets: tuple[int, ...] = (150_000, 300_000, 480_000, 900_000)
    count: tuple[int, int] = (6, 8)

    @property
    def by(self) -> Noun:
        """Who decides."""
        return self.decider or self.asker


def add_approvals(draft: Draft, what: Approvals) -> None:
    """Adds the entities, their tools, rules, deeds and finders to the draft."""
    request, asker, pot = what.request, what.asker, what.pot
    draft.alias(f"{request.title}Kind", what.kinds)
    statuses = ("submitted", "approved", "rejected", "withdrawn", what.paid)
    draft.alias(f"{request.title}Status", statuses)
    draft.settings[f"most_cents_per_{request.one}"] = what.most_cents
    draft.entity(
        EntitySpec(
            pot,
            f"{pot.a.capitalize()} that {request.spoken_many} are paid from.",
            (
                Attribute(name="name", type="string", max_length=80, description=f"Name of the {pot.spoken}."),
                Attribute(
                    name="budget_cents", type="integer", minimum=0, unit="euro cent", description="Money for the year."
                ),
                Attribute(
                    name="spent_cents",
                    type="integer",
                    minimum=0,
                    unit="euro cent",
                    description="Approved so far, paid or not.",
                ),
                Attribute(
                    name="opening_spent_cents",
                    type="integer",
                    minimum=0,
                    unit="euro cent",
                    description="Approved before the year's records.",
                ),
            ),
            what.count,
            _maker(what),
        )
    )
    draft.entity(
        EntitySpec(
            request,
            f"Money that one {asker.spoken} asks for.",
            (
                Attribute(name=asker.key, type="reference", to=asker.many, description=f"The {asker.spoken} who asks."),
                Attribute(
                    name=pot.key, type="reference", to=pot.many, description=f"The {pot.spoken} that it is paid from."
                ),
                Attribute(name="kind", type="enum", values=what.kinds, description="What kind it is."),
                Attribute(name="purpose", type="string", max_length=120, description="What it is for."),
                Attribute(
                    name="amount_cents",
                    type="integer",
                    minimum=1,
                    maximum=what.most_cents,
                    unit="euro cent",
                    description="How much.",
                ),
                Attribute(name="status", type="enum", values=statuses, description="Where it stands."),
                Attribute(
                    name="decided_by",
                    type="reference",
                    to=what.by.many,
                    nullable=True,
                    description="Who decided; null before that.",
                ),
                Attribute(name="changed_at", type="datetime", description="Last change."),
            ),
        )
    )
    _add_rules(draft, what)
    draft.hook(
        f"{asker.one}.retire",
        f"for {request.one} in self.{request.many}.values():",
        f'    if {request.one}["{asker.key}"] == {asker.key} and {request.one}["status"] in ("submitted", "approved"):',
        f"        return _fail(f\"{{{request.one}['{request.key}']}} is still {{{request.one}['status']}}.\")",
    )
    draft.templates.append(("approvals", {"what": what, "request": request, "asker": asker, "by": what.by, "pot": pot}))
    whose = Filter(asker.key, asker.key, "reference")
    status = Filter("status", "status")
    kind = Filter("kind", "kind")
    draft.finders += [
        Finder(
            pot.many,
            f"list_{pot.many}",
            (Filter("name_contains", "name"),),
            ("{name_contains}", f"the {pot.spoken} {{name_contains}}"),
        ),
        Finder(
            request.many,
            f"list_{request.many}",
            (whose, kind, status),
            (
                f"{{{asker.key}}}'s {{status}} {{kind}} {request.spoken}",
                f"the {{status}} {{kind}} {request.spoken} of {{{asker.key}}}",
            ),
        ),
        Finder(
            request.many,
            f"list_{request.many}",
            (whose, kind, status, Filter("amount_cents", "amount_cents")),
            (f"the {{status}} {{kind}} {request.spoken} of {{{asker.key}}} over {{amount_cents}}",),
        ),
    ]
    add_approval_deeds(draft, what)


def _add_rules(draft: Draft, what: Approvals) -> None:
    request, asker, pot = what.request, what.asker, what.pot
    submit, approve = f"{what.submit}_{request.one}", f"{what.approve}_{request.one}"
    reject, pay, withdraw = f"{what.reject}_{request.one}", f"{what.pay}_{request.one}", f"withdraw_{request.one}"
    many = request.many
    if what.by == asker:
        draft.rule(
            f"{request.one}_four_eyes",
            "invariant",
            f"Nobody decides on an own {request.spoken}.",
            f'all(r["decided_by"] != r["{asker.key}"] for r in state["{many}"].values())',
            by=(approve, reject),
        )
    draft.rule(
        f"{request.one}_within_authority",
        "precondition",
        f"Only {what.by.a} whose limit covers the amount approves {request.a}.",
        f'state["{what.by.many}"][args["decided_by"]]["limit_cents"] >='
        f' state["{many}"][args["{request.key}"]]["amount_cents"]',
        by=(approve,),
    )
    draft.rule(
        f"{pot.one}_within_budget",
        "invariant",
        f"No {pot.spoken} has more approved than its budget.",
        f'all(p["spent_cents"] <= p["budget_cents"] for p in state["{pot.many}"].values())',
        by=(approve, f"set_{pot.one}_budget"),
    )
    draft.rule(
        f"{pot.one}_adds_up",
        "invariant",
        f"What {pot.a} has spent is what was approved from it.",
        f'all(p["spent_cents"] == p["opening_spent_cents"] + sum(r["amount_cents"] for r in state["{many}"].values()'
        f' if r["{pot.key}"] == k and r["status"] in ("approved", "{what.paid}")) for k, p in'
        f' state["{pot.many}"].items())',
        by=(approve, withdraw),
    )
    draft.rule(
        f"{request.one}_lifecycle",
        "transition",
        f"{request.a.capitalize()} is submitted, then approved, rejected or withdrawn; only an approved one is"
        f" {what.paid}.",
        f'all(state["{many}"][k]["status"] == r["status"] or (r["status"], state["{many}"][k]["status"]) in'
        f' (("submitted", "approved"),'
        f' ("submitted", "rejected"), ("submitted", "withdrawn"), ("approved", "withdrawn"), ("approved",'
        f' "{what.paid}"))'
        f' for k, r in before["{many}"].items())',
        by=(approve, reject, withdraw, pay),
    )
    draft.rule(
        f"{request.one}_amount_limit",
        "invariant",
        f"{request.a.capitalize()} is over at most {what.most_cents // 100} euros.",
        f'all(1 <= r["amount_cents"] <= state["settings"]["most_cents_per_{request.one}"] for r in'
        f' state["{many}"].values())',
        by=(submit,),
    )


def _maker(what: Approvals) -> Callable[[Random, State, str], Record | None]:
    def make(rng: Random, state: State, new_id: str) -> Record | None:
        there = state[what.pot.many]
        free = [name for name in what.pots if name not in [each["name"] for each in there.values()]]
        if not free:
            return None
        budget = what.budgets[rng.randrange(len(what.budgets))]
        spent = budget * rng.choice((0, 20, 45, 60)) // 100
        return {
            what.pot.key: new_id,
            "name": pick(rng, free),
            "budget_cents": budget,
            "spent_cents": spent,
            "opening_spent_cents": spent,
        }

    return make
