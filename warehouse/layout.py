"""Where each file of a warehouse lies."""

import re
from dataclasses import dataclass
from pathlib import Path

from schemas.row import Table

_RELEASE = re.compile(r"r(\d{6,})")


@dataclass(frozen=True)
class Layout:
    """The paths under one home folder. Nothing here touches the disk except `release_numbers`."""

    home: Path

    @property
    def root(self) -> Path:
        """The warehouse folder, absolute: views and locks need one name for it."""
        return self.home.resolve() / "warehouse"

    @property
    def catalogue(self) -> Path:
        """The DuckDB file of views."""
        return self.root / "catalogue.duckdb"

    @property
    def catalogue_stamp(self) -> Path:
        """The digest of what the catalogue file was built from; written after it."""
        return self.root / "catalogue.stamp"

    @property
    def lock(self) -> Path:
        """Held while a release is published or the catalogue file is built."""
        return self.root / "publish.lock"

    @property
    def releases(self) -> Path:
        """Folder of the published versions."""
        return self.root / "releases"

    def staging(self, run_id: str) -> Path:
        """Folder of a run's batch before it is published."""
        return self.root / "staging" / run_id

    def quarantine(self, run_id: str) -> Path:
        """Folder that a refused batch moves to."""
        return self.root / "quarantine" / run_id

    def ledger(self, table: Table) -> Path:
        """Folder of a ledger table, one folder per run in it; for reviews, one per release that they are about."""
        return self.root / "ledger" / table.name

    def release(self, number: int) -> Path:
        """Folder of one published version."""
        return self.releases / f"r{number:06d}"

    def release_numbers(self) -> list[int]:
        """Numbers of the published versions, ascending. Half-prepared ones have other names and don't count."""
        if not self.releases.is_dir():
            return []
        matches = (_RELEASE.fullmatch(each.name) for each in self.releases.iterdir())
        return sorted(int(match[1]) for match in matches if match)


def table_file(folder: Path, table: Table) -> Path:
    """The Parquet file of a table in a staged, quarantined or published batch."""
    return folder / f"{table.name}.parquet"
