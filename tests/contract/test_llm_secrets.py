"""The key of an endpoint is in nothing that is shown, written down or handed on."""

import copy
import logging
import pickle
import sqlite3
import subprocess
import sys
import traceback
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr

from schemas.errors import AuthorUnavailable
from schemas.llm_calls import LlmCall
from tasks.authors.base import BadReply
from tasks.authors.llm.author import LlmAuthor
from tasks.authors.llm.budget import Budget
from tasks.authors.llm.cache import ReplyCache
from tasks.authors.llm.settings import EndpointSettings
from tasks.authors.llm.wire import Wire
from tests.contract.llm_asking import IDEA, KEY, THEME, asking, author_of, told
from tests.fakes.endpoint import DROPPED, Answer, FakeEndpoint, Reply, refused, said

ECHO = f"what is {KEY}?"
"""Some endpoints repeat the key that they do not like."""
JSON = {"Content-Type": "application/json"}

ENDINGS: dict[str, list[Reply]] = {
    **{
        str(status): [refused(status, ECHO, param="x")] * 5
        for status in (400, 401, 402, 403, 404, 408, 409, 413, 422, 429, 500, 503)
    },
    "another body": [Answer({"detail": [{"loc": ["body", "x"], "msg": ECHO}]}, 400)] * 5,
    "a text as error": [Answer(ECHO, 400)] * 5,
    "an error as a completion": [Answer({"error": {"message": ECHO, "code": KEY}})] * 2,
    "a web page": [Answer(f"<html>{ECHO}")],
    "half a body": [Answer(ECHO, headers=JSON)] * 2,
    "dropped connections": [DROPPED] * 5,
    "time-outs": [said(IDEA, delay_s=9)] * 5,
    "too long": [refused(400, f"maximum context length {KEY}")],
    "declined by a filter": [Answer({"error": {"message": ECHO, "code": "content_filter"}}, 400)],
    "misfits": ["no"] * 2,
    "cut off": [said("{", finish_reason="length")] * 2,
    "an exhausted budget": [],
}


@pytest.mark.parametrize("case", ENDINGS)
def test_no_error_traceback_row_log_or_cache_file_holds_the_key(
    case: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    rows: list[LlmCall] = []
    parts: dict[str, Any] = {"log": rows.append, "cache": ReplyCache(tmp_path / "replies.sqlite"), "timeout_s": 0.1}
    if case == "an exhausted budget":
        parts["budget"] = Budget(max_calls=0)
    with (
        asking(*ENDINGS[case], models=(f"model of {KEY}",), author=parts) as (_, author),
        pytest.raises((AuthorUnavailable, BadReply)) as caught,
    ):
        author.ask(THEME, seed=0)

    with_locals = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
    shown = ["".join(with_locals.format()), told(caught.value), caplog.text, *(row.model_dump_json() for row in rows)]
    assert [text for text in shown if KEY in text] == []
    assert rows
    assert [path.name for path in tmp_path.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()] == []


def test_an_endpoint_that_is_not_there_does_not_show_the_key_or_the_password(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    settings = EndpointSettings(
        base_url="http://someone:pass-93-word@127.0.0.1:9/v1",
        model="m",
        api_key=SecretStr(KEY),
        tries=1,
    )
    with pytest.raises(AuthorUnavailable, match=r"http://127\.0\.0\.1:9/v1 can't be reached") as caught:
        LlmAuthor(settings).ask(THEME, seed=0)
    with_locals = traceback.TracebackException.from_exception(caught.value, capture_locals=True)
    shown = "".join(with_locals.format()) + repr(settings) + told(caught.value) + caplog.text
    assert [secret for secret in (KEY, "pass-93-word") if secret in shown] == []


def test_a_password_in_the_address_is_in_no_cache_file_and_no_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    path = tmp_path / "replies.sqlite"
    with FakeEndpoint([IDEA]) as endpoint:
        base_url = endpoint.base_url.replace("http://", "http://someone:pass-93-word@")
        author_of(endpoint, base_url=base_url, cache=ReplyCache(path)).ask(THEME, seed=0)
    with sqlite3.connect(path) as connection:
        content = "".join(connection.iterdump())
    assert "json_schema" in content
    assert "pass-93-word" not in content + caplog.text


def test_no_repr_shows_the_key() -> None:
    settings = EndpointSettings(base_url="http://127.0.0.1:9/v1", model="m", api_key=SecretStr(KEY))
    author = LlmAuthor(settings)
    assert KEY not in repr(settings) + repr(author) + repr(vars(author)) + repr(vars(vars(author)["_endpoint"]))


def test_nothing_that_holds_the_key_can_be_pickled_or_copied() -> None:
    settings = EndpointSettings(base_url="http://127.0.0.1:9/v1", model="m", api_key=SecretStr(KEY))
    author = LlmAuthor(settings)
    for holder in (settings, author, vars(author)["_endpoint"]):
        for write_down in (pickle.dumps, copy.deepcopy):
            with pytest.raises(TypeError, match="never written down"):
                write_down(holder)


def test_the_client_does_not_look_for_another_key_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-somebody-else")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("OPENAI_ORG_ID", "org-of-somebody-else")
    monkeypatch.setenv("OPENAI_PROJECT_ID", "project-of-somebody-else")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "Authorization: Bearer somebody-else\nX-Key: of-somebody-else")
    with asking(IDEA, author={"key": None}) as (endpoint, author):
        author.ask(THEME, seed=0)
        Wire(EndpointSettings(base_url=endpoint.base_url, model="m"), lambda: datetime.now(UTC)).models()
    (request,), (listing,) = endpoint.requests, endpoint.listings
    assert "somebody-else" not in str(request.headers) + str(listing)


def test_a_child_process_inherits_no_key() -> None:
    with asking(IDEA) as (_, author):
        author.ask(THEME, seed=0)
        child = subprocess.run([sys.executable, "-c", "import os; print(os.environ)"], capture_output=True, text=True)
    assert KEY not in child.stdout
