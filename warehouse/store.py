"""The one writer of a warehouse: the ledger, staged batches, and releases."""

import json
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from schemas.catalog import CATALOGUE_TABLES
from schemas.ids import canonical_json, digest
from schemas.row import Row, Table
from schemas.runs import RELEASES, RUNS, GateResult, Release, Run
from schemas.scenarios import SCENARIOS
from schemas.skeletons import SKELETONS
from warehouse.arrow import from_arrow, parquet_bytes, read_parquet, to_arrow, to_declared, to_staged_arrow
from warehouse.catalogue import build_catalogue
from warehouse.content import release_id
from warehouse.disk import locked, sync_folder, write_synced, write_whole, writing
from warehouse.layout import Layout, table_file


@dataclass(frozen=True)
class Warehouse:
    """Everything that is written under one home. Safe to use from several threads and processes."""

    home: Path

    @property
    def layout(self) -> Layout:
        """Where each file lies."""
        return Layout(self.home)

    def append_ledger(self, table: Table, rows: Iterable[Row], run_id: str) -> None:
        """Add rows to a ledger table, in the given order, visible at once. No rows, no file.

        A part is named after its content: appending the same rows again changes nothing. For runs and releases use
        `replace_run` and `publish`.

        Raises:
            HomeNotWritable: nothing was appended.
            TypeError: a row breaks the declaration of the table.
        """
        if table.kind != "ledger" or table in (RUNS, RELEASES):
            raise ValueError(f"{table.name} is not appended to: publish it, or replace the run's row.")
        batch = to_arrow(table, rows)
        if batch.num_rows:
            content = parquet_bytes(batch)
            write_whole(self.layout.ledger(table) / run_id / f"part-{digest(content.hex())[:16]}.parquet", content)

    def replace_ledger_part(self, table: Table, rows: Iterable[Row], run_id: str, part: str) -> None:
        """Write one named part of a run's rows, visible at once; an earlier part of that name is gone.

        For rows that come one by one and must be seen soon: a part grows until it is large enough for the next one.

        Raises:
            HomeNotWritable: the earlier part still stands.
            TypeError: a row breaks the declaration of the table.
        """
        if table.kind != "ledger" or table in (RUNS, RELEASES):
            raise ValueError(f"{table.name} is not written in parts: publish it, or replace the run's row.")
        content = parquet_bytes(to_arrow(table, rows))
        write_whole(self.layout.ledger(table) / run_id / f"part-{part}.parquet", content)

    def replace_run(self, run: Run) -> None:
        """Write the row of a run; an earlier row of the same run is gone.

        Raises:
            HomeNotWritable: the earlier row still stands.
        """
        content = parquet_bytes(to_arrow(RUNS, (run,)))
        write_whole(self.layout.ledger(RUNS) / run.run_id / "part-run.parquet", content)

    def stage(self, run_id: str, table: Table, rows: Iterable[Row]) -> Path:
        """Put one whole table of a run's batch where nobody reads it yet; replaces what was staged before.

        Broken rows are staged too, so that the gates can name them. A release needs every catalogue table; stage an
        empty one as no rows.

        Raises:
            HomeNotWritable: nothing was staged.
        """
        path = table_file(self.layout.staging(run_id), table)
        write_whole(path, parquet_bytes(to_staged_arrow(table, rows)))
        return path

    def staged(self, run_id: str) -> Mapping[str, Path]:
        """The staged catalogue tables of a run: name -> Parquet file, in catalogue order."""
        paths = {table.name: table_file(self.layout.staging(run_id), table) for table in CATALOGUE_TABLES}
        return {name: path for name, path in paths.items() if path.is_file()}

    def publish(self, run_id: str, *, published_at: datetime) -> Release:
        """Turn a run's staged batch, which must have passed its gates, into the current release: wholly or not at all.

        Every run that publishes gets the next number, also when it brings no change: then its row repeats the
        `release_id` of the release before. Publishing twice in one run returns the release that the run made already.

        The release exists from the one rename on; a crash before leaves the previous release current, a crash after
        leaves the new one current and is cured by publishing again. Publishers wait for one another.

        Raises:
            HomeNotWritable: no space or no permission.
            ValueError: a catalogue table was not staged.
            TypeError: a table breaks its declaration, so it can't have passed its gate.
        """
        layout = self.layout
        with locked(layout.lock):
            current = self.current_release()
            if not (current and current.run_id == run_id and not layout.staging(run_id).exists()):
                current = self._release_batch(run_id, current, published_at)
            self._clear_staging(run_id)
            build_catalogue(layout)
        return current

    def _release_batch(self, run_id: str, current: Release | None, published_at: datetime) -> Release:
        batches = self._staged_batches(run_id)
        content_id = release_id(batches, CATALOGUE_TABLES)
        if current and (current.run_id, current.release_id) == (run_id, content_id):
            return current
        release = Release(
            release_id=content_id,
            number=max(self.layout.release_numbers(), default=0) + 1,
            run_id=run_id,
            environment_count=_accepted(batches[SKELETONS.name]),
            scenario_count=_accepted(batches[SCENARIOS.name]),
            row_counts_json=canonical_json({name: batch.num_rows for name, batch in batches.items()}),
            published_at=published_at,
        )
        self._write_release(release, batches)
        return release

    def _staged_batches(self, run_id: str) -> dict[str, pa.Table]:
        paths = self.staged(run_id)
        missing = [table.name for table in CATALOGUE_TABLES if table.name not in paths]
        if missing:
            raise ValueError(
                f"{run_id} did not stage {', '.join(missing)}. Stage every table, an empty one as no rows."
            )
        return {table.name: to_declared(table, read_parquet(paths[table.name])) for table in CATALOGUE_TABLES}

    def _write_release(self, release: Release, batches: Mapping[str, pa.Table]) -> None:
        layout = self.layout
        draft = layout.releases / ".preparing"
        with writing(draft):
            # Left by a publisher that died: the lock is ours, so nobody is writing there now.
            shutil.rmtree(draft, ignore_errors=True)
            draft.mkdir(parents=True)
            for table in CATALOGUE_TABLES:
                write_synced(table_file(draft, table), parquet_bytes(batches[table.name]))
            write_synced(table_file(draft, RELEASES), parquet_bytes(to_arrow(RELEASES, (release,))))
            sync_folder(draft)
            draft.rename(layout.release(release.number))
            sync_folder(layout.releases)

    def _clear_staging(self, run_id: str) -> None:
        staging = self.layout.staging(run_id)
        done = staging.with_name(f".done-{run_id}")
        with writing(staging):
            # Renamed first: a crash between two deletions must not leave half a batch under the run's name.
            if staging.exists():
                shutil.rmtree(done, ignore_errors=True)
                staging.rename(done)
            shutil.rmtree(done, ignore_errors=True)

    def quarantine(self, run_id: str, gate_results: Iterable[GateResult]) -> Path:
        """Move a refused batch out of the way, with what its gates said in `gate_report.json`.

        A second refusal of the same run gets a folder of its own (`<run_id>-2`).

        Raises:
            HomeNotWritable: the batch is still staged.
        """
        results = [each.model_dump(mode="json") for each in gate_results]
        report = {
            "run_id": run_id,
            "refused": [each for each in results if not each["has_passed"]],
            "passed": [each for each in results if each["has_passed"]],
        }
        staging, target = self.layout.staging(run_id), self.layout.quarantine(run_id)
        write_whole(staging / "gate_report.json", json.dumps(report, indent=2, ensure_ascii=False).encode())
        with locked(self.layout.lock), writing(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            attempt = 2
            while target.exists():
                target = self.layout.quarantine(f"{run_id}-{attempt}")
                attempt += 1
            staging.rename(target)
            sync_folder(target.parent)
        return target

    def current_release(self) -> Release | None:
        """The row of the newest release; null before the first."""
        numbers = self.layout.release_numbers()
        if not numbers:
            return None
        return self.release(numbers[-1])

    def release(self, number: int) -> Release:
        """The row of a release that is there."""
        batch = read_parquet(table_file(self.layout.release(number), RELEASES))
        return Release.model_validate(batch.to_pylist()[0])

    def rows(self, table: Table) -> tuple[Row, ...]:
        """A catalogue table of the current release, in key order; no rows before the first release."""
        numbers = self.layout.release_numbers()
        path = table_file(self.layout.release(numbers[-1]), table) if numbers else None
        return from_arrow(table, read_parquet(path)) if path and path.is_file() else ()


def _accepted(batch: pa.Table) -> int:
    count: int = pc.sum(pc.equal(batch.column("status"), "accepted")).as_py() or 0
    return count
