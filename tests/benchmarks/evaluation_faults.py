"""Faults that are put into good classes, one at a time, by changing their syntax trees."""

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from schemas.logic_models import LogicModel

Apply = Callable[[], None]


@dataclass(frozen=True)
class Fault:
    """A class with one fault in it."""

    kind: str
    method: str
    """Where it is; "__init__" when it concerns the whole class."""
    line: int
    code: str


@dataclass(frozen=True)
class _Method:
    node: ast.FunctionDef
    is_change: bool
    """Whether it is a tool that changes the state, or a helper."""

    @property
    def name(self) -> str:
        return self.node.name


@dataclass(frozen=True)
class _Site:
    method: str
    line: int
    apply: Apply


def faults_of(code: str, model: LogicModel, kind: str) -> list[Fault]:
    """Every place for a fault of one kind, each in a module of its own."""
    count = len(_sites(ast.parse(code), model, kind))
    return [_planted(code, model, kind, number) for number in range(count)]


def fault_of(code: str, model: LogicModel, kind: str, number: float) -> Fault | None:
    """The fault at one place; null when the code has no place for this kind.

    Args:
        code: A good module.
        model: Its plan.
        kind: One of `KINDS`.
        number: Which place, from 0 up to 1 for the last.
    """
    count = len(_sites(ast.parse(code), model, kind))
    return _planted(code, model, kind, int(number * count)) if count else None


def _planted(code: str, model: LogicModel, kind: str, number: int) -> Fault:
    tree = ast.parse(code)
    site = _sites(tree, model, kind)[number]
    site.apply()
    return Fault(kind, site.method, site.line, ast.unparse(ast.fix_missing_locations(tree)) + "\n")


def _sites(tree: ast.Module, model: LogicModel, kind: str) -> list[_Site]:
    owner = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == model.class_name)
    queries = {each.name for each in model.operations if each.kind == "query"}
    methods = [
        _Method(node, node.name not in queries)
        for node in owner.body
        if isinstance(node, ast.FunctionDef) and node.name != "__init__"
    ]
    if kind == "shared_mutable_default":
        start = next(node for node in owner.body if isinstance(node, ast.FunctionDef) and node.name == "__init__")
        return [_Site("__init__", node.lineno, apply) for node, apply in _shared_defaults(tree, start)]
    find = KINDS[kind]
    return [_Site(each.name, node.lineno, apply) for each in methods for node, apply in find(each, model)]


_Found = Iterator[tuple[ast.AST, Apply]]


def _bodies(node: ast.AST) -> Iterator[list[ast.stmt]]:
    """Every list of statements inside, nested ones too."""
    for each in ast.walk(node):
        for name in ("body", "orelse"):
            inner = getattr(each, name, None)
            if isinstance(inner, list) and inner and isinstance(inner[0], ast.stmt):
                yield inner


def _is_refusing(statement: ast.stmt) -> bool:
    """Whether it is an `if` that ends in a refusal, or in a problem that becomes one."""
    if not isinstance(statement, ast.If) or statement.orelse or not isinstance(statement.body[-1], ast.Return):
        return False
    value = statement.body[-1].value
    is_call = isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "_fail"
    return is_call or isinstance(value, ast.Constant | ast.JoinedStr)


def _is_reference_check(statement: ast.stmt) -> bool:
    return _is_refusing(statement) and any(
        isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.NotIn) and _is_collection(node.comparators[0])
        for node in ast.walk(statement.test if isinstance(statement, ast.If) else statement)
    )


def _is_collection(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"


def _is_write(statement: ast.stmt) -> bool:
    """Whether it changes a record or a collection."""
    if isinstance(statement, ast.Assign | ast.AugAssign):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        return any(isinstance(target, ast.Subscript) for target in targets)
    if isinstance(statement, ast.Delete):
        return True
    return (
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Call)
        and isinstance(statement.value.func, ast.Attribute)
        and statement.value.func.attr in ("append", "remove", "pop", "update", "extend", "insert")
        and isinstance(statement.value.func.value, ast.Subscript | ast.Attribute)
    )


def _without(body: list[ast.stmt], statement: ast.stmt) -> Apply:
    def apply() -> None:
        body[body.index(statement)] = ast.Pass()

    return apply


