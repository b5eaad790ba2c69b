"""What goes wrong in a run: each ends with the right code, one clear message, and a ledger that balances."""

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from flows import running
from flows.homes import home_lock
from schemas.skeletons import TOOLS, Tool
from tasks.authors.base import DraftLogicModel, DraftScenarios, DraftTestPlan, Question
from tests.integration.conftest import rows
from tests.integration.town import CELLAR, CLINIC, SHED, TownAuthor, gone, write_corpus
from warehouse.arrow import from_arrow, read_parquet
from warehouse.store import Warehouse

pytestmark = pytest.mark.usefixtures("prefect_server")
Envmill = Callable[..., Result]


def _order(home: Path, *topics: str) -> tuple[object, ...]:
    given = [part for topic in topics for part in ("--topic", topic)]
    return ("run", "--home", home, "--author", "town", "--profile", "tiny", "--no-corpus", "--concurrency", 1, *given)


def _sabotage(home: Path) -> Callable[[Question[Any]], None]:
    """A mood: while the author writes, a bug of ours spoils a staged table."""

    def mood(question: Question[Any]) -> None:
        if isinstance(question, DraftScenarios):
            (staging,) = (home / "warehouse" / "staging").iterdir()
            tools = [
                each for each in from_arrow(TOOLS, read_parquet(staging / "tools.parquet")) if isinstance(each, Tool)
            ]
            spoiled = [tool.model_copy(update={"kind": "incantation"}) for tool in tools]
            Warehouse(home).stage(staging.name, TOOLS, spoiled)

    return mood


def test_a_refused_batch_ends_with_3_and_leaves_the_release_before_readable(
    envmill: Envmill, town: TownAuthor, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    assert envmill(*_order(home, SHED)).exit_code == 0
    before = rows(home, "select scenario_id from scenarios")
    town.moods = {CLINIC: _sabotage(home)}

    refused = envmill(*_order(home, SHED, CLINIC))

    assert refused.exit_code == 3
    assert "tools.kind" in refused.stderr
    assert "quarantine" in refused.stderr
    assert rows(home, "select scenario_id from scenarios") == before
    assert rows(home, "select number from raw.releases") == [{"number": 1}]
    (run,) = rows(home, "select status, release_id, detail from raw.runs where status <> 'published'")
    assert (run["status"], run["release_id"]) == ("refused", None)
    assert "tools.kind" in run["detail"]
    assert rows(home, "select count(*) as n from raw.gate_results where not has_passed")[0]["n"] >= 1
    assert "refused" in envmill("status", "--home", home).stdout


def test_a_run_in_which_everything_failed_fails(envmill: Envmill, town: TownAuthor, tmp_path: Path) -> None:
    home = tmp_path / "home"
    town.moods = {SHED: lambda question: gone(question) if isinstance(question, DraftLogicModel) else None}

    failed = envmill(*_order(home, SHED))

    assert failed.exit_code == 1
    assert "nobody answers" in failed.stderr
    assert rows(home, "select status, reason from raw.attempts where stage = 'build_skeletons'") == [
        {"status": "failed", "reason": "author_unavailable"}
    ]
    assert rows(home, "select status from raw.runs") == [{"status": "failed"}]
    assert rows(home, "select * from raw.releases") == []


def test_a_corpus_without_any_stateful_task_ends_with_2_and_says_why(
    envmill: Envmill, town: TownAuthor, tmp_path: Path
) -> None:
    corpus = write_corpus(tmp_path / "chat.jsonl", "How are you today?", "Tell me a joke about cheese")

    ended = envmill("run", "--home", tmp_path / "home", "--author", "town", "--corpus", corpus)

    assert ended.exit_code == 2
    assert "2 chit_chat" in ended.stderr


def test_ctrl_c_keeps_what_is_finished_and_the_next_run_goes_on(
    envmill: Envmill, town: TownAuthor, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    interrupted_at: list[str] = []

    def ctrl_c(question: Question[Any]) -> None:
        # The last question about a class: what is left of its item fits into the time that a stopped run waits for it.
        if isinstance(question, DraftTestPlan) and not interrupted_at:
            interrupted_at.append(question.topic.title)
            os.kill(os.getpid(), signal.SIGINT)

    town.moods = {SHED: ctrl_c, CLINIC: ctrl_c, CELLAR: ctrl_c}

    stopped = envmill(*_order(home, SHED, CLINIC, CELLAR))

    assert stopped.exit_code == 130
    assert "same command" in stopped.stderr
    assert rows(home, "select status, release_id from raw.runs") == [{"status": "interrupted", "release_id": None}]
    fates = rows(
        home, "select status, reason, count(*) as n from raw.attempts where stage = 'build_skeletons' group by all"
    )
    assert sorted((row["status"], row["reason"], row["n"]) for row in fates) == [
        ("accepted", None, 1),
        ("failed", "interrupted", 2),
    ]
    town.asked = []

    resumed = envmill(*_order(home, SHED, CLINIC, CELLAR))

    assert resumed.exit_code == 0, resumed.output
    planned = [title for prompt, title in town.asked if prompt == "draft_logic_model"]
    assert sorted(planned) == sorted({SHED, CLINIC, CELLAR} - set(interrupted_at))
    assert rows(home, "select reused from raw.stage_counts where stage = 'build_skeletons' order by reused") == [
        {"reused": 0},
        {"reused": 1},
    ]


def test_a_second_run_is_refused_before_it_asks_for_a_server(
    envmill: Envmill, town: TownAuthor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(*_: object) -> None:
        pytest.fail("asked for a server")

    monkeypatch.setattr(running, "prefect_server", never)
    with home_lock(tmp_path):
        second = envmill(*_order(tmp_path, SHED))

    assert second.exit_code == 1
    assert "Another run is at work" in second.stderr


def test_two_runs_of_one_home_do_not_meet(envmill: Envmill, town: TownAuthor, tmp_path: Path) -> None:
    with home_lock(tmp_path):
        second = envmill(*_order(tmp_path, SHED))

    assert second.exit_code == 1
    assert "Another run is at work" in second.stderr
    assert rows(tmp_path, "select * from raw.runs") == []
