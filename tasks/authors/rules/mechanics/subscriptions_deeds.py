"""What is asked for around subscriptions: starting, using, topping up, changing, pausing, ending."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from tasks.authors.rules.mechanics.registry import is_active
from tasks.authors.rules.spec import Deed, Draft, Pick, Record, Told, Value, World
from tasks.authors.rules.spoken import pick
from tasks.authors.rules.statuses import in_status

if TYPE_CHECKING:
    from tasks.authors.rules.mechanics.subscriptions import Subscriptions


def add_subscription_deeds(draft: Draft, what: "Subscriptions") -> None:
    """Adds the deeds, for the past of initial states and for tasks."""
    line, customer, plan, usage = what.line, what.customer, what.plan, what.usage
    one = f"{{{line.key}}}"
    draft.deeds += [
        Deed(
            f"{what.start}_{line.one}",
            (
                Pick(customer.key, customer.many, is_active()),
                Value("label", _free_label(what)),
                Pick(plan.key, plan.many),
            ),
            (f"{what.start} a {{label}} {line.spoken} on {{{plan.key}}} for {{{customer.key}}}",),
            f"{{{customer.key}}} has a {{label}} {line.spoken} now.",
            creates=line.many,
            weight=2,
        ),
        Deed(
            f"record_{usage.one}",
            (Pick(line.key, line.many, _has_left), Value("amount", _some_left(what))),
            (
                f"write down {{amount}} {what.units} as used on {one}",
                f"record a use of {{amount}} {what.units} on {one}",
            ),
            f"{{amount}} {what.units} are recorded on {one}.",
            creates=usage.many,
            weight=5,
        ),
        Deed(
            f"top_up_{line.one}",
            (Pick(line.key, line.many, in_status("active")), Value("amount", _top_up(what))),
            (f"top up {one} by {{amount}} {what.units}", f"add {{amount}} {what.units} to {one}"),
            f"{one} got {{amount}} {what.units} on top.",
            creates=usage.many,
            weight=2,
        ),
        Deed(
            f"change_{line.one}_{plan.one}",
            (Pick(line.key, line.many, in_status("active")), Pick(plan.key, plan.many, _roomy(what))),
            (f"put {one} on {{{plan.key}}}", f"switch {one} to {{{plan.key}}}"),
            f"{one} is on {{{plan.key}}} now.",
            weight=1,
        ),
        Deed(
            f"{what.pause}_{line.one}",
            (Pick(line.key, line.many, in_status("active")),),
            (f"{what.pause} {one}",),
            f"{one} is paused.",
            weight=1,
        ),
        Deed(
            f"resume_{line.one}",
            (Pick(line.key, line.many, in_status("paused")),),
            (f"resume {one}", f"restart {one}"),
            f"{one} is active again.",
            weight=1,
        ),
        Deed(
            f"{what.end}_{line.one}",
            (Pick(line.key, line.many, in_status("active", "paused")),),
            (f"{what.end} {one}",),
            f"{one} has ended.",
            weight=0,
        ),
    ]


def _has_left(record: Record, world: World) -> bool:
    return bool(record["status"] == "active" and record["included"] - record["used"] >= 2)


def _some_left(what: "Subscriptions") -> Callable[[World], Told]:
    def make(world: World) -> Told:
        record = world.records[what.line.key]
        amount = world.rng.randint(1, max(1, (record["included"] - record["used"]) // 2))
        return Told(amount, str(amount))

    return make


def _top_up(what: "Subscriptions") -> Callable[[World], Told]:
    def make(world: World) -> Told:
        amount = world.rng.randint(2, what.most_top_up)
        return Told(amount, str(amount))

    return make


def _roomy(what: "Subscriptions") -> Callable[[Record, World], bool]:
    def fits(record: Record, world: World) -> bool:
        line = world.records[what.line.key]
        return bool(record[what.plan.key] != line[what.plan.key] and record["allowance"] >= line["used"])

    return fits


def _free_label(what: "Subscriptions") -> Callable[[World], Told | None]:
    def make(world: World) -> Told | None:
        whose = world.chosen[what.customer.key]
        there = [
            each["label"]
            for each in world.state[what.line.many].values()
            if each[what.customer.key] == whose and each["status"] != "ended"
        ]
        free = [label for label in what.labels if label not in there]
        label = pick(world.rng, free) if free else None
        return Told(label, label.replace("_", " ")) if label else None

    return make