def _removed_guards(method: _Method, model: LogicModel) -> _Found:
    for body in _bodies(method.node):
        for statement in body:
            if _is_refusing(statement) and not _is_reference_check(statement):
                yield statement, _without(body, statement)


def _dropped_reference_checks(method: _Method, model: LogicModel) -> _Found:
    for body in _bodies(method.node):
        for statement in body:
            if _is_reference_check(statement):
                yield statement, _without(body, statement)


def _forgotten_updates(method: _Method, model: LogicModel) -> _Found:
    for body in _bodies(method.node) if method.is_change else ():
        for statement in body:
            if _is_write(statement):
                yield statement, _without(body, statement)


_SWAPPED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.Gt, ast.LtE: ast.GtE, ast.Gt: ast.Lt, ast.GtE: ast.LtE,
}  # fmt: skip
_OFF_BY_ONE: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
}  # fmt: skip


def _other_operators(others: dict[type[ast.cmpop], type[ast.cmpop]]) -> Callable[[_Method, LogicModel], _Found]:
    def find(method: _Method, model: LogicModel) -> _Found:
        for node in ast.walk(method.node):
            if isinstance(node, ast.Compare):
                for at, operator in enumerate(node.ops):
                    if type(operator) in others:
                        yield node, _set_operator(node, at, others[type(operator)])

    return find


def _set_operator(node: ast.Compare, at: int, operator: type[ast.cmpop]) -> Apply:
    def apply() -> None:
        node.ops[at] = operator()

    return apply


def _wrong_keys(method: _Method, model: LogicModel) -> _Found:
    """Another attribute of the same entity, of the same type where there is one."""
    for node in ast.walk(method.node):
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            other = _other_attribute(model, node.slice.value)
            if other is not None:
                yield node, _set_constant(node.slice, other)


def _other_attribute(model: LogicModel, name: object) -> str | None:
    for entity in model.entities:
        own = next((each for each in entity.attributes if each.name == name), None)
        if own is not None and name != entity.key:
            alike = [each.name for each in entity.attributes if each.type == own.type and each.name != name]
            rest = [each.name for each in entity.attributes if each.name != name]
            return (alike or rest)[0]
    return None


def _set_constant(node: ast.Constant, value: str | int) -> Apply:
    def apply() -> None:
        node.value = value

    return apply


def _wrong_constants(method: _Method, model: LogicModel) -> _Found:
    """A number that is larger by one, or another value of an enum."""
    enums = [each.values for entity in model.entities for each in entity.attributes if each.values]
    skipped = {id(node.slice) for node in ast.walk(method.node) if isinstance(node, ast.Subscript)}
    skipped |= {id(node) for each in ast.walk(method.node) if isinstance(each, ast.JoinedStr) for node in each.values}
    for node in ast.walk(method.node):
        if not isinstance(node, ast.Constant) or id(node) in skipped:
            continue
        if type(node.value) is int:
            yield node, _set_constant(node, node.value + 1)
        elif isinstance(node.value, str):
            values = next((each for each in enums if node.value in each and len(each) > 1), None)
            if values is not None:
                yield node, _set_constant(node, values[(values.index(node.value) + 1) % len(values)])


def _inverted_conditions(method: _Method, model: LogicModel) -> _Found:
    for node in ast.walk(method.node):
        if isinstance(node, ast.If):
            yield node, _invert(node)


def _invert(node: ast.If) -> Apply:
    def apply() -> None:
        node.test = ast.UnaryOp(ast.Not(), node.test)

    return apply


def _late_validations(method: _Method, model: LogicModel) -> _Found:
    """The last guard comes after everything is written."""
    body = method.node.body
    guards, writes = _guards_and_writes(method)
    if method.is_change and guards and writes and guards[-1] < writes[0]:
        yield body[guards[-1]], _moved(body, guards[-1], writes[-1])


def _half_done(method: _Method, model: LogicModel) -> _Found:
    """A guard comes after the first of several writes, which is not taken back."""
    body = method.node.body
    guards, writes = _guards_and_writes(method)
    if method.is_change and len(writes) > 1:
        for guard in guards:
            if guard < writes[0]:
                yield body[guard], _moved(body, guard, writes[0])


