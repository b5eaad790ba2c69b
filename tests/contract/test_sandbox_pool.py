"""The pool of sessions for callers on an event loop: places are shared, and nothing that goes wrong loses one."""

import asyncio
import os
import signal
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest

from schemas.errors import SandboxUnavailable
from tasks.sandbox.base import Call, CheckVerdict, CodeRejected, SessionDied
from tasks.sandbox.pool import AsyncEnvironmentSession, SandboxPool
from tasks.sandbox.zygote import ZygoteSandbox
from tests.contract import sandbox_attacks as attacks
from tests.contract.processes import children, runs
from tests.contract.sandbox_samples import SHELF, STATE

ENDLESS_CHECK = "def check(initial_state, final_state, trajectory):\n    while True:\n        pass"
Use = Callable[[SandboxPool], Coroutine[Any, Any, None]]


class Watched(ZygoteSandbox):
    """A sandbox that knows its own processes among those of this one."""

    def __init__(self, wall_s: float) -> None:
        super().__init__(wall_s=wall_s, cpu_s=60, check_s=60)
        self._others = children(os.getpid())

    def zygotes(self) -> list[int]:
        return [child for child in children(os.getpid()) if child not in self._others]

    def sessions(self) -> list[int]:
        return [session for zygote in self.zygotes() for session in children(zygote)]

    async def is_busy(self) -> None:
        """Wait until a session process works on what it was asked."""
        while not any(map(runs, self.sessions())):
            await asyncio.sleep(0.01)
        await asyncio.sleep(0.05)


@pytest.fixture
def sandbox() -> Iterator[Watched]:
    """With limits that no test reaches when hanging calls can be ended."""
    sandbox = Watched(wall_s=20)
    yield sandbox
    sandbox.close()
    assert sandbox.zygotes() == []


def use(sandbox: Watched, size: int, *uses: Use) -> None:
    """Run coroutines with one pool, then look whether anything is left of it."""

    async def run() -> None:
        async with SandboxPool(sandbox, size) as pool:
            for each in uses:
                await each(pool)

    asyncio.run(run())
    assert sandbox.sessions() == []


async def cancelled(task: "asyncio.Task[Any]") -> bool:
    task.cancel()
    await asyncio.wait([task])
    return task.cancelled()


async def works(pool: SandboxPool) -> None:
    """Whether a new session does what it should."""
    async with pool.environment(SHELF, "Shelf") as session:
        await session.init(STATE)
        assert len((await session.step("add_book", {"title": "New"})).result["data"]) == 3


async def loop(pool: SandboxPool) -> None:
    async with pool.environment(attacks.LOOP, "Attack") as session:
        await session.init(None)
        await session.step("run", {})


# Use


def test_sessions_of_a_pool_do_what_other_sessions_do(sandbox: Watched) -> None:
    async def play(pool: SandboxPool) -> None:
        async with pool.environment(SHELF, "Shelf", hash_seed=3) as session:
            await session.init(STATE, seed=1)
            first = await session.steps([Call("add_book", {"title": "New"}), Call("draw", {})], watch=True)
            state = await session.snapshot()
            await session.reset()
            again = await session.steps([Call("add_book", {"title": "New"}), Call("draw", {})], watch=True)
        async with pool.checks() as checks:
            code = "def check(initial_state, final_state, trajectory): return final_state['count'] == 3"
            verdicts = await checks.check([code], STATE, state, {})
            assert verdicts == await checks.evaluate(["count == 3"], state) == [CheckVerdict(True, None)]

        assert first == again
        assert len(state["books"]) == 3

    use(sandbox, 1, play)


