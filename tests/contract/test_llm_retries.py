"""What is asked again, when, and what is not. Nobody waits here: the waits are written down."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from schemas.errors import AuthorUnavailable, BudgetExhausted
from schemas.llm_calls import LlmCall
from tasks.authors.llm.budget import Budget
from tasks.authors.llm.limiter import Limiter
from tests.contract.llm_asking import IDEA, THEME, Asking, asking, author_of
from tests.fakes.endpoint import DROPPED, Answer, FakeEndpoint, Reply, refused, said

NOW = datetime(2031, 5, 6, 7, 8, 9, tzinfo=UTC)
JSON = {"Content-Type": "application/json"}


def waits_after(*replies: Reply, **author: Any) -> list[float]:
    """How long an author waits between the attempts of one question that is answered in the end."""
    waits: list[float] = []
    given = {"sleep": waits.append, "clock": lambda: NOW, **author}
    with asking(*replies, IDEA, author=given) as (endpoint, asked):
        asked.ask(THEME, seed=0)
    assert len(endpoint.requests) == len(replies) + 1
    return waits


PASSING: dict[str, Reply] = {
    **{str(status): refused(status, "not now") for status in (408, 409, 429, 500, 502, 503, 504, 529)},
    "a dropped connection": DROPPED,
    "half a body": Answer('{"choices": [', headers=JSON),
    "a completion without choices": Answer({"choices": []}),
}


@pytest.mark.parametrize("case", PASSING)
def test_what_may_pass_is_asked_again_after_a_while(case: str) -> None:
    (wait,) = waits_after(PASSING[case])
    assert 0.25 <= wait <= 0.75


def test_a_reply_that_does_not_come_in_time_is_asked_for_again() -> None:
    assert len(waits_after(said(IDEA, delay_s=30), timeout_s=0.2)) == 1


NAMED: dict[str, tuple[dict[str, str], float]] = {
    "seconds": ({"Retry_After": "7"}, 7),
    "a fraction": ({"Retry_After": "1.5"}, 1.5),
    "milliseconds": ({"Retry_After_Ms": "2500"}, 2.5),
    "both": ({"Retry_After_Ms": "2500", "Retry_After": "3"}, 2.5),
    "a date": ({"Retry_After": format_datetime(NOW + timedelta(seconds=20), usegmt=True)}, 20),
    "zero": ({"Retry_After": "0"}, 0),
    "a date that is over": ({"Retry_After": format_datetime(NOW - timedelta(days=1), usegmt=True)}, 0),
}


@pytest.mark.parametrize("case", NAMED)
@pytest.mark.parametrize("status", [429, 503])
def test_an_endpoint_is_asked_again_when_it_says(case: str, status: int) -> None:
    headers, named = NAMED[case]
    (wait,) = waits_after(refused(status, "later", **headers))
    assert named <= wait <= named * 1.1


def test_nobody_waits_longer_than_a_minute() -> None:
    assert waits_after(refused(429, "later", Retry_After="86400")) == [60]


@pytest.mark.parametrize("named", ["soon", "-5", "nan", "inf", "", "Fri, 31 Dec 99999999999999999999 23:59:59 GMT"])
def test_a_time_that_makes_no_sense_is_passed_over(named: str) -> None:
    (wait,) = waits_after(refused(429, "later", Retry_After=named))
    assert 0.25 <= wait <= 0.75


def test_waits_grow_and_differ_from_question_to_question_but_not_from_run_to_run() -> None:
    waits: dict[str, list[float]] = {"a run": [], "the same run": [], "another question": []}
    with FakeEndpoint(lambda _request: refused(500, "oops")) as endpoint:
        for name, noted in waits.items():
            with pytest.raises(AuthorUnavailable):
                author_of(endpoint, sleep=noted.append).ask(THEME, seed=int(name == "another question"))

    assert waits["a run"] == waits["the same run"] != waits["another question"]
    assert [0.25 * 2**n <= wait <= 0.75 * 2**n for n, wait in enumerate(waits["a run"])] == [True] * 4


LASTING: dict[str, tuple[Reply, int]] = {
    **{str(status): (refused(status, "no", param="x"), 1) for status in (400, 401, 402, 403, 404, 422)},
    "a used-up quota": (Answer({"error": {"message": "pay", "code": "insufficient_quota"}}, 429), 1),
    "a web page": (Answer("<html>"), 1),
    "half a body, twice": (Answer("{", headers=JSON), 2),
    "trouble that does not pass": (refused(500, "no"), 5),
}


@pytest.mark.parametrize("case", LASTING)
def test_what_waiting_can_not_fix_is_told_at_once(case: str) -> None:
    reply, attempts = LASTING[case]
    waits: list[float] = []
    rows: list[LlmCall] = []
    with (
        asking(*[reply] * 9, author={"sleep": waits.append, "log": rows.append}) as (endpoint, author),
        pytest.raises(AuthorUnavailable),
    ):
        author.ask(THEME, seed=0)
    assert (len(endpoint.requests), len(waits)) == (attempts, attempts - 1)
    assert [(row.attempts, row.outcome) for row in rows] == [(attempts, "unavailable")]


def test_trouble_of_overload_halves_the_slots_and_other_trouble_does_not() -> None:
    for reply, left in ((refused(429, "busy"), 16), (refused(503, "busy"), 16), (refused(500, "oops"), 32)):
        limiter = Limiter(32)
        asked: list[int] = []

        def look(_wait_s: float, limiter: Limiter = limiter, asked: list[int] = asked) -> None:
            asked.append(limiter.current)

        waits_after(reply, limiter=limiter, sleep=look)
        assert (asked, limiter.in_use) == ([left], 0)


def test_no_slot_is_held_while_waiting() -> None:
    limiter = Limiter(4)
    held: list[int] = []
    waits_after(refused(429, "busy"), DROPPED, limiter=limiter, sleep=lambda _wait_s: held.append(limiter.in_use))
    assert held == [0, 0]


def asked_with(budget: Budget, *replies: Reply, **author: Any) -> Asking:
    with asking(*replies, author={"budget": budget, **author}) as (endpoint, asked):
        asked.ask(THEME, seed=0)
    return endpoint, asked


def test_every_attempt_is_paid_from_the_budget_as_far_as_the_endpoint_tells() -> None:
    budget = Budget()
    usage = {"prompt_tokens": 100, "completion_tokens": 20}
    asked_with(budget, refused(500, "oops"), said("{", finish_reason="length", usage=usage), said(IDEA, usage=usage))
    assert (budget.spent.calls, budget.spent.tokens) == (3, 240)


def test_a_request_that_broke_on_its_way_counts_as_expected() -> None:
    budget = Budget()
    asked_with(budget, DROPPED, said(IDEA, usage={"prompt_tokens": 1, "completion_tokens": 1}), max_output_tokens=50)
    assert budget.spent.calls == 2
    assert budget.spent.tokens > 50 + 500


def test_a_reply_without_usage_counts_as_expected() -> None:
    budget = Budget()
    asked_with(budget, said(IDEA, usage={}))
    assert budget.spent.tokens > 4096 + 500


def test_an_endpoint_that_is_not_there_costs_nothing_but_tries() -> None:
    budget, limiter = Budget(max_calls=1), Limiter(8)
    with FakeEndpoint() as endpoint:
        author = author_of(endpoint, budget=budget, limiter=limiter, tries=3)
    with pytest.raises(AuthorUnavailable, match="can't be reached"):
        author.ask(THEME, seed=0)
    assert (budget.spent.calls, limiter.current) == (0, 1)


def test_an_exhausted_budget_sends_nothing_and_is_in_the_accounts() -> None:
    rows: list[LlmCall] = []
    with asking(refused(500, "oops"), IDEA, author={"budget": Budget(max_calls=1), "log": rows.append}) as (
        endpoint,
        author,
    ):
        with pytest.raises(BudgetExhausted, match="--max-calls"):
            author.ask(THEME, seed=0)
        with pytest.raises(BudgetExhausted):
            author.ask(THEME, seed=1)
    assert len(endpoint.requests) == 1
    assert [(row.attempts, row.outcome, row.cost_usd) for row in rows] == [(1, "unavailable", None)] + [
        (0, "unavailable", None)
    ]
    assert "--max-calls" in (rows[1].detail or "")
