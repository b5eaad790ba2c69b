"""What an attack is: a text of hostile code, what it is after, and how to tell whether it got there.

The same text runs in an unprotected process, where it must reach its goal, and in the sandbox, where it must not.
"""

import enum
from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import dedent

from tasks.sandbox import selftest
from tasks.sandbox.base import FaultReason
from tasks.sandbox.selftest import attack_code


class Goal(enum.Enum):
    """How an attack reaches its goal: in an unprotected process, and never in the sandbox."""

    SAYS = "the method itself returns success, with the secret when there was one to steal"
    DAMAGES = "something outside has changed: a file, a connection, another process"
    OUTLIVES = "it is still running when its time is over"
    BREAKS = "the host of the call is left with neither a result nor an exception it expects"
    NOT_PLAIN = "the host holds a result that is not plain JSON"
    FLOODS = "more than a mebibyte reaches the host"
    SPOILS = "a session that comes later behaves differently"
    REMEMBERS = "a later session of the same code sees what an earlier one left"
    ANSWERS = "another call gets an answer that is not its own"
    PASSES_BESIDE = "a check of another group that is false passes after it, in the same session"
    PASSES_LATER = "a check that is false passes after it, in a later session"


@dataclass(frozen=True, slots=True)
class Attack:
    """One attack. Its code holds a class `Attack` with a method `run`, or a function `check`."""

    name: str
    group: str
    tries: str
    """In words, such as "reads a file of the host"."""
    code: str
    goal: Goal
    takes: tuple[str, ...] = ()
    """Names of lures (see `world.py`), passed to `run` under these names."""
    steals: bool = False
    """The result of a success holds the secret of the host."""
    may_end: tuple[FaultReason, ...] = ()
    """How its session may die in the sandbox; empty: it must go on."""
    host_may_refuse: bool = False
    """Some unprotected hosts refuse it too: containers without ptrace, kernels without io_uring."""


_SYSTEM_CALLS = """
def syscall(number, *arguments):
    ctypes = module("ctypes")
    function = ctypes.CDLL(None, use_errno=True).syscall
    function.restype = ctypes.c_long
    answer = function(ctypes.c_long(number), *(ctypes.c_long(a) if type(a) is int else a for a in arguments))
    if answer < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return answer


def library(name, *arguments):
    ctypes = module("ctypes")
    answer = getattr(ctypes.CDLL(None, use_errno=True), name)(*arguments)
    if answer < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return answer

"""
"""Calls by number, with integers and buffers, and calls of the C library."""


def attack(
    group: str,
    name: str,
    tries: str,
    body: str,
    *,
    goal: Goal = Goal.SAYS,
    takes: Sequence[str] = (),
    around: str = "",
    members: str = "",
    steals: bool = False,
    may_end: tuple[FaultReason, ...] = (),
    host_may_refuse: bool = False,
) -> Attack:
    """An attack whose `run` has this body.

    `around` is text of the module in front of the class, `members` text of the class behind `run`.
    """
    code = attack_code(body, tuple(takes), around=_SYSTEM_CALLS + dedent(around), members=members)
    return Attack(name, group, tries, code, goal, tuple(takes), steals, may_end, host_may_refuse)


def from_selftest(
    group: str,
    name: str,
    *,
    goal: Goal = Goal.SAYS,
    steals: bool = False,
    may_end: tuple[FaultReason, ...] = (),
) -> Attack:
    """An attack that `envmill doctor` tries, too."""
    (found,) = (each for each in selftest.ATTACKS if each.name == name)
    return Attack(name, group, found.tries, found.code, goal, found.takes, steals, may_end)
