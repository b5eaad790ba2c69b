"""Whether the current release can be read."""

from dataclasses import dataclass
from pathlib import Path

import duckdb

from schemas.catalog import CATALOGUE_TABLES
from warehouse.query import connect


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
    except (duckdb.Error, OSError) as error:
        return ReleaseHealth(release_id, number, str(error).partition("\n")[0])
    return ReleaseHealth(release_id, number, None)
