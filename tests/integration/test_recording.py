"""A recorded run can be had again without its model, in another home, and is the same to the byte."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from tasks.authors.rules.themes import themes
from tests.fakes.model_server.completions import Skills
from tests.fakes.model_server.faults import FaultRates
from tests.fakes.model_server.server import MODEL, ModelServer
from tests.fakes.model_server.transport import Weather
from tests.fakes.sandbox import SANDBOX
from tests.integration.conftest import rows

pytestmark = pytest.mark.usefixtures("prefect_server")
Envmill = Callable[..., Result]
KEY = "sk-of-the-recorded-endpoint"
FAULTS = FaultRates(wrong_expectation=0.25)
WEATHER = Weather(rate=0.3, kinds=("too_many_requests_retry_after", "internal_error", "dropped", "thoughts"))


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> ModelServer:
    """A model that makes mistakes, behind a bad line and without JSON schema; not started. Configured with its key."""
    server = ModelServer(SANDBOX, faults=FAULTS, weather=WEATHER, skills=Skills(schema=False))
    monkeypatch.setenv("ENVMILL_LLM_BASE_URL", server.base_url)
    monkeypatch.setenv("ENVMILL_LLM_MODEL", MODEL)
    monkeypatch.setenv("ENVMILL_LLM_API_KEY", KEY)
    return server


def _order(home: Path, *options: object) -> tuple[object, ...]:
    given = [part for theme in themes()[:2] for part in ("--topic", theme.title)]
    return ("run", "--home", home, "--author", "llm", "--profile", "tiny", "--no-corpus", *given, *options)


def _releases(home: Path) -> list[dict[str, Any]]:
    return rows(home, "select release_id from raw.releases order by number")


def _calls(home: Path) -> list[dict[str, Any]]:
    """What was asked and what came of it; which of two threads met a refusal of the protocol is chance."""
    return rows(
        home,
        "select stage, prompt, item, request_key, outcome, reply_mode, input_tokens, output_tokens "
        "from raw.llm_calls order by all",
    )


def test_a_replay_without_the_endpoint_makes_the_same_release(
    envmill: Envmill, endpoint: ModelServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    first, second, tape = tmp_path / "first", tmp_path / "second", tmp_path / "tape"
    with endpoint:
        recorded = envmill(*_order(first, "--record", tape))
        seen = endpoint.journal.request_count
    monkeypatch.delenv("ENVMILL_LLM_API_KEY")
    replayed = envmill(*_order(second, "--replay", tape, "--concurrency", 2))

    assert (recorded.exit_code, replayed.exit_code) == (0, 0), recorded.output + replayed.output
    assert _releases(second) == _releases(first) != []
    assert _calls(second) == _calls(first)
    assert endpoint.journal.request_count == seen >= 12, "the server saw nothing of the replay"
    lines = sum(len(path.read_text().splitlines()) for path in tape.iterdir())
    assert rows(first, "select sum(attempts)::bigint as n from raw.llm_calls") == [{"n": seen}] == [{"n": lines}]
    assert [path for path in tape.iterdir() if KEY.encode() in path.read_bytes()] == []


def test_a_replay_that_asks_something_else_ends_with_the_request_that_is_missing(
    envmill: Envmill, endpoint: ModelServer, tmp_path: Path
) -> None:
    tape = tmp_path / "tape"
    with endpoint:
        # What is recorded is kept, however the run ends.
        envmill(*_order(tmp_path / "first", "--record", tape, "--max-calls", 4))
        seen = endpoint.journal.request_count
        other = envmill(*_order(tmp_path / "second", "--replay", tape, "--topic", "Lighthouse museum"))
        assert endpoint.journal.request_count == seen == 4

    assert other.exit_code == 2, other.output
    assert "is not in the recording" in other.stderr
    assert f"model {MODEL}" in other.stderr
    assert "Traceback" not in other.output
    assert rows(tmp_path / "second", "select status from runs") == [{"status": "failed"}]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--author", "rules", "--record", "tape"), "--author llm"),
        (("--record", "tape", "--replay", "tape"), "contradict"),
        (("--replay", "nowhere"), "nowhere is no folder"),
    ],
)
def test_what_can_not_be_recorded_or_replayed_is_refused_before_anything_is_written(
    envmill: Envmill, endpoint: ModelServer, tmp_path: Path, options: tuple[str, ...], said: str
) -> None:
    refused = envmill(*_order(tmp_path / "home", *options))

    assert refused.exit_code == 2, refused.output
    assert said in refused.stderr
    assert list(tmp_path.iterdir()) == []
