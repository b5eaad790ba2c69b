"""What passes between an author and its endpoint is kept without secrets, and given out again byte for byte."""

import base64
import gzip
import json
import os
import traceback
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from schemas.errors import AuthorUnavailable, HomeNotWritable, UsageError
from schemas.llm_calls import LlmCall
from tasks.authors.base import BadReply, DescribeTopic
from tasks.authors.llm.recording import Exchange, Recorder, Recording
from tests.contract.llm_asking import IDEA, KEY, THEME, author_of, told
from tests.fakes.endpoint import DROPPED, Answer, FakeEndpoint, Reply, Request, refused, said

PASSWORD = "pass/93-word"
JSON = {"Content-Type": "application/json"}

STORIES: dict[str, list[Reply]] = {
    "an answer": [IDEA],
    "a retry": [refused(429, "busy", retry_after="1"), refused(429, "busy", retry_after="2"), said(IDEA, tokens=99)],
    "a server in trouble for good": [refused(500, "oops")] * 3,
    "a dropped connection": [DROPPED, IDEA],
    "a time-out": [said(IDEA, delay_s=9), IDEA],
    "a web page": [Answer("<html>hello</html>")],
    "half a body": [Answer('{"choices": [', headers=JSON), IDEA],
    "other scripts": [said(json.dumps({**json.loads(IDEA), "title": "自転車 \U0001f6b2"}, ensure_ascii=False))],
    "a misfit and its correction": ["no JSON", IDEA],
    "no such model": [refused(404, "no such model")],
    "a reply that was cut off": [said("{", finish_reason="length", tokens=50), IDEA],
}


def _ask(author: Any) -> str:
    try:
        return repr(author.ask(THEME, seed=3))
    except (AuthorUnavailable, BadReply) as error:
        return f"{type(error).__name__}: {error}"


def _counts(rows: Sequence[LlmCall]) -> list[dict[str, Any]]:
    return [row.model_dump(exclude={"at", "latency_s"}) for row in rows]


