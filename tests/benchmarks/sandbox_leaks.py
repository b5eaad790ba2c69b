"""Opens many sessions that end in every way there is, and counts what is left: processes, files, memory."""

import gc
import os
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from schemas.errors import SandboxUnavailable
from tasks.sandbox.base import CodeRejected, Sandbox, SessionDied
from tasks.sandbox.zygote import ZygoteSandbox
from tests.benchmarks.measuring import Figure, rate
from tests.contract import sandbox_attacks as attacks
from tests.contract.processes import children, lives, memory_kib
from tests.contract.sandbox_samples import SHELF, STATE

_WALL_S = 0.4
_WARM_UP = 100
_LEAVING_CHECK = "def check(initial_state, final_state, trajectory):\n    import random\n    random._os._exit(3)"
_PASSING_CHECK = "def check(initial_state, final_state, trajectory):\n    return initial_state == final_state"


@dataclass(frozen=True, slots=True)
class Footprint:
    """What this process and its children hold."""

    zygotes: int
    sessions: int
    files: int
    zygote_files: int
    resident_kib: int
    """Of this process alone."""


@dataclass(frozen=True, slots=True)
class Remains:
    """What is held after a number of sessions, none of which is open any more."""

    endings: Mapping[str, int]
    """How many sessions ended in which way: "fine", "lost" with their zygote, or the reason of a refusal or death."""
    early: Footprint
    """After the first hundred."""
    late: Footprint
    """After all."""
    closed: Footprint
    """When the sandbox is closed, too."""
    seconds: float


def run_sessions(count: int) -> Remains:
    """Open so many sessions, one after the other; at least 100 of them, or there is nothing to compare."""
    others = children(os.getpid())
    sandbox, patient = ZygoteSandbox(wall_s=_WALL_S), ZygoteSandbox(wall_s=30, cpu_s=0)
    start = time.perf_counter()
    endings = Counter([_ending(patient, "cpu")])
    endings += Counter(_ending(sandbox, _kind(number)) for number in range(_WARM_UP))
    early = _footprint(others)
    endings += Counter(_ending(sandbox, _kind(number)) for number in range(_WARM_UP, count))
    endings += Counter(_ending(patient, "cpu") for _ in range(count // 1000))
    late = _footprint(others)
    seconds = time.perf_counter() - start
    sandbox.close()
    patient.close()
    return Remains(endings, early, late, _footprint(others), seconds)


def leaks(count: int) -> Iterator[Figure]:
    """The same as figures."""
    remains = run_sessions(count)
    yield Figure("sessions", rate(count, remains.seconds, "sessions"), _listed(remains.endings))
    for what in ("zygotes", "sessions", "files", "zygote_files", "resident_kib"):
        early, late, closed = (getattr(each, what) for each in (remains.early, remains.late, remains.closed))
        is_kept = None if what == "resident_kib" else early == late
        yield Figure(what, f"{late}, closed: {closed}", f"after the first {_WARM_UP}: {early}", "the same", is_kept)


def _fine(sandbox: Sandbox) -> None:
    with sandbox.environment(SHELF, "Shelf") as session:
        session.init(STATE)
        session.step("add_book", {"title": "New"})
        session.snapshot()


def _branch(sandbox: Sandbox) -> None:
    with sandbox.environment(SHELF, "Shelf") as session:
        session.init(STATE)
        with session.branch() as other:
            other.step("draw", {})


def _check(sandbox: Sandbox) -> None:
    with sandbox.checks() as checks:
        checks.check([_PASSING_CHECK], STATE, STATE, {})
        checks.evaluate(["count > 1", "count / 0"], STATE)


def _leaving_check(sandbox: Sandbox) -> None:
    with sandbox.checks() as checks:
        checks.check([_LEAVING_CHECK, _PASSING_CHECK], STATE, STATE, {})


def _error(sandbox: Sandbox) -> None:
    with sandbox.environment(SHELF, "Shelf"):
        raise CodeRejected("error_of_the_host", "while a session was open")


def _lost(sandbox: Sandbox) -> None:
    others = children(os.getpid())
    own = ZygoteSandbox()
    with own.environment(SHELF, "Shelf") as session:
        session.init(STATE)
        (zygote,) = (child for child in children(os.getpid()) if child not in others)
        (process,) = children(zygote)
        os.kill(zygote, signal.SIGKILL)
        while lives(process):
            time.sleep(0.001)
        session.step("draw", {})


def _attack(code: str) -> Callable[[Sandbox], None]:
    def run(sandbox: Sandbox) -> None:
        with sandbox.environment(code, "Attack") as session:
            session.init(None)
            for _ in range(3):
                session.step("run", {})

    return run


_KINDS: Mapping[str, Callable[[Sandbox], None]] = {
    "fine": _fine,
    "branch": _branch,
    "check": _check,
    "leaving check": _leaving_check,
    "error": _error,
    "lost": _lost,
    "no class": _attack("x = 1"),
    "no syntax": _attack("x ="),
    "no import": _attack("import os"),
    "no load": _attack("x = 1 / 0"),
    "no init": _attack("class Attack:\n    def __init__(self):\n        1 / 0"),
    "leaves on load": _attack("import random\nrandom._os._exit(3)"),
    "exit": _attack(attacks.EXIT),
    "crash": _attack(attacks.SEGFAULT),
    "garbage": _attack(attacks.GARBAGE),
    "forged": _attack(attacks.FORGED_REPLY),
    "flood": _attack(attacks.FLOOD),
    "memory": _attack(attacks.MEMORY),
    "hang up": _attack(attacks.HANG_UP),
    "loop": _attack(attacks.LOOP),
    "loop on load": _attack(attacks.LOOP_ON_LOAD),
    "cpu": _attack(attacks.LOOP),
}
_QUICK = (
    "leaving check", "error", "no class", "no syntax", "no import", "no load", "no init", "leaves on load", "exit",
    "crash", "garbage", "forged",
)  # fmt: skip
_SLOW = ("flood", "memory", "hang up", "loop", "loop on load", "lost")


def _kind(number: int) -> str:
    """What the session of this number does: mostly nothing special."""
    if number % 40 == 39:
        return _SLOW[number // 40 % len(_SLOW)]
    if number % 8 == 7:
        return _QUICK[number // 8 % len(_QUICK)]
    return ("fine", "check", "fine", "branch")[number % 4]


def _ending(sandbox: Sandbox, kind: str) -> str:
    try:
        _KINDS[kind](sandbox)
    except SessionDied as death:
        return death.reason
    except CodeRejected as refusal:
        return refusal.kind
    except SandboxUnavailable:
        return "lost"
    return "fine"


def _footprint(others: list[int]) -> Footprint:
    gc.collect()
    zygotes = [child for child in children(os.getpid()) if child not in others]
    return Footprint(
        zygotes=len(zygotes),
        sessions=sum(len(children(zygote)) for zygote in zygotes),
        files=_files(os.getpid()),
        zygote_files=sum(map(_files, zygotes)),
        resident_kib=memory_kib(os.getpid())["Rss"],
    )


def _files(process: int) -> int:
    return len(list(Path(f"/proc/{process}/fd").iterdir()))


def _listed(endings: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(endings.items()))
