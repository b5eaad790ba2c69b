"""Sessions for callers on an event loop: a limited number of them, each with a thread that does its waiting."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, asynccontextmanager
from types import TracebackType
from typing import Any, Generic, Protocol, Self, TypeVar, runtime_checkable

from tasks.sandbox.base import (
    Call,
    CheckSession,
    CheckVerdict,
    EnvironmentSession,
    Sandbox,
    SessionDied,
    StepResult,
)

S = TypeVar("S")
T = TypeVar("T")


@runtime_checkable
class Killable(Protocol):
    """A session that another thread may end while it is waiting. Others are waited for, up to their limits."""

    def kill(self) -> None:
        """End the process at once. A call that is under way raises SessionDied; the session still has to be closed."""


class SandboxPool:
    """At most so many sessions at a time, for any number of callers on one event loop. Close it when all is done.

    A caller who is cancelled leaves nothing behind: its session is ended and its place is free again as soon as the
    process is gone. That happens in a thread, so the cancelled caller itself does not wait for it.
    """

    def __init__(self, sandbox: Sandbox, size: int) -> None:
        """Prepare places and threads; nothing is started before it is needed.

        Args:
            sandbox: Opens the sessions. It stays open when the pool is closed.
            size: How many sessions may be alive, at least 1.
        """
        if size < 1:
            raise ValueError(f"a pool needs at least one place, not {size}")
        self._sandbox = sandbox
        self._threads = [ThreadPoolExecutor(1, f"session-{number}") for number in range(size)]
        self._free: asyncio.LifoQueue[ThreadPoolExecutor] = asyncio.LifoQueue()
        for thread in reversed(self._threads):
            self._free.put_nowait(thread)
        self._seats: set[_Seat[Any]] = set()
        self._is_closed = False

    @asynccontextmanager
    async def environment(
        self, code: str, class_name: str, *, hash_seed: int = 0
    ) -> AsyncIterator["AsyncEnvironmentSession"]:
        """See `Sandbox.environment`. Waits until there is a place.

        Raises:
            RuntimeError: the pool is closed, perhaps since the caller began to wait.
        """
        async with self._seat(lambda: self._sandbox.environment(code, class_name, hash_seed=hash_seed)) as seat:
            yield AsyncEnvironmentSession(seat)

    @asynccontextmanager
    async def checks(self) -> AsyncIterator["AsyncCheckSession"]:
        """See `Sandbox.checks`. Waits until there is a place.

        Raises:
            RuntimeError: the pool is closed, perhaps since the caller began to wait.
        """
        async with self._seat(self._sandbox.checks) as seat:
            yield AsyncCheckSession(seat)

    async def aclose(self) -> None:
        """End all sessions and wait until they are gone. Whoever goes on using one meets a SessionDied."""
        self._is_closed = True
        endings = [asyncio.wrap_future(seat.leave(kills=True)) for seat in self._seats]
        await asyncio.shield(asyncio.gather(*endings))
        for thread in self._threads:
            thread.shutdown(wait=False)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.aclose()

    @asynccontextmanager
    async def _seat(self, opening: Callable[[], AbstractContextManager[S]]) -> AsyncIterator["_Seat[S]"]:
        seat = _Seat(await self._thread(), opening, self._vacate)
        self._seats.add(seat)
        try:
            await seat.open()
            yield seat
        finally:
            ending = seat.leave()
            if not seat.is_abandoned:
                await asyncio.shield(asyncio.wrap_future(ending))

    async def _thread(self) -> ThreadPoolExecutor:
        """The thread of a free place, once there is one."""
        if not self._is_closed:
            thread = await self._free.get()
            if not self._is_closed:
                return thread
            self._free.put_nowait(thread)  # for the next one who waits in vain
        raise RuntimeError("the pool of sandbox sessions is closed")

    def _vacate(self, seat: "_Seat[Any]", thread: ThreadPoolExecutor) -> None:
        self._seats.discard(seat)
        self._free.put_nowait(thread)


class AsyncEnvironmentSession:
    """An `EnvironmentSession` that is awaited. A call that is cancelled while it is under way ends the session."""

    def __init__(self, seat: "_Seat[EnvironmentSession]") -> None:
        """Take over an open session."""
        self._seat = seat

    async def init(self, state: dict[str, Any] | None, *, seed: int = 0) -> None:
        """See `EnvironmentSession`."""
        await self._seat.ask(lambda session: session.init(state, seed=seed))

    async def reset(self) -> None:
        """See `EnvironmentSession`."""
        await self._seat.ask(lambda session: session.reset())

    async def step(self, tool: str, arguments: dict[str, Any]) -> StepResult:
        """See `EnvironmentSession`."""
        return await self._seat.ask(lambda session: session.step(tool, arguments))

    async def steps(self, calls: Sequence[Call], *, watch: bool = False) -> list[StepResult]:
        """See `EnvironmentSession`."""
        return await self._seat.ask(lambda session: session.steps(calls, watch=watch))

    async def snapshot(self) -> dict[str, Any]:
        """See `EnvironmentSession`. To branch, open another session and `init` it with this."""
        return await self._seat.ask(lambda session: session.snapshot())


class AsyncCheckSession:
    """A `CheckSession` that is awaited. A call that is cancelled while it is under way ends the session."""

    def __init__(self, seat: "_Seat[CheckSession]") -> None:
        """Take over an open session."""
        self._seat = seat

    async def check(
        self,
        codes: Sequence[str],
        initial_state: dict[str, Any],
        final_state: dict[str, Any],
        trajectory: dict[str, Any],
        *,
        group: str = "",
    ) -> list[CheckVerdict]:
        """See `CheckSession`. Each group has a process of its own, all in this one place of the pool."""
        return await self._seat.ask(
            lambda session: session.check(codes, initial_state, final_state, trajectory, group=group)
        )

    async def evaluate(
        self, predicates: Sequence[str], names: dict[str, Any], *, own: Sequence[dict[str, Any]] = ()
    ) -> list[CheckVerdict]:
        """See `CheckSession`."""
        return await self._seat.ask(lambda session: session.evaluate(predicates, names, own=own))


class _Seat(Generic[S]):
    """One place of the pool while somebody has it: a session, and the one thread that opens, uses and closes it.

    As that thread does one thing after the other, closing comes after whatever was still under way.
    """

    def __init__(
        self,
        thread: ThreadPoolExecutor,
        opening: Callable[[], AbstractContextManager[S]],
        vacate: Callable[["_Seat[S]", ThreadPoolExecutor], None],
    ) -> None:
        self.is_abandoned = False
        """Whether a call was cancelled while it was under way, so that nobody knows what became of it."""
        self._thread, self._opening, self._vacate = thread, opening, vacate
        self._loop = asyncio.get_running_loop()
        self._opened = contextlib.ExitStack()
        self._session: S | None = None
        self._ending: Future[None] | None = None

    async def open(self) -> None:
        """Open the session."""
        await self._do(self._open)

    async def ask(self, question: Callable[[S], T]) -> T:
        """Let the thread make one call; calls of several tasks are made one after the other.

        Raises:
            SessionDied: as the session does, or the place was left or the session given up.
        """
        return await self._do(lambda: question(self._living()))

    def leave(self, *, kills: bool = False) -> "Future[None]":
        """Close the session after what is under way, free the place, and say when that is done. May be called twice."""
        if self._ending is None:
            if kills:
                self._abandon()
            self._ending = self._thread.submit(self._close)
            self._ending.add_done_callback(self._report)
        return self._ending

    async def _do(self, work: Callable[[], T]) -> T:
        if self._ending is not None:
            raise SessionDied("exit", "the session was closed")
        future = self._thread.submit(work)
        try:
            return await asyncio.wrap_future(future)
        except asyncio.CancelledError:
            if not future.cancel():  # it had begun
                self._abandon()
            raise

    def _abandon(self) -> None:
        self.is_abandoned = True
        session = self._session
        if isinstance(session, Killable):
            session.kill()

    def _open(self) -> None:
        self._session = self._opened.enter_context(self._opening())

    def _living(self) -> S:
        if self.is_abandoned or self._session is None:
            raise SessionDied("exit", "the session was closed, as a call of it was cancelled")
        return self._session

    def _close(self) -> None:
        self._session = None
        self._opened.close()

    def _report(self, ending: "Future[None]") -> None:
        """Runs in the thread. Without its loop, the pool has no more use for the place."""
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._vacate, self, self._thread)