def _guards_and_writes(method: _Method) -> tuple[list[int], list[int]]:
    body = method.node.body
    guards = [at for at, each in enumerate(body) if _is_refusing(each) and not _is_reference_check(each)]
    return guards, [at for at, each in enumerate(body) if _is_write(each)]


def _moved(body: list[ast.stmt], start: int, end: int) -> Apply:
    def apply() -> None:
        body.insert(end, body.pop(start))

    return apply


def _aliased_returns(method: _Method, model: LogicModel) -> _Found:
    """A record of the state, or a list of such, goes out without being copied."""
    for node in ast.walk(method.node):
        if not isinstance(node, ast.Return) or not isinstance(node.value, ast.Call) or method.name.startswith("_"):
            continue
        call = node.value
        if isinstance(call.func, ast.Name) and call.func.id == "_ok" and _is_of_state(call.args[0]):
            yield node, _hand_out(node, call.args[0])


def _is_of_state(node: ast.expr) -> bool:
    if isinstance(node, ast.ListComp):
        return isinstance(node.elt, ast.Name) and any(
            _is_collection(each) for each in ast.walk(node.generators[0].iter)
        )
    return isinstance(node, ast.Subscript) and _is_collection(node.value)


def _hand_out(node: ast.Return, value: ast.expr) -> Apply:
    def apply() -> None:
        node.value = ast.Dict([ast.Constant("success"), ast.Constant("data")], [ast.Constant(True), value])

    return apply


def _wrong_records(method: _Method, model: LogicModel) -> _Found:
    """The first record of a collection is taken instead of the one that was asked for."""
    for node in ast.walk(method.node):
        is_record = isinstance(node, ast.Subscript) and _is_collection(node.value) and isinstance(node.ctx, ast.Load)
        if isinstance(node, ast.Subscript) and is_record and isinstance(node.slice, ast.Name):
            yield node, _take_first(node)


def _take_first(node: ast.Subscript) -> Apply:
    def apply() -> None:
        node.slice = ast.parse(f"next(iter({ast.unparse(node.value)}))", mode="eval").body

    return apply


def _unchecked_types(method: _Method, model: LogicModel) -> _Found:
    if method.node.decorator_list:
        yield method.node, method.node.decorator_list.clear


def _shared_defaults(tree: ast.Module, start: ast.FunctionDef) -> _Found:
    """What a config leaves out is one and the same object for all instances, or the config itself is kept."""
    for node in ast.walk(start):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get":
            if len(node.args) == 2 and isinstance(node.args[1], ast.Dict) and not node.args[1].keys:
                yield node, _share(tree, node)
        elif isinstance(node, ast.IfExp) and isinstance(node.body, ast.Call):
            yield node, _keep_config(node)


def _share(tree: ast.Module, node: ast.Call) -> Apply:
    def apply() -> None:
        node.args[1] = ast.Name("_SHARED", ast.Load())
        at = next(number for number, each in enumerate(tree.body) if isinstance(each, ast.ClassDef))
        tree.body.insert(at, ast.parse("_SHARED = {}").body[0])

    return apply


def _keep_config(node: ast.IfExp) -> Apply:
    def apply() -> None:
        assert isinstance(node.body, ast.Call)
        node.body = node.body.args[0]

    return apply


KINDS: dict[str, Callable[[_Method, LogicModel], _Found]] = {
    "removed_guard": _removed_guards,
    "swapped_comparison": _other_operators(_SWAPPED),
    "off_by_one": _other_operators(_OFF_BY_ONE),
    "wrong_key": _wrong_keys,
    "forgotten_update": _forgotten_updates,
    "mutation_before_validation": _late_validations,
    "missing_rollback": _half_done,
    "dropped_reference_check": _dropped_reference_checks,
    "shared_mutable_default": lambda method, model: iter(()),
    "aliased_return_value": _aliased_returns,
    "wrong_constant": _wrong_constants,
    "inverted_condition": _inverted_conditions,
    "wrong_record": _wrong_records,
    "unchecked_types": _unchecked_types,
}
"""Kind -> where it can be put into a method; a shared default is put into the constructor."""