def test_callers_wait_for_a_place_and_all_get_one(sandbox: Watched) -> None:
    alive: list[int] = []

    async def play(pool: SandboxPool, number: int) -> int:
        async with pool.environment(SHELF, "Shelf") as session:
            alive.append(len(sandbox.sessions()))
            await session.init({"count": number})
            await session.step("add_book", {"title": "New"})
            return int((await session.snapshot())["count"])

    async def all_play(pool: SandboxPool) -> None:
        assert await asyncio.gather(*(play(pool, number) for number in range(12))) == list(range(1, 13))

    use(sandbox, 3, all_play)
    assert len(alive) == 12
    assert max(alive) == 3


def test_calls_that_share_a_session_are_made_one_after_the_other(sandbox: Watched) -> None:
    async def play(pool: SandboxPool) -> None:
        async with pool.environment(SHELF, "Shelf") as session:
            await session.init(None)
            results = await asyncio.gather(*(session.step("add_book", {"title": str(each)}) for each in range(30)))
        assert [len(each.result["data"]) for each in results] == list(range(1, 31))

    use(sandbox, 2, play)


def test_a_pool_without_places_is_refused(sandbox: Watched) -> None:
    with pytest.raises(ValueError, match="at least one place"):
        SandboxPool(sandbox, 0)


# What goes wrong


@pytest.mark.parametrize(
    ("code", "error"), [("class Other: pass", CodeRejected), ("import os", CodeRejected), (attacks.EXIT, SessionDied)]
)
def test_a_session_that_fails_frees_its_place(sandbox: Watched, code: str, error: type[Exception]) -> None:
    async def fail(pool: SandboxPool) -> None:
        with pytest.raises(error):
            async with pool.environment(code, "Attack") as session:
                await session.init(None)
                await session.step("run", {})

    use(sandbox, 1, fail, works)


def test_an_error_of_the_caller_frees_the_place(sandbox: Watched) -> None:
    async def fail(pool: SandboxPool) -> None:
        with pytest.raises(KeyError):
            async with pool.environment(SHELF, "Shelf"):
                raise KeyError("x")

    use(sandbox, 1, fail, works)


@pytest.mark.parametrize("moment", ["idle", "busy"])
def test_a_killed_zygote_is_replaced(sandbox: Watched, moment: str) -> None:
    async def lose(pool: SandboxPool) -> None:
        async with pool.environment(attacks.LOOP, "Attack") as session:
            await session.init(None)
            task = asyncio.create_task(session.step("run", {})) if moment == "busy" else None
            if task:
                await sandbox.is_busy()
            (zygote,) = sandbox.zygotes()
            os.kill(zygote, signal.SIGKILL)
            with pytest.raises((SandboxUnavailable, SessionDied)):
                await (task or session.step("run", {}))

    use(sandbox, 1, lose, works)


# Cancellation


def test_a_cancelled_call_that_hangs_ends_its_session_and_frees_the_place(sandbox: Watched) -> None:
    async def cancel(pool: SandboxPool) -> None:
        task = asyncio.create_task(loop(pool))
        await sandbox.is_busy()
        assert await cancelled(task)

    use(sandbox, 1, cancel, works)


def test_a_call_that_ran_out_of_the_callers_time_ends_the_session(sandbox: Watched) -> None:
    async def give_up(pool: SandboxPool) -> None:
        async with pool.environment(attacks.LOOP, "Attack") as session:
            await session.init(None)
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.2):
                    await session.step("run", {})
            with pytest.raises(SessionDied, match="cancelled"):
                await session.init(None)

    use(sandbox, 1, give_up, works)


def test_a_cancelled_check_that_hangs_frees_the_place(sandbox: Watched) -> None:
    async def check(pool: SandboxPool) -> None:
        async with pool.checks() as checks:
            await checks.check([ENDLESS_CHECK] * 3, {}, {}, {})

    async def cancel(pool: SandboxPool) -> None:
        task = asyncio.create_task(check(pool))
        await sandbox.is_busy()
        assert await cancelled(task)

    use(sandbox, 1, cancel, works)


