"""Which attributes of `self` a method reads and changes, by following values through the code without running it."""

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from tasks.runtime.dataflow import Reader
from tasks.runtime.methods import FunctionNode, has_decorator
from tasks.runtime.origins import Effect, World


@dataclass(frozen=True)
class Accesses:
    """Public attributes of `self` that a method touches, with everything that it calls; sorted."""

    reads: tuple[str, ...]
    writes: tuple[str, ...]


def accesses_of(
    methods: Mapping[str, FunctionNode], module: ast.Module, constants: frozenset[str] = frozenset()
) -> dict[str, Accesses]:
    """Method name -> what it touches, through helper methods and functions of the module too.

    Mentions count, reached or not; `vars(self)` and computed attribute names are not understood.

    Args:
        methods: All methods of the class, inherited ones included.
        module: The module around the class.
        constants: Names that the class body sets. They count as attributes only if some method sets them too.
    """
    functions = {node.name: node for node in module.body if isinstance(node, FunctionNode)}
    world = World(
        methods={name: _method(node) for name, node in methods.items()},
        functions={name: Effect(_parameters(node)) for name, node in functions.items()},
    )
    known = -1
    while known != world.size():  # ends: effects only grow, and there are finitely many names, attributes and layers
        known = world.size()
        for name, node in methods.items():
            Reader(world, world.methods[name]).read(node)
        for name, node in functions.items():
            Reader(world, world.functions[name]).read(node)
    never_set = constants.difference(*(each.writes for each in world.methods.values()))
    return {
        name: Accesses(_public(each.reads - never_set), _public(each.writes)) for name, each in world.methods.items()
    }


def _method(node: FunctionNode) -> Effect:
    if has_decorator(node, "staticmethod"):
        return Effect(_parameters(node))
    first, *rest = _parameters(node) or ("",)
    return Effect(tuple(rest), self_name=first, is_property=has_decorator(node, "property", "cached_property"))


def _parameters(node: FunctionNode) -> tuple[str, ...]:
    return tuple(each.arg for each in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs))


def _public(names: set[str]) -> tuple[str, ...]:
    return tuple(sorted(name for name in names if not name.startswith("_")))
