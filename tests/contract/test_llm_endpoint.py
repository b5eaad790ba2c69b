"""How an author gets on with endpoints that are limited, busy, broken or misconfigured. No message holds the key."""

from typing import Any

import pytest
from pydantic import SecretStr

from schemas.errors import AuthorUnavailable, UsageError
from tasks.authors.base import BadReply
from tasks.authors.llm.author import LlmAuthor
from tasks.authors.llm.settings import EndpointSettings
from tests.contract.llm_asking import IDEA, KEY, THEME, asking, author_of, told
from tests.fakes.endpoint import DROPPED, Answer, FakeEndpoint, Reply, refused, said


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


TROUBLES: dict[str, tuple[list[Reply], str]] = {
    "403": ([refused(403, f"{KEY} may not")], r"does not let it use the model 'scripted' \(403: \*\*\* may not\)"),
    "404": ([refused(404, "no such model")], "Choose one of its models: large, small"),
    "402": ([refused(402, "no credit", param="x")], r"refuses the request for the model 'scripted' \(402: no credit\)"),
    "429": ([refused(429, "quota")] * 5, r"busy or the quota is used up \(429: quota\)"),
    "500": ([refused(500, f"key {KEY}")] * 5, r"in trouble \(500: key \*\*\*\)"),
    "a web page": ([Answer(f"<html>{KEY}</html>")], "not with a chat completion.*ends in /v1"),
    "broken JSON": ([Answer("{", headers={"Content-Type": "application/json"})] * 2, "not with a chat completion"),
    "endless JSON": ([Answer("[" * 100_000, headers={"Content-Type": "application/json"})] * 2, "not with a chat"),
    "an error as a completion": ([Answer({"error": {"message": f"credits of {KEY}"}})] * 2, "It says: .*credits of"),
    "no choices": ([Answer({"choices": []})] * 2, "not with a chat completion"),
    "choices of another form": ([Answer({"choices": ["Hello."]})] * 2, "not with a chat completion"),
    "a dropped connection": ([DROPPED] * 5, r"can't be reached \(.*Server disconnected"),
}


@pytest.mark.parametrize("case", TROUBLES)
def test_trouble_with_the_endpoint_comes_with_advice_and_without_the_key(case: str) -> None:
    replies, message = TROUBLES[case]
    with (
        asking(*replies, models=("small", "large")) as (endpoint, author),
        pytest.raises(AuthorUnavailable, match=message) as caught,
    ):
        author.ask(THEME, seed=0)
    assert KEY not in told(caught.value)
    assert len(endpoint.requests) == len(replies)


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
        ({"base_url": "http://host/v1?key=a"}, "base URL"),
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
