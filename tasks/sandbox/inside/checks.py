"""Runs check functions and predicates, inside a process that never saw an environment class."""

import functools
import random
import signal
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any

from schemas.ids import canonical_json
from tasks.sandbox.frames import encode_json
from tasks.sandbox.inside.code import Refused, compiled, described, fresh_module
from tasks.sandbox.inside.predicates import FILE as PREDICATE_FILE
from tasks.sandbox.inside.predicates import compiled_predicate, predicate_names

_FILE = "<check>"
_SIGNATURE = "check(initial_state, final_state, trajectory)"
_REPEAT_S = 0.2
"""Code that swallows the time-is-up exception meets it again."""
_CACHE_SIZE = 1024

_cached_check = functools.lru_cache(_CACHE_SIZE)(functools.partial(compiled, file_name=_FILE))
_cached_predicate = functools.lru_cache(_CACHE_SIZE)(compiled_predicate)


class _TimeIsUp(BaseException):
    """Raised by the timer; no `except Exception` in a check can keep it."""


class _Broken(Exception):
    """A check gave no answer; the text says why."""


class Checks:
    """Answers with JSON text: {"passed", "error"} per check or predicate."""

    def __init__(self, limit_s: float) -> None:
        self._limit_s = limit_s
        signal.signal(signal.SIGPROF, _ring)

    def check(
        self, code: str, initial_state: dict[str, Any], final_state: dict[str, Any], trajectory: dict[str, Any]
    ) -> str:
        """Run one check in a fresh namespace."""
        inputs = [initial_state, final_state, trajectory]
        before = canonical_json(inputs)

        def run() -> bool:
            module = fresh_module("check")
            exec(_cached_check(code), vars(module))
            function = vars(module).get("check")
            if not callable(function):
                raise _Broken(f"check_missing: the code defines no function {_SIGNATURE}")
            random.seed(0)
            answer = function(*inputs)
            if type(answer) is not bool:
                raise _Broken(f"not_bool: the check returned {type(answer).__name__}, not bool")
            if _changed(inputs, before):
                raise _Broken("changed_inputs: the check changed its inputs")
            return answer

        return encode_json(self._verdict(run, _FILE))

    def evaluate(self, predicates: list[str], names: dict[str, Any]) -> str:
        """Evaluate each expression on its own; its truthiness is the answer."""
        known = predicate_names(names)
        verdicts = [self._verdict(functools.partial(_truth, text, known), PREDICATE_FILE) for text in predicates]
        return encode_json(verdicts)

    def _verdict(self, run: Callable[[], bool], file_name: str) -> dict[str, Any]:
        try:
            signal.setitimer(signal.ITIMER_PROF, self._limit_s, _REPEAT_S)
            try:
                return {"passed": run(), "error": None}
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0)
        except _TimeIsUp:
            signal.setitimer(signal.ITIMER_PROF, 0)
            error = f"timeout: no answer within {self._limit_s:g} s of CPU time"
        except _Broken as broken:
            error = str(broken)
        except Refused as refused:
            error = f"{refused.kind}: {refused}"
        except BaseException as raised:  # noqa: BLE001 - untrusted code may raise anything
            error = described(raised, file_name)
        return {"passed": False, "error": error}


def _truth(text: str, names: dict[str, Any]) -> bool:
    code: CodeType = _cached_predicate(text)
    return bool(eval(code, dict(names)))


def _changed(inputs: list[Any], before: str) -> bool:
    try:
        return canonical_json(inputs) != before
    except (TypeError, ValueError, RecursionError):
        return True


def _ring(number: int, at: FrameType | None) -> None:
    raise _TimeIsUp
