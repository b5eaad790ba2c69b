"""Checks of what calls did against what the plan says they do: effects, and results that must agree with the state."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from schemas.logic_models import Attribute, Entity, LogicModel, Operation
from tasks.evaluation.evidence import Evidence
from tasks.evaluation.observed import Observed

_BOOKKEEPING = "counters"
"""Numbers of ids belong to no plan: they may change with any state change."""
_ENOUGH = 3
"""Successful calls with different arguments, after which the effect of an unplanned operation should have been seen."""
_EXACT_FILTERS = ("enum", "boolean")
"""Not references: a message has a colleague who wrote it, and is listed for a colleague who has not read it."""


def undeclared_effects(evidence: Evidence) -> Iterator[str]:
    """A successful call changes no other state attributes than its operation declares."""
    operations = {each.name: each for each in evidence.model.operations}
    for seen in evidence.record.observed:
        operation = operations[seen.call.tool]
        if seen.outcome == "success" and operation.kind == "state_change":
            for name in _changed(evidence, seen):
                if name not in operation.writes and name != _BOOKKEEPING:
                    declared = ", ".join(operation.writes)
                    yield f"{seen} changes '{name}'; the plan lets {operation.name} change {declared}"


def missing_effects(evidence: Evidence) -> Iterator[str]:
    """An operation that is planned to change the state does so, in one of its successful calls at least.

    Not each attribute that it declares: some change under conditions only.
    """
    successes: dict[str, list[Observed]] = defaultdict(list)
    for seen in evidence.record.observed:
        if seen.outcome == "success":
            successes[seen.call.tool].append(seen)
    for operation in evidence.model.operations:
        done = successes[operation.name]
        if operation.kind == "query" or not done or any(each.is_change for each in done):
            continue
        if evidence.terms.is_planned or _is_claimed(evidence, operation, done):
            yield f"{operation.name}: none of {len(done)} successful calls changes anything, such as {done[0]}"


def _is_claimed(evidence: Evidence, operation: Operation, done: Sequence[Observed]) -> bool:
    """Whether an operation that nobody has planned is said to change something, and was tried often enough."""
    return operation.name in evidence.terms.changing and len({str(each) for each in done}) >= _ENOUGH


def contradicting_results(evidence: Evidence) -> Iterator[str]:
    """A whole record in a result is the one that the state holds."""
    states = evidence.record.states
    for seen in evidence.record.observed:
        if seen.outcome != "success" or seen.before not in states or seen.after not in states:
            continue
        before, after = states[seen.before], states[seen.after]
        for entity, record in _records_in(evidence.model, seen.result.result.get("data")):
            key = record[entity.key]
            known = after[entity.collection].get(key) or before[entity.collection].get(key)
            if known is None:
                yield f"{seen} returns {entity.name} {key}, which the state does not hold"
                continue
            for name in (each.name for each in entity.attributes if record[each.name] != known.get(each.name)):
                shown = f"'{name}' of {key} as {_short(record[name])}; in the state it is {_short(known.get(name))}"
                yield f"{seen} returns {shown}"


def ignored_filters(evidence: Evidence) -> Iterator[str]:
    """Records that a query lists fit the conditions that bear the name of one of their attributes."""
    operations = {each.name: each for each in evidence.model.operations if each.kind == "query"}
    for seen in evidence.record.observed:
        operation = operations.get(seen.call.tool)
        if operation is None or seen.outcome != "success" or not isinstance(seen.result.result.get("data"), list):
            continue
        for entity, record in _records_in(evidence.model, seen.result.result["data"]):
            for name, wanted in _filters(operation, entity, seen.call.arguments):
                value = record[name]
                if value != wanted and not (isinstance(value, list) and wanted in value):
                    yield f"{seen} lists {record[entity.key]}, whose '{name}' is {_short(value)}"
                    break


def _changed(evidence: Evidence, seen: Observed) -> list[str]:
    """State attributes that a call changed; none where a state around it is unknown."""
    states = evidence.record.states
    if not seen.is_change or seen.before not in states or seen.after not in states:
        return []
    before, after = states[seen.before], states[seen.after]
    return [name for name in dict.fromkeys((*before, *after)) if before.get(name) != after.get(name)]


def _records_in(model: LogicModel, data: Any) -> Iterator[tuple[Entity, Mapping[str, Any]]]:
    """Whole records in a result: the object itself, or those of one list. Of entities that fit, the largest counts."""
    by_size = sorted(model.entities, key=lambda entity: -len(entity.attributes))
    for each in data if isinstance(data, list) else [data]:
        if isinstance(each, dict):
            fitting = (entity for entity in by_size if _is_whole(each, entity))
            entity = next(fitting, None)
            if entity is not None:
                yield entity, each


def _is_whole(record: Mapping[str, Any], entity: Entity) -> bool:
    has_all = all(attribute.name in record for attribute in entity.attributes)
    return has_all and isinstance(record[entity.key], str)


def _filters(
    operation: Operation, entity: Entity, arguments: Mapping[str, Any]
) -> Iterator[tuple[str, str | bool | None]]:
    attributes: Mapping[str, Attribute] = {each.name: each for each in entity.attributes}
    for parameter in operation.parameters:
        attribute = attributes.get(parameter.name)
        is_same = attribute is not None and parameter.type in _EXACT_FILTERS
        if is_same and attribute is not None and parameter.type in (attribute.type, attribute.items):
            wanted = arguments.get(parameter.name)
            if wanted is not None and not (wanted is False and not parameter.required):
                yield parameter.name, wanted


def _short(value: Any) -> str:
    return repr(value)[:60]
