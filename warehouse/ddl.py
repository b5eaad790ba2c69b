"""The DuckDB columns of a table.

DuckDB could read them off an empty Arrow table, but imports pandas to do so: a second before the first answer.
"""

import pyarrow as pa

from schemas.row import Table
from warehouse.arrow import arrow_schema

_NAMES = {
    pa.string(): "VARCHAR",
    pa.int64(): "BIGINT",
    pa.float64(): "DOUBLE",
    pa.bool_(): "BOOLEAN",
    pa.timestamp("us", tz="UTC"): "TIMESTAMP WITH TIME ZONE",
}


def create_table(table: Table, schema: str) -> str:
    """`create table` for an empty table with the declared columns, all nullable, in a schema that exists."""
    columns = ", ".join(f'"{field.name}" {duckdb_type(field.type)}' for field in arrow_schema(table))
    return f"create table {schema}.{table.name} ({columns})"


def duckdb_type(arrow: pa.DataType) -> str:
    """The name of a column type in SQL."""
    return f"{duckdb_type(arrow.value_type)}[]" if pa.types.is_list(arrow) else _NAMES[arrow]
