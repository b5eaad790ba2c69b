"""Tanks: containers with a level that is filled up and drawn from within bounds."""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from schemas.logic_models import Attribute
from tasks.authors.rules.nouns import Noun, words_of
from tasks.authors.rules.spec import Deed, Draft, EntitySpec, Filter, Finder, Pick, Record, State, Told, Value, World
from tasks.authors.rules.spoken import pick


@dataclass(frozen=True)
class Tanks:
    """What a theme says of one kind of tank."""

    tank: Noun
    names: tuple[str, ...]
    unit: str
    """Unit of the level: "litres"."""
    lowest: int
    """What always stays in it."""
    start: tuple[int, int]
    """Least and highest level before anything has happened."""
    capacities: tuple[int, ...]
    step: int = 1
    """Levels in tasks are multiples of it; calls may use any whole number."""
    fill: str = "refill"
    draw: str = "drain"
    low: int = 0
    """Level below which it counts as low."""
    count: tuple[int, int] = (3, 4)

    @property
    def low_level(self) -> str:
        """Name of the setting with the level below which one counts as low."""
        return f"low_{self.tank.one}_level"

    @property
    def least_level(self) -> str:
        """Name of the setting with what always stays in one."""
        return f"lowest_{self.tank.one}_level"


def add_tanks(draft: Draft, what: Tanks) -> None:
    """Adds the entity, its tools, rules, deeds and finders to the draft."""
    tank = what.tank
    draft.settings[what.low_level] = what.low
    draft.settings[what.least_level] = what.lowest
    unit = what.unit.removesuffix("s")
    draft.entity(
        EntitySpec(
            tank,
            f"{tank.a.capitalize()} and how full it is.",
            (
                Attribute(name="name", type="string", max_length=60, description="What it is called."),
                Attribute(name="level", type="integer", minimum=0, unit=unit, description="What is in it."),
                Attribute(name="capacity", type="integer", minimum=1, unit=unit, description="What fits into it."),
                Attribute(name="changed_at", type="datetime", description="Last change of the level."),
            ),
            count=what.count,
            make=_maker(what),
        )
    )
    fill, draw = f"{what.fill}_{tank.one}", f"{what.draw}_{tank.one}"
    draft.rule(
        f"{tank.one}_level_in_bounds",
        "invariant",
        f"The level of {tank.a} is never below {what.lowest} {what.unit} and never above its capacity.",
        f'all(state["settings"]["{what.least_level}"] <= r["level"] <= r["capacity"]'
        f' for r in state["{tank.many}"].values())',
        by=(fill, draw),
    )
    draft.rule(
        f"{tank.one}_{what.fill}_fits",
        "precondition",
        f"No more is filled into {tank.a} than fits.",
        f'0 < args["amount"] <= state["{tank.many}"][args["{tank.key}"]]["capacity"]'
        f' - state["{tank.many}"][args["{tank.key}"]]["level"]',
        by=(fill,),
    )
    draft.templates.append(("tanks", {"what": what, "tank": tank}))
    named = Filter("name_contains", "name")
    draft.finders.append(Finder(tank.many, f"list_{tank.many}", (named,), ("the {name_contains}",)))
    it = f"{{{tank.key}}}"
    said = f"{{amount}} {what.unit}"
    fill_words, draw_words = words_of(what.fill), words_of(what.draw)
    for tool, room, asks, end, weight in (
        (fill, _room, (f"{fill_words} {it} by {said}", f"{fill_words} {it}, {said} in all"), "in", 3),
        (draw, _spare, (f"{draw_words} {it} by {said}", f"{draw_words} {said} from {it}"), "out", 2),
    ):
        draft.deeds.append(
            Deed(
                tool,
                (Pick(tank.key, tank.many, _has(what, room)), Value("amount", _amount(what, room))),
                asks,
                f"{said} {'went into' if end == 'in' else 'came out of'} {it}.",
                weight=weight,
            )
        )


def _room(what: Tanks, record: Record) -> int:
    return int(record["capacity"] - record["level"])


def _spare(what: Tanks, record: Record) -> int:
    return int(record["level"] - what.lowest)


def _has(what: Tanks, room: Callable[[Tanks, Record], int]) -> Callable[[Record, World], bool]:
    return lambda record, world: room(what, record) >= what.step


def _amount(what: Tanks, room: Callable[[Tanks, Record], int]) -> Callable[[World], Told]:
    def make(world: World) -> Told:
        steps = room(what, world.records[what.tank.key]) // what.step
        amount = what.step * world.rng.randint(1, max(1, steps // 3))
        return Told(amount, str(amount))

    return make


def _maker(what: Tanks) -> Callable[[Random, State, str], Record | None]:
    def make(rng: Random, state: State, new_id: str) -> Record | None:
        taken = [record["name"] for record in state[what.tank.many].values()]
        free = [name for name in what.names if name not in taken]
        if not free:
            return None
        least, most = what.start
        level = least + what.step * rng.randint(0, (most - least) // what.step)
        capacity = what.capacities[rng.randrange(len(what.capacities))]
        return {
            what.tank.key: new_id,
            "name": pick(rng, free),
            "level": min(level, capacity),
            "capacity": capacity,
            "changed_at": state["now"],
        }

    return make
