"""The shape of a logic model without its names: two environments that differ only in their words share it."""

from collections import Counter
from typing import Any

from schemas.ids import digest
from schemas.logic_models import Attribute, Entity, LogicModel, Operation, Parameter

_ROUNDS = 3


def structure_digest(model: LogicModel) -> str:
    """Digest of entities, the graph of their references, operations and rule kinds; order and names don't matter."""
    shapes = _entity_shapes(model)
    rules = Counter(rule.kind for rule in model.rules)
    return digest(
        sorted(shapes.values()),
        sorted(_operation_shape(operation, shapes) for operation in model.operations),
        sorted(rules.items()),
    )


def _entity_shapes(model: LogicModel) -> dict[str, str]:
    """Collection -> digest of the entity's attributes and, in widening circles, of the entities it refers to."""
    shapes = {entity.collection: "" for entity in model.entities}
    for _ in range(_ROUNDS):
        outgoing = {entity.collection: _attribute_shapes(entity, shapes) for entity in model.entities}
        incoming: dict[str, list[str]] = {collection: [] for collection in shapes}
        for entity in model.entities:
            for attribute in entity.attributes:
                if attribute.to in incoming:
                    incoming[attribute.to].append(shapes[entity.collection])
        shapes = {name: digest(outgoing[name], sorted(incoming[name])) for name in shapes}
    return shapes


def _attribute_shapes(entity: Entity, shapes: dict[str, str]) -> list[Any]:
    return sorted(_typed_shape(attribute, shapes, attribute.nullable) for attribute in entity.attributes)


def _typed_shape(typed: Attribute | Parameter, shapes: dict[str, str], is_optional: bool) -> list[Any]:
    target = shapes.get(typed.to, "") if typed.to else ""
    return [typed.type, typed.items or "", len(typed.values), target, is_optional]


def _operation_shape(operation: Operation, shapes: dict[str, str]) -> str:
    parameters = sorted(_typed_shape(each, shapes, not each.required) for each in operation.parameters)
    reads = sorted(shapes.get(name, name) for name in operation.reads)
    writes = sorted(shapes.get(name, name) for name in operation.writes)
    return digest(operation.kind, parameters, reads, writes)
