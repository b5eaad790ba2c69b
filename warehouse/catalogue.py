"""The views that people query, in memory or as a DuckDB file."""

# ruff: noqa: S608 every name in these texts is declared in schemas/, every path is quoted

from importlib.resources import files
from pathlib import Path

import duckdb

from schemas.catalog import CATALOGUE_TABLES, LEDGER_TABLES, TABLES
from schemas.errors import HomeNotWritable
from schemas.ids import digest
from schemas.row import STAGES, Table
from schemas.runs import RELEASES
from warehouse.arrow import arrow_schema, parquet_bytes
from warehouse.ddl import create_table
from warehouse.disk import locked, write_whole, writing
from warehouse.layout import Layout, table_file

_MACROS = (
    # Wilson's interval for z = 1.96: z²/2 = 1.9208, z²/4 = 0.9604, z² = 3.8416. Null without an attempt.
    "create macro main.wilson_spread(passes, attempts) as "
    "1.96 * sqrt(passes * (attempts - passes) / nullif(attempts, 0) + 0.9604)",
    "create macro main.wilson_low(passes, attempts) as "
    "round((passes + 1.9208 - main.wilson_spread(passes, attempts)) / (attempts + 3.8416), 6)",
    "create macro main.wilson_high(passes, attempts) as "
    "round((passes + 1.9208 + main.wilson_spread(passes, attempts)) / (attempts + 3.8416), 6)",
)
"""What several marts compute alike."""


def ensure_catalogue(home: Path) -> Path:
    """The file of views over the current release and the ledger, rebuilt if anything it was built from has changed.

    That is: a new release, a moved or copied home, other views. The file holds absolute paths and no rows, so the
    ledger is seen as it grows. A connection that is still open keeps the release it was opened on; so does a process
    that opens the file again before it has closed that connection.

    Raises:
        HomeNotWritable: it had to be built and could not be written.
    """
    layout = Layout(home)
    if not _is_current(layout):
        with locked(layout.lock):
            build_catalogue(layout)
    return layout.catalogue


def build_catalogue(layout: Layout) -> None:
    """The same for a caller that holds the lock already."""
    for table in LEDGER_TABLES:
        # A glob without any file is an error in DuckDB, and the view must see what is appended after it was made.
        if table is not RELEASES and not _has_parts(layout, table):
            empty = parquet_bytes(arrow_schema(table).empty_table())
            write_whole(layout.ledger(table) / "empty" / "part-0.parquet", empty)
    if _is_current(layout):
        return
    draft = layout.root / ".catalogue.preparing.duckdb"
    with writing(layout.catalogue):
        layout.root.mkdir(parents=True, exist_ok=True)
        for leftover in layout.root.glob(f"{draft.name}*"):
            leftover.unlink()
        try:
            # The oldest format that all supported versions of DuckDB write, so that each of them can read it.
            with duckdb.connect(draft, config={"storage_compatibility_version": "v1.2.0"}) as connection:
                define_views(connection, layout)
        except (duckdb.IOException, duckdb.TransactionException) as error:
            raise HomeNotWritable(
                f"Could not write {layout.catalogue}: {error}. The releases are untouched and `envmill sql` still "
                "answers. Make room, then run again."
            ) from error
        draft.replace(layout.catalogue)
    write_whole(layout.catalogue_stamp, _stamp(layout).encode())


def define_views(connection: duckdb.DuckDBPyConnection, layout: Layout) -> None:
    """Give a connection the schemas `declared` (empty tables), `raw` (every table as it is) and `main` (marts)."""
    for statement in statements(layout):
        connection.execute(statement)


def statements(layout: Layout) -> list[str]:
    """The text of every view. It depends on where the home lies and which release is current, on nothing else."""
    numbers = layout.release_numbers()
    release = layout.release(numbers[-1]) if numbers else None
    texts = ["create schema declared", *(create_table(table, "declared") for table in TABLES), "create schema raw"]
    texts += [f"create view raw.{table.name} as {_rows(table, _source(layout, release, table))}" for table in TABLES]
    stages = ", ".join(f"({number}, '{stage}')" for number, stage in enumerate(STAGES, start=1))
    texts += [
        f"create view raw.current_release as {_rows(RELEASES, _file(release, RELEASES))}",
        f"create view raw.stages as select * from (values {stages}) as stages (stage_number, stage)",
        "create view raw.latest_run as select * from raw.runs order by started_at desc, run_id desc limit 1",
        "create view raw.standing_reviews as select * from raw.reviews "
        'qualify row_number() over (partition by item_id, reviewer order by "at" desc, review_id desc) = 1',
    ]
    texts += _MACROS
    for name, text in main_views().items():
        texts += [f"create view main.{name} as {text}", f"comment on view main.{name} is {quoted(first_line(text))}"]
    return texts


def main_views() -> dict[str, str]:
    """What people query: name -> SQL, whose first line states the grain. A mart stands for the table of its name.

    Tables come first, then the marts by name: a mart may read those before it.
    """
    marts = mart_texts()
    tables = [table for table in TABLES if table.name not in marts]
    return {table.name: f"-- {table.row.__doc__}\nselect * from raw.{table.name}" for table in tables} | marts


def mart_texts() -> dict[str, str]:
    """The views in `views/`: name -> SQL, by name."""
    folder = files("warehouse") / "views"
    names = sorted(each.name for each in folder.iterdir() if each.name.endswith(".sql"))
    return {name.removesuffix(".sql"): (folder / name).read_text("utf-8") for name in names}


def first_line(text: str) -> str:
    """What a SQL file says it is, without the comment sign."""
    return text.split("\n", 1)[0].removeprefix("--").strip()


def scan(path: Path, *, pattern: str = "") -> str:
    """A `read_parquet(...)` of one file, or of a pattern below a folder, whatever characters the path holds."""
    options = "union_by_name = true, hive_partitioning = false"
    return f"read_parquet({quoted(as_pattern(path) + pattern)}, {options})"


def as_pattern(path: Path) -> str:
    """A glob that matches this path only."""
    return "".join(f"[{each}]" if each in "*?[" else each for each in str(path))


def quoted(text: str) -> str:
    """A SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def _is_current(layout: Layout) -> bool:
    built = layout.catalogue.is_file() and layout.catalogue_stamp.is_file()
    return built and layout.catalogue_stamp.read_text() == _stamp(layout)


def _stamp(layout: Layout) -> str:
    return digest(statements(layout))


def _source(layout: Layout, release: Path | None, table: Table) -> str | None:
    if table is RELEASES:
        return scan(layout.releases, pattern="/r*/releases.parquet") if release else None
    if table in CATALOGUE_TABLES:
        return _file(release, table)
    return scan(layout.ledger(table), pattern="/*/part-*.parquet") if _has_parts(layout, table) else None


def _file(release: Path | None, table: Table) -> str | None:
    path = table_file(release, table) if release else None
    return scan(path) if path and path.is_file() else None


def _has_parts(layout: Layout, table: Table) -> bool:
    return any(layout.ledger(table).glob("*/part-*.parquet"))


def _rows(table: Table, source: str | None) -> str:
    """The declared columns: one that older files lack is null, one that is declared no more is left out."""
    columns = ", ".join(f'"{name}"' for name in table.row.model_fields)
    union = f" union all by name select * from {source}" if source else ""
    return f"select {columns} from (select * from declared.{table.name}{union})"
