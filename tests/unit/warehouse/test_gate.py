"""What the gates say of good and of broken batches. Great Expectations is imported once, by the first of these."""

from pathlib import Path
from typing import Annotated

import pyarrow as pa
import pytest
from pydantic import Field

from schemas.ids import make_id
from schemas.row import Row, Table
from schemas.runs import GATE_RESULTS, STAGE_COUNTS, GateResult
from schemas.scenarios import CHECKS
from schemas.skeletons import TOOLS
from schemas.topics import TOPICS
from tests.unit.warehouse.test_small_release import (
    NOON,
    RUN,
    Batch,
    scenario,
    small_release,
    stage_batch,
    stage_counts,
    topic,
    write_ledger,
)
from warehouse.arrow import parquet_bytes, to_staged_arrow
from warehouse.expectations import suite_of
from warehouse.gate import gate_run
from warehouse.layout import table_file
from warehouse.store import Warehouse

# Great Expectations imports a module that Python 3.11 deprecates.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

Failure = tuple[str, str, str | None, int]

GONE = make_id("skl", "gone")
TOOL = small_release()["tools"][0]


def failures(results: tuple[GateResult, ...]) -> set[Failure]:
    """What did not pass: table, expectation, column, offending rows."""
    return {
        (each.table_name, each.expectation, each.column_name, each.offending_count)
        for each in results
        if not each.has_passed
    }


def gate(home: Path, batch: Batch) -> tuple[GateResult, ...]:
    """Stage and judge a batch whose ledger is in order."""
    warehouse = Warehouse(home)
    write_ledger(warehouse)
    stage_batch(warehouse, batch)
    return gate_run(home, RUN, at=NOON)


def change_row(batch: Batch, name: str, number: int, **columns: object) -> None:
    """Break one row of a table."""
    batch[name][number] = batch[name][number].model_copy(update=columns)


def broken_batch() -> Batch:
    """One break per row, each of another kind."""
    batch = small_release()
    batch["tools"] += [TOOL.model_copy(update={"tool_id": make_id("tol", number)}) for number in range(3)]
    change_row(batch, "tools", 0, tool_id=None)
    change_row(batch, "tools", 1, kind="wish")
    change_row(batch, "tools", 2, tool_id="tol_1")
    change_row(batch, "tools", 3, tool_id=make_id("tol", "x") + "\n")
    change_row(batch, "tools", 4, skeleton_id=GONE)
    batch["tools"].append(batch["tools"][6])
    change_row(batch, "topics", 0, usefulness=11)
    change_row(batch, "topics", 1, title="")
    change_row(batch, "topics", 2, modelability="high", keyphrases=["a", None])
    change_row(batch, "checks", 0, exempt=None)
    batch["scenarios"].append(scenario("tool-shed", 9, skeleton_id=GONE))
    return batch


@pytest.fixture(scope="module")
def refused(tmp_path_factory: pytest.TempPathFactory) -> tuple[GateResult, ...]:
    """What the gates say of the broken batch, in whose run a stage lost an item too."""
    warehouse = Warehouse(tmp_path_factory.mktemp("home"))
    lost = [row.model_copy(update={"items_in": 7}) for row in stage_counts() if getattr(row, "items_in", 0) == 6]
    warehouse.append_ledger(STAGE_COUNTS, lost, RUN)
    stage_batch(warehouse, broken_batch())
    return gate_run(warehouse.home, RUN, at=NOON)


def test_a_good_batch_passes_every_gate_and_its_results_fit_the_ledger(tmp_path: Path) -> None:
    results = gate(tmp_path, small_release())

    assert failures(results) == set()
    keys = [tuple(getattr(each, column) for column in GATE_RESULTS.key) for each in results]
    assert len(set(keys)) == len(keys) > 300
    assert {each.gate for each in results} == {"table", "across"}
    Warehouse(tmp_path).append_ledger(GATE_RESULTS, results, RUN)


