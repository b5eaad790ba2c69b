"""Roster: people or units that do the work, with skills, working days and times away."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from schemas.logic_models import Attribute
from tasks.authors.rules.nouns import Noun
from tasks.authors.rules.people import person_name
from tasks.authors.rules.spec import Deed, Draft, EntitySpec, Filter, Finder, Pick, Record, State, World
from tasks.authors.rules.spoken import pick

WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


@dataclass(frozen=True)
class Roster:
    """What a theme says of one roster."""

    of: Noun
    skill: str
    """Attribute with what each can do: "treats", "speaks"."""
    skills: tuple[str, ...]
    names: tuple[str, ...] = ()
    """Labels to draw from; empty for people."""
    sundays: bool = False
    """Whether somebody may be on duty on a Sunday."""
    count: tuple[int, int] = (4, 6)


def add_roster(draft: Draft, what: Roster) -> None:
    """Adds the entity, its tools, rules, deeds and finders to the draft."""
    noun = what.of
    label = noun.label or "name"
    draft.alias(f"{noun.title}Status", ("available", "away"))
    draft.alias(f"{noun.title}Skill", what.skills)
    draft.alias("Weekday", WEEKDAYS)
    draft.entity(
        EntitySpec(
            noun=noun,
            description=f"{noun.a.capitalize()} on duty here, with what it can do and when.",
            attributes=(
                Attribute(name=label, type="string", max_length=80, description=f"What the {noun.spoken} is called."),
                Attribute(
                    name=what.skill, type="list", items="enum", values=what.skills, description="What it can do."
                ),
                Attribute(name="works_on", type="list", items="enum", values=WEEKDAYS, description="Weekdays on duty."),
                Attribute(
                    name="status", type="enum", values=("available", "away"), description="Away: gets nothing new."
                ),
            ),
            count=what.count,
            make=_maker(what, label),
        )
    )
    draft.rule(
        f"{noun.one}_works_some_day",
        "invariant",
        f"Every {noun.spoken} works on at least one day of the week, and no day is listed twice.",
        f'all(r["works_on"] and len(set(r["works_on"])) == len(r["works_on"]) for r in state["{noun.many}"].values())',
        by=(f"set_{noun.one}_days",),
    )
    draft.templates.append(("roster", {"of": noun, "label": label, "what": what}))
    draft.finders.append(
        Finder(
            noun.many,
            f"list_{noun.many}",
            (Filter("name_contains", label),),
            ("{name_contains}", f"the {noun.spoken} {{name_contains}}"),
        )
    )
    for tool, before, asks, reports in (
        (f"mark_{noun.one}_away", "available", "mark {%s} as away", "{%s} is marked as away."),
        (f"mark_{noun.one}_back", "away", "mark {%s} as back on duty", "{%s} is back on duty."),
    ):
        draft.deeds.append(
            Deed(
                tool,
                (Pick(noun.key, noun.many, _has_status(before)),),
                (asks % noun.key,),
                reports % noun.key,
                weight=0,
            )
        )


def is_available(record: Record, world: World) -> bool:
    """Chooses records that are not away."""
    return bool(record["status"] == "available")


def _has_status(status: str) -> Callable[[Record, World], bool]:
    return lambda record, world: bool(record["status"] == status)


def _maker(what: Roster, label: str) -> Callable[[Random, State, str], Record | None]:
    def make(rng: Random, state: State, new_id: str) -> Record | None:
        there = state[what.of.many]
        taken = [record[label] for record in there.values()]
        free = [name for name in what.names if name not in taken]
        if what.names and not free:
            return None
        first = what.skills[len(there) % len(what.skills)]
        others = [skill for skill in what.skills if skill != first and rng.random() < 0.5]
        days = sorted(rng.sample(range(7 if what.sundays else 6), rng.randint(4, 5)))
        return {
            what.of.key: new_id,
            label: pick(rng, free) if what.names else person_name(rng, taken),
            what.skill: [skill for skill in what.skills if skill == first or skill in others],
            "works_on": [WEEKDAYS[day] for day in days],
            "status": "away" if len(there) > 1 and rng.random() < 0.15 else "available",
        }

    return make
