"""A file of the warehouse that can't be read is named, and what helps depends on what it belongs to."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from schemas.errors import DamagedWarehouse
from schemas.runs import ATTEMPTS, Attempt
from schemas.scenarios import SCENARIOS
from tests.fakes.lending_shed_home import publish_shed
from warehouse.arrow import read_parquet
from warehouse.layout import table_file
from warehouse.query import query
from warehouse.store import Warehouse


def cut_short(path: Path) -> Path:
    path.write_bytes(path.read_bytes()[:-50])
    return path


def test_of_a_release_its_folder_may_be_moved_away(tmp_path: Path) -> None:
    publish_shed(tmp_path)
    path = cut_short(table_file(Warehouse(tmp_path).layout.release(1), SCENARIOS))

    told = r"scenarios\.parquet.*move its release folder away"
    with pytest.raises(DamagedWarehouse, match=told):
        query(tmp_path, "select 1")
    with pytest.raises(DamagedWarehouse, match=told):
        read_parquet(path)


def test_of_the_ledger_the_file_may_be_moved_away(tmp_path: Path) -> None:
    store = Warehouse(tmp_path)
    for number in (1, 2):
        at = datetime(2026, 3, number, tzinfo=UTC)
        fields = {"run_id": f"run_{number}", "item_id": "top_1", "label": "Shed"}
        row = Attempt(stage="build_skeletons", status="accepted", at=at, **fields)
        store.append_ledger(ATTEMPTS, [row], row.run_id)
    (path,) = (store.layout.ledger(ATTEMPTS) / "run_2").iterdir()
    cut_short(path)

    with pytest.raises(DamagedWarehouse, match=r"/ledger/.*move it away: its rows are gone then"):
        query(tmp_path, "select run_id from raw.attempts")
    path.unlink()
    assert query(tmp_path, "select run_id from raw.attempts").to_pylist() == [{"run_id": "run_1"}]


def test_of_a_staged_batch_there_is_nothing_to_restore(tmp_path: Path) -> None:
    path = cut_short(Warehouse(tmp_path).stage("run_1", SCENARIOS, []))

    with pytest.raises(DamagedWarehouse) as caught:
        read_parquet(path)
    assert "move" not in str(caught.value)
