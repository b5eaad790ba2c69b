"""`envmill verify`: what holds, what was tampered with, and what a person and a program are told."""

import json
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from flows.commands.registered import app
from flows.verifying import proof_gate
from schemas.row import Row, Table
from schemas.runs import GateResult
from schemas.scenarios import CHECKS, INITIAL_STATES, SCENARIO_VALIDATIONS, SCENARIOS
from schemas.skeletons import SKELETONS, TOOLS
from tests.fakes.lending_shed_home import publish_shed
from tests.fakes.sandbox import SANDBOX
from warehouse.arrow import from_arrow, parquet_bytes, read_parquet, to_staged_arrow
from warehouse.layout import Layout, table_file
from warehouse.query import query
from warehouse.store import Warehouse

Verify = Callable[..., Result]
Edit = Callable[[Any], Row]


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("published")
    publish_shed(home)
    return home


@pytest.fixture
def home(published: Path, tmp_path: Path) -> Path:
    """A copy that a test may spoil."""
    shutil.copytree(published / "warehouse", tmp_path / "warehouse")
    return tmp_path


def verify(home: Path, *options: object) -> Result:
    arguments = ["verify", "--home", str(home), *map(str, options)]
    return CliRunner().invoke(app, arguments, catch_exceptions=False)


def tamper(home: Path, table: Table, edit: Edit, folder: Path | None = None) -> None:
    """Change each row of a table, by default of the published one."""
    path = table_file(folder or Layout(home).release(1), table)
    rows = [edit(row) for row in from_arrow(table, read_parquet(path))]
    path.write_bytes(parquet_bytes(to_staged_arrow(table, rows)))


def broken(result: Result) -> dict[str, list[str]]:
    """How the task of each scenario that does not hold begins -> the reasons."""
    report = json.loads(result.stdout)
    assert result.exit_code == (1 if report["broken"] else 0)
    return {each["task"][:6]: [one["reason"] for one in each["troubles"]] for each in report["broken"]}


def test_what_was_just_published_holds(published: Path) -> None:
    told = verify(published)
    report = json.loads(verify(published, "--json", "--concurrency", 1).stdout)

    assert told.exit_code == 0
    assert told.stdout.startswith("release 1: 2 of 2 scenarios hold (")
    assert (report["release"], report["scenarios"], report["holding"], report["broken"]) == (1, 2, 2, [])
    assert report["trials"] > 30


def test_a_check_that_was_tampered_with_is_named(home: Path) -> None:
    goal = "def check(initial_state, final_state, trajectory) -> bool:\n    return True\n"
    tamper(
        home,
        CHECKS,
        lambda row: row.model_copy(update={"code": goal}) if "LOA-0003" in row.text else row,
    )
    told = verify(home)

    assert broken(verify(home, "--json")) == {"Chiara": ["content_changed", "no_op_passes"]}
    assert told.exit_code == 1
    assert "release 1: 1 of 2 scenarios hold" in told.stdout
    assert "Chiara Rossi needs the welding set longer." in told.stdout
    assert "no_op_passes: Every check holds after doing nothing" in told.stdout


def test_a_check_that_still_discriminates_but_is_another_is_named_too(home: Path) -> None:
    tamper(home, CHECKS, lambda row: row.model_copy(update={"code": row.code + "# the same\n"}))

    assert broken(verify(home, "--json")) == {"Chiara": ["content_changed"], "New me": ["content_changed"]}


def test_a_state_that_was_tampered_with_is_named(home: Path) -> None:
    def later(row: Any) -> Row:
        changed: Row = row.model_copy(update={"state_json": row.state_json.replace("2025-04-12", "2025-04-13")})
        return changed

    tamper(home, INITIAL_STATES, later)

    assert broken(verify(home, "--json")) == {
        "Chiara": ["content_changed"],  # the date that was changed is overwritten by what is asked for
        "New me": ["content_changed", "final_state_differs"],
    }


def test_code_that_was_tampered_with_is_named(home: Path) -> None:
    def worse(row: Any) -> Row:
        changed: Row = row.model_copy(
            update={"code": row.code.replace('loan["is_extended"] = True', 'loan["is_extended"] = False')}
        )
        return changed

    tamper(home, SKELETONS, worse)

    assert broken(verify(home, "--json")) == {
        "Chiara": ["content_changed", "reference_fails", "final_state_differs"],
        "New me": ["content_changed"],
    }


def test_code_that_does_not_load_and_rows_that_nobody_can_read_are_reasons_as_well(home: Path) -> None:
    tamper(home, SKELETONS, lambda row: row.model_copy(update={"code": "class LendingShed(:\n"}))
    tamper(
        home,
        SCENARIOS,
        lambda row: row.model_copy(update={"reference_json": "["}) if row.task.startswith("New") else row,
    )

    assert broken(verify(home, "--json")) == {
        "Chiara": ["content_changed", "skeleton_not_loaded"],
        "New me": ["content_changed", "rows_unreadable"],
    }


def test_a_final_state_that_is_not_the_one_of_the_proof_is_named(home: Path) -> None:
    def other(row: Any) -> Row:
        changed: Row = row.model_copy(update={"final_digest": "0" * 32}) if row.final_digest else row
        return changed

    tamper(home, SCENARIO_VALIDATIONS, other)

    assert set(map(tuple, broken(verify(home, "--json")).values())) == {("final_state_differs",)}


