"""Other solutions that are as right as the reference, and orders of which only playing says whether they are."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

from schemas.scenarios import Binding, ReferenceStep
from tasks.proof.attempts import Attempt, Move, as_moves, needed_steps, resolved, with_argument
from tasks.proof.extra import Toolbox
from tasks.proof.neighbours import entity_holding
from tasks.proof.trials import Solution
from tasks.runtime.environment import Environment
from tasks.runtime.episode import BindingError, Episode

_MOST_ORDERS = 3
_MOST_SEARCHED = 8
"""Look-ups that are tried in the search for a second reference."""
_DEEPEST = 4
_MOST_ROWS = 20


def equivalents(solution: Solution, toolbox: Toolbox, episode: Episode) -> Iterator[Attempt]:
    """Other orders of the steps, and the reference with more look-ups and with a call that is refused."""
    yield from islice(orders(solution), _MOST_ORDERS)
    others = (with_more_lookups(solution, toolbox, episode), with_refused_try(solution, toolbox, episode))
    yield from (each for each in others if each is not None)


def orders(solution: Solution) -> Iterator[Attempt]:
    """The steps in other orders that the bindings allow. Playing tells a "reorder" from a "swapped_order"."""
    reference = solution.reference
    original = tuple(range(len(reference)))
    told = {original}
    candidates = [("every look-up comes as late as possible", _late(solution))]
    candidates += [(f"step {two} comes before step {one}", order) for one, two, order in _swaps(solution)]
    candidates += [("every look-up comes first", _early(solution))]
    for what, order in candidates:
        if order not in told:
            told.add(order)
            same = next(at for at, number in enumerate(order) if at != number)
            moves = tuple(Move((reference[each],), each, is_tampered=at >= same) for at, each in enumerate(order))
            yield Attempt("reorder", what, moves, solution.final_message)


def with_more_lookups(solution: Solution, toolbox: Toolbox, episode: Episode) -> Attempt | None:
    """The look-ups are made twice, and the records concerned are looked at; null when there is nothing to look up."""
    reads = [number for number in range(len(solution.reference)) if number not in solution.write_steps]
    calls = [(episode.calls[number].tool, episode.calls[number].arguments) for number in reads]
    ids = [value for call in episode.calls for value in call.arguments.values() if isinstance(value, str)]
    for tool in toolbox.named("query"):
        required = toolbox.schemas[tool].get("required", ())
        target = toolbox.target_of(tool, required[0]) if len(required) == 1 else None
        known = [each for each in ids if target and each in solution.state.get(target.collection, {})]
        if known:
            calls.append((tool, {required[0]: known[0]}))
    first = solution.write_steps[0] if solution.write_steps else len(solution.reference)
    literal = [Move((ReferenceStep(tool=tool, literals=arguments),)) for tool, arguments in calls[:_MOST_SEARCHED]]
    if not literal:
        return None
    moves = as_moves(solution.reference)
    what = f"{len(literal)} more look-ups are made"
    return Attempt("other_lookups", what, (*moves[:first], *literal, *moves[first:]), solution.final_message)


def with_refused_try(solution: Solution, toolbox: Toolbox, episode: Episode) -> Attempt | None:
    """A call that the environment refuses is made before the first change, and then the right one."""
    first = solution.write_steps[0] if solution.write_steps else len(solution.reference) - 1
    if first < 0:
        return None
    call = episode.calls[first]
    wrong = ReferenceStep(tool=call.tool, literals=call.arguments)
    ids = [
        name
        for name, value in call.arguments.items()
        if entity_holding(toolbox.logic_model, episode.final_state, value)
    ]
    if ids:
        wrong = with_argument(wrong, ids[-1], re.sub(r"[0-9]+$", "99999", str(call.arguments[ids[-1]])))
    else:
        wrong = wrong.model_copy(update={"literals": {**wrong.literals, "no_such_argument": 1}})
    moves = as_moves(solution.reference)
    failed = Move((wrong,), is_to_be_refused=True)
    what = f"{call.tool} is first called in a way that is refused"
    return Attempt("refused_try", what, (*moves[:first], failed, *moves[first:]), solution.final_message)


def with_other_lookup(
    solution: Solution, toolbox: Toolbox, episode: Episode, environment: Environment
) -> Attempt | None:
    """A second reference: one look-up is made by another tool, found by asking the live environment.

    Raises:
        EnvironmentBroken, CodeRejected, SessionDied: see `tasks.runtime.episode.play`.
    """
    reference = solution.reference
    values = {name: value for call in episode.calls for name, value in call.arguments.items()}
    searched = 0
    for number, step in enumerate(reference):
        taken = _taken_from(reference, number)
        if number in solution.write_steps or not taken or searched >= _MOST_SEARCHED:
            continue
        wanted = {path: resolved_path(episode.calls[number].result, path) for path in taken}
        earlier = [each for each in solution.write_steps if each < number]
        if earlier:
            break  # the state has changed by then
        for call in _other_queries(toolbox, step.tool, values):
            if searched >= _MOST_SEARCHED:
                break
            searched += 1
            if searched == 1:
                environment.restart()
            seen = environment.observe(call.tool, call.literals)
            places = {path: _place_of(value, seen.result) for path, value in wanted.items()}
            if seen.outcome == "done" and all(place is not None for place in places.values()):
                return _rebound(solution, number, call, {p: place for p, place in places.items() if place is not None})
    return None


def resolved_path(result: Any, path: Sequence[str | int]) -> Any:
    """The value at a path of a played result."""
    step = ReferenceStep(tool="", bindings={"value": Binding(step=0, path=tuple(path))})
    try:
        return resolved(step, {0: result})["value"]
    except BindingError:
        return None


def _late(solution: Solution) -> tuple[int, ...]:
    """Every look-up right before the first step that binds to it."""
    order: list[int] = []
    for number in range(len(solution.reference)):
        is_used = bool(_taken_from(solution.reference, number))
        if number in solution.write_steps or not is_used:
            order += [each for each in sorted(needed_steps(solution.reference, number)) if each not in order]
    return tuple(order)


def _early(solution: Solution) -> tuple[int, ...]:
    """Every look-up that no change is needed for comes before the first change."""
    free = [
        number
        for number in range(len(solution.reference))
        if not needed_steps(solution.reference, number) & set(solution.write_steps)
    ]
    # Last look-up first, as far as the bindings allow.
    order: list[int] = []
    for number in reversed(free):
        order += [each for each in sorted(needed_steps(solution.reference, number)) if each not in order]
    return (*order, *(number for number in range(len(solution.reference)) if number not in order))


def _swaps(solution: Solution) -> Iterator[tuple[int, int, tuple[int, ...]]]:
    """Two neighbouring changes, the other way round."""
    writes = solution.write_steps
    for one, two in zip(writes, writes[1:], strict=False):
        needed = needed_steps(solution.reference, two)
        if one in needed:
            continue
        order = (*range(one), *sorted(each for each in needed if each > one))
        yield one, two, (*order, *(number for number in range(len(solution.reference)) if number not in order))


def _taken_from(reference: Sequence[ReferenceStep], number: int) -> list[tuple[str | int, ...]]:
    """The paths that later steps read in the result of a step."""
    paths = [each.path for step in reference for each in step.bindings.values() if each.step == number]
    return list(dict.fromkeys(paths))


def _other_queries(toolbox: Toolbox, tool: str, values: dict[str, Any]) -> Iterator[ReferenceStep]:
    for name in toolbox.named("query"):
        required = toolbox.schemas[name].get("required", ())
        if name != tool and all(each in values for each in required):
            yield ReferenceStep(tool=name, literals={each: values[each] for each in required})


def _place_of(value: Any, result: Any, path: tuple[str | int, ...] = ()) -> tuple[str | int, ...] | None:
    """Where a text stands in a result; null when it is nowhere, or is no text."""
    if not isinstance(value, str) or len(path) > _DEEPEST:
        return None
    if result == value:
        return path
    inner: Sequence[tuple[str | int, Any]] = ()
    if isinstance(result, dict):
        inner = list(result.items())
    elif isinstance(result, list):
        inner = list(enumerate(result[:_MOST_ROWS]))
    return next((place for key, each in inner if (place := _place_of(value, each, (*path, key))) is not None), None)


def _rebound(
    solution: Solution,
    number: int,
    call: ReferenceStep,
    places: dict[tuple[str | int, ...], tuple[str | int, ...]],
) -> Attempt:
    moves = []
    for at, step in enumerate(solution.reference):
        bindings = {
            name: Binding(step=number, path=places[each.path]) if each.step == number else each
            for name, each in step.bindings.items()
        }
        moves.append(Move((step.model_copy(update={"bindings": bindings}) if at != number else call,), at))
    what = f"step {number} looks it up with {call.tool}"
    return Attempt("second_reference", what, tuple(moves), solution.final_message)
