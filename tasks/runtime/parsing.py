"""The one door to Python's parser.

Before 3.13, CPython keeps the parser's depth count per interpreter and not per thread: two threads that parse at once
may get "SystemError: AST constructor recursion depth mismatch". The factory works on threads, so they take turns, and
try again when a library has parsed something meanwhile.
"""

import ast
from threading import Lock
from typing import Literal

_TURN = Lock()
_TRIES = 20


def parse_module(code: str) -> ast.Module:
    """The syntax tree of a module.

    Raises:
        SyntaxError: the code does not parse; also ValueError, RecursionError and MemoryError for hopeless text.
    """
    tree = _parsed(code, "exec")
    assert isinstance(tree, ast.Module)
    return tree


def parse_expression(text: str) -> ast.Expression:
    """The syntax tree of one expression.

    Raises:
        SyntaxError: the text is no expression; also ValueError, RecursionError and MemoryError for hopeless text.
    """
    tree = _parsed(text, "eval")
    assert isinstance(tree, ast.Expression)
    return tree


def _parsed(text: str, mode: Literal["exec", "eval"]) -> ast.AST:
    for _ in range(_TRIES - 1):
        try:
            with _TURN:
                return ast.parse(text, mode=mode)
        except SystemError:
            continue
    with _TURN:
        return ast.parse(text, mode=mode)
