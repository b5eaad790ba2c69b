"""A run that may not ask as much as it would: what is finished is published, the rest told, nothing paid twice."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from tests.fakes.model_server.server import MODEL, ModelServer
from tests.fakes.sandbox import SANDBOX
from tests.integration.conftest import rows

pytestmark = pytest.mark.usefixtures("prefect_server")
Envmill = Callable[..., Result]
KEY = "sk-only-for-the-endpoint"
TOPICS = ("Public library", "Dental practice")


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModelServer]:
    """An endpoint without faults, configured."""
    with ModelServer(SANDBOX) as server:
        monkeypatch.setenv("ENVMILL_LLM_BASE_URL", server.base_url)
        monkeypatch.setenv("ENVMILL_LLM_MODEL", MODEL)
        monkeypatch.setenv("ENVMILL_LLM_API_KEY", KEY)
        yield server


def _order(home: Path, *options: object) -> tuple[object, ...]:
    topics = [part for topic in TOPICS for part in ("--topic", topic)]
    # One after the other, so that the budget runs out at a known place.
    return (
        "run", "--home", home, "--author", "llm", "--profile", "tiny", "--no-corpus", "--concurrency", 1,
        *topics, *options,
    )  # fmt: skip


def _calls(home: Path) -> int:
    (row,) = rows(home, "select coalesce(sum(attempts), 0)::bigint as calls from llm_calls")
    return int(row["calls"])


def _reasons(home: Path, stage: str) -> list[dict[str, Any]]:
    return rows(
        home,
        "select status, reason, count(*) as n from attempts where stage = ? "
        "and run_id = (select run_id from raw.latest_run) group by all order by all",
        stage,
    )


def test_a_spent_budget_publishes_what_is_finished_and_a_larger_one_goes_on_without_paying_twice(
    envmill: Envmill, model: ModelServer, tmp_path: Path
) -> None:
    full, home = tmp_path / "full", tmp_path / "home"
    assert envmill(*_order(full)).exit_code == 0
    needed = model.journal.request_count
    whole = rows(full, "select slug, scenario_count from environments")

    short = envmill(*_order(home, "--max-calls", needed - 1))

    assert short.exit_code == 0, short.output
    assert f"--max-calls {needed - 1}" in short.stdout
    assert "larger budget" in short.stdout
    assert _calls(home) == model.journal.request_count - needed == needed - 1
    finished = rows(home, "select slug, scenario_count from environments")
    assert finished
    assert finished != whole
    assert "budget_exhausted" in {row["reason"] for row in _reasons(home, "generate_scenarios")}
    assert rows(home, "select status, detail is not null as told from runs") == [{"status": "published", "told": True}]

    resumed = envmill(*_order(home, "--max-calls", 1))

    assert resumed.exit_code == 0, resumed.output
    assert "Left undone" not in resumed.stdout
    assert _calls(home) == model.journal.request_count - needed == needed
    assert rows(home, "select slug, scenario_count from environments") == whole
    assert "failed" not in {row["status"] for row in _reasons(home, "generate_scenarios")}

    again = envmill(*_order(home))

    assert again.exit_code == 0, again.output
    assert model.journal.request_count == 2 * needed
    releases = rows(home, "select release_id from raw.releases order by number")
    assert len(releases) == 3
    assert releases[1] == releases[2] != releases[0]
    assert releases[2:] == rows(full, "select release_id from raw.releases")


def test_a_budget_that_finishes_nothing_says_so_and_leaves_no_release(
    envmill: Envmill, model: ModelServer, tmp_path: Path
) -> None:
    home = tmp_path / "home"

    ended = envmill(*_order(home, "--max-tokens", 10))

    assert ended.exit_code == 1, ended.output
    assert "nothing was published" in ended.stderr
    assert "2 given topics" in ended.stderr
    assert model.journal.request_count == 0
    assert rows(home, "select status from runs") == [{"status": "failed"}]
    assert _reasons(home, "select_topics") == [{"status": "failed", "reason": "budget_exhausted", "n": 2}]

    later = envmill(*_order(home, "--max-calls", 4))

    assert later.exit_code == 1, later.output
    assert "2 topics" in later.stderr
    assert model.journal.request_count == 4
    assert _reasons(home, "build_skeletons") == [{"status": "failed", "reason": "budget_exhausted", "n": 2}]
    assert rows(home, "select * from raw.releases") == []


def test_money_is_limited_only_where_the_price_is_known(envmill: Envmill, model: ModelServer, tmp_path: Path) -> None:
    home = tmp_path / "home"

    refused = envmill(*_order(home, "--max-usd", 1))

    assert refused.exit_code == 2, refused.output
    assert str(home / "prices.yaml") in refused.stderr
    assert not home.exists()

    home.mkdir()
    (home / "prices.yaml").write_text(f"{MODEL}: {{input: 1, output: 2}}\n")
    paid = envmill(*_order(home, "--max-usd", 1000))

    assert paid.exit_code == 0, paid.output
    spent = rows(home, "select sum(cost_usd) as usd from llm_calls")[0]["usd"]
    tokens = rows(
        home, "select sum(input_tokens) + 2 * sum(output_tokens) as weighted from llm_calls where not is_cached"
    )
    assert spent == pytest.approx(float(tokens[0]["weighted"]) / 1e6)
    costs = rows(home, "select product, cost_usd_per_accepted > 0 as is_known from cost_per_accepted")
    assert costs == [{"product": "environment", "is_known": True}, {"product": "scenario", "is_known": True}]


def test_the_key_of_the_endpoint_is_in_no_file_of_the_home(
    envmill: Envmill, model: ModelServer, tmp_path: Path
) -> None:
    home = tmp_path / "home"

    ended = envmill(*_order(home, "--max-calls", 5))

    files = [path for path in home.rglob("*") if path.is_file()]
    assert {path.name for path in files} >= {"replies.sqlite", "part-calls-1.parquet"}
    assert [path for path in files if KEY.encode() in path.read_bytes()] == []
    assert KEY not in ended.output


def test_each_question_of_an_item_is_a_task_run_of_its_own(
    envmill: Envmill, model: ModelServer, tmp_path: Path
) -> None:
    from prefect.client.orchestration import get_client
    from prefect.client.schemas.filters import TaskRunFilter, TaskRunFilterTags

    home = tmp_path / "home"
    assert envmill(*_order(home)).exit_code == 0
    (run,) = rows(home, "select run_id from runs")

    with get_client(sync_client=True) as client:
        tags = TaskRunFilterTags(all_=["llm", run["run_id"]])
        found = client.read_task_runs(task_run_filter=TaskRunFilter(tags=tags))

    asked = rows(home, "select prompt, item from llm_calls where stage <> 'mine_topics'")
    names = [(str(each.name).partition(",")[0], each.state_name) for each in found]
    assert sorted(names) == sorted((row["item"], "Completed") for row in asked)
