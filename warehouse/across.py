"""The rules that one row or one table can't show: each is a query for the rows that break it."""

# ruff: noqa: S608 every name in these texts is declared in schemas/, every path is quoted

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from importlib.resources import files
from pathlib import Path

import duckdb
import pyarrow as pa

from schemas.catalog import CATALOGUE_TABLES
from schemas.row import Table
from schemas.runs import ATTEMPTS, STAGE_COUNTS, GateResult
from warehouse.arrow import SAMPLE_SIZE, arrow_schema
from warehouse.catalogue import first_line, scan
from warehouse.ddl import create_table
from warehouse.layout import Layout

NOT_EVALUATED = "could not be evaluated: "
"""How the detail begins when a rule could not be asked; its offending count is then 0."""

RUN_TABLES = (STAGE_COUNTS, ATTEMPTS)
"""The part of the ledger that is gated with the batch, for one run."""


@dataclass(frozen=True)
class Promise:
    """A rule, and the query for the rows that break it."""

    table_name: str
    name: str
    column_name: str | None
    text: str
    sql: str


def gate_across(layout: Layout, run_id: str, batch: Mapping[str, Path], *, at: datetime) -> list[GateResult]:
    """Ask every promise of a staged batch and of its run's part of the ledger."""
    with duckdb.connect(":memory:") as connection:
        connection.execute("set TimeZone = 'UTC'")
        for table in CATALOGUE_TABLES:
            if table.name in batch:
                _view(connection, table.name, scan(batch[table.name]))
        for table in RUN_TABLES:
            folder = layout.ledger(table) / run_id
            if any(folder.glob("part-*.parquet")):
                _view(connection, table.name, scan(folder, pattern="/part-*.parquet"))
            else:
                connection.execute(create_table(table, "main"))
        return [_ask(connection, promise, run_id, at) for promise in promises()]


def promises() -> tuple[Promise, ...]:
    """Those that follow from the declarations, then those of `checks/`."""
    derived = [promise for table in CATALOGUE_TABLES + RUN_TABLES for promise in promises_of(table)]
    return (*derived, *_written())


def promises_of(table: Table) -> Iterator[Promise]:
    """What the declaration of one table promises across rows and tables."""
    key = ", ".join(table.key)
    columns = table.row.model_fields
    for column, target in table.references.items():
        yield _reference(table, column, target)
    if table.kind == "ledger":
        text = f"Every {key} occurs once."
        sql = f"select {key}, count(*) as occurrences from {table.name} group by {key} having count(*) > 1"
        yield Promise(table.name, "every_key_occurs_once", None, text, sql)
    if "reason" in columns:
        fate = "status" if "status" in columns else "decision"
        text = "Everything that was not accepted has a reason, and nothing accepted has one."
        sql = f"select {key}, {fate}, reason from {table.name} where ({fate} = 'accepted') <> (reason is null)"
        yield Promise(table.name, "only_accepted_rows_lack_a_reason", "reason", text, sql)
    if "duplicate_of" in columns:
        text = "Every duplicate names what stays, and nothing else does."
        sql = f"select {key}, status from {table.name} where (status = 'duplicate') <> (duplicate_of is not null)"
        yield Promise(table.name, "only_duplicates_name_what_stays", "duplicate_of", text, sql)


def _reference(table: Table, column: str, target: str) -> Promise:
    parent, parent_column = target.split(".")
    key = ", ".join(each for each in table.key if each != column)
    selected = f"{key}, " if key else ""
    is_list = pa.types.is_list(arrow_schema(table).field(column).type)
    value = f"unnest({column})" if is_list else column
    sql = (
        f"select children.* from (select {selected}{value} as {column} from {table.name}) as children "
        f"where {column} is not null "
        f"and not exists (from {parent} as parents where parents.{parent_column} = children.{column})"
    )
    text = f"Every {column} is a {parent_column} of {parent}."
    return Promise(table.name, f"every_value_is_in_{parent}_{parent_column}", column, text, sql)


def _written() -> Iterator[Promise]:
    folder = files("warehouse") / "checks"
    for name in sorted(each.name for each in folder.iterdir() if each.name.endswith(".sql")):
        text = (folder / name).read_text("utf-8")
        table_name = text.splitlines()[1].removeprefix("-- table:").strip()
        yield Promise(table_name, name.removesuffix(".sql"), None, first_line(text), text)


def _view(connection: duckdb.DuckDBPyConnection, name: str, source: str) -> None:
    try:
        connection.execute(f"create view {name} as select * from {source}")
    except duckdb.Error:
        # Not a Parquet file: the table gate says so, and every promise about it reports that it could not be asked.
        return


def _ask(connection: duckdb.DuckDBPyConnection, promise: Promise, run_id: str, at: datetime) -> GateResult:
    try:
        offending = connection.sql(promise.sql).order("all").to_arrow_table()
        count, detail = offending.num_rows, _sample(promise, offending)
        has_passed = count == 0
    except duckdb.Error as error:
        has_passed, count, detail = False, 0, f"{NOT_EVALUATED}{error}"
    return GateResult(
        run_id=run_id,
        table_name=promise.table_name,
        gate="across",
        expectation=promise.name,
        column_name=promise.column_name,
        has_passed=has_passed,
        offending_count=count,
        detail=detail,
        at=at,
    )


def _sample(promise: Promise, offending: pa.Table) -> str | None:
    if not offending.num_rows:
        return None
    rows = offending.slice(0, SAMPLE_SIZE).to_pylist()
    quoted = "; ".join(", ".join(f"{name}={value}" for name, value in row.items()) for row in rows)
    return f"{promise.text} Broken by {offending.num_rows} rows, such as: {quoted}"
