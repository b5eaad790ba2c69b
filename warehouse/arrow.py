"""From the declaration of a table to Arrow: its schema, its rows, and back."""

import io
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import NoneType, UnionType
from typing import Literal, Union, get_args, get_origin

import pyarrow as pa
import pyarrow.parquet as pq
from pydantic import AwareDatetime
from pydantic.fields import FieldInfo

from schemas.errors import DamagedWarehouse
from schemas.row import Row, Table

UNFIT_COUNT = b"unfit_count"
UNFIT_SAMPLE = b"unfit_sample"
"""Metadata of a staged column that holds values of another type than it declares."""

SAMPLE_SIZE = 5
"""Offending values that a report quotes."""


_SURROGATE = re.compile("[\ud800-\udfff]")
"""Half a character: Python can hold it, UTF-8 can't."""


@dataclass(frozen=True)
class _Scalar:
    """One column type: in Arrow, and the Python types whose values fit it."""

    arrow: pa.DataType
    python: tuple[type, ...]


_TEXT = _Scalar(pa.string(), (str,))
_SCALARS: dict[object, _Scalar] = {
    str: _TEXT,
    int: _Scalar(pa.int64(), (int,)),
    float: _Scalar(pa.float64(), (float, int)),
    bool: _Scalar(pa.bool_(), (bool,)),
    AwareDatetime: _Scalar(pa.timestamp("us", tz="UTC"), (datetime,)),
}


def arrow_schema(table: Table) -> pa.Schema:
    """The columns in declared order, with nullability; descriptions are field metadata and so end in every file.

    Raises:
        TypeError: a column has a type that no Arrow type is declared for.
    """
    fields = [_field(table, name, info) for name, info in table.row.model_fields.items()]
    return pa.schema(fields, metadata={"table": table.name, "grain": table.row.__doc__ or ""})


def to_arrow(table: Table, rows: Iterable[Row]) -> pa.Table:
    """Rows of a ledger, in the given order.

    Raises:
        TypeError: a value does not fit its column, or a null stands where none may.
    """
    batch = to_staged_arrow(table, rows, in_key_order=False)
    for field in batch.schema:
        if field.metadata and UNFIT_COUNT in field.metadata:
            sample = field.metadata[UNFIT_SAMPLE].decode()
            raise TypeError(f"{table.name}.{field.name}: {sample} is no {arrow_schema(table).field(field.name).type}.")
    return to_declared(table, batch)


def to_staged_arrow(table: Table, rows: Iterable[Row], *, in_key_order: bool = True) -> pa.Table:
    """Rows of a batch that its gates have still to judge: broken ones are kept, so that they can be named.

    Every column may hold nulls. A column with values that do not fit it is stored as text, and its field metadata says
    how many and quotes some.

    Args:
        table: What the rows belong to.
        rows: In any order.
        in_key_order: Sort by the table's key, so that the same rows give the same file.
    """
    kept = list(rows)
    columns: list[pa.Array] = []
    fields: list[pa.Field] = []
    for declared in arrow_schema(table):
        values = [getattr(row, declared.name, None) for row in kept]
        field = declared.with_nullable(True)
        unfit = [value for value in values if not _fits(value, declared.type)]
        if unfit:
            sample = ", ".join(repr(value)[:80] for value in unfit[:SAMPLE_SIZE])
            metadata = {**(declared.metadata or {}), UNFIT_COUNT: str(len(unfit)), UNFIT_SAMPLE: sample}
            field = pa.field(declared.name, pa.large_string(), metadata=metadata)
            values = [None if value is None else repr(value) for value in values]
        columns.append(pa.array(values, type=field.type))
        fields.append(field)
    batch = pa.Table.from_arrays(columns, schema=pa.schema(fields, metadata=arrow_schema(table).metadata))
    return batch.sort_by([(column, "ascending") for column in table.key]) if in_key_order else batch


