"""Ways to the right end state that a procedure check may forbid. Which of them it does forbid only playing says."""

import re
from collections.abc import Iterator
from itertools import islice
from random import Random

from schemas.scenarios import ReferenceStep
from tasks.proof.attempts import Attempt, Move, as_moves
from tasks.proof.extra import concerned_ids, filled_calls
from tasks.proof.mutants import Maker
from tasks.proof.neighbours import entity_holding, neighbours

_MOST_LOOKUPS = 3
_MOST_UNDOINGS = 8


def detours(maker: Maker) -> Iterator[Attempt]:
    """Look-ups left out or made too late, a wrong change that is put right, and tools that a procedure check names."""
    yield from _blind(maker)
    yield from _corrected(maker)
    yield from _prying(maker)
    for tool in _named_tools(maker):
        yield from _called_too(maker, tool)


def _attempt(maker: Maker, what: str, moves: tuple[Move, ...]) -> Attempt:
    return Attempt("forbidden_call", what, moves, maker.solution.final_message)


def _played(maker: Maker, number: int) -> ReferenceStep:
    call = maker.episode.calls[number]
    return ReferenceStep(tool=call.tool, literals=call.arguments)


def _blind(maker: Maker) -> Iterator[Attempt]:
    moves = tuple(Move((_played(maker, number),), number) for number in range(len(maker.solution.reference)))
    writes = set(maker.solution.write_steps)
    reads = [each for each in moves if each.step not in writes]
    if not reads:
        return
    changes = tuple(each for each in moves if each.step in writes)
    yield _attempt(maker, "nothing is looked up", changes)
    if writes:
        yield _attempt(maker, "the look-ups come after the changes", (*changes, *reads))
    for read in reads[:_MOST_LOOKUPS] if len(reads) > 1 else ():
        what = f"{read.calls[0].tool} at step {read.step} is left out"
        yield _attempt(maker, what, tuple(each for each in moves if each is not read))


def _corrected(maker: Maker) -> Iterator[Attempt]:
    """The wrong value first, and then the right one."""
    for wrong in islice(maker.changed_writes(), 2):
        at = next(number for number, move in enumerate(wrong.moves) if move.is_tampered)
        moves = as_moves(maker.solution.reference)
        first = Move(wrong.moves[at].calls, is_tampered=True)
        yield _attempt(maker, f"{wrong.what}, and then the right one", (*moves[:at], first, *moves[at:]))


def _named_tools(maker: Maker) -> list[str]:
    """Tools that a procedure check speaks of and the reference does without."""
    source = "\n".join(each.code for each in maker.solution.checks if each.kind == "procedure")
    told = {step.tool for step in maker.solution.reference}
    names = (each for each in sorted(maker.toolbox.schemas) if each not in told)
    return [each for each in names if re.search(rf"\b{re.escape(each)}\b", source)]


def _called_too(maker: Maker, tool: str) -> Iterator[Attempt]:
    """The tool is called besides, and what it changes is undone, so that only the calls tell."""
    state, moves = maker.solution.state, as_moves(maker.solution.reference)
    known = concerned_ids(maker.toolbox.logic_model, state, maker.episode.calls)
    calls = tuple(islice(filled_calls(maker.toolbox, tool, state, known, Random(maker.seed)), 3))
    if tool in maker.toolbox.named("query"):
        yield _attempt(maker, f"{tool} is called, too", (Move(calls, is_tampered=True), *moves))
        return
    undoings = ((call, undoing) for call in calls for undoing in _undoings(maker, call))
    for call, undoing in islice(undoings, _MOST_UNDOINGS):
        what = f"{tool} is called, and undone by {undoing.tool}"
        detour = (Move((call,), is_tampered=True), Move((undoing,), is_tampered=True))
        yield _attempt(maker, what, (*detour, *moves))


def _undoings(maker: Maker, call: ReferenceStep) -> Iterator[ReferenceStep]:
    """Calls for the same records with the values that those have at the start, by every tool that takes them."""
    toolbox, state = maker.toolbox, maker.solution.state
    records = {}
    for value in call.literals.values():
        entity = entity_holding(toolbox.logic_model, state, value)
        if entity is not None:
            records[entity.collection] = (value, state[entity.collection][value])
    for tool in sorted(toolbox.named("state_change"), key=lambda each: (each != call.tool, each)):
        literals = {}
        required = toolbox.schemas[tool].get("required", ())
        for name in required:
            target = toolbox.target_of(tool, name)
            old = [record[name] for _, record in records.values() if record.get(name) is not None]
            if target is not None and target.collection in records:
                literals[name] = records[target.collection][0]
            elif old or name in call.literals:
                literals[name] = old[0] if old else call.literals[name]
        if len(literals) == len(required) and any(each in literals.values() for each, _ in records.values()):
            yield ReferenceStep(tool=tool, literals=literals)


def _prying(maker: Maker) -> Iterator[Attempt]:
    """A look-up of the reference for another record."""
    moves = as_moves(maker.solution.reference)
    for number, call in enumerate(maker.episode.calls):
        for name, value in call.arguments.items():
            entity = entity_holding(maker.toolbox.logic_model, maker.solution.state, value)
            if entity is None or number in maker.solution.write_steps:
                continue
            alike, unlike = neighbours(maker.toolbox.logic_model, maker.solution.state, entity, value)
            for other in (*alike, *unlike)[:1]:
                pry = ReferenceStep(tool=call.tool, literals={**call.arguments, name: other})
                what = f"{call.tool} is called for another record, too"
                yield _attempt(
                    maker, what, (*moves[: number + 1], Move((pry,), is_tampered=True), *moves[number + 1 :])
                )
                return
