"""How a model is held to the type of its reply, by endpoints that can do it, that can't, and that ignore it."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from schemas.llm_calls import LlmCall
from tasks.authors.base import BadReply, DescribeTopic, EnvironmentIdea
from tasks.authors.llm import dialect
from tasks.authors.llm.cache import ReplyCache
from tests.contract.llm_asking import IDEA, THEME, asking, author_of
from tests.fakes.endpoint import Answer, FakeEndpoint, Reply, Request, refused, said

SCHEMA = EnvironmentIdea.model_json_schema()
WAYS = {"response_format": "json_schema", "tools": "tool"}


def way_of(request: Request) -> str:
    return next((mode for name, mode in WAYS.items() if name in request.body), "json")


def ways_of(endpoint: FakeEndpoint) -> list[str]:
    return [way_of(request) for request in endpoint.requests]


@pytest.mark.parametrize("is_named", [True, False])
def test_without_structured_output_the_reply_is_the_call_of_a_tool_from_then_on(is_named: bool) -> None:
    called = said(None, called=IDEA, finish_reason="tool_calls")
    with asking(called, called, refuses={"response_format": is_named}) as (endpoint, author):
        assert author.ask(THEME, seed=0) == author.ask(THEME, seed=0) == EnvironmentIdea.model_validate_json(IDEA)

    assert ways_of(endpoint) == ["json_schema", "tool", "tool"]
    body = endpoint.requests[-1].body
    assert [tool["function"]["parameters"] for tool in body["tools"]] == [SCHEMA]
    assert body["tool_choice"] == {"type": "function", "function": {"name": "reply"}}


@pytest.mark.parametrize("is_named", [True, False])
def test_without_tools_either_the_reply_is_read_from_the_text_from_then_on(is_named: bool) -> None:
    refuses = {"response_format": is_named, "tools": is_named}
    with asking(f"Here:\n```json\n{IDEA}```", IDEA, refuses=refuses) as (endpoint, author):
        assert author.ask(THEME, seed=0) == author.ask(THEME, seed=0)

    assert ways_of(endpoint) == ["json_schema", "tool", "json", "json"]


IGNORED: dict[str, Reply] = {
    "tools are dropped silently": IDEA,
    "the call is left in the text": f'<tool_call>\n{{"name": "reply", "arguments": {IDEA}}}\n</tool_call>',
    "arguments are an object": said(None, called=json.loads(IDEA)),
    "a call and words": said("I will use the tool.", called=IDEA),
    "content in parts": Answer(
        {
            "choices": [
                {
                    "message": {
                        "content": [{"type": "thinking", "thinking": "{}"}, {"type": "text", "text": IDEA}],
                    }
                }
            ]
        }
    ),
}


@pytest.mark.parametrize("case", IGNORED)
def test_the_reply_is_found_where_an_endpoint_puts_it(case: str) -> None:
    with asking(IGNORED[case], refuses={"response_format": True}) as (endpoint, author):
        assert author.ask(THEME, seed=0) == EnvironmentIdea.model_validate_json(IDEA)
    assert ways_of(endpoint) == ["json_schema", "tool"]


REFUSALS = {
    "in words": refused(400, "This model does not support response_format of type json_schema."),
    "as unable to use tools": refused(404, "No endpoints found that support structured outputs."),
    "as an unknown field": Answer(
        {"detail": [{"type": "extra_forbidden", "loc": ["body", "response_format"], "msg": "Extra inputs"}]}, 422
    ),
    "without a word": Answer({}, 422),
}


@pytest.mark.parametrize("case", REFUSALS)
def test_a_refusal_is_understood_however_it_is_put(case: str) -> None:
    def answer(request: Request) -> Reply:
        return REFUSALS[case] if way_of(request) == "json_schema" else IDEA

    with FakeEndpoint(answer) as endpoint:
        author_of(endpoint).ask(THEME, seed=0)
    assert ways_of(endpoint) == ["json_schema", "tool"]


def test_a_parameter_inside_a_validation_error_is_found() -> None:
    def answer(request: Request) -> Reply:
        details = [{"type": "extra_forbidden", "loc": ["body", "seed"], "msg": "Extra inputs are not permitted"}]
        return Answer({"message": {"detail": details}}, 422) if "seed" in request.body else IDEA

    with FakeEndpoint(answer) as endpoint:
        author_of(endpoint).ask(THEME, seed=0)
    assert ways_of(endpoint) == ["json_schema", "json_schema"]


def test_what_worked_once_is_not_given_up_for_a_refusal_without_a_reason() -> None:
    with asking(IDEA, Answer({}, 400), IDEA) as (endpoint, author):
        author.ask(THEME, seed=0)
        with pytest.raises(Exception, match="refuses the request"):
            author.ask(THEME, seed=1)
        author.ask(THEME, seed=2)
    assert ways_of(endpoint) == ["json_schema"] * 3


def test_what_an_endpoint_refuses_is_known_to_the_next_process(tmp_path: Path) -> None:
    with FakeEndpoint(lambda _request: IDEA, refuses={"response_format": True, "temperature": True}) as endpoint:
        for seed in (1, 2):  # a new cache and author each time, as in a new process
            author_of(endpoint, cache=ReplyCache(tmp_path / "replies.sqlite")).ask(THEME, seed=seed)

    asked = [(way_of(each), "temperature" in each.body) for each in endpoint.requests]
    assert asked == [("json_schema", True), ("tool", True), ("tool", False), ("tool", False)]


def test_64_threads_find_out_once_what_an_endpoint_refuses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dialect, "PROBE_S", 30)  # a busy machine may take long to refuse
    rows: list[LlmCall] = []
    with FakeEndpoint(lambda _request: IDEA, refuses={"response_format": True, "tools": False}) as endpoint:
        author = author_of(endpoint, log=rows.append)
        with ThreadPoolExecutor(64) as pool:
            list(pool.map(lambda number: author.ask(DescribeTopic(f"theme {number}"), seed=0), range(64)))

    assert sorted(ways_of(endpoint)) == ["json"] * 64 + ["json_schema", "tool"]
    assert sum(row.attempts for row in rows) == len(endpoint.requests)
    assert {row.reply_mode for row in rows} == {"json"}


def test_64_threads_do_not_queue_behind_the_first_reply() -> None:
    """All are at the endpoint before the first one is answered."""
    everybody = threading.Barrier(64, timeout=20)

    class Gathering(FakeEndpoint):
        def complete(self, request: Request) -> Answer:
            everybody.wait()
            return super().complete(request)

    with Gathering(lambda _request: IDEA) as endpoint:
        author = author_of(endpoint)
        with ThreadPoolExecutor(64) as pool:
            list(pool.map(lambda number: author.ask(DescribeTopic(f"theme {number}"), seed=0), range(64)))
    assert len(endpoint.requests) == 64


USAGES: dict[str, tuple[dict[str, Any], tuple[int | None, ...]]] = {
    "all": (
        {
            "prompt_tokens": 90,
            "completion_tokens": 40,
            "prompt_tokens_details": {"cached_tokens": 64},
            "completion_tokens_details": {"reasoning_tokens": 30},
        },
        (90, 40, 64, 30),
    ),
    "without details": ({"prompt_tokens": 90, "completion_tokens": 40}, (90, 40, None, None)),
    "with null details": (
        {"prompt_tokens": 9, "completion_tokens": 4, "prompt_tokens_details": None},
        (9, 4, None, None),
    ),
    "half": ({"prompt_tokens": 90}, (90, None, None, None)),
    "none": ({}, (None, None, None, None)),
    "nonsense": ({"prompt_tokens": "many", "completion_tokens": -4, "prompt_tokens_details": 3}, (None,) * 4),
}


@pytest.mark.parametrize("case", USAGES)
def test_tokens_are_counted_as_the_endpoint_tells_them(case: str) -> None:
    told, counted = USAGES[case]
    rows: list[LlmCall] = []
    with asking(said(IDEA, usage=told), author={"log": rows.append}) as (_, author):
        author.ask(THEME, seed=0)
    (row,) = rows
    assert (row.input_tokens, row.output_tokens, row.cached_tokens, row.reasoning_tokens) == counted


def test_half_a_character_in_a_reply_breaks_nothing() -> None:
    with asking("No \ud83d", IDEA) as (endpoint, author):
        author.ask(THEME, seed=0)
    assert endpoint.requests[1].messages[1]["content"] == "No ?"


def test_a_question_that_a_filter_declines_as_a_bad_request_is_a_bad_reply() -> None:
    declined = Answer({"error": {"message": "The prompt triggered a policy.", "code": "content_filter"}}, 400)
    with asking(declined) as (endpoint, author), pytest.raises(BadReply, match="declined: The prompt triggered"):
        author.ask(THEME, seed=0)
    assert len(endpoint.requests) == 1
