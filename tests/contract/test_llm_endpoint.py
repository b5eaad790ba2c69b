"""How an author gets on with endpoints that are limited, busy, broken or misconfigured. No message holds the key."""

from typing import Any

import pytest
from pydantic import SecretStr

from schemas.errors import AuthorUnavailable, UsageError
from tasks.authors.base import BadReply
from tasks.authors.llm.author import LlmAuthor
from tasks.authors.llm.settings import EndpointSettings
from tests.contract.llm_asking import IDEA, KEY, THEME, asking, author_of, told
from tests.fakes.endpoint import Answer, FakeEndpoint, Reply, refused, said


@pytest.mark.parametrize("is_named", [True, False])
def test_an_endpoint_without_structured_output_is_asked_without_it_from_then_on(is_named: bool) -> None:
    with asking(IDEA, IDEA, refuses={"response_format": is_named}) as (endpoint, author):
        assert author.ask(THEME, seed=0) == author.ask(THEME, seed=0)

    assert ["response_format" in request.body for request in endpoint.requests] == [True, False, False]


def test_parameters_that_an_endpoint_names_as_unsupported_are_left_out_from_then_on() -> None:
    refuses = {"temperature": True, "seed": True, "max_tokens": True}
    with FakeEndpoint([IDEA, IDEA], refuses=refuses) as endpoint:
        author = author_of(endpoint, max_output_tokens=500)
        author.ask(THEME, seed=0)
        author.ask(THEME, seed=0)

    assert len(endpoint.requests) == 5
    assert endpoint.requests[-1].body["max_completion_tokens"] == 500
    assert "response_format" in endpoint.requests[-1].body
    assert not {*refuses} & {*endpoint.requests[-1].body}


def test_a_request_that_is_refused_for_another_reason_loses_no_structured_output() -> None:
    too_long = refused(400, "maximum context length is 8192 tokens")
    with asking(too_long, too_long, IDEA) as (endpoint, author):
        with pytest.raises(AuthorUnavailable, match="8192 tokens.*larger context"):
            author.ask(THEME, seed=0)
        author.ask(THEME, seed=0)

    assert "response_format" in endpoint.requests[-1].body


def test_a_reply_that_was_cut_off_gets_more_room() -> None:
    with asking(said(IDEA[:40], finish_reason="length", tokens=20_000), IDEA) as (endpoint, author):
        author.ask(THEME, seed=0)

    assert ["max_tokens" in request.body for request in endpoint.requests] == [False, True]
    assert endpoint.requests[1].body["max_tokens"] == 40_000
    assert endpoint.requests[1].messages == endpoint.requests[0].messages


@pytest.mark.parametrize("second", [said("{", finish_reason="length"), refused(400, "max_tokens is too large")])
def test_a_reply_that_does_not_fit_into_any_room_is_a_bad_reply(second: Answer) -> None:
    first = said("{", finish_reason="length")
    with asking(first, second, second) as (_, author), pytest.raises(BadReply, match="cut off twice, at 7 tokens"):
        author.ask(THEME, seed=0)


@pytest.mark.parametrize(
    "answer", [said(None, refusal="I can't help with that."), said(None, finish_reason="content_filter")]
)
def test_a_declined_question_is_a_bad_reply_and_not_asked_again(answer: Answer) -> None:
    with asking(answer) as (endpoint, author), pytest.raises(BadReply, match="was declined"):
        author.ask(THEME, seed=0)
    assert len(endpoint.requests) == 1


def test_a_busy_endpoint_is_asked_again_after_the_time_it_names() -> None:
    busy = refused(429, "slow down", Retry_After="0.05")
    with asking(busy, refused(503, "restarting", Retry_After="0.05"), IDEA) as (endpoint, author):
        author.ask(THEME, seed=0)
    assert len(endpoint.requests) == 3


TROUBLES: dict[str, tuple[list[Reply], str]] = {
    "403": ([refused(403, f"{KEY} may not")], r"does not let it use the model 'scripted' \(403: \*\*\* may not\)"),
    "404": ([refused(404, "no such model")], "Choose one of its models: large, small"),
    "429": ([refused(429, "quota", Retry_After="0.01")] * 5, r"busy or the quota is used up \(429: quota\)"),
    "500": ([refused(500, f"key {KEY}", Retry_After="0.01")] * 5, r"in trouble \(500: key \*\*\*\)"),
    "a web page": ([Answer(f"<html>{KEY}</html>")], "not with a chat completion.*ends in /v1"),
    "broken JSON": ([Answer("{", headers={"Content-Type": "application/json"})], "not with a chat completion"),
    "an error as a completion": ([Answer({"error": {"message": f"credits of {KEY}"}})], "It says: .*credits of"),
    "no choices": ([Answer({"choices": []})], "not with a chat completion"),
}


@pytest.mark.parametrize("case", TROUBLES)
def test_trouble_with_the_endpoint_comes_with_advice_and_without_the_key(case: str) -> None:
    replies, message = TROUBLES[case]
    with (
        asking(*replies, models=("small", "large")) as (_, author),
        pytest.raises(AuthorUnavailable, match=message) as caught,
    ):
        author.ask(THEME, seed=0)
    assert KEY not in told(caught.value)


def test_a_wrong_key_is_told_but_not_shown() -> None:
    with (
        asking(IDEA, key="another") as (endpoint, author),
        pytest.raises(AuthorUnavailable, match=r"refuses the API key \(401: .*\*\*\*\)") as caught,
    ):
        author.ask(THEME, seed=0)
    assert len(endpoint.requests) == 1
    assert KEY not in told(caught.value)


def test_a_missing_key_is_told_as_missing() -> None:
    with (
        FakeEndpoint([IDEA], key="another") as endpoint,
        pytest.raises(AuthorUnavailable, match="wants an API key, and none is configured"),
    ):
        author_of(endpoint, key=None).ask(THEME, seed=0)


def test_a_server_without_a_list_of_models_gets_advice_on_its_url() -> None:
    with (
        asking(refused(404, "not found"), models=None) as (_, author),
        pytest.raises(AuthorUnavailable, match="ends in /v1"),
    ):
        author.ask(THEME, seed=0)


def test_an_endpoint_that_is_not_there_is_told_with_its_address() -> None:
    with FakeEndpoint() as endpoint:
        author = author_of(endpoint, tries=1)
    with pytest.raises(AuthorUnavailable, match=r"http://127\.0\.0\.1:\d+/v1 can't be reached") as caught:
        author.ask(THEME, seed=0)
    assert KEY not in told(caught.value)


def test_the_key_is_in_no_repr() -> None:
    settings = EndpointSettings(base_url="http://127.0.0.1:9/v1", model="m", api_key=SecretStr(KEY))
    assert KEY not in repr(settings)
    assert KEY not in repr(vars(LlmAuthor(settings)))


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"base_url": "127.0.0.1:8000/v1"}, "base URL"),
        ({"base_url": "http://"}, "base URL"),
        ({"base_url": "http://host:port"}, "base URL"),
        ({"model": " "}, "No model"),
        ({"api_key": SecretStr(" ")}, "API key"),
        ({"api_key": SecretStr(f"{KEY}\nX")}, "API key"),
        ({"api_key": SecretStr(f"{KEY}é")}, "API key"),
    ],
)
def test_settings_that_can_not_work_are_refused_at_once(values: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        EndpointSettings(**{"base_url": "http://127.0.0.1/v1", "model": "m", **values})
    assert KEY not in told(caught.value)
