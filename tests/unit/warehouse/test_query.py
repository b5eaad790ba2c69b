"""What people find with SQL, wherever the home lies, and what they can't do."""

import shutil
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest

from schemas.catalog import TABLES
from schemas.errors import UsageError
from schemas.ids import make_id
from schemas.row import STAGES
from schemas.runs import ATTEMPTS, STAGE_COUNTS
from tests.unit.warehouse.test_small_release import (
    NOON,
    RUN,
    attempts,
    published,
    run_row,
    small_release,
    stage_batch,
    stage_counts,
    write_ledger,
)
from warehouse.catalogue import ensure_catalogue, main_views
from warehouse.query import connect, query
from warehouse.store import Warehouse


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One release by the second of three runs; the first failed, the third is still running."""
    home = tmp_path_factory.mktemp("home")
    warehouse = Warehouse(home)
    warehouse.replace_run(run_row("run_first", status="failed", started_at=NOON - timedelta(days=1)))
    warehouse.append_ledger(ATTEMPTS, attempts("run_first"), "run_first")
    warehouse.append_ledger(STAGE_COUNTS, stage_counts("run_first")[:2], "run_first")
    published(home)
    return home


def ask(home: Path, sql: str) -> list[tuple[object, ...]]:
    """Rows as tuples."""
    return [tuple(row.values()) for row in query(home, sql).to_pylist()]


def test_environments_are_the_accepted_skeletons_with_what_became_of_their_scenarios(home: Path) -> None:
    rows = ask(
        home,
        "select slug, domain, split, tool_count, scenario_count, rejected_scenario_count, mean_reference_length, "
        "sandbox, seed_task_count from environments",
    )

    assert rows == [
        ("pet-clinic", "health", "train", 2, 2, 1, 3.5, "process", 2),
        ("tool-shed", "leisure", "test", 2, 1, 0, 2.0, "process", 0),
    ]


def test_scenarios_are_the_published_ones_with_their_checks_and_trials(home: Path) -> None:
    rows = ask(
        home,
        "select slug, task, reference_length, goal_count, guard_count, answer_count, procedure_count, trial_count "
        "from scenarios order by slug, task",
    )

    assert rows == [
        ("pet-clinic", "Do 1", 2, 1, 1, 0, 0, 3),
        ("pet-clinic", "Do 2", 5, 1, 1, 1, 0, 3),
        ("tool-shed", "Do 1", 2, 1, 1, 0, 0, 3),
    ]
    assert ask(home, "select count(*) from raw.scenarios") == [(4,)]


def test_rejections_are_those_of_the_latest_run_with_their_share_and_an_example(home: Path) -> None:
    rows = ask(home, "select stage, status, reason, item_count, share, example, example_detail from rejections")

    assert rows == [
        ("mine_topics", "rejected", "chit_chat", 3, 0.5, "item 2", "because 2"),
        ("mine_topics", "duplicate", "near", 1, 1 / 6, "item 5", "because 5"),
        ("generate_scenarios", "failed", "out_of_time", 1, 1 / 3, "item 8", "because 8"),
    ]


def test_yield_by_stage_follows_the_pipeline_run_by_run(home: Path) -> None:
    latest = ask(home, "select stage from yield_by_stage where is_latest_run")
    mined = "select run_id, is_latest_run, run_status, items_in, accepted, yield from yield_by_stage"

    assert latest == [(stage,) for stage in STAGES]
    assert ask(home, f"{mined} where stage = 'mine_topics'") == [
        (RUN, True, "running", 6, 2, 1 / 3),
        ("run_first", False, "failed", 6, 2, 1 / 3),
    ]


def test_lineage_leads_to_every_supporting_seed_task_and_a_given_topic_to_none(home: Path) -> None:
    columns = "slug, topic_title, seed_task_id, source_id, seed_text, is_duplicate_seed"
    clinic, shed = make_id("scn", "pet-clinic", 3), make_id("scn", "tool-shed", 1)

    assert ask(home, f"select status, {columns} from lineage where scenario_id = '{clinic}'") == [
        ("rejected", "pet-clinic", "Pet-Clinic", make_id("tsk", 1), "1", "Book a visit, 1", False),
        ("rejected", "pet-clinic", "Pet-Clinic", make_id("tsk", 2), "2", "Book a visit, 2", True),
    ]
    assert ask(home, f"select {columns} from lineage where scenario_id = '{shed}'") == [
        ("tool-shed", "Tool-Shed", None, None, None, None)
    ]
    release = Warehouse(home).current_release()
    assert release is not None
    assert ask(home, "select distinct release_id from lineage") == [(release.release_id,)]


def test_every_table_can_be_asked_by_its_name(home: Path) -> None:
    names = {name for (name,) in ask(home, "show tables")}

    assert names == {table.name for table in TABLES} | set(main_views())
    assert ask(home, "select count(*) from seed_tasks") == [(3,)]


def test_parameters_are_bound(home: Path) -> None:
    found = query(home, "select slug from environments where domain = ?", ["leisure"])

    assert found.to_pylist() == [{"slug": "tool-shed"}]


def test_a_home_without_a_release_or_without_anything_answers_with_empty_tables(tmp_path: Path) -> None:
    for name in (
        "environments",
        "scenarios",
        "rejections",
        "yield_by_stage",
        "lineage",
        "seed_tasks",
        "runs",
        "releases",
    ):
        assert query(tmp_path / "nowhere", f"select * from {name}").num_rows == 0
    assert not (tmp_path / "nowhere").exists()

    Warehouse(tmp_path).replace_run(run_row())
    assert ask(tmp_path, "select run_id from runs") == [(RUN,)]
    assert ask(tmp_path, "select count(*) from environments") == [(0,)]


@pytest.mark.parametrize("name", ["plain", "a [b]* c=1", "it's ä"])
def test_a_moved_home_still_answers_and_its_catalogue_file_is_rebuilt(tmp_path: Path, name: str) -> None:
    published(tmp_path / "before")
    shutil.move(tmp_path / "before", tmp_path / name)
    moved = tmp_path / name

    assert ask(moved, "select count(*) from environments") == [(2,)]
    with duckdb.connect(str(ensure_catalogue(moved)), read_only=True) as catalogue:
        assert catalogue.execute("select count(*) from environments").fetchall() == [(2,)]
        assert catalogue.execute("select count(*) from attempts").fetchall() == [(9,)]
    Warehouse(moved).append_ledger(ATTEMPTS, attempts("run_later"), "run_later")
    with connect(moved) as connection:
        assert connection.execute("select count(*) from attempts").fetchall() == [(18,)]


def test_the_catalogue_file_shows_ledger_rows_that_came_after_it(tmp_path: Path) -> None:
    path = ensure_catalogue(tmp_path)
    built = path.stat().st_mtime_ns
    write_ledger(Warehouse(tmp_path))

    with duckdb.connect(str(path), read_only=True) as catalogue:
        assert catalogue.execute("select count(*) from attempts").fetchall() == [(9,)]
    assert ensure_catalogue(tmp_path).stat().st_mtime_ns == built


def test_the_catalogue_file_follows_a_release_that_was_published_by_a_run_that_died(tmp_path: Path) -> None:
    published(tmp_path)
    stale = (tmp_path / "warehouse" / "catalogue.duckdb").read_bytes()
    batch = small_release()
    batch["topics"] = batch["topics"][:2]
    stage_batch(Warehouse(tmp_path), batch, "run_second")
    Warehouse(tmp_path).publish("run_second", published_at=NOON)
    (tmp_path / "warehouse" / "catalogue.duckdb").write_bytes(stale)
    (tmp_path / "warehouse" / "catalogue.stamp").unlink()

    with duckdb.connect(str(ensure_catalogue(tmp_path)), read_only=True) as catalogue:
        assert catalogue.execute("select count(*) from topics").fetchall() == [(2,)]


def test_a_column_that_an_older_release_lacks_is_null(tmp_path: Path) -> None:
    warehouse = published(tmp_path)
    path = warehouse.layout.release(1) / "topics.parquet"
    with duckdb.connect() as connection:
        older = connection.sql(f"select * exclude (detail), 1 as dropped from read_parquet('{path}')").to_arrow_table()
    pq.write_table(older, path)

    assert ask(tmp_path, "select count(*), count(detail) from topics") == [(3, 0)]


@pytest.fixture(scope="module")
def locked(home: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """The connection that people get."""
    with connect(home) as connection:
        yield connection


@pytest.mark.parametrize(
    "statement",
    [
        "copy (select 1) to '{outside}/out.csv'",
        "attach '{outside}/other.duckdb'",
        "install httpfs",
        "load httpfs",
        "select * from read_text('/etc/passwd')",
        "select * from read_text('{home}/warehouse/../secret.txt')",
        "select * from '/etc/passwd'",
        "select * from glob('/etc/*')",
        "export database '{outside}/all'",
        "set enable_external_access = true",
        "set allowed_directories = ['/']",
    ],
)
def test_nothing_outside_the_warehouse_can_be_reached(
    locked: duckdb.DuckDBPyConnection, home: Path, tmp_path: Path, statement: str
) -> None:
    (home / "secret.txt").write_text("secret")

    with pytest.raises((duckdb.PermissionException, duckdb.InvalidInputException, duckdb.CatalogException)):
        locked.execute(statement.format(outside=tmp_path, home=home)).fetchall()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "statement",
    [
        "copy (select 1) to '{home}/warehouse/releases/r000001/topics.parquet'",
        "attach '{home}/warehouse/other.duckdb'",
        "explain analyze copy (select 1) to '{home}/warehouse/out.csv'",
        "create table mine as select 1",
        "drop view environments",
        "select 1; select 2",
        "",
        "selec 1",
        "select * from no_such_table",
        "select no_such_column from topics",
    ],
)
def test_a_query_only_reads_and_a_mistake_is_explained(home: Path, statement: str) -> None:
    with pytest.raises(UsageError, match="show tables"):
        query(home, statement.format(home=home))
    assert not (home / "warehouse" / "out.csv").exists()
    assert len(Warehouse(home).rows(TABLES[0])) == 3
