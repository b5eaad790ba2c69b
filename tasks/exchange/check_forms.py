"""Checks in two forms: `check(initial_state, final_state, trajectory)` here, `check_func(final_state)` elsewhere."""

import ast
import builtins

from tasks.exchange.kept import ForeignCheck
from tasks.runtime.parsing import parse_expression, parse_module

_FUNCTION = "check_func"
_NO_TRAJECTORY = '{"calls": [], "messages": [], "final_message": ""}'


class NotACheck(Exception):
    """A check that can't be used as one. `reason` is its code."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason


def as_check(foreign: ForeignCheck) -> str:
    """The source of a check in the form of this project.

    The foreign code stands inside the function as it is, so that it sees `initial_state` as it is used to.

    Raises:
        NotACheck: it does not parse, defines no `check_func`, or uses a name that nobody defines.
    """
    try:
        tree = parse_module(foreign.code)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise NotACheck("check_does_not_parse", f"{type(error).__name__}: {error}") from None
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    if not any(node.name == _FUNCTION for node in functions):
        found = ", ".join(node.name for node in functions) or "no function"
        raise NotACheck("check_missing", f"a check is a function check_func(final_state); the code defines {found}")
    if names := undefined_names(tree, known=frozenset({"initial_state"})):
        raise NotACheck("check_undefined_name", f"it uses {', '.join(names)}, which nothing defines")
    wrapper = parse_module("def check(initial_state, final_state, trajectory) -> bool:\n    pass").body[0]
    assert isinstance(wrapper, ast.FunctionDef)
    wrapper.body = [*_without_future(tree.body), ast.Return(parse_expression(f"{_FUNCTION}(final_state)").body)]
    return f"{ast.unparse(ast.fix_missing_locations(wrapper))}\n"


def as_check_func(code: str) -> str | None:
    """The source of `check_func(final_state)` for a check of this project; null for one that needs the trajectory.

    Everything stands inside the one function: whoever executes it may hand it other globals than it was defined in.
    """
    tree = parse_module(code)
    check = next((node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "check"), None)
    if check is None or len(check.args.args) != 3:
        return None
    third = check.args.args[2].arg
    if any(isinstance(node, ast.Name) and node.id == third for node in ast.walk(check)):
        return None
    wrapper = parse_module(f"def {_FUNCTION}(final_state):\n    pass").body[0]
    assert isinstance(wrapper, ast.FunctionDef)
    call = parse_expression(f"check(initial_state, final_state, {_NO_TRAJECTORY})").body
    wrapper.body = [*_without_future(tree.body), ast.Return(call)]
    return f"{ast.unparse(ast.fix_missing_locations(wrapper))}\n"


def undefined_names(tree: ast.Module, *, known: frozenset[str]) -> list[str]:
    """Names that are read and that neither Python, nor the code anywhere, nor the caller defines; sorted."""
    defined = {*vars(builtins), *known}
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
                defined.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                defined.add(name)
            case ast.arg(arg=name):
                defined.add(name)
            case ast.alias(name=name, asname=alias):
                defined.add(alias or name.partition(".")[0])
            case ast.ExceptHandler(name=str() as name):
                defined.add(name)
            case ast.MatchAs(name=str() as name) | ast.MatchStar(name=str() as name):
                defined.add(name)
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    return sorted(used - defined)


def _without_future(body: list[ast.stmt]) -> list[ast.stmt]:
    """A function may not hold `from __future__ import ...`; nothing depends on it here."""
    return [node for node in body if not (isinstance(node, ast.ImportFrom) and node.module == "__future__")]