def _lines(folder: Path) -> list[dict[str, Any]]:
    files = sorted(folder.glob("*.jsonl"))
    return [json.loads(line) for path in files for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("story", STORIES)
def test_a_replay_without_the_endpoint_ends_as_the_recording_did(story: str, tmp_path: Path) -> None:
    recorded: list[LlmCall] = []
    replayed: list[LlmCall] = []
    settings = {"timeout_s": 0.3, "tries": 3}
    with FakeEndpoint(STORIES[story]) as endpoint:
        first = _ask(author_of(endpoint, tape=Recorder(tmp_path), log=recorded.append, **settings))
        asked = len(endpoint.requests)
    # The server is gone: whoever asked it would be refused.
    second = _ask(author_of(endpoint, key=None, tape=Recording(tmp_path), log=replayed.append, **settings))

    assert second == first
    assert _counts(replayed) == _counts(recorded)
    assert sum(row.attempts for row in recorded) == asked
    assert sum(line["path"].endswith("/chat/completions") for line in _lines(tmp_path)) == asked


def test_retries_are_kept_and_replayed_in_their_order(tmp_path: Path) -> None:
    with FakeEndpoint(STORIES["a retry"]) as endpoint:
        author_of(endpoint, tape=Recorder(tmp_path)).ask(THEME, seed=0)

    lines = _lines(tmp_path)
    assert [(line["attempt"], line["status"]) for line in lines] == [(1, 429), (2, 429), (3, 200)]
    assert [line["headers"].get("retry-after") for line in lines] == ["1", "2", None]
    assert len({line["request_digest"] for line in lines}) == 1
    assert lines[0]["request"]["model"] == "scripted"
    waits: list[float] = []
    author_of(endpoint, tape=Recording(tmp_path), sleep=waits.append).ask(THEME, seed=0)
    assert [round(wait) for wait in waits] == [1, 2]


def test_bytes_that_are_no_text_come_back_as_they_were(tmp_path: Path) -> None:
    content = b'{"choices": "\xff\xfe\x00"}'
    recorder = Recorder(tmp_path)
    recorder.keep(
        method="POST", path="/v1/x", request={"a": 1}, digest_of_request="d", status=200, content=content, headers={}
    )
    (line,) = _lines(tmp_path)
    assert base64.b64decode(line["body_base64"]) == content == Exchange.model_validate(line).content


def test_no_key_no_password_and_no_host_is_in_a_file(tmp_path: Path) -> None:
    key = 'sk-"quoted"\\and/more'
    echo = f"what is {key}, {PASSWORD}?"
    replies: list[Reply] = [
        refused(500, echo),
        Answer(f"<html>{echo}</html>", 503, {"Retry-After": "0", "X-Key": KEY}),
        Answer({"choices": [{"message": {"content": echo}}]}),
        refused(401, echo),
    ]
    with FakeEndpoint(replies) as endpoint:
        base_url = endpoint.base_url.replace("http://", f"http://someone:{PASSWORD.replace('/', '%2F')}@")
        author = author_of(endpoint, key=key, base_url=base_url, tape=Recorder(tmp_path))
        first = _ask(author)

    content = b"".join(path.read_bytes() for path in tmp_path.iterdir()).decode()
    unescaped = content.replace("\\", "")
    assert [
        secret for secret in ("quoted", "93-word", "someone", "authorization", "x-key") if secret in unescaped
    ] == []
    assert "127.0.0.1" not in content
    assert "what is ***" in content
    again = _ask(author_of(endpoint, key="another", tape=Recording(tmp_path)))
    assert again == first


def test_a_short_key_spoils_no_word_of_the_recording(tmp_path: Path) -> None:
    with FakeEndpoint([IDEA]) as endpoint:
        author_of(endpoint, key="title", tape=Recorder(tmp_path)).ask(THEME, seed=0)
    (line,) = _lines(tmp_path)
    assert '"title' in json.loads(line["body"])["choices"][0]["message"]["content"]


def test_a_request_that_was_not_recorded_is_named_and_nothing_is_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows: list[LlmCall] = []
    with FakeEndpoint([IDEA]) as endpoint:
        author_of(endpoint, tape=Recorder(tmp_path)).ask(THEME, seed=0)
        replaying = author_of(endpoint, tape=Recording(tmp_path), log=rows.append)
        with pytest.raises(UsageError, match=r"POST /v1/chat/completions \(model scripted, .*rabbits") as caught:
            replaying.ask(DescribeTopic("a home for rabbits"), seed=0)
        assert len(endpoint.requests) == 1
        with pytest.raises(UsageError, match="recorded with another seed"):
            replaying.ask(THEME, seed=1)
        with pytest.raises(UsageError, match="recorded with another temperature"):
            author_of(endpoint, tape=Recording(tmp_path), temperature=0.1).ask(THEME, seed=0)
        assert len(endpoint.requests) == 1

    shown = "".join(traceback.TracebackException.from_exception(caught.value, capture_locals=True).format())
    assert KEY not in shown + told(caught.value)
    assert "rabbits" in (rows[0].detail or "")
    assert [row.outcome for row in rows] == ["unavailable"] * 2


def test_a_request_that_is_sent_more_often_than_it_was_recorded_is_refused(tmp_path: Path) -> None:
    with FakeEndpoint([IDEA]) as endpoint:
        author_of(endpoint, tape=Recorder(tmp_path)).ask(THEME, seed=0)
    author = author_of(endpoint, tape=Recording(tmp_path))
    author.ask(THEME, seed=0)
    with pytest.raises(UsageError, match="1 time, and is sent once more"):
        author.ask(THEME, seed=0)


def test_recorders_of_one_folder_take_files_of_their_own_and_all_of_them_are_replayed(tmp_path: Path) -> None:
    themes = [DescribeTopic(f"theme {number}") for number in range(24)]
    replies = {each.theme: json.dumps({**json.loads(IDEA), "title": each.theme.title()}) for each in themes}

    def answer(request: Request) -> Reply:
        return next(reply for theme, reply in replies.items() if f'"{theme}"' in request.prompt)

    with FakeEndpoint(answer) as endpoint, ThreadPoolExecutor(8) as pool:
        authors = [author_of(endpoint, tape=Recorder(tmp_path)) for _ in range(2)]
        asked = list(pool.map(lambda each: authors[each[0] % 2].ask(each[1], seed=0).title, enumerate(themes)))

    assert [path.name for path in sorted(tmp_path.iterdir())] == ["exchanges-0001.jsonl", "exchanges-0002.jsonl"]
    assert len(_lines(tmp_path)) == len(themes)
    packed = tmp_path / "exchanges-0001.jsonl"
    (tmp_path / "exchanges-0001.jsonl.gz").write_bytes(gzip.compress(packed.read_bytes()))
    packed.unlink()
    replaying = author_of(endpoint, tape=Recording(tmp_path))
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(lambda each: replaying.ask(each, seed=0).title, reversed(themes))) == asked[::-1]


