"""A class with switches in its conditions: which of them refused a call, and what the call would do without it.

The author uses it on its own classes to find out which rule a refusal is there for.
"""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tasks.runtime.parsing import parse_module
from tasks.sandbox.base import EnvironmentSession

GUARDED_CLASS = "EnvmillGuarded"
_CALLS_PER_MESSAGE = 25

_SWITCHES = '''


_guards_off = []
_guards_fired = []


def _guard(number, holds):
    if not holds:
        return False
    _guards_fired.append(number)
    return number not in _guards_off


def _edited(state, edits):
    for path, value in edits.items():
        *parents, last = path.split(".")
        state = dict(state)
        place = state
        for name in parents:
            place[name] = dict(place[name])
            place = place[name]
        place[last] = value
    return state


class EnvmillGuarded(__CLASS__):
    """The class itself, with one more method."""

    def guarded_calls(self, calls, stay):
        """Calls tools with some of their conditions switched off: each on a copy of the state, or all on this."""
        state = {name: value for name, value in vars(self).items() if not name.startswith("_")}
        told = []
        for tool, arguments, off, edits in calls:
            _guards_off[:] = off
            _guards_fired[:] = []
            try:
                result = getattr(self if stay else __CLASS__(_edited(state, edits)), tool)(**arguments)
            except Exception as error:
                result = {"success": None, "error": type(error).__name__}
            if edits and result.get("success"):
                result = {"success": True}
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


def with_guards(code: str, class_name: str) -> tuple[str, dict[str, frozenset[int]]]:
    """The module with every condition that leads straight to a return numbered and switchable.

    Returns:
        The code, and for every method the numbers of the conditions that a call of it may meet.
    """
    tree = parse_module(code)
    owner = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == class_name)
    own: dict[str, set[int]] = {}
    used: dict[str, set[str]] = {}
    number = 0
    for method in (node for node in owner.body if isinstance(node, ast.FunctionDef)):
        own[method.name], used[method.name] = set(), set()
        for node in ast.walk(method):
            if isinstance(node, ast.Attribute):
                used[method.name].add(node.attr)
            if isinstance(node, ast.If) and isinstance(node.body[-1], ast.Return):
                node.test = ast.Call(ast.Name("_guard", ast.Load()), [ast.Constant(number), node.test], [])
                own[method.name].add(number)
                number += 1
    text = ast.unparse(ast.fix_missing_locations(tree)) + _SWITCHES.replace("__CLASS__", class_name)
    return text, {name: frozenset(_met(name, own, used, set())) for name in own}


def _met(name: str, own: Mapping[str, set[int]], used: Mapping[str, set[str]], seen: set[str]) -> set[int]:
    seen.add(name)
    met = set(own[name])
    for other in used[name] & own.keys() - seen:
        met |= _met(other, own, used, seen)
    return met


def attempts(
    session: EnvironmentSession,
    state: State,
    tool: str,
    calls: Sequence[dict[str, Any]],
    *,
    off: Sequence[int] = (),
    edits: Sequence[Mapping[str, Any]] | None = None,
) -> list[Attempt]:
    """Call a tool for each of these arguments on a fresh copy of a state. The instance is left as the state has it.

    Args:
        session: Has the class with its switches.
        state: A whole state.
        tool: Its name.
        calls: Arguments.
        off: Conditions that are switched off.
        edits: For every call, values put into its copy of the state, by path; a success then shows no result.
    """
    session.init(state)
    tried: list[Attempt] = []
    given = edits if edits is not None else [{}] * len(calls)
    for start in range(0, len(calls), _CALLS_PER_MESSAGE):
        end = start + _CALLS_PER_MESSAGE
        tried += _called(session, tool, calls[start:end], off, given[start:end], stay=False)
    return tried


def attempt(
    session: EnvironmentSession, state: State, tool: str, arguments: dict[str, Any], off: Sequence[int] = ()
) -> Attempt:
    """Call a tool on a state, with some conditions switched off. The instance is left as the call left it."""
    session.init(state)
    return _called(session, tool, [arguments], off, [{}], stay=True)[0]


def go_on(session: EnvironmentSession, tool: str, arguments: dict[str, Any]) -> Attempt:
    """Call a tool on the instance as it is."""
    return _called(session, tool, [arguments], (), [{}], stay=True)[0]


def _called(
    session: EnvironmentSession,
    tool: str,
    calls: Sequence[dict[str, Any]],
    off: Sequence[int],
    edits: Sequence[Mapping[str, Any]],
    *,
    stay: bool,
) -> list[Attempt]:
    given = [[tool, arguments, list(off), dict(each)] for arguments, each in zip(calls, edits, strict=True)]
    told = session.step("guarded_calls", {"calls": given, "stay": stay}).result
    if not isinstance(told, list):
        return [Attempt(tool, arguments, {"success": None}, ()) for arguments in calls]
    return [
        Attempt(tool, arguments, each["result"], tuple(each["fired"]))
        for arguments, each in zip(calls, told, strict=True)
    ]
