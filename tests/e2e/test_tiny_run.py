"""The built-in author on the bundled corpus, as a person runs it: interrupted, killed, and finished all the same."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from flows.server import is_healthy
from schemas.catalog import CATALOGUE_TABLES
from schemas.settings import client_environment, prefect_home
from warehouse.query import query

pytestmark = pytest.mark.e2e
PROJECT = Path(__file__).resolve().parent.parent.parent
ENVMILL = [sys.executable, "-m", "flows"]


def _environment(home: Path) -> dict[str, str]:
    """No configured server: the run has to start one."""
    environment = client_environment(home, "")
    for name in ("PREFECT_API_URL", "PREFECT_HOME", "PREFECT_RESULTS_LOCAL_STORAGE_PATH"):
        del environment[name]
    return {**environment, "PYTHONUNBUFFERED": "1"}


@contextmanager
def _tiny_run(home: Path) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [*ENVMILL, "run", "--profile", "tiny", "--concurrency", "1"],
        cwd=PROJECT,
        env=_environment(home),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def _read_until(process: subprocess.Popen[str], words: str) -> str:
    """What it says up to the line with these words, which must come."""
    assert process.stdout is not None
    said = ""
    for line in process.stdout:
        said += line
        if words in line:
            return said
    raise AssertionError(f"{words!r} never came:\n{said}")


def _call(home: Path, *arguments: str) -> str:
    done = subprocess.run(
        [*ENVMILL, *arguments], cwd=PROJECT, env=_environment(home), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def _rows(home: Path, sql: str) -> list[dict[str, Any]]:
    return list(query(home, sql).to_pylist())


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which one run was stopped by Ctrl-C, one was killed, and one came to its end."""
    home = tmp_path_factory.mktemp("e2e") / "home"
    with _tiny_run(home) as stopped:
        _read_until(stopped, "build skeletons:")
        stopped.send_signal(signal.SIGINT)
        rest = stopped.communicate(timeout=30)[0]
        assert stopped.returncode == 130, rest
    assert not prefect_home(home).server_record.exists(), "its server is stopped"
    with _tiny_run(home) as killed:
        _read_until(killed, "generate scenarios:")
    orphan = json.loads(prefect_home(home).server_record.read_text())["api_url"]
    assert is_healthy(orphan), "a killed run can't stop its server"
    with _tiny_run(home) as finished:
        said = finished.communicate(timeout=900)[0]
        assert finished.returncode == 0, said
    assert orphan.removesuffix("/api") in said, "the orphaned server is used again"
    _wait_until_gone(orphan)
    return home


def _wait_until_gone(api_url: str) -> None:
    deadline = time.monotonic() + 10
    while is_healthy(api_url):
        assert time.monotonic() < deadline, f"{api_url} still runs"
        time.sleep(0.1)


def test_the_ledger_tells_how_each_run_ended_and_what_was_reused(home: Path) -> None:
    runs = _rows(home, "select status, release_id is not null as has_release from raw.runs order by started_at")
    assert [(run["status"], run["has_release"]) for run in runs] == [
        ("interrupted", False),
        ("interrupted", False),
        ("published", True),
    ]
    last = {row["stage"]: row for row in _rows(home, "select * from yield_by_stage where is_latest_run")}
    assert last["read_corpora"]["reused"] == last["read_corpora"]["items_in"] > 500
    assert last["build_skeletons"]["reused"] == last["build_skeletons"]["items_in"] == 3
    for row in last.values():
        assert row["items_in"] == row["accepted"] + row["rejected"] + row["duplicate"] + row["failed"]


def test_the_release_holds_proven_environments(home: Path) -> None:
    (release,) = _rows(home, "select * from raw.releases")
    assert release["environment_count"] == 3
    assert release["scenario_count"] >= 12
    counts = json.loads(release["row_counts_json"])
    assert {table.name for table in CATALOGUE_TABLES} == set(counts)
    assert all(counts.values()), counts
    unproven = _rows(
        home,
        "select scenario_id from raw.scenarios where status = 'accepted' and scenario_id not in "
        "(select scenario_id from raw.scenario_validations where trial = 'reference' and has_passed)",
    )
    assert unproven == []
    assert _rows(home, "select distinct author from raw.scenarios") == [{"author": "rules"}]
    orphans = _rows(home, "select scenario_id from lineage where seed_task_id is null and topic_origin = 'corpus'")
    assert orphans == []


@pytest.mark.parametrize(
    ("column", "table", "words"),
    [
        ("seed_task_id", "raw.seed_tasks where topic_id is not null", "What became of it"),
        ("topic_id", "raw.topics where status = 'accepted'", "usefulness"),
        ("logic_model_id", "raw.logic_models", "Operations"),
        ("skeleton_id", "raw.skeletons", "Evaluation"),
        ("environment_id", "raw.skeletons", "Scenarios"),
        ("slug", "environments", "Tools"),
        ("tool_id", "raw.tools", "Executed tests"),
        ("initial_state_id", "raw.initial_states", "Scenarios on it"),
        ("scenario_id", "scenarios", "Trials"),
        ("check_id", "raw.checks", "def check"),
        ("run_id", "raw.runs", "Stages"),
        ("release_id", "raw.releases", "environment count"),
    ],
)
def test_every_kind_of_id_has_a_story(home: Path, column: str, table: str, words: str) -> None:
    (item,) = _rows(home, f"select {column} as id from {table} order by 1 desc limit 1")

    assert words in _call(home, "show", item["id"])


def test_the_catalogue_answers_on_the_command_line(home: Path) -> None:
    answer = json.loads(_call(home, "sql", "select slug, scenario_count from environments", "--format", "json"))
    assert len(answer) == 3
    assert "published" in _call(home, "status")
