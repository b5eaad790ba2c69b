"""The answer to a query, as a table for people, CSV or JSON."""

import csv
import json
import math
import sys
from datetime import date, datetime
from decimal import Decimal
from typing import Any, TextIO

import pyarrow as pa
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

FORMATS = ("table", "csv", "json")
WIDEST = 1_000_000
"""Columns of a "terminal" that is none: a pipe gets every value whole, on one line."""


def rows_of(answer: pa.Table) -> list[dict[str, Any]]:
    """The rows, with points in time as text: to make Python objects of them, Arrow imports pandas, for a second."""
    for number, field in enumerate(answer.schema):
        if pa.types.is_timestamp(field.type):
            answer = answer.set_column(number, field.name, answer.column(number).cast(pa.string()))
    return list(answer.to_pylist())


def write_answer(answer: pa.Table, form: str, out: TextIO = sys.stdout) -> None:
    """Write every row. CSV has a header and leaves nulls empty; JSON is one list of objects.

    JSON has no NaN and no infinity: they become null there; the table and CSV show them. Whole numbers are exact in
    all forms, however large; decimals with a fraction become the nearest number that most readers of JSON can hold.
    """
    if form == "csv":
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(answer.column_names)
        writer.writerows([_cell(value, null="") for value in row.values()] for row in rows_of(answer))
    elif form == "json":
        json.dump(_finite(rows_of(answer)), out, indent=2, ensure_ascii=False, allow_nan=False, default=_plain)
        out.write("\n")
    else:
        _draw(answer, Console(file=out))


def _draw(answer: pa.Table, console: Console) -> None:
    if not console.is_terminal:
        console.width = WIDEST
    table = Table(box=SIMPLE_HEAD, pad_edge=False, header_style="bold")
    numeric = [
        pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
        for kind in answer.schema.types
    ]
    for name, is_number in zip(answer.column_names, numeric, strict=True):
        table.add_column(Text(name), justify="right" if is_number else "left", overflow="fold")
    for row in rows_of(answer):
        table.add_row(*(Text(_cell(value, null="")) for value in row.values()))
    console.print(table)
    console.print(f"({answer.num_rows} row{'' if answer.num_rows == 1 else 's'})", style="dim", highlight=False)


def _cell(value: Any, *, null: str) -> str:
    match value:
        case None:
            return null
        case str():
            return value
        case bool():
            return str(value).lower()
        case list() | dict():
            return json.dumps(value, ensure_ascii=False, default=_plain)
        case datetime() | date():
            return value.isoformat(sep=" ") if isinstance(value, datetime) else value.isoformat()
        case Decimal():
            return f"{value:f}"
        case _:
            return str(value)


def _finite(value: Any) -> Any:
    """The same with null for every number that is none."""
    match value:
        case float():
            return value if math.isfinite(value) else None
        case dict():
            return {key: _finite(each) for key, each in value.items()}
        case list() | tuple():
            return [_finite(each) for each in value]
        case _:
            return value


def _plain(value: Any) -> Any:
    """What JSON has no form for."""
    match value:
        case datetime() | date():
            return value.isoformat()
        case Decimal():
            return _number(value)
        case bytes():
            return value.hex()
        case _:
            return str(value)


def _number(value: Decimal) -> int | float:
    """Sums of whole numbers come as decimals without places."""
    number = float(value)
    is_whole = value == value.to_integral_value()
    has_places = int(value.as_tuple().exponent) < 0
    return int(value) if is_whole and (not has_places or number != value) else number
