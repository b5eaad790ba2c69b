"""The methods of a class in a syntax tree."""

import ast
from collections.abc import Mapping

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


def methods_of(node: ast.ClassDef, classes: Mapping[str, ast.ClassDef]) -> dict[str, FunctionNode]:
    """Name -> method, base classes of the same module first; an overriding method keeps the place of the first one."""
    return _methods(node, classes, ())


def class_constants(node: ast.ClassDef, classes: Mapping[str, ast.ClassDef]) -> frozenset[str]:
    """Names that the class body (or that of a base class in the same module) gives a value."""
    found: set[str] = set()
    for each in node.body:
        if isinstance(each, ast.Assign):
            found.update(target.id for target in each.targets if isinstance(target, ast.Name))
        elif isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name) and each.value is not None:
            found.add(each.target.id)
    for base in node.bases:
        if isinstance(base, ast.Name) and base.id in classes and base.id != node.name:
            rest = {name: each for name, each in classes.items() if name != node.name}
            found |= class_constants(classes[base.id], rest)
    return frozenset(found)


def has_decorator(method: FunctionNode, *names: str) -> bool:
    """Whether one of the decorators is called so: `@name`, `@module.name` or `@something.name`."""
    found = (each.func if isinstance(each, ast.Call) else each for each in method.decorator_list)
    return any(
        (isinstance(each, ast.Name) and each.id in names) or (isinstance(each, ast.Attribute) and each.attr in names)
        for each in found
    )


def _methods(node: ast.ClassDef, classes: Mapping[str, ast.ClassDef], seen: tuple[str, ...]) -> dict[str, FunctionNode]:
    found: dict[str, FunctionNode] = {}
    for base in reversed(node.bases):  # the first base wins, so it comes last
        if isinstance(base, ast.Name) and base.id in classes and base.id not in (*seen, node.name):
            found |= _methods(classes[base.id], classes, (*seen, node.name))
    for each in node.body:
        if isinstance(each, FunctionNode):
            found[each.name] = each
    return found
