"""Parquet: one row per task, read in batches of rows."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
from pyarrow import parquet

from schemas.errors import UnreadableCorpus
from tasks.topics.corpus import BrokenLine, Found

_BATCH_ROWS = 1_000
_LABEL_COLUMNS = ("source", "source_id", "id")


def parquet_columns(path: Path) -> list[str]:
    """The names of the top-level columns.

    Raises:
        UnreadableCorpus: the file is no Parquet file, or a damaged one.
    """
    with _open(path) as file:
        return list(file.schema_arrow.names)


def read_parquet(path: Path, column: str) -> Iterator[Found | BrokenLine]:
    """The task column with `source`, `source_id` and `id`; other columns are not read.

    Raises:
        UnreadableCorpus: the column holds no texts, or the file is damaged.
    """
    with _open(path) as file:
        kind = file.schema_arrow.field(column).type
        if not _is_text(kind):
            raise UnreadableCorpus(
                f"{path}: column {column!r} holds {kind}, not texts. Name another with --task-column."
            )
        names = [name for name in file.schema_arrow.names if name == column or name in _LABEL_COLUMNS]
        number = 0
        try:
            for batch in file.iter_batches(batch_size=_BATCH_ROWS, columns=names, use_threads=False):
                for row in batch.to_pylist():
                    number += 1
                    yield Found(number, fields=row)
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            raise UnreadableCorpus(f"{path} is damaged after row {number}: {error}.") from error


def _open(path: Path) -> parquet.ParquetFile:
    try:
        return parquet.ParquetFile(path)
    except (pa.ArrowException, OSError) as error:
        raise UnreadableCorpus(f"{path} is no readable Parquet file: {error}.") from error


def _is_text(kind: pa.DataType) -> bool:
    value = kind.value_type if pa.types.is_dictionary(kind) else kind
    return bool(pa.types.is_string(value) or pa.types.is_large_string(value) or pa.types.is_string_view(value))
