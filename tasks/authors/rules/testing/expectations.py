"""What must be true after a call, as a predicate over `before`, `state`, `args`, `result` and `now`."""

from collections.abc import Iterator
from typing import Any

from schemas.logic_models import Entity, LogicModel
from tasks.runtime.state import difference

State = dict[str, Any]

NOTHING_CHANGED = "state == before"
"""The clause of a call that leaves the state as it was."""
_LONGEST = 1900
"""Characters; a predicate may have 2,000."""
_LONGEST_LITERAL = 400


def expectation(model: LogicModel, before: State, after: State, result: dict[str, Any]) -> str:
    """A predicate that this outcome satisfies, and no other one where that can be said in a few hundred characters."""
    clauses = [*_result_clauses(model, after, result), *_state_clauses(model, before, after)]
    kept: list[str] = []
    for clause in clauses:
        if len(" and ".join([*kept, clause])) <= _LONGEST:
            kept.append(clause)
    return " and ".join(kept)


def _state_clauses(model: LogicModel, before: State, after: State) -> Iterator[str]:
    if before == after:
        yield NOTHING_CHANGED
        return
    for entity in model.entities:
        name = entity.collection
        old, new = before[name], after[name]
        if old == new:
            yield f"state[{name!r}] == before[{name!r}]"
            continue
        touched = sorted(key for key in old.keys() | new.keys() if old.get(key) != new.get(key))
        keys = f"set(state[{name!r}]) | set(before[{name!r}])"
        yield f"sorted(k for k in {keys} if state[{name!r}].get(k) != before[{name!r}].get(k)) == {touched}"
        for key in touched:
            yield from _record_clauses(name, key, old.get(key), new.get(key))


def _record_clauses(name: str, key: str, old: Any, new: Any) -> Iterator[str]:
    place = f"state[{name!r}][{key!r}]"
    if new is None:
        yield f"{key!r} not in state[{name!r}]"
    elif old is None:
        yield f"{place} == {new!r}"
    else:
        for change in difference(old, new):
            path = "".join(f"[{part!r}]" for part in change.path)
            yield f"{place}{path} == {change.after!r}" if change.kind != "removed" else "True"


def _result_clauses(model: LogicModel, after: State, result: dict[str, Any]) -> Iterator[str]:
    for name in ("data", "message"):
        if name in result:
            yield from _value_clauses(model, after, f"result[{name!r}]", result[name])


def _value_clauses(model: LogicModel, after: State, place: str, value: Any) -> Iterator[str]:
    if len(repr(value)) <= _LONGEST_LITERAL:
        yield f"{place} == {value!r}"
        return
    entity = _listed(model, after, value)
    if entity is not None:
        name = f"state[{entity.collection!r}]"
        yield f"[each[{entity.key!r}] for each in {place}] == {[each[entity.key] for each in value]}"
        yield f"all(each == {name}[each[{entity.key!r}]] for each in {place})"
    elif isinstance(value, list | dict):
        yield f"len({place}) == {len(value)}"
    if isinstance(value, dict):
        for key, inner in value.items():
            if len(repr(inner)) <= _LONGEST_LITERAL:
                yield f"{place}[{key!r}] == {inner!r}"


def _listed(model: LogicModel, after: State, value: Any) -> Entity | None:
    """The entity of whose whole records a value is the list; null when it is something else."""
    if not isinstance(value, list):
        return None
    for entity in model.entities:
        records = after[entity.collection]
        if all(isinstance(each, dict) and records.get(each.get(entity.key)) == each for each in value):
            return entity
    return None
