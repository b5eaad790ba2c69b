"""Finds the origins of an expression, given the origins of the local names."""

import ast
from collections.abc import Iterable

from tasks.runtime.origins import NOTHING, Effect, Origin, Origins, World, elements, rewrapped, wrapped

_PICKING = frozenset({"get", "setdefault", "pop", "popitem", "popleft"})
_REWRAPPING_METHODS = frozenset({"values", "items", "keys", "copy"})
_REWRAPPING = frozenset(
    {"list", "tuple", "set", "frozenset", "dict", "sorted", "reversed", "enumerate", "zip", "filter", "iter", "copy"}
)
_CHOOSING = frozenset({"next", "max", "min"})


class Expressions:
    """Understands the expressions of one function body."""

    def __init__(self, world: World, effect: Effect) -> None:
        self._world = world
        self._effect = effect

    def of(self, node: ast.expr) -> Origins:
        """Origins of the value; none when it shares nothing with an attribute or parameter."""
        match node:
            case ast.Name():
                return self._effect.names.get(node.id, NOTHING)
            case ast.Attribute():
                return self._attribute(node)
            case ast.Subscript():
                inner = self.of(node.value)
                return rewrapped(inner) if isinstance(node.slice, ast.Slice) else elements(inner)
            case ast.Call():
                return self._call(node)
            case ast.Starred() | ast.NamedExpr():
                return self.of(node.value)
            case ast.IfExp():
                return self.union([node.body, node.orelse])
            case ast.BoolOp():
                return self.union(node.values)
            case ast.BinOp():
                return rewrapped(self.union([node.left, node.right]))
            case _:
                return self._display(node)

    def _display(self, node: ast.expr) -> Origins:
        match node:
            case ast.List() | ast.Tuple() | ast.Set():
                spread = self.union([each for each in node.elts if isinstance(each, ast.Starred)])
                single = self.union([each for each in node.elts if not isinstance(each, ast.Starred)])
                return wrapped(single) | rewrapped(spread)
            case ast.Dict():
                items = list(zip(node.keys, node.values, strict=True))
                spread = self.union([value for key, value in items if key is None])
                return wrapped(self.union([value for key, value in items if key is not None])) | rewrapped(spread)
            case ast.ListComp() | ast.SetComp() | ast.GeneratorExp():
                return wrapped(self.of(node.elt))
            case ast.DictComp():
                return wrapped(self.of(node.value))
            case _:
                return NOTHING

    def _attribute(self, node: ast.Attribute) -> Origins:
        if not self.is_self(node.value):
            return elements(self.of(node.value))
        method = self._world.methods.get(node.attr)
        if method is None:
            return frozenset({Origin(node.attr)})
        return method.returned if method.is_property else NOTHING

    def _call(self, node: ast.Call) -> Origins:
        if (called := self.called(node.func)) is not None:
            return self._result(called, node)
        name = last_name(node.func)
        if isinstance(node.func, ast.Attribute):
            if name in _PICKING:
                return elements(self.of(node.func.value)) | self.union(node.args[1:])
            if name in _REWRAPPING_METHODS and not node.args:
                return rewrapped(self.of(node.func.value))
        if name in _REWRAPPING:
            return rewrapped(self.union([*node.args, *(each.value for each in node.keywords if each.arg is None)]))
        if name in _CHOOSING and node.args:
            rest = [*node.args[1:], *(each.value for each in node.keywords if each.arg == "default")]
            first = self.of(node.args[0])
            is_iterable = name == "next" or len(node.args) == 1
            return (elements(first) if is_iterable else first) | self.union(rest)
        if name == "getattr" and len(node.args) > 1 and self.is_self(node.args[0]):
            attribute = node.args[1]
            if isinstance(attribute, ast.Constant) and isinstance(attribute.value, str):
                return frozenset({Origin(attribute.value)})
        return NOTHING

    def _result(self, called: Effect, node: ast.Call) -> Origins:
        """Origins of what a known function returns, with the arguments in place of its parameters."""
        arguments: dict[str, Origins] = {}
        for parameter, argument in bound(called, node):
            arguments[parameter] = arguments.get(parameter, NOTHING) | self.of(argument)
        found: set[Origin] = set()
        for each in called.returned:
            if each.is_parameter:
                given = arguments.get(each.name, NOTHING)
                found.update(origin.with_layers(origin.layers + each.layers) for origin in given)
            else:
                found.add(each)
        return frozenset(found)

    def union(self, nodes: Iterable[ast.expr]) -> Origins:
        """Origins of any of these values."""
        return frozenset(origin for node in nodes for origin in self.of(node))

    def is_self(self, node: ast.expr) -> bool:
        """Whether this is the instance itself."""
        return isinstance(node, ast.Name) and bool(node.id) and node.id == self._effect.self_name

    def called(self, function: ast.expr) -> Effect | None:
        """The method or module function that a call goes to; null when it is neither."""
        if isinstance(function, ast.Attribute) and self.is_self(function.value):
            return self._world.methods.get(function.attr)
        return self._world.functions.get(function.id) if isinstance(function, ast.Name) else None


def bound(called: Effect, node: ast.Call) -> list[tuple[str, ast.expr]]:
    """Parameter and argument, as far as a reader can tell; a `*list` stands for every parameter."""
    found: list[tuple[str, ast.expr]] = []
    for position, argument in enumerate(node.args):
        if isinstance(argument, ast.Starred):
            found += [(parameter, argument.value) for parameter in called.parameters[position:]]
        elif position < len(called.parameters):
            found.append((called.parameters[position], argument))
    found += [(each.arg, each.value) for each in node.keywords if each.arg in called.parameters and each.arg]
    return found


def container_of(node: ast.expr) -> ast.expr | None:
    """What an element is taken out of: `a` for `a[0]` and `a.get(key)`; null for any other expression."""
    if isinstance(node, ast.Subscript):
        return node.value
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _PICKING:
        return node.func.value
    return None


def last_name(function: ast.expr) -> str:
    """ "pop" for `heap.pop` and `pop`; empty for any other expression."""
    if isinstance(function, ast.Name):
        return function.id
    return function.attr if isinstance(function, ast.Attribute) else ""