def test_a_cancelled_opening_frees_the_place() -> None:
    async def cancel(pool: SandboxPool) -> None:
        async def open_it() -> None:
            async with pool.environment(attacks.LOOP_ON_LOAD, "Attack"):
                pass

        task = asyncio.create_task(open_it())
        await impatient.is_busy()
        assert await cancelled(task)

    impatient = Watched(wall_s=1)
    use(impatient, 1, cancel, works)
    impatient.close()


def test_a_cancelled_caller_in_the_queue_loses_no_place(sandbox: Watched) -> None:
    async def cancel(pool: SandboxPool) -> None:
        async with pool.environment(SHELF, "Shelf"):
            waiting = [asyncio.create_task(works(pool)) for _ in range(3)]
            await asyncio.sleep(0)
            assert await cancelled(waiting[1])
        await asyncio.gather(waiting[0], waiting[2])

    use(sandbox, 1, cancel, works)


def test_a_caller_that_is_cancelled_between_two_calls_frees_the_place(sandbox: Watched) -> None:
    async def rest(pool: SandboxPool, is_open: asyncio.Event) -> None:
        async with pool.environment(SHELF, "Shelf"):
            is_open.set()
            await asyncio.sleep(3600)

    async def cancel(pool: SandboxPool) -> None:
        is_open = asyncio.Event()
        task = asyncio.create_task(rest(pool, is_open))
        await is_open.wait()
        assert await cancelled(task)

    use(sandbox, 1, cancel, works)


def test_cancellation_at_any_moment_loses_no_place(sandbox: Watched) -> None:
    async def storm(pool: SandboxPool) -> None:
        for number in range(60):
            task = asyncio.create_task(works(pool))
            await asyncio.sleep(number * 0.0003)
            task.cancel()
            await asyncio.wait([task])
            assert task.cancelled() or task.exception() is None

    use(sandbox, 2, storm, works)


def test_a_loop_that_ends_early_leaves_no_process(sandbox: Watched) -> None:
    async def leave_running() -> None:
        task = asyncio.create_task(loop(SandboxPool(sandbox, 1)))  # cancelled by the end of the loop
        await sandbox.is_busy()

        assert not task.done()

    asyncio.run(leave_running())
    while sandbox.sessions():
        pass


# Closing


def test_closing_ends_sessions_and_sends_those_away_who_wait(sandbox: Watched) -> None:
    async def run() -> None:
        pool = SandboxPool(sandbox, 1)
        is_open, may_go_on = asyncio.Event(), asyncio.Event()

        async def hold() -> None:
            async with pool.environment(SHELF, "Shelf") as session:
                is_open.set()
                await may_go_on.wait()
                await session.init(None)

        holder = asyncio.create_task(hold())
        await is_open.wait()
        waiting = [asyncio.create_task(works(pool)) for _ in range(2)]
        await asyncio.sleep(0)
        await pool.aclose()
        may_go_on.set()
        ends = await asyncio.gather(holder, *waiting, return_exceptions=True)

        assert [type(each) for each in ends] == [SessionDied, RuntimeError, RuntimeError]
        with pytest.raises(RuntimeError, match="closed"):
            await works(pool)
        await pool.aclose()

    asyncio.run(run())
    assert sandbox.sessions() == []


def test_closing_ends_a_call_that_hangs(sandbox: Watched) -> None:
    async def run() -> None:
        pool = SandboxPool(sandbox, 1)
        task = asyncio.create_task(loop(pool))
        await sandbox.is_busy()
        await pool.aclose()
        with pytest.raises(SessionDied):
            await task

    asyncio.run(run())
    assert sandbox.sessions() == []


def test_what_is_used_after_its_block_answers_no_more(sandbox: Watched) -> None:
    async def keep(pool: SandboxPool) -> None:
        kept: list[AsyncEnvironmentSession] = []
        async with pool.environment(SHELF, "Shelf") as session:
            kept.append(session)
        with pytest.raises(SessionDied, match="closed"):
            await kept[0].snapshot()

    use(sandbox, 1, keep, works)
