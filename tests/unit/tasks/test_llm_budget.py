"""What a run may spend: no limit is exceeded by what is reserved, and what went beyond is told."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from schemas.errors import AuthorUnavailable, BudgetExhausted, UsageError
from tasks.authors.llm.budget import Budget, Price, Spent

PRICE = Price(input_usd=1, output_usd=10, cached_input_usd=0.1)


def test_a_cost_counts_cached_input_apart_and_is_unknown_without_usage() -> None:
    assert PRICE.cost(input_tokens=1_000_000, output_tokens=100_000, cached_tokens=500_000) == pytest.approx(1.55)
    assert PRICE.cost(input_tokens=1_000_000, output_tokens=0) == pytest.approx(1)
    assert PRICE.cost(input_tokens=10, output_tokens=0, cached_tokens=99) == pytest.approx(1e-6)
    assert Price(2, 4).cost(input_tokens=1_000_000, output_tokens=0, cached_tokens=1_000_000) == pytest.approx(2)
    assert PRICE.cost(input_tokens=None, output_tokens=5) is None
    assert PRICE.cost(input_tokens=5, output_tokens=None) is None


def test_what_is_settled_counts_as_it_was_and_what_is_unknown_as_reserved() -> None:
    budget = Budget(price=PRICE)
    budget.reserve(input_tokens=100, output_tokens=1000).settle(input_tokens=90, output_tokens=50, cached_tokens=40)
    budget.reserve(input_tokens=100, output_tokens=1000).settle(input_tokens=None, output_tokens=None)
    budget.reserve(input_tokens=100, output_tokens=1000).release()

    cost = (50 * 1 + 40 * 0.1 + 50 * 10 + 100 * 1 + 1000 * 10) / 1e6
    assert budget.spent == Spent(2, 90 + 50 + 1100, pytest.approx(cost), 0, 0)


def test_money_is_unknown_without_a_price() -> None:
    budget = Budget(max_tokens=1000)
    budget.reserve(input_tokens=1, output_tokens=1).settle(input_tokens=1, output_tokens=1)
    assert budget.spent == Spent(1, 2, None, 0, None)


@pytest.mark.parametrize(
    ("budget", "told"),
    [
        (Budget(max_calls=10), ["--max-calls 10 calls", "9 calls are spent", "1 calls are set aside"]),
        (Budget(max_tokens=1000), ["--max-tokens 1,000 tokens", "900 tokens are spent", "may take 100 tokens"]),
        (Budget(max_usd=0.006, price=Price(6, 6)), ["--max-usd 0.006 USD", "0.0054 USD are spent", "take 0.0006 USD"]),
    ],
)
def test_a_limit_can_be_reached_but_not_exceeded(budget: Budget, told: list[str]) -> None:
    for _ in range(9):
        budget.reserve(input_tokens=60, output_tokens=40).settle(input_tokens=60, output_tokens=40)
    last = budget.reserve(input_tokens=60, output_tokens=40)
    before = budget.spent

    with pytest.raises(BudgetExhausted) as raised:
        budget.reserve(input_tokens=60, output_tokens=40)

    assert all(text in str(raised.value) for text in told)
    assert "larger --max-" in str(raised.value)
    assert isinstance(raised.value, AuthorUnavailable)
    assert budget.spent == before
    last.release()  # the refused one took no room of it
    budget.reserve(input_tokens=60, output_tokens=40).settle(input_tokens=60, output_tokens=40)
    assert budget.spent.calls == 10


def test_many_threads_together_reserve_no_more_than_the_limit() -> None:
    budget = Budget(max_calls=100, max_tokens=7_000)
    barrier = threading.Barrier(16)
    watching = threading.Lock()
    held = highest = 0

    def work(_: int) -> int:
        nonlocal held, highest
        barrier.wait()
        granted = 0
        for _ in range(50):
            try:
                reservation = budget.reserve(input_tokens=60, output_tokens=40)
            except BudgetExhausted:
                continue
            with watching:
                held += 1
                highest = max(highest, budget.spent.tokens + 100 * held)
            with watching:
                held -= 1
                reservation.settle(input_tokens=60, output_tokens=40)
            granted += 1
        return granted

    with ThreadPoolExecutor(16) as pool:
        granted = sum(pool.map(work, range(16)))

    assert granted == 70
    assert budget.spent == Spent(70, 7_000, None, 0, None)
    assert highest <= 7_000


def test_what_took_more_than_reserved_is_counted_and_told() -> None:
    budget = Budget(max_tokens=1000, price=Price(1, 1))
    budget.reserve(input_tokens=100, output_tokens=800).settle(input_tokens=120, output_tokens=1400)

    assert budget.spent == Spent(1, 1520, pytest.approx(0.00152), 620, pytest.approx(0.00062))
    with pytest.raises(BudgetExhausted, match="520 tokens too many: replies were longer than expected"):
        budget.reserve(input_tokens=0, output_tokens=0)


def test_a_reservation_is_settled_or_released_once() -> None:
    budget = Budget()
    settled = budget.reserve(input_tokens=1, output_tokens=1)
    settled.settle(input_tokens=1, output_tokens=1)
    released = budget.reserve(input_tokens=1, output_tokens=1)
    released.release()

    with pytest.raises(RuntimeError, match="once"):
        settled.release()
    with pytest.raises(RuntimeError, match="once"):
        released.settle(input_tokens=1, output_tokens=1)
    assert budget.spent.calls == 1


def test_a_patient_request_gets_the_room_that_others_did_not_need() -> None:
    budget = Budget(max_tokens=1000)
    first = budget.reserve(input_tokens=100, output_tokens=800)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(budget.reserve, input_tokens=100, output_tokens=800, patience_s=30)
        first.settle(input_tokens=50, output_tokens=50)
        waiting.result(timeout=20).settle(input_tokens=100, output_tokens=800)
    assert budget.spent.tokens == 1000


def test_a_patient_request_is_refused_at_once_when_waiting_can_not_help() -> None:
    budget = Budget(max_tokens=1000)
    budget.reserve(input_tokens=0, output_tokens=100)
    with pytest.raises(BudgetExhausted):
        budget.reserve(input_tokens=1, output_tokens=1000, patience_s=600)


def test_a_patient_request_is_refused_when_the_others_took_the_room() -> None:
    budget = Budget(max_tokens=1000)
    first = budget.reserve(input_tokens=100, output_tokens=800)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(budget.reserve, input_tokens=100, output_tokens=800, patience_s=600)
        first.settle(input_tokens=100, output_tokens=100)
        with pytest.raises(BudgetExhausted, match="200 tokens are spent"):
            waiting.result(timeout=20)


def test_a_limit_of_money_without_a_price_names_the_file_to_edit() -> None:
    with pytest.raises(UsageError, match="some/prices.yaml") as raised:
        Budget(max_usd=1, price_file=Path("some/prices.yaml"))
    assert "{input: 1.5, output: 6}" in str(raised.value)


@pytest.mark.parametrize("limits", [{"max_calls": -1}, {"max_tokens": -5}, {"max_usd": float("nan")}])
def test_a_limit_that_is_no_amount_is_refused(limits: dict[str, float]) -> None:
    with pytest.raises(UsageError, match="--max-"):
        Budget(price=PRICE, **limits)  # type: ignore[arg-type]


def test_a_budget_of_nothing_allows_nothing() -> None:
    with pytest.raises(BudgetExhausted, match="--max-calls 0 calls"):
        Budget(max_calls=0).reserve(input_tokens=0, output_tokens=0)
