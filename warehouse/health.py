"""Whether a release can be read, and is what was published."""

import json
from dataclasses import dataclass
from pathlib import Path

import duckdb

from schemas.catalog import CATALOGUE_TABLES
from schemas.errors import DamagedWarehouse
from warehouse.arrow import read_parquet
from warehouse.content import release_id
from warehouse.layout import Layout, table_file
from warehouse.query import connect
from warehouse.store import Warehouse


@dataclass(frozen=True, slots=True)
class ReleaseHealth:
    """The current release of a home, as far as it can be read."""

    release_id: str | None
    """Null when there is no release, or its own row can't be read."""
    number: int | None
    problem: str | None
    """Why a table can't be read; null when all can."""


def release_health(home: Path) -> ReleaseHealth:
    """Open every table of the current release. Nothing is written, and of each file only its end is read."""
    release_id = number = None
    try:
        with connect(home) as connection:
            found = connection.execute("select release_id, number from raw.current_release").fetchone()
            if found is not None:
                release_id, number = str(found[0]), int(found[1])
            for table in CATALOGUE_TABLES:
                connection.execute(f"select count(*) from raw.{table.name}")  # noqa: S608 a declared name
    except (duckdb.Error, DamagedWarehouse, OSError) as error:
        return ReleaseHealth(release_id, number, str(error).partition("\n")[0])
    return ReleaseHealth(release_id, number, None)


def changed_since_publication(home: Path, number: int) -> str | None:
    """How the rows of a release differ from those that were published; null when they are the same.

    Rows that are gone, new or different all count, of every table. Every row is read.

    Args:
        home: The home folder.
        number: A release that is there.

    Raises:
        DamagedWarehouse: a file can't be read.
    """
    folder = Layout(home).release(number)
    published = Warehouse(home).release(number)
    # A table that was declared after the release was published has no file in it, and had no part in its digest.
    there = tuple(table for table in CATALOGUE_TABLES if table_file(folder, table).is_file())
    # As it is: columns that were declared later are missing, and nulls had no part in the digest either.
    batches = {table.name: read_parquet(table_file(folder, table)) for table in there}
    if release_id(batches, there) == published.release_id:
        return None
    counts = json.loads(published.row_counts_json)
    now = {name: batches[name].num_rows if name in batches else 0 for name in counts}
    moved = [f"{name} has {now[name]} rows instead of {counts[name]}" for name in counts if now[name] != counts[name]]
    return "; ".join(moved) or "as many rows as published, but not the same"