def staged(home: Path) -> GateResult:
    """What the gate says of a batch that equals the tampered release, published after the sound one."""
    store = Warehouse(home)
    (result,) = proof_gate(store, "run_next", datetime(2026, 3, 2, tzinfo=UTC), sandbox=SANDBOX, at_a_time=2)
    return result


def test_only_what_changed_since_the_current_release_is_proven_before_it_is_published(home: Path) -> None:
    layout = Layout(home)
    shutil.copytree(layout.release(1), layout.staging("run_next"))

    unchanged = staged(home)
    staging = layout.staging("run_next")
    tamper(home, TOOLS, lambda row: row.model_copy(update={"kind": "query"}), staging)
    # What decides about a proof is unchanged to the letter, so nothing is played.
    still_unchanged = staged(home)
    tamper(home, SKELETONS, lambda row: row.model_copy(update={"code": "class LendingShed(:"}), staging)
    changed = staged(home)

    assert [each.has_passed for each in (unchanged, still_unchanged, changed)] == [True, True, False]
    assert (changed.gate, changed.table_name, changed.offending_count) == ("proof", "scenarios", 2)
    assert str(changed.detail).startswith("2 of 2 no longer hold, such as scn_")
    assert "content_changed" in str(changed.detail)


def test_a_release_goes_by_its_number_and_by_the_id_that_is_shown(published: Path) -> None:
    (release,) = query(published, "select release_id from raw.releases").to_pylist()

    found = [verify(published, "--json", "--release", name) for name in (release["release_id"], "1")]

    assert [(each.exit_code, json.loads(each.stdout)["release"]) for each in found] == [(0, 1), (0, 1)]


@pytest.mark.parametrize("release", ["2", "first", "rel_0000000000000000"])
def test_a_release_that_does_not_exist_is_wrong_usage(published: Path, tmp_path: Path, release: str) -> None:
    unknown, empty = verify(published, "--release", release), verify(tmp_path)

    assert (unknown.exit_code, empty.exit_code) == (2, 2)
    assert f'There is no release "{release}"' in unknown.stderr and "Known: current, 1." in unknown.stderr
    assert "There is no release in" in empty.stderr


def changed(home: Path) -> str | None:
    """What a program is told about rows that are not those that were published."""
    result = verify(home, "--json")
    report: dict[str, Any] = json.loads(result.stdout)
    assert result.exit_code == 1
    assert report["broken"] == []
    found: str | None = report["changed_since_publication"]
    return found


def test_what_no_proof_notices_is_noticed_all_the_same(home: Path) -> None:
    tamper(home, SKELETONS, lambda row: row.model_copy(update={"policy": "Do whatever you like."}))

    assert changed(home) == "as many rows as published, but not the same"
    told = verify(home)
    assert "release 1: 2 of 2 scenarios hold" in told.stdout
    assert "Its rows are not those that were published: as many rows" in told.stdout


def test_rows_that_are_gone_are_counted(home: Path) -> None:
    path = table_file(Layout(home).release(1), SCENARIOS)
    rows = from_arrow(SCENARIOS, read_parquet(path))
    path.write_bytes(parquet_bytes(to_staged_arrow(SCENARIOS, rows[:1])))

    assert changed(home) == "scenarios has 1 rows instead of 2"


def test_a_release_from_before_a_column_was_declared_is_what_was_published(home: Path) -> None:
    path = table_file(Layout(home).release(1), INITIAL_STATES)
    older = read_parquet(path)
    assert older.column("detail").null_count == older.num_rows
    path.write_bytes(parquet_bytes(older.drop_columns(["detail"])))

    assert verify(home).exit_code == 0


def test_a_release_that_was_changed_is_not_exported(home: Path) -> None:
    tamper(home, INITIAL_STATES, lambda row: row.model_copy(update={"state_json": "{"}))
    ended = CliRunner().invoke(app, ["export", "--format", "envscaler", "--home", str(home)], catch_exceptions=False)

    assert ended.exit_code == 1
    assert "is not what was published: as many rows" in " ".join(ended.stderr.split())
    assert not (home / "exports").exists()


@pytest.mark.parametrize(
    "order",
    [
        ("verify",), ("status",), ("sql", "select 1"), ("show", "rel_0123456789abcdef"), ("review", "list"),
        ("play", "neighbourhood-lending-shed"), ("export", "--format", "envscaler"), ("estimate", "--profile", "tiny"),
        ("doctor",),
    ],
)  # fmt: skip
def test_a_file_that_is_cut_short_is_named_with_what_to_do(home: Path, order: tuple[str, ...]) -> None:
    path = table_file(Layout(home).release(1), SCENARIOS)
    path.write_bytes(path.read_bytes()[:-200])
    ended = CliRunner().invoke(app, [*order, "--home", str(home)], catch_exceptions=False)

    said = " ".join((ended.stdout + ended.stderr).split())
    assert ended.exit_code == 1
    assert "scenarios.parquet" in said
    assert "away" in said


def test_with_the_damaged_release_moved_away_the_one_before_is_current(home: Path) -> None:
    layout = Layout(home)
    shutil.copytree(layout.release(1), layout.release(2))
    path = table_file(layout.release(2), SCENARIOS)
    path.write_bytes(path.read_bytes()[:-200])
    assert verify(home).exit_code == 1
    layout.release(2).rename(home / "damaged")

    assert verify(home).exit_code == 0
