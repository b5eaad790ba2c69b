"""Runs check functions and predicates, inside a process that never saw an environment class."""

import functools
import marshal
import signal
from collections.abc import Callable, Sequence
from types import CodeType, FrameType
from typing import Any

from tasks.sandbox.frames import encode_json
from tasks.sandbox.inside import simulation
from tasks.sandbox.inside.attributes import lettered
from tasks.sandbox.inside.code import Refused, compiled, described, fresh_module, type_name
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

    def __init__(self, limit_s: float, renew: Callable[[], None]) -> None:
        """Set the time for one check or predicate.

        Args:
            limit_s: Seconds of CPU.
            renew: Moves the limit of the process on; called before each check, so that they do not share one.
        """
        self._limit_s, self._renew = limit_s, renew
        signal.signal(signal.SIGPROF, _ring)

    def check(
        self,
        codes: Sequence[str],
        initial_state: dict[str, Any],
        final_state: dict[str, Any],
        trajectory: dict[str, Any],
    ) -> str:
        """Run each check in a fresh namespace, all on inputs as they came in."""
        inputs = [initial_state, final_state, trajectory]
        original = lettered(inputs)
        now = final_state.get("now")
        start = now if isinstance(now, str) else None
        verdicts = [self._checked(code, inputs, start) for code in codes]
        if not _is_still(inputs, original):  # rare: find out which of them changed something, and spare the others
            verdicts = [self._watched(code, marshal.loads(original), original, start) for code in codes]
        return encode_json(verdicts)

    def _checked(self, code: str, inputs: list[dict[str, Any]], start: str | None) -> dict[str, Any]:
        simulation.begin(start, 0)
        return self._verdict(functools.partial(_answer, code, inputs), _FILE)

    def _watched(self, code: str, inputs: list[dict[str, Any]], original: bytes, start: str | None) -> dict[str, Any]:
        verdict = self._checked(code, inputs, start)
        if _is_still(inputs, original):
            return verdict
        return {"passed": False, "error": verdict["error"] or "changed_inputs: the check changed its inputs"}

    def evaluate(self, predicates: list[str], names: dict[str, Any], own: list[dict[str, Any]]) -> str:
        """Evaluate each expression by itself, with its own names; its truthiness is the answer."""
        known = predicate_names(names)
        verdicts = [
            self._verdict(functools.partial(_truth, text, {**known, **more}), PREDICATE_FILE)
            for text, more in zip(predicates, own, strict=True)
        ]
        return encode_json(verdicts)

    def _verdict(self, run: Callable[[], bool], file_name: str) -> dict[str, Any]:
        self._renew()
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
    return bool(eval(code, names))


def _answer(code: str, inputs: Sequence[dict[str, Any]]) -> bool:
    module = fresh_module("check")
    exec(_cached_check(code), vars(module))
    function = vars(module).get("check")
    if not callable(function):
        raise _Broken(f"check_missing: the code defines no function {_SIGNATURE}")
    answer = function(*inputs)
    if type(answer) is not bool:
        raise _Broken(f"not_bool: the check returned {type_name(answer)}, not bool")
    return answer


def _is_still(inputs: list[dict[str, Any]], original: bytes) -> bool:
    """Whether the values are the original ones, types and order of keys included."""
    try:
        return lettered(inputs) == original
    except (ValueError, RecursionError):
        return False


def _ring(number: int, at: FrameType | None) -> None:
    raise _TimeIsUp
