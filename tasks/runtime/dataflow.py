"""Reads one function body and learns its effect. The order of statements plays no part, so readers run repeatedly."""

import ast
from collections.abc import Iterable

from tasks.runtime.expressions import Expressions, bound, container_of, last_name
from tasks.runtime.methods import FunctionNode
from tasks.runtime.origins import NOTHING, Effect, Origin, Origins, World, elements, wrapped

_MUTATING = frozenset(
    {
        "append", "appendleft", "extend", "insert", "remove", "pop", "popitem", "popleft", "clear", "update",
        "setdefault", "sort", "reverse", "add", "discard",
    }
)  # fmt: skip
_KEY_FIRST = frozenset({"insert", "setdefault"})
"""The first argument says where the second one goes."""
_SPREADING = frozenset({"extend", "update"})
"""The elements of the argument are stored, not the argument."""
_ONLY_MUTATING = _MUTATING - {"pop", "popitem", "popleft", "setdefault"}
_CHANGING_FIRST = frozenset(
    {"heappush", "heappop", "heapify", "heapreplace", "heappushpop", "insort", "insort_left", "insort_right", "shuffle"}
)


class Reader:
    """Adds what one function does to its effect."""

    def __init__(self, world: World, effect: Effect) -> None:
        self._world = world
        self._effect = effect
        self._expressions = Expressions(world, effect)
        self._silent: set[ast.expr] = set()
        """Mentions of an attribute that only write to it."""

    def read(self, function: FunctionNode) -> None:
        """Go through the body once."""
        for name in self._effect.parameters:
            self._learn(name, frozenset({Origin(name, is_parameter=True)}))
        for statement in function.body:
            for node in ast.walk(statement):  # parents first: a statement silences mentions before they are met
                self._read_binding(node)
                self._read_effect(node)

    def _read_binding(self, node: ast.AST) -> None:
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    self._bind(target, value)
            case ast.AnnAssign(target=target, value=ast.expr() as value) | ast.NamedExpr(target=target, value=value):
                self._bind(target, value)
            case ast.For(target=target, iter=iterable) | ast.comprehension(target=target, iter=iterable):
                self._spread(target, elements(self._expressions.of(iterable)))
            case ast.AugAssign(target=ast.Attribute() | ast.Subscript() as target, value=value):
                self._store(target, self._expressions.of(value), is_read=True)
            case ast.Delete(targets=targets):
                for target in targets:
                    self._store(target, NOTHING)

    def _read_effect(self, node: ast.AST) -> None:
        match node:
            case ast.Return(value=ast.expr() as value):
                self._effect.returned |= self._expressions.of(value)
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=container, attr=name))) if name in _ONLY_MUTATING:
                self._silence(container)
            case ast.Call():
                self._call(node)
            case ast.Attribute(ctx=ast.Load()):
                self._mention(node)

    def _call(self, node: ast.Call) -> None:
        arguments = [self._expressions.of(each) for each in node.args]
        name = last_name(node.func)
        if isinstance(node.func, ast.Attribute) and name in _MUTATING:
            self._change(self._expressions.of(node.func.value))
            skipped = 1 if name in _KEY_FIRST else 0
            kept = map(elements, arguments) if name in _SPREADING else arguments[skipped:]
            self._keep(node.func.value, kept)
        if name in _CHANGING_FIRST and node.args:
            self._change(arguments[0])
            self._keep(node.args[0], arguments[1:])
        if name in ("setattr", "delattr") and len(node.args) > 1 and self._expressions.is_self(node.args[0]):
            self._write_constant(node.args[1])
        if (called := self._expressions.called(node.func)) is not None:
            for parameter, argument in bound(called, node):
                if parameter in called.changed_parameters:
                    self._change(self._expressions.of(argument))
            self._take_over(called)

    def _mention(self, node: ast.Attribute) -> None:
        if self._expressions.is_self(node.value):
            if node.attr in self._world.methods:  # called here, or handed on to be called: `key=self._rank`
                self._take_over(self._world.methods[node.attr])
            elif node not in self._silent:
                self._effect.reads.add(node.attr)

    def _bind(self, target: ast.expr, value: ast.expr) -> None:
        pairs = _pairs(target, value)
        if pairs:
            for inner, part in pairs:
                self._bind(inner, part)
        elif isinstance(target, ast.Tuple | ast.List):
            self._spread(target, elements(self._expressions.of(value)))
        elif isinstance(target, ast.Name):
            self._learn(target.id, self._expressions.of(value))
        else:
            self._store(target, self._expressions.of(value))

    def _spread(self, target: ast.expr, origins: Origins) -> None:
        """Every name of a target gets the same origins."""
        if isinstance(target, ast.Name):
            self._learn(target.id, origins)
        elif isinstance(target, ast.Tuple | ast.List):
            for inner in target.elts:
                self._spread(inner, origins)
        elif isinstance(target, ast.Starred):
            self._spread(target.value, wrapped(origins))
        else:
            self._store(target, origins)

    def _store(self, target: ast.expr, value: Origins, *, is_read: bool = False) -> None:
        """An attribute or element is set or deleted."""
        if isinstance(target, ast.Tuple | ast.List):
            for inner in target.elts:
                self._store(inner, value, is_read=is_read)
        elif isinstance(target, ast.Attribute) and self._expressions.is_self(target.value):
            self._effect.writes.add(target.attr)
            if is_read:
                self._effect.reads.add(target.attr)
        elif isinstance(target, ast.Attribute | ast.Subscript):
            self._change(self._expressions.of(target.value))
            self._keep(target.value, [value])
            if not is_read:
                self._silence(target.value)

    def _keep(self, container: ast.expr, values: Iterable[Origins]) -> None:
        """A container that a local name leads to, as in `groups.setdefault(key, [])`, now holds these values."""
        layers = 1
        while (outer := container_of(container)) is not None:
            container, layers = outer, layers + 1
        if isinstance(container, ast.Name):
            for value in values:
                self._learn(container.id, frozenset(each.with_layers(each.layers + layers) for each in value))

    def _learn(self, name: str, origins: Origins) -> None:
        self._effect.names[name] = self._effect.names.get(name, NOTHING) | origins

    def _change(self, origins: Origins) -> None:
        for each in origins:
            if each.layers == 0:
                (self._effect.changed_parameters if each.is_parameter else self._effect.writes).add(each.name)

    def _take_over(self, called: Effect) -> None:
        self._effect.reads |= called.reads
        self._effect.writes |= called.writes

    def _silence(self, node: ast.expr) -> None:
        while isinstance(node, ast.Subscript):
            node = node.value
        self._silent.add(node)

    def _write_constant(self, attribute: ast.expr) -> None:
        if isinstance(attribute, ast.Constant) and isinstance(attribute.value, str):
            self._effect.writes.add(attribute.value)


def _pairs(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    """`a, b = c, d` as two assignments; empty for any other."""
    if not isinstance(target, ast.Tuple | ast.List) or not isinstance(value, ast.Tuple | ast.List):
        return []
    if len(target.elts) != len(value.elts) or any(isinstance(each, ast.Starred) for each in target.elts):
        return []
    return list(zip(target.elts, value.elts, strict=True))
