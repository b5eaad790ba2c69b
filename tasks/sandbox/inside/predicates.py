"""The one predicate language: Python expressions over names, with few functions and no way to change anything."""

import ast
from datetime import date, datetime, timedelta
from types import CodeType
from typing import Any

from tasks.sandbox.inside.code import Refused
from tasks.sandbox.inside.imports import fresh_builtins

FILE = "<predicate>"
_FUNCTIONS = (
    "all", "any", "sum", "min", "max", "len", "sorted", "set", "dict", "list", "tuple", "str", "int", "float", "bool",
    "abs", "round", "range", "enumerate", "zip", "isinstance",
)  # fmt: skip
_CHANGING = frozenset(
    {
        "append", "extend", "insert", "remove", "pop", "popitem", "clear", "update", "setdefault", "sort", "reverse",
        "add", "discard",
    }
)  # fmt: skip
_FORBIDDEN_NODES = (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)


def compiled_predicate(text: str) -> CodeType:
    """Byte code of one expression.

    Raises:
        Refused: "predicate_refused", with what is wrong and in which expression.
    """
    try:
        tree = ast.parse(text.strip(), FILE, mode="eval")
        problem = next(filter(None, map(_problem_with, _nodes(tree))), None)
        if problem is None:
            return compile(tree, FILE, "eval", dont_inherit=True)
    except SyntaxError as error:
        problem = f"SyntaxError: {error.msg}"
    except (ValueError, RecursionError, MemoryError) as error:
        problem = f"{type(error).__name__}: {error}"
    raise Refused("predicate_refused", f"{problem} in {text!r:.200}")


def predicate_names(names: dict[str, Any]) -> dict[str, Any]:
    """The global names of a predicate. The import function is for `strftime` and its like; no predicate can name it."""
    builtin = fresh_builtins()
    known = {name: builtin[name] for name in (*_FUNCTIONS, "__import__")}
    return {"__builtins__": {**known, "date": date, "datetime": datetime, "timedelta": timedelta}, **names}


def _nodes(tree: ast.AST) -> list[ast.AST]:
    """All nodes that may be a problem, as `ast.walk` orders them; several times faster than that."""
    nodes = [tree]
    for node in nodes:  # it grows
        for name in node._fields:
            inner = getattr(node, name)
            if isinstance(inner, list):
                nodes += [each for each in inner if isinstance(each, ast.AST)]
            elif isinstance(inner, ast.AST) and inner._fields:  # without fields: operators and contexts
                nodes.append(inner)
    return nodes


def _problem_with(node: ast.AST) -> str | None:
    if isinstance(node, _FORBIDDEN_NODES):
        return f"{type(node).__name__} is not allowed"
    if isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load):
        return f"{ast.unparse(node)!r:.60} is not allowed as a target: a predicate changes nothing"
    if isinstance(node, ast.Attribute):
        if node.attr.startswith("__"):
            return f"attribute {node.attr!r} is not allowed"
        if node.attr in _CHANGING:
            return f"{node.attr!r} is not allowed: a predicate changes nothing"
    if isinstance(node, ast.Name) and node.id.startswith("__"):
        return f"name {node.id!r} is not allowed"
    return None
