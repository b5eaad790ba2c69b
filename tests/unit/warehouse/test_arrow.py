"""From declared rows to Arrow and DuckDB."""

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest
from pydantic import AwareDatetime, Field

from schemas.catalog import TABLES
from schemas.row import Row, Status, Table
from schemas.runs import ATTEMPTS, Attempt
from tests.unit.warehouse.test_small_release import attempts, topic
from warehouse.arrow import (
    UNFIT_COUNT,
    UNFIT_SAMPLE,
    arrow_schema,
    from_arrow,
    parquet_bytes,
    read_parquet,
    to_arrow,
    to_staged_arrow,
)
from warehouse.ddl import create_table


class Sample(Row):
    """One of each column type."""

    name: str = Field(description="What it is called.")
    count: int
    share: float | None
    is_good: bool
    fate: Status | None
    words: list[str]
    numbers: list[int]
    at: AwareDatetime


SAMPLES = Table("samples", Sample, kind="catalogue", key=("name",))


def sample(called: str, **columns: object) -> Sample:
    values: dict[str, object] = {
        "name": called, "count": 3, "share": 0.5, "is_good": True, "fate": "accepted", "words": ["a"],
        "numbers": [1, 2], "at": datetime(2026, 3, 1, tzinfo=UTC),
    }  # fmt: skip
    return Sample.model_construct(**{**values, **columns})  # type: ignore[arg-type]


def test_every_column_type_has_its_arrow_type_and_nullability() -> None:
    schema = arrow_schema(SAMPLES)

    assert [(field.name, str(field.type), field.nullable) for field in schema] == [
        ("name", "string", False),
        ("count", "int64", False),
        ("share", "double", True),
        ("is_good", "bool", False),
        ("fate", "string", True),
        ("words", "list<item: string>", False),
        ("numbers", "list<item: int64>", False),
        ("at", "timestamp[us, tz=UTC]", False),
    ]
    assert schema.field("name").metadata == {b"description": b"What it is called."}


@pytest.mark.parametrize("annotation", [dict[str, int], list[float], int | str, bytes])
def test_a_type_that_no_column_can_hold_is_refused_with_advice(annotation: object) -> None:
    row = type("Odd", (Row,), {"__annotations__": {"odd": annotation}})

    with pytest.raises(TypeError, match=r"odd_ones\.odd has the type .*JSON text in a column named \*_json"):
        arrow_schema(Table("odd_ones", row, kind="catalogue", key=("odd",)))


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_the_sql_declaration_has_the_types_that_duckdb_reads_off_the_arrow_schema(table: Table, tmp_path: Path) -> None:
    (tmp_path / "empty.parquet").write_bytes(parquet_bytes(arrow_schema(table).empty_table()))

    with duckdb.connect() as connection:
        connection.execute(create_table(table, "main"))
        declared = connection.execute(f"describe {table.name}").fetchall()
        stored = connection.execute("describe from read_parquet(?)", [str(tmp_path / "empty.parquet")]).fetchall()

    assert [column[:2] for column in declared] == [column[:2] for column in stored]


def test_rows_come_back_from_a_file_as_they_went_in(tmp_path: Path) -> None:
    rows = (sample("b", share=None, fate=None, words=[]), sample("a", numbers=[], at=datetime(1999, 1, 1, tzinfo=UTC)))

    (tmp_path / "samples.parquet").write_bytes(parquet_bytes(to_arrow(SAMPLES, rows)))

    assert from_arrow(SAMPLES, read_parquet(tmp_path / "samples.parquet")) == rows


def test_times_are_stored_in_utc() -> None:
    east = datetime(2026, 3, 1, 14, tzinfo=timezone(timedelta(hours=2)))

    batch = to_arrow(SAMPLES, [sample("a", at=east)])

    assert batch.column("at").to_pylist() == [datetime(2026, 3, 1, 12, tzinfo=UTC)]


def test_a_staged_batch_is_in_key_order_and_a_ledger_in_the_given_one() -> None:
    rows = [sample("b"), sample("c"), sample("a")]

    assert to_staged_arrow(SAMPLES, rows).column("name").to_pylist() == ["a", "b", "c"]
    assert to_arrow(SAMPLES, rows).column("name").to_pylist() == ["b", "c", "a"]


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("count", 1.5),
        ("count", True),
        ("count", 2**63),
        ("share", True),
        ("is_good", 1),
        ("name", 7),
        ("name", "half \ud800"),
        ("words", ["a", None]),
        ("numbers", "12"),
        ("at", datetime(2026, 3, 1)),  # noqa: DTZ001 a time without a zone is the point
    ],
)
def test_a_value_of_another_type_is_staged_as_text_and_named(column: str, value: object) -> None:
    batch = to_staged_arrow(SAMPLES, [sample("a"), sample("b", **{column: value})])

    field = batch.schema.field(column)
    assert field.type == pa.large_string()
    assert field.metadata[UNFIT_COUNT] == b"1"
    assert field.metadata[UNFIT_SAMPLE].decode() == repr(value)
    assert batch.column(column).to_pylist()[1] == repr(value)


def test_a_ledger_refuses_a_value_of_another_type_and_a_missing_one() -> None:
    with pytest.raises(TypeError, match=r"samples\.count: 1\.5 is no int64"):
        to_arrow(SAMPLES, [sample("a", count=1.5)])
    with pytest.raises(TypeError, match=r"samples\.name holds 1 nulls"):
        to_arrow(SAMPLES, [sample("a"), sample("b", name=None)])


def test_a_column_that_an_older_file_lacks_is_null() -> None:
    older = to_arrow(ATTEMPTS, attempts()).drop_columns(["detail", "parent_id"])

    rows = from_arrow(ATTEMPTS, older)

    assert {row.detail for row in rows if isinstance(row, Attempt)} == {None}


def test_the_same_rows_give_the_same_bytes() -> None:
    topics = Table("topics", type(topic("a")), kind="catalogue", key=("topic_id",))
    one, other = topic("one"), topic("other")

    assert parquet_bytes(to_staged_arrow(topics, [one, other])) == parquet_bytes(to_staged_arrow(topics, [other, one]))
