"""A class with switches in its conditions: which of them refused a call, and what the call would do without it.

The author uses it on its own classes to find out which rule a refusal is there for.
"""

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tasks.runtime.parsing import parse_module
from tasks.sandbox.base import EnvironmentSession

GUARDED_CLASS = "EnvmillGuarded"
_CALLS_PER_MESSAGE = 50

_SWITCHES = '''


_guards_off = []
_guards_fired = []


def _guard(number, holds):
    if not holds:
        return False
    _guards_fired.append(number)
    return number not in _guards_off


class EnvmillGuarded(__CLASS__):
    """The class itself, with one more method."""

    def guarded_calls(self, calls, stay):
        """Calls tools, with some of their conditions switched off: each on a fresh copy of the state, or all on this."""
        state = {name: value for name, value in vars(self).items() if not name.startswith("_")}
        told = []
        for tool, arguments, off in calls:
            _guards_off[:] = off
            _guards_fired[:] = []
            try:
                result = getattr(self if stay else __CLASS__(state), tool)(**arguments)
            except Exception as error:
                result = {"success": None, "error": type(error).__name__}
            told.append({"result": result, "fired": list(_guards_fired)})
        _guards_off[:] = []
        return told
'''

State = dict[str, Any]


@dataclass(frozen=True)
class Attempt:
    """One call on a state, and how it ended."""

    tool: str
    arguments: dict[str, Any]
    result: dict[str, Any]
    fired: tuple[int, ...]
    """Numbers of the conditions that were true and led to a return, in order."""

    @property
    def is_success(self) -> bool:
        """Whether the tool did it."""
        return self.result.get("success") is True

    @property
    def is_refusal(self) -> bool:
        """Whether the tool said no, instead of raising."""
        return self.result.get("success") is False


def with_guards(code: str, class_name: str) -> str:
    """The module with every condition that leads straight to a return numbered and switchable."""
    tree = parse_module(code)
    number = 0
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef) and node.name == class_name:
            for inner in ast.walk(node):
                if isinstance(inner, ast.If) and isinstance(inner.body[-1], ast.Return):
                    name = ast.Name("_guard", ast.Load())
                    inner.test = ast.Call(name, [ast.Constant(number), inner.test], [])
                    number += 1
    return ast.unparse(ast.fix_missing_locations(tree)) + _SWITCHES.replace("__CLASS__", class_name)


def attempts(
    session: EnvironmentSession, state: State, tool: str, calls: Sequence[dict[str, Any]]
) -> list[Attempt]:
    """Call a tool on a fresh copy of a state for each of these arguments. The session has the class with its switches.

    The instance is left as the state has it.
    """
    session.init(state)
    tried: list[Attempt] = []
    for start in range(0, len(calls), _CALLS_PER_MESSAGE):
        portion = calls[start : start + _CALLS_PER_MESSAGE]
        tried += _called(session, tool, portion, (), stay=False)
    return tried


def attempt(
    session: EnvironmentSession, state: State, tool: str, arguments: dict[str, Any], off: Sequence[int] = ()
) -> Attempt:
    """Call a tool on a state, with some conditions switched off. The instance is left as the call left it."""
    session.init(state)
    return _called(session, tool, [arguments], off, stay=True)[0]


def go_on(session: EnvironmentSession, tool: str, arguments: dict[str, Any]) -> Attempt:
    """Call a tool on the instance as it is."""
    return _called(session, tool, [arguments], (), stay=True)[0]


def _called(
    session: EnvironmentSession, tool: str, calls: Sequence[dict[str, Any]], off: Sequence[int], *, stay: bool
) -> list[Attempt]:
    given = {"calls": [[tool, arguments, list(off)] for arguments in calls], "stay": stay}
    told = session.step("guarded_calls", given).result
    if not isinstance(told, list):
        return [Attempt(tool, arguments, {"success": None}, ()) for arguments in calls]
    return [
        Attempt(tool, arguments, each["result"], tuple(each["fired"]))
        for arguments, each in zip(calls, told, strict=True)
    ]
