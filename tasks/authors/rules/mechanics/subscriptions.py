"""Subscriptions: a customer has lines on plans with a monthly allowance that is used up, topped up and changed."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from schemas.logic_models import Attribute
from tasks.authors.rules.mechanics.subscriptions_deeds import add_subscription_deeds
from tasks.authors.rules.nouns import Noun
from tasks.authors.rules.spec import Draft, EntitySpec, Filter, Finder, Record, State
from tasks.authors.rules.spoken import pick


@dataclass(frozen=True)
class Subscriptions:
    """What a theme says of its subscriptions."""

    line: Noun
    """One subscription of one customer: "line", "membership"."""
    customer: Noun
    """A kind of registry."""
    plan: Noun
    usage: Noun
    """One use or top-up of the allowance: "usage_record"."""
    plans: tuple[str, ...]
    """Names of the plans, cheapest first."""
    labels: tuple[str, ...]
    """What the lines of one customer are for: "phone", "tablet"."""
    unit: str = "gigabyte"
    units: str = "gigabytes"
    start: str = "activate"
    pause: str = "pause"
    end: str = "terminate"
    most_top_up: int = 50
    count: tuple[int, int] = (11, 15)


def add_subscriptions(draft: Draft, what: Subscriptions) -> None:
    """Adds the entities, their tools, rules, deeds and finders to the draft."""
    line, customer, plan, usage = what.line, what.customer, what.plan, what.usage
    statuses = ("active", "paused", "ended")
    draft.alias(f"{line.title}Label", what.labels)
    draft.alias(f"{line.title}Status", statuses)
    draft.alias(f"{usage.title}Kind", ("used", "top_up"))
    draft.settings[f"most_{what.units}_per_top_up"] = what.most_top_up
    draft.entity(
        EntitySpec(
            plan,
            f"{plan.a.capitalize()} that {line.spoken_many} are on.",
            (
                Attribute(name="name", type="string", max_length=80, description=f"Name of the {plan.spoken}."),
                Attribute(
                    name="allowance", type="integer", minimum=1, unit=what.unit, description="What a month includes."
                ),
                Attribute(
                    name="price_cents", type="integer", minimum=0, unit="euro cent", description="Price of a month."
                ),
            ),
            (len(what.plans), len(what.plans)),
            _plan_maker(what),
        )
    )
    draft.entity(
        EntitySpec(
            line,
            f"One {line.spoken} of one {customer.spoken}.",
            (
                Attribute(name=customer.key, type="reference", to=customer.many, description=f"The {customer.spoken}."),
                Attribute(name=plan.key, type="reference", to=plan.many, description=f"The {plan.spoken}."),
                Attribute(name="label", type="enum", values=what.labels, description="What it is for."),
                Attribute(
                    name="included",
                    type="integer",
                    minimum=0,
                    unit=what.unit,
                    description="Allowance and top-ups of this month.",
                ),
                Attribute(name="used", type="integer", minimum=0, unit=what.unit, description="Used in this month."),
                Attribute(
                    name="opening_used",
                    type="integer",
                    minimum=0,
                    unit=what.unit,
                    description="Used before the month's records.",
                ),
                Attribute(
                    name="status", type="enum", values=statuses, description="Paused: nothing is used. Ended: for good."
                ),
                Attribute(name="changed_at", type="datetime", description="Last change of plan or status."),
            ),
            what.count,
            _line_maker(what),
        )
    )
    draft.entity(
        EntitySpec(
            usage,
            f"{what.units.capitalize()} that one {line.spoken} used or got on top.",
            (
                Attribute(name=line.key, type="reference", to=line.many, description=f"The {line.spoken}."),
                Attribute(name="kind", type="enum", values=("used", "top_up"), description="Used up, or added."),
                Attribute(
                    name="amount", type="integer", minimum=1, unit=what.unit, description=f"How many {what.units}."
                ),
                Attribute(name="recorded_at", type="datetime", description="When."),
            ),
        )
    )
    _add_rules(draft, what)
    draft.hook(
        f"{customer.one}.retire",
        f"for {line.one} in self.{line.many}.values():",
        f'    if {line.one}["{customer.key}"] == {customer.key} and {line.one}["status"] != "ended":',
        f"        return _fail(f\"{{{line.one}['{line.key}']}} is still {{{line.one}['status']}}; {what.end} it"
        f' first.")',
    )
    draft.templates.append(
        ("subscriptions", {"what": what, "line": line, "customer": customer, "plan": plan, "usage": usage})
    )
    whose, label = Filter(customer.key, customer.key, "reference"), Filter("label", "label")
    draft.finders += [
        Finder(
            plan.many,
            f"list_{plan.many}",
            (Filter("name_contains", "name"),),
            (f"the {plan.spoken} {{name_contains}}", "{name_contains}"),
        ),
        Finder(
            line.many,
            f"list_{line.many}",
            (whose, label),
            (f"{{{customer.key}}}'s {{label}} {line.spoken}", f"the {{label}} {line.spoken} of {{{customer.key}}}"),
        ),
        Finder(
            line.many,
            f"list_{line.many}",
            (whose, label, Filter("status", "status")),
            (f"{{{customer.key}}}'s {{status}} {{label}} {line.spoken}",),
        ),
    ]
    add_subscription_deeds(draft, what)


def _add_rules(draft: Draft, what: Subscriptions) -> None:
    line, customer, plan, usage = what.line, what.customer, what.plan, what.usage
    start, change = f"{what.start}_{line.one}", f"change_{line.one}_{plan.one}"
    use, top_up = f"record_{usage.one}", f"top_up_{line.one}"
    pause, resume, end = f"{what.pause}_{line.one}", f"resume_{line.one}", f"{what.end}_{line.one}"
    many = line.many
    draft.rule(
        f"{line.one}_within_allowance",
        "invariant",
        f"No {line.spoken} has used more than it has.",
        f'all(r["used"] <= r["included"] for r in state["{many}"].values())',
        by=(use, change),
    )
    draft.rule(
        f"{line.one}_usage_adds_up",
        "invariant",
        f"What {line.a} has used is what was on record before plus every use since.",
        f'all(r["used"] == r["opening_used"] + sum(u["amount"] for u in state["{usage.many}"].values()'
        f' if u["{line.key}"] == k and u["kind"] == "used") for k, r in state["{many}"].items())',
        by=(use,),
    )
    draft.rule(
        f"{line.one}_label_once",
        "uniqueness",
        f"One {customer.spoken} has at most one {line.spoken} for a purpose that has not ended.",
        f'(lambda pairs: len(pairs) == len(set(pairs)))([(r["{customer.key}"], r["label"]) for r in'
        f' state["{many}"].values()'
        ' if r["status"] != "ended"])',
        by=(start,),
    )
    draft.rule(
        f"{line.one}_active_to_use",
        "precondition",
        f"Only an active {line.spoken} is used, topped up or put on another {plan.spoken}.",
        f'state["{many}"][args["{line.key}"]]["status"] == "active"',
        by=(use, top_up, change),
    )
    draft.rule(
        f"{line.one}_lifecycle",
        "transition",
        f"{line.a.capitalize()} may be paused and resumed; once ended, it stays ended.",
        f'all(r["status"] != "ended" or state["{many}"][k]["status"] == "ended" for k, r in before["{many}"].items())',
        by=(pause, resume, end),
    )


def _plan_maker(what: Subscriptions) -> Callable[[Random, State, str], Record | None]:
    def make(rng: Random, state: State, new_id: str) -> Record | None:
        at = len(state[what.plan.many])
        return {
            what.plan.key: new_id,
            "name": what.plans[at],
            "allowance": (5, 10, 20, 40, 80, 150)[min(at, 5)],
            "price_cents": 799 + 600 * at + 100 * rng.randrange(3),
        }

    return make


def _line_maker(what: Subscriptions) -> Callable[[Random, State, str], Record | None]:
    def make(rng: Random, state: State, new_id: str) -> Record | None:
        taken = {(each[what.customer.key], each["label"]) for each in state[what.line.many].values()}
        free = [(key, label) for key in state[what.customer.many] for label in what.labels if (key, label) not in taken]
        if not free:
            return None
        key, label = free[rng.randrange(len(free))]
        plan = pick(rng, list(state[what.plan.many]))
        included = state[what.plan.many][plan]["allowance"]
        used = included * rng.choice((0, 20, 40, 60)) // 100
        return {
            what.line.key: new_id,
            what.customer.key: key,
            what.plan.key: plan,
            "label": label,
            "included": included,
            "used": used,
            "opening_used": used,
            "status": "paused" if rng.random() < 0.15 else "active",
            "changed_at": state["now"],
        }

    return make