@pytest.mark.parametrize(
    "expected",
    [
        ("tools", "expect_column_values_to_not_be_null", "tool_id", 1),
        ("tools", "expect_column_values_to_be_in_set", "kind", 1),
        ("tools", "expect_column_values_to_match_regex", "tool_id", 2),
        ("tools", "expect_column_values_to_be_unique", "tool_id", 2),
        ("tools", "every_value_is_in_skeletons_skeleton_id", "skeleton_id", 1),
        ("topics", "expect_column_values_to_be_between", "usefulness", 1),
        ("topics", "expect_column_value_lengths_to_be_between", "title", 1),
        ("topics", "has_declared_type", "modelability", 1),
        ("topics", "has_declared_type", "keyphrases", 1),
        ("checks", "expect_column_values_to_not_be_null", "exempt", 1),
        ("scenarios", "every_accepted_scenario_has_an_accepted_skeleton", None, 1),
        ("stage_counts", "every_stage_balances", None, 1),
        ("stage_counts", "every_stage_count_equals_its_attempts", None, 1),
    ],
)
def test_a_broken_row_is_named(refused: tuple[GateResult, ...], expected: Failure) -> None:
    assert expected in failures(refused)


def test_offending_values_are_quoted(refused: tuple[GateResult, ...]) -> None:
    details = {(each.expectation, each.column_name): each.detail for each in refused if not each.has_passed}

    assert details["expect_column_values_to_be_in_set", "kind"] == "1 rows, such as: 'wish'"
    assert details["has_declared_type", "modelability"] == "No int64: 'high'"
    assert GONE in (details["every_value_is_in_skeletons_skeleton_id", "skeleton_id"] or "")


def test_files_that_are_missing_broken_or_of_another_shape_are_refused(tmp_path: Path) -> None:
    warehouse = Warehouse(tmp_path)
    write_ledger(warehouse)
    stage_batch(warehouse, small_release())
    folder = warehouse.layout.staging(RUN)
    table_file(folder, CHECKS).unlink()
    table_file(folder, TOOLS).write_bytes(b"half a file")
    odd = to_staged_arrow(TOPICS, small_release()["topics"]).drop_columns(["split"])
    odd = odd.append_column("color", pa.nulls(3, pa.string()))
    odd = odd.set_column(odd.schema.get_field_index("usefulness"), "usefulness", pa.array(["7", "8", "9"]))
    odd = odd.set_column(odd.schema.get_field_index("keyphrases"), "keyphrases", pa.array([["a"], [None], []]))
    table_file(folder, TOPICS).write_bytes(parquet_bytes(odd))

    results = gate_run(tmp_path, RUN, at=NOON)

    assert {
        ("checks", "is_staged", None, 1),
        ("tools", "is_readable", None, 0),
        ("topics", "expect_table_columns_to_match_ordered_list", None, 1),
        ("topics", "has_declared_type", "usefulness", 3),
        ("topics", "has_declared_type", "keyphrases", 1),
    } <= failures(results)
    unasked = [each for each in results if (each.detail or "").startswith("could not be evaluated: ")]
    assert {each.offending_count for each in unasked} == {0}
    assert {
        ("topics", "has_declared_type", "split"),
        ("topics", "expect_column_values_to_not_be_null", "split"),
        ("skeletons", "every_accepted_skeleton_has_its_tools", None),
    } <= {(each.table_name, each.expectation, each.column_name) for each in unasked}


def test_an_empty_batch_is_refused_only_where_rows_are_demanded(tmp_path: Path) -> None:
    found = failures(gate(tmp_path, {name: [] for name in small_release()}))

    assert found == {("topics", "expect_table_row_count_to_be_between", None, 1)}


def test_a_batch_of_only_rejected_items_is_a_valid_batch(tmp_path: Path) -> None:
    batch: Batch = {name: [] for name in small_release()}
    batch["topics"] = [topic("pet-clinic", status="rejected", reason="too_vague")]

    assert failures(gate(tmp_path, batch)) == set()


def test_groups_and_line_ends_of_a_pattern_mean_the_same_to_the_gate() -> None:
    class Coded(Row):
        """A row with a pattern that needs care."""

        code: Annotated[str, Field(pattern=r"^(a|[(]b)\((?:c)$")]

    suite = suite_of(Table("codes", Coded, kind="catalogue", key=("code",)))

    patterns = [each.configuration.kwargs.get("regex") for each in suite.expectations]
    assert r"^(?:a|[(]b)\((?:c)\Z" in patterns


def test_a_rule_that_no_gate_checks_is_refused_with_advice() -> None:
    class Odd(Row):
        """A row with a rule of its own."""

        odd: Annotated[int, Field(multiple_of=5)]

    with pytest.raises(TypeError, match=r"odd_ones\.odd is declared with \['multipleOf'\], which no gate checks"):
        suite_of(Table("odd_ones", Odd, kind="catalogue", key=("odd",)))
