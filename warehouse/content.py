"""What a release contains, as one digest."""

import hashlib
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import pyarrow as pa

from schemas.ids import canonical_json, make_id
from schemas.row import Table


def release_id(batches: Mapping[str, pa.Table], tables: tuple[Table, ...]) -> str:
    """`rel_` and a digest of every row of every table.

    Volatile columns, row order, file encoding and nulls are left out, so neither a clock nor a new, still empty column
    makes another release of the same content.
    """
    return make_id("rel", [[table.name, _table_digest(table, batches[table.name])] for table in tables])


def _table_digest(table: Table, batch: pa.Table) -> str:
    lines = sorted(canonical_json(_content(table, row)) for row in batch.to_pylist())
    whole = hashlib.blake2b(digest_size=16)
    for line in lines:
        whole.update(line.encode() + b"\n")
    return whole.hexdigest()


def _content(table: Table, row: dict[str, Any]) -> dict[str, Any]:
    return {
        name: value.isoformat() if isinstance(value, datetime) else value
        for name, value in row.items()
        if value is not None and name not in table.volatile
    }
