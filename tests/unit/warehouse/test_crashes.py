"""A publisher is killed at each kind of change it makes to the disk; readers never see half a release."""

import os
import shutil
import subprocess
import sys
import traceback
from collections.abc import Callable
from pathlib import Path

import duckdb
import pandas  # noqa: F401 Arrow imports it on first use: once here, not in each of the children below

from tests.unit.warehouse.test_small_release import NOON, published, small_release, stage_batch
from warehouse.query import query
from warehouse.store import Warehouse

ROOT = Path(__file__).parents[3]
KILLED = 9


def changes_disk(event: str, arguments: tuple[object, ...], home: Path) -> bool:
    """Whether an audit event is a change of the home. One table stands for all, they are treated alike."""
    path = str(arguments[0]) if arguments else ""
    # Deleting a folder names its files without the folder.
    ours = path == "tools.parquet" or path.startswith(str(home))
    if path.endswith(".parquet") and not path.endswith(("tools.parquet", "releases.parquet")):
        return False
    if event == "os.mkdir":
        return ours and not Path(path).exists()
    return ours and (event in ("os.rename", "os.remove", "os.rmdir") or (event == "open" and "w" in str(arguments[1])))


def killed_at(step: int, home: Path) -> Callable[[str, tuple[object, ...]], None]:
    """An audit hook that ends the process before its n-th change of the home, with nothing cleaned up."""
    seen = 0

    def watch(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal seen
        if changes_disk(event, arguments, home):
            seen += 1
            if seen == step:
                os._exit(KILLED)

    return watch


def in_child(work: Callable[[], int]) -> int:
    """The exit code of some work in a process of its own."""
    child = os.fork()
    if not child:
        code = 1
        try:
            code = work()
        finally:
            if code == 1:
                traceback.print_exc()
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def prepare(home: Path) -> int:
    """A release with two environments, and a staged batch with one more skeleton that is rejected."""
    published(home)
    batch = small_release()
    batch["scenarios"] = batch["scenarios"][:3]
    batch["checks"], batch["scenario_validations"] = batch["checks"][:5], batch["scenario_validations"][:6]
    stage_batch(Warehouse(home), batch, "run_second")
    return 0


def publish_until(step: int, home: Path) -> int:
    """Publish the second release, unless killed on the way."""
    sys.addaudithook(killed_at(step, home))
    Warehouse(home).publish("run_second", published_at=NOON)
    return 0


def look(home: Path) -> int:
    """What a reader finds, before and after the run publishes again; 10 + the number of the release found first."""
    scenarios = {1: 3, 2: 2}
    release = Warehouse(home).current_release()
    assert release is not None
    found = query(home, "select (select count(*) from scenarios) as n, (select max(number) from releases) as number")
    assert found.to_pylist() == [{"n": scenarios[release.number], "number": release.number}]
    with duckdb.connect(str(home / "warehouse" / "catalogue.duckdb"), read_only=True) as left_behind:
        assert left_behind.execute("select count(*) from scenarios").fetchall()[0][0] in scenarios.values()
    assert Warehouse(home).publish("run_second", published_at=NOON).number == 2
    assert Warehouse(home).layout.release_numbers() == [1, 2]
    with duckdb.connect(str(home / "warehouse" / "catalogue.duckdb"), read_only=True) as catalogue:
        assert catalogue.execute("select count(*) from scenarios").fetchall() == [(2,)]
    return 10 + release.number


def crash_everywhere(home: Path) -> None:
    """Print the release that readers found after a kill at step 1, 2, 3, ... until the publisher gets through."""
    live, prepared = home / "live", home / "prepared"
    assert in_child(lambda: prepare(live)) == 0
    live.rename(prepared)
    for step in range(1, 100):
        shutil.copytree(prepared, live)
        ended = in_child(lambda step=step: publish_until(step, live))  # type: ignore[misc]
        if ended == 0:
            return
        print(ended, in_child(lambda: look(live)))
        shutil.rmtree(live)


def test_a_kill_before_any_change_leaves_a_whole_release_and_publishing_again_completes_it(tmp_path: Path) -> None:
    code = "import sys, pathlib; from tests.unit.warehouse.test_crashes import crash_everywhere as c; "
    code += "c(pathlib.Path(sys.argv[1]))"
    # In a process of its own, because it forks and must not have threads by then.
    run = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], cwd=ROOT, capture_output=True, text=True, timeout=600, check=False
    )

    lines = run.stdout.splitlines()
    before, after = lines.count(f"{KILLED} 11"), lines.count(f"{KILLED} 12")
    assert before + after == len(lines), run.stderr
    assert run.returncode == 0, run.stderr
    assert (before, after) == (5, 6)
