"""Whether a staged batch may be published: table by table, then across tables."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from schemas.catalog import CATALOGUE_TABLES
from schemas.errors import DamagedWarehouse
from schemas.row import Table
from schemas.runs import GateResult
from warehouse.across import NOT_EVALUATED, gate_across
from warehouse.arrow import SAMPLE_SIZE, UNFIT_COUNT, UNFIT_SAMPLE, arrow_schema, read_parquet
from warehouse.expectations import suite_of
from warehouse.layout import Layout, table_file

if TYPE_CHECKING:
    from great_expectations.data_context import EphemeralDataContext
    from great_expectations.datasource.fluent.interfaces import Batch


def gate_run(home: Path, run_id: str, *, at: datetime) -> tuple[GateResult, ...]:
    """Judge what a run has staged, and the balance of its stages in the ledger. Whatever is staged, this answers.

    A result that has not passed says in `detail` which values are to blame; one that could not be evaluated says that
    instead and counts no offender. Both refuse the batch. Importing Great Expectations costs 6 s or more once per
    process; after that a batch of some thousand rows takes about a second.
    """
    layout = Layout(home)
    judge = _Judge(run_id, at, _quiet_context())
    batch: dict[str, Path] = {}
    results: list[GateResult] = []
    for table in CATALOGUE_TABLES:
        path = table_file(layout.staging(run_id), table)
        if not path.is_file():
            results.append(judge.verdict(table, "is_staged", None, 1, "The run did not stage this table."))
            continue
        batch[table.name] = path
        try:
            results += judge.gate_table(table, read_parquet(path))
        except (DamagedWarehouse, OSError) as error:
            results.append(judge.verdict(table, "is_readable", None, 0, f"{NOT_EVALUATED}{error}"))
    return (*results, *gate_across(layout, run_id, batch, at=at))


@dataclass(frozen=True)
class _Judge:
    """Evaluates the suites of one run, all on one Great Expectations context."""

    run_id: str
    at: datetime
    context: "EphemeralDataContext"

    def gate_table(self, table: Table, batch: pa.Table) -> list[GateResult]:
        """Types from Arrow, values by the table's suite."""
        types = [self._type_verdict(table, field, batch) for field in arrow_schema(table)]
        findings = _evaluate(self.context, table, batch)
        values = [self.verdict(table, each.expectation, each.column, each.count, each.detail) for each in findings]
        return types + values

    def verdict(
        self, table: Table, expectation: str, column: str | None, offending_count: int, detail: str | None
    ) -> GateResult:
        """A result of the table gate; it has passed if there is nothing to say."""
        return GateResult(
            run_id=self.run_id,
            table_name=table.name,
            gate="table",
            expectation=expectation,
            column_name=column,
            has_passed=detail is None,
            offending_count=offending_count,
            detail=detail,
            at=self.at,
        )

    def _type_verdict(self, table: Table, declared: pa.Field, batch: pa.Table) -> GateResult:
        count, detail = _misfits(declared, batch)
        return self.verdict(table, "has_declared_type", declared.name, count, detail)


@dataclass(frozen=True)
class _Finding:
    """One evaluated expectation of a suite; `detail` is null when it holds."""

    expectation: str
    column: str | None
    count: int
    detail: str | None


def _misfits(declared: pa.Field, batch: pa.Table) -> tuple[int, str | None]:
    if declared.name not in batch.schema.names:
        return 0, f"{NOT_EVALUATED}the batch has no column of this name."
    field, column = batch.schema.field(declared.name), batch.column(declared.name)
    if field.metadata and UNFIT_COUNT in field.metadata:
        return int(field.metadata[UNFIT_COUNT]), f"No {declared.type}: {field.metadata[UNFIT_SAMPLE].decode()}"
    if not field.type.equals(declared.type):
        return batch.num_rows, f"The column is {field.type}, declared is {declared.type}."
    if pa.types.is_list(field.type):
        nulls = pc.list_flatten(column).null_count
        return nulls, f"{nulls} nulls inside lists." if nulls else None
    return 0, None


def warm_up() -> None:
    """Import what gates stand on, so that the first gate need not wait for it. Takes 6 s or more of one core."""
    import great_expectations  # noqa: F401 - imported for its side effect: the next import is free


def _quiet_context() -> "EphemeralDataContext":
    # Importing Great Expectations takes 6 s or more; only gates pay for it.
    import great_expectations
    from great_expectations.data_context.types import base

    config = base.DataContextConfig(
        store_backend_defaults=base.InMemoryStoreBackendDefaults(),
        progress_bars=base.ProgressBarsConfig(globally=False),
        analytics_enabled=False,
    )
    return great_expectations.get_context(mode="ephemeral", project_config=config)


def _evaluate(context: "EphemeralDataContext", table: Table, batch: pa.Table) -> list[_Finding]:
    suite = suite_of(table)
    validated = _as_pandas(context, table, batch).validate(
        suite, result_format={"result_format": "BASIC", "partial_unexpected_count": SAMPLE_SIZE}
    )
    found = [_finding(each.to_json_dict()) for each in validated.results]
    # What could not be evaluated comes first otherwise.
    order = [(each.expectation_type, getattr(each, "column", None)) for each in suite.expectations]
    return sorted(found, key=lambda each: order.index((each.expectation, each.column)))


def _as_pandas(context: "EphemeralDataContext", table: Table, batch: pa.Table) -> "Batch":
    import pandas as pd

    # Arrow-backed columns: pandas' own would turn integers with a null into floats.
    frame = batch.to_pandas(types_mapper=pd.ArrowDtype)
    source = context.data_sources.add_or_update_pandas(name=table.name)
    definition = source.add_dataframe_asset(table.name).add_batch_definition_whole_dataframe("staged")
    return definition.get_batch({"dataframe": frame})


def _finding(evaluated: Mapping[str, Any]) -> _Finding:
    config, result = evaluated["expectation_config"], evaluated["result"]
    expectation, column = config["type"], config["kwargs"].get("column")
    if evaluated["success"]:
        return _Finding(expectation, column, 0, None)
    if (error := _raised(evaluated["exception_info"])) is not None:
        return _Finding(expectation, column, 0, f"{NOT_EVALUATED}{error}")
    if "unexpected_count" not in result:
        return _Finding(expectation, column, 1, f"Found {result.get('observed_value')}.")
    count = result["unexpected_count"]
    sample = ", ".join(repr(value)[:80] for value in result["partial_unexpected_list"] if value is not None)
    detail = f"{count} rows, such as: {sample}" if sample else f"{count} rows are null."
    return _Finding(expectation, column, count, detail)


def _raised(info: Mapping[str, Any]) -> str | None:
    """The error that stopped an evaluation: one record, or one per metric."""
    records = [info] if "raised_exception" in info else list(info.values())
    messages = [str(each["exception_message"]) for each in records if each["raised_exception"]]
    return messages[0] if messages else None
