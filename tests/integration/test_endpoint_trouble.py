"""An endpoint that can't be asked: the run ends with 1, and says once what to do."""

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from tests.fakes.endpoint import Answer, FakeEndpoint, Request, refused
from tests.integration.conftest import rows
from tests.integration.town import CLINIC, SHED, write_corpus

pytestmark = pytest.mark.usefixtures("prefect_server")
KEY = "sk-not-the-right-one"
PAGE = "<!doctype html><html><title>Sign in</title></html>"


def _no_such_model(_request: Request) -> Answer:
    return refused(404, "The model does not exist")


@pytest.mark.parametrize(
    ("endpoint", "words"),
    [
        (lambda: FakeEndpoint(key="sk-right"), ("refuses the API key",)),
        (lambda: FakeEndpoint(_no_such_model, models=("small", "large")), ("large, small",)),
        (lambda: FakeEndpoint(lambda _request: Answer(PAGE)), ("ends in /v1",)),
    ],
    ids=["wrong key", "no such model", "a web page"],
)
@pytest.mark.parametrize("has_corpus", [True, False])
def test_a_run_that_can_not_ask_ends_with_1_and_advice(
    envmill: Callable[..., Result],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    endpoint: Callable[[], FakeEndpoint],
    words: tuple[str, ...],
    has_corpus: bool,
) -> None:
    home = tmp_path / "home"
    corpus = write_corpus(tmp_path / "tasks.jsonl", f"{SHED}: lend a drill", f"{CLINIC}: book a visit")
    work = ("--corpus", corpus) if has_corpus else ("--no-corpus", "--topic", "Dog grooming")
    with endpoint() as server:
        monkeypatch.setenv("ENVMILL_LLM_BASE_URL", server.base_url)
        monkeypatch.setenv("ENVMILL_LLM_MODEL", "scripted")
        monkeypatch.setenv("ENVMILL_LLM_API_KEY", KEY)

        ended = envmill("run", "--home", home, "--author", "llm", "--profile", "tiny", *work)

        assert len(server.requests) == 1

    assert ended.exit_code == 1, ended.output
    for word in words:
        assert word in ended.stderr
    assert KEY not in ended.output
    assert {row["reason"] for row in rows(home, "select reason from attempts where status = 'failed'")} == {
        "author_unavailable"
    }
    assert rows(home, "select outcome, attempts from llm_calls") == [{"outcome": "unavailable", "attempts": 1}]
