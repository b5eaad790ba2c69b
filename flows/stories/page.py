"""One page about one item: questions to the catalogue, and the drawing of their answers."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.padding import Padding
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from flows.tabular import rows_of
from warehouse.query import connect

LONGEST_JSON = 60
"""Lines of a JSON text that a page shows."""
PROSE = frozenset({"text", "task", "description", "detail", "example", "label", "arguments", "title", "note"})
"""Columns that are broken over lines where the terminal is narrow; ids and numbers stay whole."""
FATES = {
    "accepted": "green",
    "published": "green",
    "rejected": "red",
    "refused": "red",
    "duplicate": "yellow",
    "interrupted": "yellow",
    "failed": "magenta",
    "killed": "magenta",
}
PIPE_WIDTH = 160
"""Columns of a page that goes into a file or a pipe."""


class Page:
    """Writes to a console. Values from the catalogue are shown as they are, never read as markup."""

    def __init__(self, home: Path, console: Console) -> None:
        """Ask the catalogue of this home, through one connection: setting one up is what costs time."""
        self._catalogue = connect(home)
        self._console = console
        if not console.is_terminal:
            console.width = PIPE_WIDTH

    def ask(self, sql: str, *parameters: object) -> list[dict[str, Any]]:
        """The rows of a SELECT."""
        return rows_of(self._catalogue.sql(sql, params=list(parameters) or None).to_arrow_table())

    def title(self, text: str, item_id: str) -> None:
        """The first line."""
        self._console.print(Text.assemble((text, "bold"), "  ", (item_id, "dim")))

    def heading(self, text: str) -> None:
        """Start of a part."""
        self._console.print()
        self._console.print(Text(text, "bold cyan"))

    def fact(self, name: str, value: object) -> None:
        """A name and a value on one line; nothing when there is no value."""
        if value not in (None, "", []):
            shown = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
            self._console.print(Padding(Text.assemble((f"{name}: ", "dim"), shown), (0, 0, 0, 2)))

    def fate(self, row: dict[str, Any]) -> None:
        """Status, reason and detail of a row."""
        status, reason, detail = str(row["status"]), row.get("reason"), row.get("detail")
        line = Text.assemble((status, FATES.get(status, "")))
        if reason:
            line.append(f" because of {reason}")
        if detail:
            line.append(f": {detail}")
        self._console.print(Padding(line, (0, 0, 0, 2)))

    def text(self, text: str) -> None:
        """A paragraph."""
        self._console.print(Padding(Text(text), (0, 0, 0, 2)))

    def code(self, source: str) -> None:
        """Python source."""
        self._console.print(Syntax(source, "python", background_color="default", word_wrap=True))

    def json(self, text: str) -> None:
        """A JSON text, indented, cut after `LONGEST_JSON` lines."""
        lines = json.dumps(json.loads(text), indent=2, ensure_ascii=False).splitlines()
        shown = "\n".join(lines[:LONGEST_JSON])
        self._console.print(Syntax(shown, "json", background_color="default", word_wrap=True))
        if len(lines) > LONGEST_JSON:
            self.text(f"... {len(lines) - LONGEST_JSON} more lines")

    def rows(self, rows: Sequence[dict[str, Any]], *columns: str) -> None:
        """A small table of these columns; nothing when there are no rows."""
        if not rows:
            return
        table = Table(box=SIMPLE_HEAD, pad_edge=False)
        for column in columns:
            table.add_column(column.replace("_", " "), overflow="fold", no_wrap=column not in PROSE)
        for row in rows:
            table.add_row(*(_cell(column, row[column]) for column in columns))
        self._console.print(Padding(table, (0, 0, 0, 2)))


def _cell(column: str, value: Any) -> Text:
    match value:
        case None:
            return Text("")
        case bool():
            return Text("yes" if value else "no")
        case list():
            return Text(", ".join(map(str, value)))
        case _:
            return Text(str(value), FATES.get(str(value), "") if column in ("status", "decision") else "")
