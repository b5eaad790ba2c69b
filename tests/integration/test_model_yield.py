"""Three topics by a model that makes known mistakes: they are found, repaired, counted, and paid for once."""

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from tasks.authors.rules.themes import themes
from tests.fakes.model_server.faults import FaultRates
from tests.fakes.model_server.server import MODEL, ModelServer
from tests.fakes.sandbox import SANDBOX
from tests.integration.conftest import rows

pytestmark = pytest.mark.usefixtures("prefect_server")
COUNT = 3
FAULTS = FaultRates(code=1.0, repaired_code=0.0, wrong_expectation=0.25, unsolvable_task=0.25, true_at_start=0.25)


def test_known_mistakes_are_repaired_and_a_second_run_asks_nothing(
    envmill: Callable[..., Result], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    given = [part for theme in themes()[:COUNT] for part in ("--topic", theme.title)]
    order = ("run", "--home", home, "--author", "llm", "--profile", "tiny", "--no-corpus", *given)
    with ModelServer(SANDBOX, faults=FAULTS) as server:
        monkeypatch.setenv("ENVMILL_LLM_BASE_URL", server.base_url)
        monkeypatch.setenv("ENVMILL_LLM_MODEL", MODEL)
        first = envmill(*order)
        seen, made = server.journal.summary(), server.journal.faults
        second = envmill(*order)
        assert server.journal.request_count == seen.requests, "nothing is asked twice"

    assert (first.exit_code, second.exit_code) == (0, 0), first.output + second.output
    assert sum(not each.is_repair for each in made) > COUNT, "every class has a bug, and most scenarios a fault"
    assert len(rows(home, "select slug from environments")) == COUNT
    first_versions = rows(home, "select status, reason from raw.skeletons where version = 1")
    assert len(first_versions) == COUNT
    assert any(each["status"] == "rejected" for each in first_versions), "bugs are found by execution"
    spoiled = {each.detail for each in made if each.kind in ("wrong_expectation", "unsolvable_task", "true_at_start")}
    drafts = rows(home, "select task, status, reason from raw.scenarios where version = 1")
    wrong = {each["task"] for each in drafts if each["status"] == "rejected"}
    assert wrong == spoiled, "exactly the scenarios with a fault are rejected"
    repaired = rows(home, "select task from raw.scenarios where version > 1 and status = 'accepted'")
    assert {each["task"] for each in repaired} == spoiled
    counted = rows(home, "select sum(attempts) as calls from raw.llm_calls")
    assert counted == [{"calls": seen.requests}]
    releases = rows(home, "select distinct release_id from raw.runs")
    assert len(releases) == 1 and releases[0]["release_id"] is not None
