"""The answer to a query as an Arrow table in which nothing is lost."""

from collections.abc import Sequence

import duckdb
import pyarrow as pa

_TEXT = "VARCHAR"
_WITHOUT_ARROW = frozenset({"interval", "bit", "bignum", "uhugeint", "time with time zone"})
"""Kinds that come out of Arrow as something else than DuckDB shows: as bytes, cut off, or without their zone."""


def exact_answer(answer: duckdb.DuckDBPyRelation) -> pa.Table:
    """All rows. What Arrow has no exact form for becomes the text that DuckDB shows, also inside lists and records.

    Columns of one name are numbered, as rows are read by name: `a`, `a_1`.
    """
    names = _distinct(answer.columns)
    is_odd = [_is_odd(kind) for kind in answer.types]
    if any(is_odd) or names != answer.columns:
        columns = (
            (f"cast(#{number} as {_carried(kind)})" if odd else f"#{number}") + f" as {_quoted(name)}"
            for number, (name, kind, odd) in enumerate(zip(names, answer.types, is_odd, strict=True), start=1)
        )
        answer = answer.project(", ".join(columns))
    return answer.to_arrow_table()


def _distinct(names: Sequence[str]) -> list[str]:
    found: list[str] = []
    for name in names:
        number, fresh = 0, name
        while fresh in found or (number and fresh in names):
            number += 1
            fresh = f"{name}_{number}"
        found.append(fresh)
    return found


def _is_odd(kind: duckdb.sqltypes.DuckDBPyType) -> bool:
    return kind.id in _WITHOUT_ARROW or any(_is_odd(part) for _, part in _parts(kind))


def _parts(kind: duckdb.sqltypes.DuckDBPyType) -> list[tuple[str, duckdb.sqltypes.DuckDBPyType]]:
    """What a nested kind consists of; nothing for any other. The length of an array is no part of it."""
    if kind.id not in ("list", "array", "struct", "tuple", "map", "union"):
        return []
    return [(name, part) for name, part in kind.children if isinstance(part, duckdb.sqltypes.DuckDBPyType)]


def _carried(kind: duckdb.sqltypes.DuckDBPyType) -> str:
    """The kind to cast to, as SQL. A union or a nameless record with such a member becomes text as a whole."""
    if not _is_odd(kind):
        return str(kind)
    parts = [(name, _carried(part)) for name, part in _parts(kind)]
    match kind.id:
        case "list" | "array":
            return f"{parts[0][1]}[]"
        case "map":
            return f"MAP({parts[0][1]}, {parts[1][1]})"
        case "struct":
            return f"STRUCT({', '.join(f'{_quoted(name)} {part}' for name, part in parts)})"
        case _:
            return _TEXT


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
