"""How many requests go out at a time: adapts to what the endpoint allows."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from schemas.errors import UsageError
from tasks.authors.llm.limiter import Limiter

WORKERS = 64


class Crowded:
    """An endpoint that turns away whoever comes while it is full."""

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.answered = self.turned_away = self._inside = 0
        self._lock = threading.Lock()

    def ask(self) -> bool:
        with self._lock:
            if self._inside >= self.capacity:
                self.turned_away += 1
                return False
            self._inside += 1
        time.sleep(0.003)
        with self._lock:
            self._inside -= 1
            self.answered += 1
        return True


def together(count: int, act: Callable[[], None], limiter: Limiter) -> None:
    """So many threads hold a slot at the same time, and then act."""
    barrier = threading.Barrier(count)

    def work(_: int) -> None:
        with limiter.slot():
            barrier.wait(timeout=30)
            act()

    with ThreadPoolExecutor(count) as pool:
        list(pool.map(work, range(count)))


def test_all_slots_are_there_from_the_start_and_no_more() -> None:
    limiter = Limiter(WORKERS)
    together(WORKERS, limiter.succeeded, limiter)
    assert (limiter.current, limiter.in_use) == (WORKERS, 0)

    inside: list[int] = []

    def work(_: int) -> None:
        with limiter.slot():
            inside.append(limiter.in_use)

    with ThreadPoolExecutor(WORKERS + 20) as pool:
        list(pool.map(work, range(1000)))
    assert len(inside) == 1000
    assert max(inside) <= WORKERS


def test_many_refusals_at_once_halve_it_once() -> None:
    limiter = Limiter(WORKERS)
    together(WORKERS, limiter.backed_off, limiter)
    assert limiter.current == 32
    together(32, limiter.backed_off, limiter)
    assert limiter.current == 16


def test_one_slot_is_always_left() -> None:
    limiter = Limiter(4)
    for _ in range(10):
        with limiter.slot():
            limiter.backed_off()
    assert limiter.current == 1
    with limiter.slot():
        assert limiter.in_use == 1


def test_a_round_of_answers_adds_one_slot_up_to_the_level_of_the_last_trouble_and_then_more() -> None:
    limiter = Limiter(WORKERS)
    together(WORKERS, limiter.backed_off, limiter)
    together(32, limiter.backed_off, limiter)
    levels = [limiter.current]
    while limiter.current < WORKERS:
        together(limiter.current, limiter.succeeded, limiter)
        levels.append(limiter.current)
    steps = [later - earlier for earlier, later in zip(levels, levels[1:], strict=False)]

    assert levels[0] == 16
    assert all(step <= 2 for level, step in zip(levels, steps, strict=False) if level < 32)
    assert max(steps) >= 8
    assert len(levels) < 32
    assert levels[-1] == WORKERS


def test_answers_to_requests_from_before_a_cut_do_not_raise_it() -> None:
    limiter = Limiter(8)
    turn = iter([limiter.backed_off] + [limiter.succeeded] * 7)
    order = threading.Lock()

    def act() -> None:
        with order:
            next(turn)()

    together(8, act, limiter)
    assert limiter.current == 4


def test_after_a_cut_nobody_enters_until_enough_have_left() -> None:
    limiter = Limiter(4)
    with ExitStack() as held:
        for _ in range(4):
            held.enter_context(limiter.slot())
        limiter.backed_off()
        entered = threading.Event()

        def enter() -> None:
            with limiter.slot():
                entered.set()

        waiting = threading.Thread(target=enter)
        waiting.start()
        assert not entered.wait(0.05)
        assert limiter.in_use == 4
    waiting.join(timeout=30)
    assert entered.is_set()
    assert limiter.in_use == 0


def test_slots_are_granted_in_the_order_in_which_they_were_asked_for() -> None:
    limiter = Limiter(1)
    order: list[int] = []

    def enter(number: int) -> None:
        with limiter.slot():
            order.append(number)

    with ThreadPoolExecutor(10) as pool, limiter.slot():
        for number in range(10):
            pool.submit(enter, number)
            while limiter.waiting <= number:
                time.sleep(0.0005)
    assert order == list(range(10))


def test_a_slot_is_given_back_by_whoever_fails() -> None:
    limiter = Limiter(1)
    with pytest.raises(ValueError, match="lost"), limiter.slot():
        raise ValueError("lost")
    with limiter.slot():
        assert limiter.in_use == 1


def test_64_workers_settle_near_10_where_10_are_allowed_and_come_back_to_64() -> None:
    limiter, endpoint = Limiter(WORKERS), Crowded(10)
    levels: list[int] = []

    def work(_: int) -> None:
        while True:
            with limiter.slot():
                if endpoint.ask():
                    limiter.succeeded()
                    levels.append(limiter.current)
                    return
                limiter.backed_off()
            time.sleep(0.01)

    with ThreadPoolExecutor(WORKERS) as pool:
        list(pool.map(work, range(400)))
        levels.clear()
        endpoint.answered = endpoint.turned_away = 0
        list(pool.map(work, range(1200)))
        settled = sorted(levels)
        turned_away = endpoint.turned_away
        endpoint.capacity = WORKERS
        list(pool.map(work, range(2500)))

    assert settled[len(settled) // 20] >= 4
    assert 6 <= settled[len(settled) // 2] <= 11
    assert settled[-1] <= 14
    assert turned_away < 1200 * 0.15
    assert limiter.current == WORKERS
    assert limiter.in_use == 0


def test_no_slot_at_all_is_refused() -> None:
    with pytest.raises(UsageError, match="--concurrency 0"):
        Limiter(0)