def to_declared(table: Table, batch: pa.Table) -> pa.Table:
    """The same rows under the declared schema, nullability included.

    Raises:
        TypeError: the batch has other columns, other types, or nulls where none may be.
    """
    schema = arrow_schema(table)
    if batch.schema.names != schema.names:
        raise TypeError(f"{table.name} has the columns {batch.schema.names}, declared are {schema.names}.")
    for field in schema:
        column = batch.column(field.name)
        if not column.type.equals(field.type):
            raise TypeError(f"{table.name}.{field.name} is {column.type}, declared is {field.type}.")
        if column.null_count and not field.nullable:
            raise TypeError(f"{table.name}.{field.name} holds {column.null_count} nulls; it may hold none.")
    return pa.Table.from_arrays(batch.columns, schema=schema)


def from_arrow(table: Table, batch: pa.Table) -> tuple[Row, ...]:
    """The rows of a batch, validated; a column that an older file lacks is null.

    Raises:
        pydantic.ValidationError: a row breaks the declaration.
    """
    columns = [name for name in table.row.model_fields if name in batch.schema.names]
    return tuple(table.row.model_validate(each) for each in batch.select(columns).to_pylist())


def parquet_bytes(batch: pa.Table) -> bytes:
    """A whole Parquet file, zstd-compressed. The same batch gives the same bytes."""
    sink = io.BytesIO()
    pq.write_table(batch, sink, compression="zstd")
    return sink.getvalue()


def read_parquet(path: Path) -> pa.Table:
    """One file as it is. Nothing is read out of the path: a folder named `x=1` is no column.

    Raises:
        DamagedWarehouse: it is no whole Parquet file any more.
        FileNotFoundError: it is not there.
    """
    try:
        return pq.ParquetFile(path).read()
    except pa.ArrowException as error:
        raise damaged(path, str(error)) from error


def damaged(path: Path, problem: str) -> DamagedWarehouse:
    """What to say of a file that can't be read, or of a folder where the problem names the file."""
    said = f"{path} can't be read: {problem.partition(chr(10))[0]}"
    if "/releases/" in said:
        said += (
            " Put the file back from a backup. Without one, move its release folder away: the release before it is "
            "current then, and the next `envmill run` makes a new one."
        )
    elif "/ledger/" in said:
        said += " Put the file back from a backup, or move it away: its rows are gone then, and all others are there."
    return DamagedWarehouse(said)


def _field(table: Table, name: str, info: FieldInfo) -> pa.Field:
    annotation: object = info.annotation
    is_nullable = False
    if get_origin(annotation) in (Union, UnionType):
        options = [each for each in get_args(annotation) if each is not NoneType]
        is_nullable = len(options) < len(get_args(annotation))
        annotation = options[0] if len(options) == 1 else annotation
    metadata = {"description": info.description} if info.description else None
    return pa.field(name, _type(table, name, annotation), nullable=is_nullable, metadata=metadata)


def _type(table: Table, name: str, annotation: object) -> pa.DataType:
    if annotation in _SCALARS:
        arrow: pa.DataType = _SCALARS[annotation].arrow
        return arrow
    if get_origin(annotation) is Literal and all(isinstance(each, str) for each in get_args(annotation)):
        return _TEXT.arrow
    if get_origin(annotation) is list and get_args(annotation)[0] in (str, int):
        return pa.list_(_SCALARS[get_args(annotation)[0]].arrow)
    raise TypeError(
        f"{table.name}.{name} has the type {annotation!r}, which no column can hold. "
        "Use str, int, float, bool, AwareDatetime, a Literal of texts, list[str] or list[int], or one of them | None; "
        "store anything nested as JSON text in a column named *_json."
    )


def _fits(value: object, arrow: pa.DataType) -> bool:
    """Whether a value can be stored as it is. Arrow itself would cut 1.5 to 1 and take True for 1.0."""
    if value is None:
        return True
    if pa.types.is_list(arrow):
        return isinstance(value, list | tuple) and all(
            item is not None and _fits(item, arrow.value_type) for item in value
        )
    python = next(each.python for each in _SCALARS.values() if each.arrow.equals(arrow))
    if isinstance(value, bool) and bool not in python:
        return False
    if isinstance(value, datetime) and value.tzinfo is None:
        return False
    if isinstance(value, int) and int in python and not -(2**63) <= value < 2**63:
        return False
    if isinstance(value, str) and _SURROGATE.search(value):
        return False
    return isinstance(value, python)
