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


import copy as _copy

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


def _put(instance, edits):
    """Edit a state in place; what it takes to undo that."""
    undo = []
    for path, value in edits.items():
        *parents, last = path.split(".")
        place = vars(instance)
        for name in parents:
            place = place[name]
        undo.append((place, last, last in place, place.get(last)))
        place[last] = value
    return undo


def _take_back(undo):
    for place, name, was_there, value in reversed(undo):
        if was_there:
            place[name] = value
        else:
            del place[name]


def _set_back(instance, state):
    """Copy from a state what differs from it: most calls are refused, and the others change a record or two."""
    own = vars(instance)
    for name, value in state.items():
        current = own.get(name)
        if current == value:
            continue
        if not isinstance(value, dict) or not isinstance(current, dict):
            own[name] = _copy.deepcopy(value)
            continue
        own[name] = {
            key: current[key] if key in current and current[key] == each else _copy.deepcopy(each)
            for key, each in value.items()
        }


def _condition(record):
    values = record.values() if isinstance(record, dict) else ()
    return [each for each in values if each is None or isinstance(each, str) and each.isidentifier()]


def _touched(before, after):
    told = []
    for name, old in before.items():
        new = after.get(name)
        if old == new:
            continue
        if not isinstance(old, dict) or not isinstance(new, dict):
            told.append(name)
            continue
        for key in {**old, **new}:
            if key not in new:
                told.append(f"{name} gone")
            elif key not in old:
                told.append(f"{name} {_condition(new[key])}")
            elif isinstance(old[key], dict) and isinstance(new[key], dict):
                told += [f"{name}.{field}" for field in new[key] if new[key][field] != old[key].get(field)]
            elif old[key] != new[key]:
                told.append(name)
    return sorted(told)


class EnvmillGuarded(__CLASS__):
    """The class itself, with one more method."""

    def guarded_calls(self, calls, stay):
        """Calls tools with some of their conditions switched off: each on a copy of the state, or all on this."""
        state = {name: value for name, value in vars(self).items() if not name.startswith("_")}
        if not stay and not hasattr(self, "_copied"):
            self._copied = __CLASS__(state)
        instance = self if stay else self._copied
        told = []
        for tool, arguments, off, edits in calls:
            if not stay:
                _set_back(instance, state)
            before = _edited(state, edits)
            undo = _put(instance, edits)
            _guards_off[:] = off
            _guards_fired[:] = []
            try:
                result = getattr(instance, tool)(**arguments)
            except Exception as error:
                result = {"success": None, "error": type(error).__name__}
            if edits and result.get("success"):
                result = {"success": True}
            touched = [] if stay or not result.get("success") else _touched(before, vars(instance))
            told.append({"result": result, "fired": list(_guards_fired), "touched": touched})
            _take_back(undo)
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
    touched: tuple[str, ...] = ()
    """Of a success on a copy of the state: for everything that it changed, in which attribute of which entity, and for
    every new record, in which condition it is."""

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

    Where one of several is enough for the return, as in "a or b", each of them is a condition.

    Returns:
        The code, and for every method the numbers of the conditions that a call of it may meet.
    """
    tree = parse_module(code)
    owner = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == class_name)
    own: dict[str, set[int]] = {}
    used: dict[str, set[str]] = {}
    numbers: list[int] = []
    for method in (node for node in owner.body if isinstance(node, ast.FunctionDef)):
        own[method.name], used[method.name] = set(), set()
        for node in ast.walk(method):
            if isinstance(node, ast.Attribute):
                used[method.name].add(node.attr)
            if isinstance(node, ast.If) and isinstance(node.body[-1], ast.Return):
                start = len(numbers)
                node.test = _switchable(node.test, numbers)
                own[method.name].update(numbers[start:])
    text = ast.unparse(ast.fix_missing_locations(tree)) + _SWITCHES.replace("__CLASS__", class_name)
    return text, {name: frozenset(_met(name, own, used, set())) for name in own}


def _switchable(test: ast.expr, numbers: list[int]) -> ast.expr:
    """A condition with its parts behind switches; their numbers are added to the list."""
    match test:
        case ast.BoolOp(ast.Or(), values):
            return ast.BoolOp(ast.Or(), [_switchable(each, numbers) for each in values])
        case ast.BoolOp(ast.And(), [*first, last]) if _is_choice(last):
            return ast.BoolOp(ast.And(), [*first, _switchable(last, numbers)])
        case ast.UnaryOp(ast.Not(), ast.BoolOp(ast.And(), values)):
            parts: list[ast.expr] = [ast.UnaryOp(ast.Not(), each) for each in values]
            return _switchable(ast.BoolOp(ast.Or(), parts), numbers)
        case ast.UnaryOp(ast.Not(), ast.Compare(left, [_, _] as operators, [middle, right])):
            parts = [
                ast.UnaryOp(ast.Not(), ast.Compare(left, operators[:1], [middle])),
                ast.UnaryOp(ast.Not(), ast.Compare(middle, operators[1:], [right])),
            ]
            return _switchable(ast.BoolOp(ast.Or(), parts), numbers)
    numbers.append(len(numbers))
    return ast.Call(ast.Name("_guard", ast.Load()), [ast.Constant(numbers[-1]), test], [])


def _is_choice(test: ast.expr) -> bool:
    """Whether one of several parts is enough."""
    match test:
        case ast.BoolOp(ast.Or()) | ast.UnaryOp(ast.Not(), ast.BoolOp(ast.And())):
            return True
        case ast.UnaryOp(ast.Not(), ast.Compare(_, operators, _)):
            return len(operators) == 2
    return False


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


def in_turn(
    session: EnvironmentSession, state: State, calls: Sequence[tuple[str, dict[str, Any]]]
) -> tuple[Attempt, ...]:
    """Make calls one after the other on a state."""
    session.init(state)
    told = _told(session, [[tool, arguments, [], {}] for tool, arguments in calls], stay=True)
    return tuple(
        Attempt(tool, arguments, each["result"], tuple(each["fired"]))
        for (tool, arguments), each in zip(calls, told, strict=True)
    )


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
    return [
        Attempt(tool, arguments, each["result"], tuple(each["fired"]), tuple(each["touched"]))
        for arguments, each in zip(calls, _told(session, given, stay=stay), strict=True)
    ]


def _told(session: EnvironmentSession, given: Sequence[list[Any]], *, stay: bool) -> list[dict[str, Any]]:
    """What the calls came to. Where one of several on copies can't be told, the others are, and it says why."""
    step = session.step("guarded_calls", {"calls": list(given), "stay": stay})
    if isinstance(step.result, list):
        return step.result
    if stay or len(given) == 1:
        return [{"result": {"success": None, "error": step.error}, "fired": [], "touched": []} for _ in given]
    return [each for call in given for each in _told(session, [call], stay=False)]
