"""What a run tells at its end."""

from datetime import UTC, datetime
from io import StringIO
from pathlib import Path

from rich.console import Console

from flows.reports import tell_release
from schemas.runs import RELEASES, Release
from warehouse.arrow import parquet_bytes, to_arrow
from warehouse.layout import Layout, table_file


def _release(number: int, environments: int, scenarios: int) -> Release:
    return Release(
        release_id="rel_0000000000000001",
        number=number,
        run_id=f"run_20260301-10000{number}-000",
        environment_count=environments,
        scenario_count=scenarios,
        row_counts_json="{}",
        published_at=datetime(2026, 3, number, tzinfo=UTC),
    )


def _told(home: Path, *releases: Release) -> list[str]:
    for each in releases:
        folder = Layout(home).release(each.number)
        folder.mkdir(parents=True)
        table_file(folder, RELEASES).write_bytes(parquet_bytes(to_arrow(RELEASES, (each,))))
    out = StringIO()
    tell_release(releases[-1], home, Console(file=out))
    return out.getvalue().splitlines()


def test_a_release_smaller_than_the_one_before_says_so_at_the_end(tmp_path: Path) -> None:
    last = _told(tmp_path, _release(1, 3, 9), _release(2, 20, 160), _release(3, 3, 170))[-1]

    for words in ("3 environments, 170 proven scenarios", "release 2 held 20 environments, 160 proven", "r000002"):
        assert words in last
    assert "envmill show run_20260301-100002-000" in last


def test_a_release_that_lacks_nothing_says_nothing_of_the_one_before(tmp_path: Path) -> None:
    assert "less" not in " ".join(_told(tmp_path, _release(1, 3, 9), _release(2, 3, 9)))
