"""`--author llm` against an endpoint over HTTP: its drafts pass the same checks, and its key stays where it is."""

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from tests.fakes.model_server.server import MODEL, ModelServer
from tests.fakes.sandbox import SANDBOX
from tests.integration.conftest import rows

pytestmark = pytest.mark.usefixtures("prefect_server")
KEY = "sk-never-to-be-seen-again"


def test_a_model_writes_an_environment_with_proven_scenarios(
    envmill: Callable[..., Result], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    order = ("run", "--home", home, "--author", "llm", "--profile", "tiny", "--no-corpus", "--topic", "Dental practice")
    with ModelServer(SANDBOX) as server:
        monkeypatch.setenv("ENVMILL_LLM_BASE_URL", server.base_url)
        monkeypatch.setenv("ENVMILL_LLM_MODEL", MODEL)
        monkeypatch.setenv("ENVMILL_LLM_API_KEY", KEY)
        first = envmill(*order)
        asked = server.journal.request_count
        second = envmill(*order)
        assert server.journal.request_count == asked, "nothing is asked twice"

    assert (first.exit_code, second.exit_code) == (0, 0), first.output + second.output
    (environment,) = rows(home, "select slug, author, scenario_count from environments")
    assert (environment["slug"], environment["author"]) == ("dental-practice", MODEL)
    assert environment["scenario_count"] > 0
    assert asked <= 12 + 3 * environment["scenario_count"]
    files = [path for path in home.rglob("*") if path.is_file()]
    assert [path for path in files if KEY.encode() in path.read_bytes()] == []
    assert KEY not in first.output + second.output


def test_without_an_endpoint_the_model_is_refused_with_what_to_set(
    envmill: Callable[..., Result], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("ENVMILL_LLM_BASE_URL", raising=False)

    result = envmill("run", "--home", tmp_path / "home", "--author", "llm")

    assert result.exit_code == 2, result.output
    assert "ENVMILL_LLM_BASE_URL" in result.stderr


def test_a_model_plays_its_scenarios_within_the_budget_and_no_turn_is_paid_for_twice(
    envmill: Callable[..., Result], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    topic = ("--no-corpus", "--topic", "Meeting rooms", "--probes", 0)
    order = ("run", "--home", home, "--author", "llm", "--profile", "tiny", *topic)
    with ModelServer(SANDBOX) as server:
        monkeypatch.setenv("ENVMILL_LLM_BASE_URL", server.base_url)
        monkeypatch.setenv("ENVMILL_LLM_MODEL", MODEL)
        assert envmill(*order).exit_code == 0
        written = server.journal.request_count
        short = envmill(*order, "--probe-attempts", 2, "--max-calls", 6)
        assert server.journal.request_count == written + 6
        whole = envmill(*order, "--probe-attempts", 2)
        needed = server.journal.request_count
        again = envmill(*order, "--probe-attempts", 2, "--max-calls", 0)
        assert server.journal.request_count == needed

    assert (short.exit_code, whole.exit_code, again.exit_code) == (0, 0, 0), short.output + whole.output
    assert "scenario probe" in short.stdout, "what the budget left undone is told"
    assert "Left undone" not in whole.stdout + again.stdout
    fates = rows(
        home,
        "select run_id, status, reason, count(*) as n from attempts where stage = 'probe_scenarios' "
        "group by all order by all",
    )
    (release,) = rows(home, "select scenario_count as n from environments")
    assert ("failed", "budget_exhausted") in {(row["status"], row["reason"]) for row in fates}
    assert [(row["status"], row["n"]) for row in fates][-2:] == [("accepted", release["n"])] * 2
    (agent,) = rows(home, "select agent, model, attempts, passes, broken from agents")
    assert (agent["agent"], agent["model"], agent["broken"]) == ("language_model", MODEL, 0)
    assert agent["attempts"] == 2 * release["n"]
    assert 0 < agent["passes"] <= agent["attempts"]
    played = rows(home, "select distinct item from llm_calls where stage = 'probe_scenarios' order by item")
    assert played == rows(home, "select scenario_id as item from scenarios order by item")
    (costs,) = rows(home, "select sum(calls)::bigint as calls from cost_per_accepted")
    assert costs == {"calls": written}, "playing is no part of what an accepted item has cost"
