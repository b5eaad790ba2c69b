"""Whether a logic model is sound, before any code is written from it."""

import keyword
from collections import Counter
from collections.abc import Iterable, Iterator

from schemas.ids import canonical_json
from schemas.logic_models import Attribute, Entity, LogicModel, Operation, Parameter, Rule
from tasks.evaluation.findings import Finding
from tasks.skeletons.predicates import keys_read, predicate_problem

RESERVED_ATTRIBUTES = ("now", "settings", "counters")
"""State attributes that every environment may have beside its collections."""

_MIN_ENTITIES = 2
_MIN_QUERIES = 2
_MIN_STATE_CHANGES = 2
_MIN_RULES = 1


def logic_findings(model: LogicModel) -> tuple[Finding, ...]:
    """Everything that is wrong with a logic model, most basic first; empty when code can be written from it."""
    if (flaw := _json_flaw(model)) is not None:
        return (Finding("logic_not_json", flaw),)
    checks = (
        _size_findings,
        _name_findings,
        _attribute_findings,
        _operation_findings,
        _rule_findings,
        _predicate_findings,
        _query_findings,
    )
    return tuple(finding for check in checks for finding in check(model))


def _size_findings(model: LogicModel) -> Iterator[Finding]:
    kinds = Counter(operation.kind for operation in model.operations)
    wanted = (
        ("entities", len(model.entities), _MIN_ENTITIES),
        ("queries", kinds["query"], _MIN_QUERIES),
        ("state-changing operations", kinds["state_change"], _MIN_STATE_CHANGES),
        ("rules", len(model.rules), _MIN_RULES),
    )
    for what, count, least in wanted:
        if count < least:
            yield Finding("logic_too_small", f"it has {count} {what}, at least {least} are needed")


def _name_findings(model: LogicModel) -> Iterator[Finding]:
    yield from _identifiers("class", [model.class_name])
    yield from _identifiers("entity", [each.name for each in model.entities])
    yield from _identifiers("collection", [each.collection for each in model.entities])
    yield from _identifiers("operation", [each.name for each in model.operations])
    yield from _identifiers("rule", [each.id for each in model.rules])
    for entity in model.entities:
        yield from _identifiers(f"attribute of {entity.name}", [each.name for each in entity.attributes])
    for operation in model.operations:
        yield from _identifiers(f"parameter of {operation.name}", [each.name for each in operation.parameters])
    for name in _state_attributes(model):
        if any(operation.name == name for operation in model.operations):
            yield Finding("logic_name_clash", f"'{name}' names both an operation and a state attribute")
    for entity in model.entities:
        if entity.collection in RESERVED_ATTRIBUTES:
            yield Finding("logic_name_clash", f"collection '{entity.collection}' has a reserved name")


def _identifiers(what: str, names: list[str]) -> Iterator[Finding]:
    for name, count in Counter(names).items():
        if not name.isidentifier() or keyword.iskeyword(name) or name.startswith("_"):
            yield Finding("logic_bad_name", f"{what} '{name}' is not a public Python identifier")
        if count > 1:
            yield Finding("logic_duplicate_name", f"{what} '{name}' is declared {count} times")


def _attribute_findings(model: LogicModel) -> Iterator[Finding]:
    collections = {entity.collection for entity in model.entities}
    for entity in model.entities:
        yield from _key_findings(entity)
        for attribute in entity.attributes:
            where = f"attribute {entity.name}.{attribute.name}"
            yield from _type_findings(where, attribute, collections)
            low, high = attribute.minimum, attribute.maximum
            if low is not None and high is not None and low > high:
                yield Finding("logic_bad_bounds", f"{where}: the minimum {low} is above the maximum {high}")


def _key_findings(entity: Entity) -> Iterator[Finding]:
    key = next((each for each in entity.attributes if each.name == entity.key), None)
    if key is None:
        yield Finding("logic_key_missing", f"entity {entity.name}: its key '{entity.key}' is not among its attributes")
    elif key.type != "string" or key.nullable:
        yield Finding("logic_key_missing", f"entity {entity.name}: its key '{entity.key}' must be a string, never null")


