"""The factory with a real model that is far too small for it: every failure is caught, told, and counted.

Nothing is said here about what the model writes. It needs `make test-live`; where its parts are missing, it fails.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from schemas.errors import GateRefused, MachineryError, UsageError
from warehouse.query import query

pytestmark = pytest.mark.live
ROOT = Path(__file__).parents[2]
SEEDS = Path(__file__).with_name("seeds.jsonl")
TOPIC = "Bicycle repair desk"
MOST_CALLS = 14
RUN_S = 1200
"""No run may take longer, however busy the machine is."""
EXIT_CODES = {
    "published": (0,),
    "failed": (MachineryError.exit_code, UsageError.exit_code),
    "refused": (GateRefused.exit_code,),
}
"""State of a run in the ledger -> what the command may end with."""


@dataclass(frozen=True)
class SmallModel:
    """The server while it runs."""

    base_url: str
    log: Path

    @property
    def taken(self) -> int:
        """Requests that it began to work on, by its own log."""
        lines = self.log.read_text(errors="replace").splitlines()
        return sum("launch_slot_" in line and "processing task" in line for line in lines)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SmallModel]:
    """A real model behind a real server, on this machine only."""
    folder = tmp_path_factory.mktemp("model")
    address, log = folder / "address", folder / "log"
    # Threads that spin while they wait would take the processor from whom they wait for.
    quiet = {**os.environ, "GOMP_SPINCOUNT": "0", "OMP_WAIT_POLICY": "passive"}
    with log.open("wb") as output:
        command = [sys.executable, "-m", "tests.live.small_model", str(address)]
        server = subprocess.Popen(command, stdout=output, stderr=output, env=quiet, cwd=ROOT)
    try:
        _await(address, server, log)
        yield SmallModel(f"{address.read_text()}/v1", log)
    finally:
        server.send_signal(signal.SIGKILL)
        server.wait()


def _await(address: Path, server: "subprocess.Popen[bytes]", log: Path) -> None:
    deadline = time.monotonic() + 120
    while not (address.exists() and address.read_text()):
        if server.poll() is not None or time.monotonic() > deadline:
            pytest.fail(f"The server of the model does not start:\n{log.read_text(errors='replace')[-2000:]}")
        time.sleep(0.2)


def _envmill(model: SmallModel, *arguments: object) -> "subprocess.CompletedProcess[str]":
    environment = {
        **os.environ,
        "ENVMILL_LLM_BASE_URL": model.base_url,
        "ENVMILL_LLM_MODEL": "smollm2",
        "ENVMILL_LLM_MAX_OUTPUT_TOKENS": "144",
        "ENVMILL_LLM_TIMEOUT_S": "240",
    }
    command = [sys.executable, "-m", "flows", *map(str, arguments)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=RUN_S, cwd=ROOT)


def _order(home: Path, *options: object) -> tuple[object, ...]:
    return (
        "run", "--author", "llm", "--profile", "tiny", "--home", home, "--concurrency", 1,
        "--corpus", SEEDS, "--topic", TOPIC, "--max-calls", MOST_CALLS, *options,
    )  # fmt: skip


def _rows(home: Path, sql: str) -> list[dict[str, Any]]:
    return list(query(home, sql).to_pylist())


def _balance(home: Path) -> list[dict[str, Any]]:
    return _rows(
        home,
        "select stage, items_in, accepted, rejected, duplicate, failed from raw.stage_counts order by stage",
    )


def _fates(home: Path) -> list[dict[str, Any]]:
    return _rows(
        home, "select stage, item_id, status, reason, detail from raw.attempts order by stage, item_id, status"
    )


def test_a_run_with_a_model_that_can_not_do_it_ends_with_every_item_and_every_call_accounted_for(
    model: SmallModel, tmp_path: Path
) -> None:
    home, tape = tmp_path / "home", tmp_path / "tape"

    ended = _envmill(model, *_order(home, "--record", tape))

    told = ended.stdout + ended.stderr
    assert "Traceback" not in told
    (run,) = _rows(home, "select status, detail from raw.runs")
    assert ended.returncode in EXIT_CODES[run["status"]], told
    balance, fates = _balance(home), _fates(home)
    for stage in balance:
        assert stage["items_in"] == sum(stage[fate] for fate in ("accepted", "rejected", "duplicate", "failed")), stage
        assert stage["items_in"] == sum(each["stage"] == stage["stage"] for each in fates), stage
    entered = {stage["stage"]: stage["items_in"] for stage in balance}
    (topics,) = [stage["accepted"] for stage in balance if stage["stage"] == "select_topics"]
    assert entered["mine_topics"] == len(SEEDS.read_text().splitlines())
    assert entered.get("build_skeletons", 0) == topics, "each topic is attempted"
    calls = _rows(home, "select stage, prompt, item, outcome, attempts, detail from raw.llm_calls")
    asked = {call["prompt"] for call in calls}
    assert asked >= {"judge_tasks", "describe_topic"}
    unexplained = [each for each in fates if each["status"] in ("rejected", "failed") and not each["reason"]]
    assert unexplained == []
    assert [call for call in calls if call["outcome"] != "answered" and not call["detail"]] == []
    assert [each for each in fates if each["reason"] == "machinery"] == [], "what a model writes breaks no machine"
    exchanges = [json.loads(line) for path in tape.iterdir() for line in path.read_text().splitlines()]
    assert sum(call["attempts"] for call in calls) == len(exchanges) <= MOST_CALLS
    assert model.taken == sum(_is_taken(each) for each in exchanges)

    again = _envmill(SmallModel("http://127.0.0.1:9/v1", model.log), *_order(tmp_path / "again", "--replay", tape))

    assert (again.returncode, _balance(tmp_path / "again"), _fates(tmp_path / "again")) == (
        ended.returncode, balance, fates,
    ), again.stdout + again.stderr  # fmt: skip


def _is_taken(exchange: dict[str, Any]) -> bool:
    """The server began with it: it did not refuse its form."""
    return exchange["status"] != 400 or "exceed_context" in exchange["body"]
