"""The same work without a sandbox, in the way that other environment factories do it: `exec` in the own process."""

import copy
import functools
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import CodeType, ModuleType
from typing import Any

from tasks.sandbox.base import Call
from tests.benchmarks.repair_shop_visit import CHECKS, CLASS_NAME, CODE, SCRIPT, trajectory_of

_NAME = "peer_environment"
_compiled = functools.cache(functools.partial(compile, filename=f"<{_NAME}>", mode="exec"))


@contextmanager
def peer_environment(state: dict[str, Any], *, is_cached: bool = False) -> Iterator[Any]:
    """An instance whose class was executed from source (or from a kept code object), with its own copy of the state."""
    module = sys.modules[_NAME] = ModuleType(_NAME)
    exec(_code(CODE, is_cached=is_cached), vars(module))
    instance = vars(module)[CLASS_NAME]()
    for name, value in copy.deepcopy(state).items():
        setattr(instance, name, value)
    yield instance
    sys.modules.pop(_NAME, None)


def peer_call(instance: Any, call: Call) -> Any:
    """One step."""
    return getattr(instance, call.tool)(**call.arguments)


def copying_call(instance: Any, call: Call) -> Any:
    """One step of a runtime that keeps the state from before it."""
    before = copy.deepcopy(vars(instance))
    result = peer_call(instance, call)
    return before, result


def peer_session(state: dict[str, Any], *, is_cached: bool = False) -> list[bool]:
    """Load, play the script, take the final state, run the checks."""
    with peer_environment(state, is_cached=is_cached) as instance:
        results = [peer_call(instance, call) for call in SCRIPT]
        final = copy.deepcopy(vars(instance))
    record = trajectory_of(results)
    verdicts = []
    for check in CHECKS:
        names: dict[str, Any] = {}
        exec(_code(check, is_cached=is_cached), names)
        verdicts.append(bool(names["check"](state, final, record)))
    return verdicts


def _code(source: str, *, is_cached: bool) -> CodeType | str:
    return _compiled(source) if is_cached else source
