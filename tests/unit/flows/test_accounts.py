"""The ledger of calls: soon on disk, each row once, and told when it can't be written."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from flows.accounts import ROWS_PER_PART, CallLedger
from schemas.errors import HomeNotWritable
from tests.fakes.llm_calls import call
from warehouse.query import query
from warehouse.store import Warehouse


def ids(home: Path) -> list[str]:
    return [row["llm_call_id"] for row in query(home, "select llm_call_id from llm_calls").to_pylist()]


def wait_for(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.05)


def test_a_row_is_there_soon_without_anybody_asking(tmp_path: Path) -> None:
    ledger, row = CallLedger(Warehouse(tmp_path), "run_small"), call("draft_code")

    ledger.take(row)
    wait_for(lambda: bool(ids(tmp_path)))

    assert ids(tmp_path) == [row.llm_call_id]


def test_rows_of_many_threads_are_there_once_and_in_few_files(tmp_path: Path) -> None:
    ledger = CallLedger(Warehouse(tmp_path), "run_small")
    rows = [call("draft_code") for _ in range(3 * ROWS_PER_PART)]

    def take(number: int) -> None:
        ledger.take(rows[number])
        if number % 400 == 0:
            ledger.flush()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(take, range(len(rows))))
    ledger.flush()

    assert sorted(ids(tmp_path)) == sorted(row.llm_call_id for row in rows)
    assert len(list(tmp_path.rglob("part-*.parquet"))) <= 4


def test_a_full_disk_is_told_and_the_rows_come_later(tmp_path: Path) -> None:
    ledger, blocked = CallLedger(Warehouse(tmp_path), "run_small"), tmp_path / "warehouse"
    blocked.write_text("a file where the folder belongs")
    ledger.take(call("draft_code"))

    with pytest.raises(HomeNotWritable):
        ledger.flush()

    blocked.unlink()
    ledger.flush()
    assert len(ids(tmp_path)) == 1
