"""One row for each request, whatever came of it."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from prompts.library import load
from schemas.errors import AuthorUnavailable
from schemas.llm_calls import LlmCall
from tasks.authors.base import BadReply, DraftLogicModel, JudgeTasks, Question, TopicBrief
from tasks.authors.llm.budget import Price
from tasks.authors.llm.cache import ReplyCache
from tests.contract.llm_asking import IDEA, THEME, asking, author_of
from tests.fakes.endpoint import DROPPED, FakeEndpoint, Reply, refused, said

START = datetime(2031, 5, 6, 7, 8, 9, tzinfo=UTC)
USAGE = {
    "prompt_tokens": 1_000,
    "completion_tokens": 500,
    "prompt_tokens_details": {"cached_tokens": 400},
    "completion_tokens_details": {"reasoning_tokens": 200},
}
PRICE = Price(input_usd=2.0, output_usd=8.0, cached_input_usd=0.5)


def ticking() -> Callable[[], datetime]:
    """A clock that is a second later each time."""
    seconds = iter(range(1_000))
    return lambda: START + timedelta(seconds=next(seconds))


def rows_of(*replies: Reply, question: Question[Any] = THEME, **author: Any) -> list[LlmCall]:
    """The accounts of one question, however it ends."""
    rows: list[LlmCall] = []
    given = {
        "log": rows.append,
        "run_id": "run_1",
        "stage": "build_skeletons",
        "clock": ticking(),
        "price": PRICE,
        **author,
    }
    with asking(*replies, author=given) as (endpoint, asked), suppress(BadReply, AuthorUnavailable):
        asked.ask(question, seed=7)
    assert sum(row.attempts for row in rows) == len(endpoint.requests)
    return rows


def test_a_row_says_what_was_asked_what_came_of_it_and_what_it_took() -> None:
    (row,) = rows_of(said(IDEA, usage=USAGE))
    prompt = load("describe_topic")
    assert row.model_dump(exclude={"llm_call_id", "request_key"}) == {
        "run_id": "run_1",
        "stage": "build_skeletons",
        "prompt": "describe_topic",
        "prompt_version": prompt.version,
        "prompt_digest": prompt.digest,
        "item": "bike shop repairs",
        "model": "scripted",
        "seed": 7,
        "is_repeat": False,
        "reply_mode": "json_schema",
        "is_cached": False,
        "attempts": 1,
        "outcome": "answered",
        "detail": None,
        "input_tokens": 1_000,
        "output_tokens": 500,
        "cached_tokens": 400,
        "reasoning_tokens": 200,
        "cost_usd": pytest.approx((600 * 2.0 + 400 * 0.5 + 500 * 8.0) / 1e6),
        "latency_s": 3.0,  # two more looks at the clock in between, to recall and to keep which reply mode works
        "at": START,
    }


def test_without_a_price_or_without_usage_the_cost_is_null() -> None:
    assert [row.cost_usd for row in rows_of(said(IDEA, usage=USAGE), price=None)] == [None]
    assert [row.cost_usd for row in rows_of(said(IDEA, usage={}))] == [None]


OUTCOMES: dict[str, tuple[list[Reply], list[tuple[str, bool, int]]]] = {
    "answered": ([IDEA], [("answered", False, 1)]),
    "after trouble": ([refused(500, "oops"), DROPPED, IDEA], [("answered", False, 3)]),
    "misfit, then answered": (["no", IDEA], [("misfit", False, 1), ("answered", True, 1)]),
    "misfit twice": (["no", "no"], [("misfit", False, 1), ("misfit", True, 1)]),
    "cut off, then answered": ([said("{", finish_reason="length"), IDEA], [("answered", False, 2)]),
    "cut off twice": ([said("{", finish_reason="length")] * 2, [("cut_off", False, 2)]),
    "declined": ([said(None, refusal="No.")], [("declined", False, 1)]),
    "too long": ([refused(400, "maximum context length is 10 tokens")], [("declined", False, 1)]),
    "refused": ([refused(401, "who are you?")], [("unavailable", False, 1)]),
    "busy for too long": ([refused(429, "busy")] * 5, [("unavailable", False, 5)]),
    "misfit, then gone": (["no", *[DROPPED] * 5], [("misfit", False, 1), ("unavailable", True, 5)]),
}


@pytest.mark.parametrize("case", OUTCOMES)
def test_every_request_has_one_row_with_its_outcome(case: str) -> None:
    replies, expected = OUTCOMES[case]
    rows = rows_of(*replies)
    assert [(row.outcome, row.is_repeat, row.attempts) for row in rows] == expected
    assert [row.detail is None for row in rows] == [row.outcome == "answered" for row in rows]
    assert len({row.llm_call_id for row in rows}) == len(rows)


def test_the_tokens_of_a_reply_that_was_cut_off_are_counted_too() -> None:
    (row,) = rows_of(said("{", finish_reason="length", usage=USAGE), said(IDEA, usage=USAGE))
    assert (row.input_tokens, row.output_tokens, row.reasoning_tokens) == (2_000, 1_000, 400)


def test_an_interrupted_request_has_a_row() -> None:
    def interrupt(_wait_s: float) -> None:
        raise KeyboardInterrupt

    rows: list[LlmCall] = []
    with (
        asking(DROPPED, author={"log": rows.append, "sleep": interrupt}) as (_, author),
        pytest.raises(KeyboardInterrupt),
    ):
        author.ask(THEME, seed=0)
    assert [(row.outcome, row.attempts) for row in rows] == [("unavailable", 1)]


def test_a_reply_that_was_kept_costs_nothing_and_is_in_the_accounts(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path / "replies.sqlite")
    rows: list[LlmCall] = []
    with FakeEndpoint([said(IDEA, usage=USAGE)]) as endpoint:
        for run_id in ("run_1", "run_2"):
            author_of(endpoint, cache=cache, log=rows.append, run_id=run_id, price=PRICE).ask(THEME, seed=7)

    assert len(endpoint.requests) == 1
    paid, kept = rows
    assert (kept.is_cached, kept.attempts, kept.cost_usd, kept.outcome) == (True, 0, 0.0, "answered")
    assert (kept.input_tokens, kept.output_tokens) == (1_000, 500)
    assert (kept.request_key, kept.reply_mode) == (paid.request_key, "json_schema")
    assert kept.llm_call_id != paid.llm_call_id


UNUSABLE: dict[str, list[Reply]] = {
    "misfits": ["no", "no"],
    "cut off": [said("{", finish_reason="length")] * 2,
    "declined": [said(None, refusal="No.")],
}


@pytest.mark.parametrize("case", UNUSABLE)
def test_a_reply_that_was_no_good_is_not_paid_for_again_either(case: str, tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path / "replies.sqlite")
    told = []
    with FakeEndpoint(UNUSABLE[case]) as endpoint:
        for _ in range(2):
            with pytest.raises(BadReply) as caught:
                author_of(endpoint, cache=cache).ask(THEME, seed=7)
            told.append(str(caught.value))
    assert len(endpoint.requests) == len(UNUSABLE[case])
    assert told[0] == told[1]


def test_trouble_is_not_kept(tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path / "replies.sqlite")
    with FakeEndpoint([refused(401, "no"), IDEA]) as endpoint:
        with pytest.raises(AuthorUnavailable):
            author_of(endpoint, cache=cache).ask(THEME, seed=7)
        author_of(endpoint, cache=cache).ask(THEME, seed=7)
    assert len(endpoint.requests) == 2


def test_equal_questions_at_the_same_time_are_paid_once_and_counted_each(tmp_path: Path) -> None:
    rows: list[LlmCall] = []
    everybody = threading.Barrier(8, timeout=20)
    with FakeEndpoint([said(IDEA, delay_s=0.2)]) as endpoint:
        author = author_of(endpoint, cache=ReplyCache(tmp_path / "replies.sqlite"), log=rows.append)

        def ask(_number: int) -> None:
            everybody.wait()
            author.ask(THEME, seed=7)

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(ask, range(8)))

    assert len(endpoint.requests) == 1
    assert sorted(row.is_cached for row in rows) == [False] + [True] * 7
    assert len({row.llm_call_id for row in rows}) == 8


DIFFERENT: dict[str, dict[str, Any]] = {
    "model": {"model": "another"},
    "temperature": {"temperature": 0.1},
    "room": {"max_output_tokens": 900},
}


@pytest.mark.parametrize("case", DIFFERENT)
def test_another_model_or_sampling_is_another_request(case: str, tmp_path: Path) -> None:
    cache = ReplyCache(tmp_path / "replies.sqlite")
    with FakeEndpoint([IDEA, IDEA, IDEA]) as endpoint:
        author_of(endpoint, cache=cache).ask(THEME, seed=7)
        author_of(endpoint, cache=cache, **DIFFERENT[case]).ask(THEME, seed=7)
        author_of(endpoint, cache=cache).ask(THEME, seed=7 + 2**31)
    assert len(endpoint.requests) == 3


def test_a_row_names_the_topic_or_how_the_first_text_begins() -> None:
    brief = TopicBrief(slug="repair-desk", title="", summary="", introduction="", domain="")
    topic = DraftLogicModel(brief)
    texts = JudgeTasks(("Move my repair\n to Monday. " * 9, "Another."))
    assert [row.item for row in rows_of(refused(401, "no"), question=topic)] == ["repair-desk"]
    assert [row.item for row in rows_of(refused(401, "no"), question=texts)] == [
        "Move my repair to Monday. Move my repair to Monday. Move my "
    ]
