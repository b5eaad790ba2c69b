"""Roster: people or units that do the work, with skills, working days and times away."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from schemas.logic_models import Attribute
from tasks.authors.rules.nouns import Noun, words_of
from tasks.authors.rules.people import person_name
from tasks.authors.rules.spec import Deed, Draft, EntitySpec, Filter, Finder, Forbidden, Pick, Record, State, World
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
    away, back = f"mark_{noun.one}_away", f"mark_{noun.one}_back"
    for tool, where, asks, reports in (
        (away, _is_spare(what), "mark {%s} as away", "{%s} is marked as away."),
        (back, _is_away, "mark {%s} as back on duty", "{%s} is back on duty."),
    ):
        draft.deeds.append(
            Deed(tool, (Pick(noun.key, noun.many, where),), (asks % noun.key,), reports % noun.key, weight=0)
        )
    _keep_one(draft, what, away)


def _keep_one(draft: Draft, what: Roster, away: str) -> None:
    """The policy that somebody is left for everything, and the wish that breaks it."""
    noun = what.of
    rule = f"{noun.one}_left_for_everything"
    draft.rule(
        rule,
        "policy",
        f"Mark {noun.a} as away only while another one is on duty for everything that this one {words_of(what.skill)}"
        " (by the list of those who are not away).",
    )
    draft.forbidden.append(
        Forbidden(
            rule=rule,
            slots=(Pick(noun.key, noun.many, lambda record, world: bool(_only_skills(what, record, world))),),
            asks=(f"mark {{{noun.key}}} as away", f"put {{{noun.key}}} down as away until further notice"),
            vague=f"mark {noun.a} as away",
            because=lambda world: (
                f"This is the only {noun.spoken} on duty for "
                f"{_only_skills(what, world.records[noun.key], world)[0].replace('_', ' ')}."
            ),
            reasons=(
                r"(?:the|is|are|who) only|only (?:one|person)|(?<!\w)sole(?!\w)",
                r"no(?:body| ?one| other|ne)[^.;]{0,20} (?:else|left|other)",
                r"no other|last (?:one|person)|(?<!\w)(?:un|not |n't )covered",
            ),
            tool=away,
            evidence=lambda world: (
                f"list_{noun.many}",
                {what.skill: _only_skills(what, world.records[noun.key], world)[0]},
            ),
        )
    )


def _only_skills(what: Roster, record: Record, world: World) -> list[str]:
    """What nobody else on duty can do."""
    if record["status"] != "available":
        return []
    others = [each for each in world.state[what.of.many].values() if each is not record and is_available(each, world)]
    return [skill for skill in record[what.skill] if not any(skill in other[what.skill] for other in others)]


def _is_spare(what: Roster) -> Callable[[Record, World], bool]:
    return lambda record, world: is_available(record, world) and not _only_skills(what, record, world)


def _is_away(record: Record, world: World) -> bool:
    return bool(record["status"] == "away")


def is_available(record: Record, world: World) -> bool:
    """Chooses records that are not away."""
    return bool(record["status"] == "available")


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
