"""Releases: whole or absent, numbered, known by their content."""

import json
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from schemas.catalog import CATALOGUE_TABLES
from schemas.errors import HomeNotWritable
from schemas.runs import ATTEMPTS, RELEASES, RUNS, GateResult
from schemas.topics import TOPICS
from tests.unit.warehouse.test_small_release import (
    NOON,
    RUN,
    attempts,
    published,
    run_row,
    small_release,
    stage_batch,
    topic,
)
from warehouse.arrow import to_arrow
from warehouse.content import release_id
from warehouse.query import query
from warehouse.store import Warehouse

ROOT = Path(__file__).parents[3]


@contextmanager
def full_disk(free_bytes: int) -> Iterator[None]:
    """No file of this process can grow larger than this."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (free_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_every_publishing_run_gets_the_next_number_and_equal_content_the_same_id(tmp_path: Path) -> None:
    published(tmp_path)
    stage_batch(Warehouse(tmp_path), small_release(), "run_again")
    again = Warehouse(tmp_path).publish("run_again", published_at=NOON + timedelta(days=1))
    changed = small_release()
    changed["topics"].append(topic("new-theme", status="rejected", reason="too_vague"))
    stage_batch(Warehouse(tmp_path), changed, "run_changed")
    last = Warehouse(tmp_path).publish("run_changed", published_at=NOON + timedelta(days=2))

    rows = query(tmp_path, "select number, run_id, release_id from releases order by number").to_pylist()
    assert [(row["number"], row["run_id"]) for row in rows] == [(1, RUN), (2, "run_again"), (3, "run_changed")]
    assert rows[0]["release_id"] == again.release_id == rows[1]["release_id"] != last.release_id
    assert Warehouse(tmp_path).current_release() == last


def test_publishing_twice_in_one_run_makes_one_release(tmp_path: Path) -> None:
    warehouse = published(tmp_path)
    first = warehouse.current_release()

    assert warehouse.publish(RUN, published_at=NOON + timedelta(hours=1)) == first
    stage_batch(warehouse, small_release())
    assert warehouse.publish(RUN, published_at=NOON + timedelta(hours=2)) == first
    assert warehouse.layout.release_numbers() == [1]


def test_the_digest_ignores_clocks_and_order_but_no_value() -> None:
    rows = attempts()
    later = [row.model_copy(update={"at": NOON + timedelta(days=9)}) for row in rows]
    other = [*rows[:-1], rows[-1].model_copy(update={"detail": "another"})]

    def digest_of(some: list[object]) -> str:
        return release_id({"attempts": to_arrow(ATTEMPTS, some)}, (ATTEMPTS,))  # type: ignore[arg-type]

    assert digest_of([*rows]) == digest_of([*reversed(later)])
    assert digest_of([*rows]) != digest_of([*other])


def test_a_batch_that_lacks_a_table_is_not_published(tmp_path: Path) -> None:
    warehouse = published(tmp_path)
    warehouse.stage("run_half", TOPICS, [topic("new-theme")])

    with pytest.raises(ValueError, match="run_half did not stage seed_tasks, logic_models"):
        warehouse.publish("run_half", published_at=NOON)
    assert warehouse.layout.release_numbers() == [1]


def test_a_batch_that_breaks_its_declaration_is_not_published(tmp_path: Path) -> None:
    warehouse = published(tmp_path)
    batch = small_release()
    batch["topics"][0] = batch["topics"][0].model_copy(update={"topic_id": None})
    stage_batch(warehouse, batch, "run_ungated")

    with pytest.raises(TypeError, match=r"topics\.topic_id holds 1 nulls"):
        warehouse.publish("run_ungated", published_at=NOON)
    assert warehouse.layout.release_numbers() == [1]


def test_a_full_disk_leaves_the_previous_release_current(tmp_path: Path) -> None:
    warehouse = published(tmp_path)
    stage_batch(warehouse, small_release(), "run_unlucky")

    with full_disk(2000), pytest.raises(HomeNotWritable, match=r"Could not write .*before is untouched.*--home"):
        warehouse.publish("run_unlucky", published_at=NOON)

    assert query(tmp_path, "select count(*) as n from environments").to_pylist() == [{"n": 2}]
    assert warehouse.layout.release_numbers() == [1]
    assert warehouse.publish("run_unlucky", published_at=NOON).number == 2


def test_a_home_that_can_not_be_written_is_reported_with_its_path(tmp_path: Path) -> None:
    (tmp_path / "warehouse").write_text("a file where the folder should be")

    with pytest.raises(HomeNotWritable, match=str(tmp_path / "warehouse")):
        Warehouse(tmp_path).replace_run(run_row())
    with pytest.raises(HomeNotWritable, match=str(tmp_path / "warehouse")):
        Warehouse(tmp_path).stage(RUN, TOPICS, [topic("pet-clinic")])


def test_a_refused_batch_moves_to_quarantine_with_its_report(tmp_path: Path) -> None:
    warehouse = published(tmp_path)
    stage_batch(warehouse, small_release(), "run_refused")
    result = GateResult(
        run_id="run_refused", table_name="topics", gate="table", expectation="is_staged", has_passed=False,
        offending_count=1, detail="why", at=NOON,
    )  # fmt: skip

    folder = warehouse.quarantine("run_refused", [result])
    stage_batch(warehouse, small_release(), "run_refused")
    second = warehouse.quarantine("run_refused", [result])

    assert (folder.name, second.name) == ("run_refused", "run_refused-2")
    report = json.loads((folder / "gate_report.json").read_text())
    assert [(each["table_name"], each["detail"]) for each in report["refused"]] == [("topics", "why")]
    assert {path.stem for path in folder.glob("*.parquet")} == {table.name for table in CATALOGUE_TABLES}
    assert warehouse.staged("run_refused") == {}
    assert warehouse.layout.release_numbers() == [1]


def test_the_ledger_takes_each_part_once_and_keeps_one_row_per_run(tmp_path: Path) -> None:
    warehouse = Warehouse(tmp_path)
    warehouse.append_ledger(ATTEMPTS, attempts()[:4], RUN)
    warehouse.append_ledger(ATTEMPTS, attempts()[:4], RUN)
    warehouse.append_ledger(ATTEMPTS, attempts()[4:], RUN)
    warehouse.append_ledger(ATTEMPTS, [], RUN)
    warehouse.replace_run(run_row())
    warehouse.replace_run(run_row(status="failed", detail="power cut"))

    assert query(tmp_path, "select count(*) as n from attempts").to_pylist() == [{"n": 9}]
    assert query(tmp_path, "select status, detail from runs").to_pylist() == [
        {"status": "failed", "detail": "power cut"}
    ]


@pytest.mark.parametrize("table", [TOPICS, RUNS, RELEASES])
def test_what_is_published_or_replaced_can_not_be_appended(tmp_path: Path, table: object) -> None:
    with pytest.raises(ValueError, match="is not appended to"):
        Warehouse(tmp_path).append_ledger(table, [], RUN)  # type: ignore[arg-type]


def publish_some(home: Path, name: str) -> None:
    """Publish two releases; two processes do so at once below."""
    for number in range(2):
        stage_batch(Warehouse(home), small_release(), f"run_{name}{number}")
        Warehouse(home).publish(f"run_{name}{number}", published_at=NOON)


def test_two_processes_that_publish_at_once_get_a_number_each(tmp_path: Path) -> None:
    code = "import sys, pathlib; from tests.unit.warehouse.test_publish import publish_some as p; "
    code += "p(pathlib.Path(sys.argv[1]), sys.argv[2])"
    publishers = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path), name], cwd=ROOT) for name in "ab"]

    assert [publisher.wait(timeout=60) for publisher in publishers] == [0, 0]

    rows = query(tmp_path, "select number, run_id from releases order by number").to_pylist()
    assert [row["number"] for row in rows] == list(range(1, 5))
    assert {row["run_id"] for row in rows} == {f"run_{name}{number}" for name in "ab" for number in range(2)}
    assert query(tmp_path, "select count(*) as n from scenarios").to_pylist() == [{"n": 3}]
