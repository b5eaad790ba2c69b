"""Bugs that a model could have written: each is one small change of a class that is right.

Only public methods that change the state are touched, and every edit leaves the module a module.
"""

import ast
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from random import Random
from types import MappingProxyType
from typing import Literal

from tasks.runtime.parsing import parse_module

BugKind = Literal[
    "removed_guard", "swapped_comparison", "missing_update", "uncaught_exception", "mutation_before_validation"
]
BUG_KINDS: tuple[BugKind, ...] = (
    "removed_guard",
    "swapped_comparison",
    "missing_update",
    "uncaught_exception",
    "mutation_before_validation",
)

_SWAPPED: Mapping[type[ast.cmpop], str] = MappingProxyType(
    {
        ast.Lt: ">=",
        ast.LtE: ">",
        ast.Gt: "<=",
        ast.GtE: "<",
        ast.Eq: "!=",
        ast.NotEq: "==",
    }
)


@dataclass(frozen=True)
class Bug:
    """A class with a bug in it."""

    kind: BugKind
    code: str
    where: str
    """Method, and the source that was changed, with what stands there now."""


def bugs_of(code: str, class_name: str, kind: BugKind) -> tuple[Bug, ...]:
    """Every place in which the class could have a bug of this kind, in the order of the source.

    Args:
        code: A module that parses.
        class_name: The environment class in it.
        kind: What goes wrong.
    """
    tree = parse_module(code)
    body = next(each.body for each in tree.body if isinstance(each, ast.ClassDef) and each.name == class_name)
    source = _Source(code)
    writing = [each for each in body if isinstance(each, ast.FunctionDef) and _is_writing_tool(each)]
    return tuple(
        Bug(kind, edited, f"{method.name}: {what}")
        for method in writing
        for edited, what in _KINDS[kind](source, method)
    )


def with_bug(code: str, class_name: str, kind: BugKind, rng: Random) -> Bug | None:
    """The class with one such bug in a place that is drawn; null when it has no place for one."""
    possible = bugs_of(code, class_name, kind)
    return rng.choice(possible) if possible else None


class _Source:
    """A module as text, edited by the places of its syntax tree."""

    def __init__(self, code: str) -> None:
        self.code = code
        self._starts = [0]
        for line in code.encode().splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))

    def text(self, node: ast.AST) -> str:
        return ast.get_source_segment(self.code, node) or ""

    def replaced(self, node: ast.expr | ast.stmt, text: str) -> str:
        """The module with another text for this node."""
        raw = self.code.encode()
        start = self._starts[node.lineno - 1] + node.col_offset
        end = self._starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
        return (raw[:start] + text.encode() + raw[end:]).decode()

    def inserted(self, before: ast.stmt, line: str) -> str:
        """The module with one more statement."""
        return self.replaced(before, f"{line}\n{' ' * before.col_offset}{self.text(before)}")


_Edits = Iterator[tuple[str, str]]


def _removed_guards(source: _Source, method: ast.FunctionDef) -> _Edits:
    """A refusal that is never given."""
    for guard in _guards(method):
        yield source.replaced(guard.test, "False"), f"`if {source.text(guard.test)}` is never true"


def _swapped_comparisons(source: _Source, method: ast.FunctionDef) -> _Edits:
    """A refusal that is given in exactly the other cases."""
    for guard in _guards(method):
        for node in ast.walk(guard.test):
            sign = _SWAPPED.get(type(node.ops[0])) if isinstance(node, ast.Compare) and len(node.ops) == 1 else None
            if isinstance(node, ast.Compare) and sign is not None:
                text = f"{source.text(node.left)} {sign} {source.text(node.comparators[0])}"
                yield source.replaced(node, text), f"`{source.text(node)}` became `{text}`"


def _missing_updates(source: _Source, method: ast.FunctionDef) -> _Edits:
    """A field that keeps its old value."""
    for node in ast.walk(method):
        if isinstance(node, ast.Assign | ast.AugAssign):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Constant):
                yield source.replaced(node, "pass"), f"`{source.text(node)}` is missing"


def _uncaught_exceptions(source: _Source, method: ast.FunctionDef) -> _Edits:
    """A record that is used before anybody looked whether it exists."""
    for node in ast.walk(method):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "get"
            and len(node.args) == 1
            and _is_own(node.func.value)
        ):
            text = f"{source.text(node.func.value)}[{source.text(node.args[0])}]"
            yield source.replaced(node, text), f"`{source.text(node)}` became `{text}`"


def _mutations_before_validation(source: _Source, method: ast.FunctionDef) -> _Edits:
    """Something that is counted although the call is refused."""
    first = method.body[1] if len(method.body) > 1 else method.body[0]
    line = "self.counters[next(iter(self.counters))] += 1"
    if any(True for _ in _guards(method)):
        yield source.inserted(first, line), f"`{line}` comes first"


_KINDS: Mapping[BugKind, Callable[[_Source, ast.FunctionDef], _Edits]] = MappingProxyType(
    {
        "removed_guard": _removed_guards,
        "swapped_comparison": _swapped_comparisons,
        "missing_update": _missing_updates,
        "uncaught_exception": _uncaught_exceptions,
        "mutation_before_validation": _mutations_before_validation,
    }
)


def _guards(method: ast.FunctionDef) -> Iterator[ast.If]:
    """The conditions under which a call is refused."""
    for node in ast.walk(method):
        if isinstance(node, ast.If) and not node.orelse and len(node.body) == 1 and _is_refusal(node.body[0]):
            yield node


def _is_refusal(node: ast.stmt) -> bool:
    value = node.value if isinstance(node, ast.Return) else None
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == "_fail"


def _is_own(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"


def _is_writing_tool(method: ast.FunctionDef) -> bool:
    """A public method that assigns to a record, or takes it from the state: good enough to leave queries alone."""
    if method.name.startswith("_"):
        return False
    return any(
        isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del) for node in ast.walk(method)
    )
