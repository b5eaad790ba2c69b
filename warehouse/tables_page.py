"""Writes the page on every table and view: `python -m warehouse.tables_page > docs/tables.md`."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from schemas.catalog import CATALOGUE_TABLES, LEDGER_TABLES
from schemas.row import Table
from warehouse.arrow import arrow_schema
from warehouse.catalogue import first_line, mart_texts
from warehouse.ddl import duckdb_type
from warehouse.expectations import column_rules
from warehouse.query import connect

_INTRODUCTION = """\
# Tables

Written by `python -m warehouse.tables_page` from `schemas/` and `warehouse/views/`; don't edit it by hand.

Ask them with `envmill sql "..."`, or open `warehouse/catalogue.duckdb` under the home folder, read-only, with any
DuckDB client. `main` holds the views and tables below; `raw` holds every table as it is, also where a view has its
name (`scenarios` is the view of published scenarios, `raw.scenarios` the table with the rejected ones).
A column named like a word of SQL needs quotes: `"case"`.

A rule that a column breaks is named in `gate_results`, and its batch is not published.
"""


def render() -> str:
    """The page as Markdown; the same declarations give the same text."""
    parts = [_INTRODUCTION, "## Views\n", *_views()]
    parts += ["## Catalogue: published in gated releases\n", *(_table(table) for table in CATALOGUE_TABLES)]
    parts += ["## Ledger: appended as things happen\n", *(_table(table) for table in LEDGER_TABLES)]
    return "\n".join(parts)


def _views() -> Iterator[str]:
    with TemporaryDirectory() as empty_home, connect(Path(empty_home)) as connection:
        for name, text in mart_texts().items():
            lines = [f"| `{column[0]}` | {column[1]} |" for column in connection.execute(f"describe {name}").fetchall()]
            yield "\n".join(
                [f"### {name}\n", f"{first_line(text)}\n", "| column | type |", "| --- | --- |", *lines, ""]
            )


def _table(table: Table) -> str:
    lines = [f"### {table.name}\n", f"{table.row.__doc__}\n", f"Key: {_names(table.key)}."]
    if table.references:
        pairs = ", ".join(f"`{column}` → `{target}`" for column, target in table.references.items())
        lines.append(f"References: {pairs}.")
    if table.volatile:
        lines.append(f"Differs between two runs with the same inputs: {_names(table.volatile)}.")
    if table.min_rows:
        lines.append(f"A batch with fewer than {table.min_rows} rows is refused.")
    rules = column_rules(table)
    lines += ["", "| column | type | null | rule | meaning |", "| --- | --- | --- | --- | --- |"]
    for field in arrow_schema(table):
        meaning = (table.row.model_fields[field.name].description or "").replace("|", "\\|")
        null = "yes" if field.nullable else ""
        lines.append(
            f"| `{field.name}` | {duckdb_type(field.type)} | {null} | {_rule(rules[field.name])} | {meaning} |"
        )
    return "\n".join([*lines, ""])


def _rule(rules: Mapping[str, Any]) -> str:
    shown = [_SHOWN[name].format(value) for name, value in rules.items() if name in _SHOWN]
    if "enum" in rules:
        shown.append(", ".join(f"`{value}`" for value in rules["enum"]))
    return "; ".join(shown).replace("|", "\\|")


_SHOWN = {
    "minimum": "≥ {}",
    "maximum": "≤ {}",
    "minLength": "at least {} character",
    "maxLength": "at most {} characters",
    "pattern": "`{}`",
    "const": "`{}`",
}


def _names(columns: tuple[str, ...]) -> str:
    return ", ".join(f"`{column}`" for column in columns)


if __name__ == "__main__":
    print(render(), end="")