def _type_findings(where: str, typed: Attribute | Parameter, collections: set[str]) -> Iterator[Finding]:
    """The type, and what belongs to it: values of an enum, target of a reference, items of a list."""
    kind = typed.items if typed.type == "list" else typed.type
    if kind is None:
        yield Finding("logic_list_without_items", f"{where}: a list needs the type of its items")
    if kind == "enum" and not typed.values:
        yield Finding("logic_enum_without_values", f"{where}: an enum needs its values")
    if len(set(typed.values)) < len(typed.values) or "" in typed.values:
        yield Finding("logic_bad_enum", f"{where}: values must be distinct and not empty, got {list(typed.values)}")
    if kind == "reference" and typed.to is None:
        yield Finding("logic_dangling_reference", f"{where}: a reference needs the collection that it points into")
    if typed.to is not None and typed.to not in collections:
        yield Finding("logic_dangling_reference", f"{where}: there is no collection '{typed.to}'")


def _operation_findings(model: LogicModel) -> Iterator[Finding]:
    collections = {entity.collection for entity in model.entities}
    attributes = _state_attributes(model)
    rules = {rule.id: rule for rule in model.rules}
    for operation in model.operations:
        for parameter in operation.parameters:
            yield from _type_findings(f"parameter {operation.name}.{parameter.name}", parameter, collections)
        for name in (*operation.reads, *operation.writes):
            if name not in attributes:
                detail = f"operation {operation.name}: there is no state attribute '{name}'"
                yield Finding("logic_unknown_state", detail)
        yield from _effect_findings(operation)
        for rule_id in operation.enforces:
            if rule_id not in rules:
                yield Finding("logic_dangling_rule", f"operation {operation.name}: there is no rule '{rule_id}'")
            elif rules[rule_id].kind == "policy":
                detail = f"operation {operation.name} enforces '{rule_id}', a policy, which only the agent can obey"
                yield Finding("logic_policy_enforced", detail)


def _effect_findings(operation: Operation) -> Iterator[Finding]:
    if operation.kind == "query" and operation.writes:
        yield Finding("logic_query_writes", f"query {operation.name} writes {', '.join(operation.writes)}")
    if operation.kind == "state_change" and not operation.writes:
        yield Finding("logic_change_without_writes", f"operation {operation.name} changes the state but writes nothing")


def _rule_findings(model: LogicModel) -> Iterator[Finding]:
    enforced = {rule_id for operation in model.operations for rule_id in operation.enforces}
    for rule in model.rules:
        is_executable = rule.kind in ("invariant", "uniqueness") and rule.predicate is not None
        if not (rule.kind == "policy" or rule.id in enforced or is_executable):
            yield Finding("logic_rule_not_enforced", f"rule '{rule.id}' ({rule.kind}) is enforced by no operation")


def _predicate_findings(model: LogicModel) -> Iterator[Finding]:
    attributes = _state_attributes(model)
    for rule in model.rules:
        if rule.predicate is None:
            continue
        if rule.kind == "policy":
            yield Finding("logic_bad_predicate", f"rule '{rule.id}': a policy has no predicate")
            continue
        problem = predicate_problem(rule.predicate, rule.kind)
        if problem is not None:
            yield Finding("logic_bad_predicate", f"rule '{rule.id}': {problem}")
            continue
        yield from _key_use_findings(model, rule, rule.predicate, attributes)


def _key_use_findings(model: LogicModel, rule: Rule, predicate: str, attributes: tuple[str, ...]) -> Iterator[Finding]:
    for name in (*keys_read(predicate, "state"), *keys_read(predicate, "before")):
        if name not in attributes:
            yield Finding("logic_bad_predicate", f"rule '{rule.id}': there is no state attribute '{name}'")
    for operation in model.operations:
        if rule.id not in operation.enforces:
            continue
        parameters = [parameter.name for parameter in operation.parameters]
        for name in keys_read(predicate, "args"):
            if name not in parameters:
                detail = f"rule '{rule.id}' reads the argument '{name}', which {operation.name} does not have"
                yield Finding("logic_bad_predicate", detail)


def _query_findings(model: LogicModel) -> Iterator[Finding]:
    read = {name for operation in model.operations if operation.kind == "query" for name in operation.reads}
    for entity in model.entities:
        if entity.collection not in read:
            yield Finding("logic_entity_not_queried", f"no query reads '{entity.collection}'")


def _state_attributes(model: LogicModel) -> tuple[str, ...]:
    names: Iterable[str] = (*(entity.collection for entity in model.entities), *RESERVED_ATTRIBUTES)
    return tuple(dict.fromkeys(names))


def _json_flaw(model: LogicModel) -> str | None:
    try:
        canonical_json(model.model_dump()).encode("utf-8")
    except (TypeError, ValueError) as error:
        return f"it can't be written as JSON: {ascii(str(error))}"
    return None
