"""An initial state: records that were there from the start, then a past in which things happened.

The past is played through the class itself at earlier clock values, so that every record satisfies the rules.
"""

from datetime import datetime, timedelta
from random import Random
from typing import Any

from schemas.ids import seed_for
from tasks.authors.rules.spec import Deed, Draft, FromQuery, Pick, State, Value, World
from tasks.authors.rules.twins import twinned
from tasks.sandbox.base import EnvironmentSession

_DAYS_BACK = 12
_DEEDS_A_DAY = (4, 7)
_TRIES_PER_DEED = 4


def populate(draft: Draft, session: EnvironmentSession, parameters: dict[str, frozenset[str]], seed: int) -> State:
    """One initial state.

    Args:
        draft: The environment.
        session: A session with its class loaded.
        parameters: Tool -> names of its parameters.
        seed: Decides everything.
    """
    rng = Random(seed_for("populate", draft.class_name, seed))
    today = datetime(2025, 1, 6, 9) + timedelta(days=rng.randrange(500), minutes=15 * rng.randrange(16))
    past = [deed for deed in draft.deeds if deed.weight > 0]
    state = _from_the_start(draft, session, rng, today - timedelta(days=_DAYS_BACK))
    for back in range(_DAYS_BACK, -1, -1):
        morning = today - timedelta(days=back) if back else today - timedelta(hours=5)
        for number in range(rng.randint(*_DEEDS_A_DAY)):
            state["now"] = (morning + timedelta(minutes=47 * number)).strftime("%Y-%m-%dT%H:%M")
            session.init(state)
            state = _something_happens(past, session, state, parameters, rng)
    return {**state, "now": today.strftime("%Y-%m-%dT%H:%M")}


def choose(deed: Deed, world: World, session: EnvironmentSession) -> dict[str, Any] | None:
    """Values for a deed's slots, chosen at random among what makes sense; null when nothing does."""
    for slot in deed.slots:
        if isinstance(slot, Pick):
            records = world.state[slot.collection]
            fitting = [key for key, record in records.items() if slot.where is None or slot.where(record, world)]
            if not fitting:
                return None
            world.chosen[slot.param] = fitting[world.rng.randrange(len(fitting))]
            world.records[slot.param] = records[world.chosen[slot.param]]
        elif isinstance(slot, Value):
            told = slot.make(world)
            if told is None:
                return None
            world.chosen[slot.param] = told.value
        else:
            found = any_offered(slot, world, session)
            if found is None:
                return None
            world.chosen[slot.param] = found
    return world.chosen


def any_offered(slot: FromQuery, world: World, session: EnvironmentSession) -> Any:
    """One of the values that the slot's query offers, where a task would take the first; null when it offers none."""
    result = session.step(slot.tool, {param: world.chosen[source] for param, source in slot.arguments}).result
    if slot.path and slot.path[-1] == 0 and (offers := at_path(result, slot.path[:-1])):
        return offers[world.rng.randrange(len(offers))]
    return at_path(result, slot.path)


def at_path(result: Any, path: tuple[str | int, ...]) -> Any:
    """The value at a path of a tool's result; null when the path leads nowhere."""
    value = result
    for part in path:
        match value, part:
            case dict(), _ if part in value:
                value = value[part]
            case list(), int() if part < len(value):
                value = value[part]
            case _:
                return None
    return value


def _from_the_start(draft: Draft, session: EnvironmentSession, rng: Random, start: datetime) -> State:
    state: State = {"now": start.strftime("%Y-%m-%dT%H:%M"), **{many: {} for many in draft.entities}}
    for many, spec in draft.entities.items():
        for number in range(1, rng.randint(*spec.count) + 1):
            new_id = f"{spec.noun.prefix}-{number:04d}"
            record = twinned(draft, spec, state, rng, new_id) or (spec.make(rng, state, new_id) if spec.make else None)
            if record is None:
                break
            state[many][new_id] = record
    session.init(state)
    return session.snapshot()


def _something_happens(
    past: list[Deed], session: EnvironmentSession, state: State, parameters: dict[str, frozenset[str]], rng: Random
) -> State:
    """The state after one more deed; unchanged when none of a few tries came to anything."""
    weights = [deed.weight for deed in past]
    for _ in range(_TRIES_PER_DEED if past else 0):
        deed = rng.choices(past, weights)[0]
        chosen = choose(deed, World(rng, state, {}, {}), session)
        if chosen is None:
            continue
        arguments = {name: value for name, value in chosen.items() if name in parameters[deed.tool]}
        result = session.step(deed.tool, arguments).result
        if isinstance(result, dict) and result.get("success") is True:
            return session.snapshot()
    return state
