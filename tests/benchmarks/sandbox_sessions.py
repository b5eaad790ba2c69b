"""What the sandbox is measured doing: steps and whole sessions, also in several host processes at once."""

import multiprocessing
import os
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from types import TracebackType
from typing import Any, Self

from tasks.sandbox.base import Call, EnvironmentSession, Sandbox
from tasks.sandbox.zygote import ZygoteSandbox
from tests.benchmarks.peer_session import peer_session
from tests.benchmarks.repair_shop_visit import CHECKS, CLASS_NAME, CODE, LOOK_UP, SCRIPT, shop_state, trajectory_of

STATE = shop_state(40)
"""20 KB."""
STEADY = (
    LOOK_UP,
    Call("get_customer", {"customer_id": "CUS-0005"}),
    Call("find_customers", {"text": "chiara"}),
    Call("note_customer", {"customer_id": "CUS-0005", "note": "calls back"}),
    Call("list_technicians", {"skill": "radio"}),
    Call("estimate", {"ticket_id": "TIC-0004"}),
    Call("restock", {"part_id": "PAR-0006", "count": 1}),
)
"""Reads and writes that leave the state at its size."""

Work = Callable[[Sandbox, int], None]


def single_steps(session: EnvironmentSession, calls: tuple[Call, ...], count: int) -> None:
    """So many steps, one message each."""
    for number in range(count):
        call = calls[number % len(calls)]
        session.step(call.tool, call.arguments)


def whole_session(sandbox: Sandbox) -> list[bool]:
    """Open, load, init, 14 steps, snapshot, close, and the checks in a process of their own."""
    with sandbox.environment(CODE, CLASS_NAME) as session:
        session.init(STATE)
        results = [session.step(call.tool, call.arguments).result for call in SCRIPT]
        final = session.snapshot()
    with sandbox.checks() as checks:
        verdicts = checks.check(CHECKS, STATE, final, trajectory_of(results))
    return [each.passed for each in verdicts]


def timed_session(sandbox: Sandbox) -> dict[str, float]:
    """The same, and the seconds of each of its parts."""
    laps: dict[str, float] = {}
    last = time.perf_counter()

    def lap(name: str) -> None:
        nonlocal last
        now = time.perf_counter()
        laps[name], last = now - last, now

    with sandbox.environment(CODE, CLASS_NAME) as session:
        lap("open: fork, load the class")
        session.init(STATE)
        lap("init")
        results = [session.step(call.tool, call.arguments).result for call in SCRIPT]
        lap("14 steps")
        final = session.snapshot()
        lap("snapshot")
    lap("close")
    with sandbox.checks() as checks:
        lap("open for checks: fork")
        checks.check(CHECKS, STATE, final, trajectory_of(results))
        lap("4 checks")
    lap("close checks")
    return laps


def steady_steps(sandbox: Sandbox, count: int) -> None:
    """One session with so many steps."""
    with sandbox.environment(CODE, CLASS_NAME) as session:
        session.init(STATE)
        single_steps(session, STEADY, count)


def whole_sessions(sandbox: Sandbox, count: int) -> None:
    """So many sessions, one after the other."""
    for _ in range(count):
        whole_session(sandbox)


def plain_sessions(_sandbox: Sandbox, count: int) -> None:
    """The same without a sandbox."""
    for _ in range(count):
        peer_session(STATE)


class Host:
    """Another process with a sandbox of its own."""

    def __init__(self, cores: frozenset[int] = frozenset()) -> None:
        """Start it; it and its sandbox keep to these cores, or to none if there are none given."""
        context = multiprocessing.get_context("spawn")
        self._ours, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, cores), daemon=True)
        self._process.start()
        theirs.close()
        self.answer()

    def ask(self, work: Callable[..., Any], *arguments: Any) -> None:
        """Have it call `work(sandbox, *arguments)`, a function of a module."""
        self._ours.send((work, arguments))

    def answer(self) -> Any:
        """What that returned."""
        return self._ours.recv()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._ours.close()
        self._process.join()


def seconds_of(hosts: list[Host], work: Work, count: int) -> float:
    """How long it takes until all hosts have done this, having begun together."""
    start = time.perf_counter()
    for host in hosts:
        host.ask(work, count)
    for host in hosts:
        host.answer()
    return time.perf_counter() - start


def _serve(connection: Connection, cores: frozenset[int]) -> None:
    if cores:
        os.sched_setaffinity(0, cores)
    sandbox = ZygoteSandbox()
    connection.send(sandbox.level)
    try:
        while True:
            work, arguments = connection.recv()
            connection.send(work(sandbox, *arguments))
    except EOFError:
        sandbox.close()