def test_a_refused_parameter_is_refused_in_the_replay_whoever_uses_it_first(tmp_path: Path) -> None:
    other = DescribeTopic("a home for rabbits")
    with FakeEndpoint(lambda _request: IDEA, refuses={"response_format": True, "seed": True}) as endpoint:
        author = author_of(endpoint, tape=Recorder(tmp_path))
        for question in (THEME, other):
            author.ask(question, seed=0)
        assert len(endpoint.requests) == 4, "two refusals, then both are answered"

    author = author_of(endpoint, tape=Recording(tmp_path))
    assert author.ask(other, seed=0) == author.ask(THEME, seed=0)


def test_a_refusal_of_one_question_is_no_answer_to_another(tmp_path: Path) -> None:
    with FakeEndpoint([refused(400, "maximum context length is 10"), IDEA]) as endpoint:
        author = author_of(endpoint, tape=Recorder(tmp_path))
        _ask(author)
        author.ask(DescribeTopic("a home for rabbits"), seed=0)
    with pytest.raises(UsageError):
        author_of(endpoint, tape=Recording(tmp_path)).ask(DescribeTopic("a home for rabbits"), seed=1)


def test_the_half_line_of_a_killed_process_is_left_out_and_any_other_broken_line_is_named(tmp_path: Path) -> None:
    with FakeEndpoint([IDEA]) as endpoint:
        author_of(endpoint, tape=Recorder(tmp_path)).ask(THEME, seed=0)
        path = tmp_path / "exchanges-0001.jsonl"
        whole = path.read_bytes()
        path.write_bytes(whole + whole[:50])
        author_of(endpoint, tape=Recording(tmp_path)).ask(THEME, seed=0)
    path.write_bytes(whole + b"{}\n")
    with pytest.raises(UsageError, match="line 2, is no recorded exchange"):
        Recording(tmp_path)
    (tmp_path / "exchanges-0002.jsonl.gz").write_bytes(gzip.compress(whole)[:40])
    path.unlink()
    with pytest.raises(UsageError, match="exchanges-0002.jsonl.gz can't be read"):
        Recording(tmp_path)


@pytest.mark.parametrize("folder", ["missing", "empty"])
def test_a_folder_without_exchanges_is_refused(folder: str, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(UsageError, match="--record"):
        Recording(tmp_path / folder)


def test_a_full_disk_ends_the_question_with_what_to_do(tmp_path: Path) -> None:
    recorder = Recorder(tmp_path)
    with (
        Path("/dev/full").open("wb", buffering=0) as full,
        FakeEndpoint([IDEA]) as endpoint,
        pytest.raises(HomeNotWritable, match="Make room"),
    ):
        os.dup2(full.fileno(), vars(recorder)["_handle"].fileno())
        author_of(endpoint, tape=recorder).ask(THEME, seed=0)


def test_a_place_that_can_not_be_written_is_refused_at_once(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(HomeNotWritable, match="file"):
        Recorder(tmp_path / "file" / "folder")
