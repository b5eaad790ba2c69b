"""The one door to Python's parser.

Before 3.13, CPython keeps the parser's depth count per interpreter and not per thread: two threads that parse at once
may get "SystemError: AST constructor recursion depth mismatch". The factory works on threads, so they take turns.
"""

import ast
from threading import Lock

_TURN = Lock()


def parse_module(code: str) -> ast.Module:
    """The syntax tree of a module.

    Raises:
        SyntaxError: the code does not parse; also ValueError, RecursionError and MemoryError for hopeless text.
    """
    with _TURN:
        return ast.parse(code)


def parse_expression(text: str) -> ast.Expression:
    """The syntax tree of one expression.

    Raises:
        SyntaxError: the text is no expression; also ValueError, RecursionError and MemoryError for hopeless text.
    """
    with _TURN:
        return ast.parse(text, mode="eval")
