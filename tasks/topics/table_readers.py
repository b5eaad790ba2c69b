"""CSV, TSV and plain text."""

import csv
from collections.abc import Iterator
from pathlib import Path

from tasks.topics.corpus import BrokenLine, Found
from tasks.topics.text_stream import MAX_LINE_CHARACTERS, Line, read_lines

_DELIMITERS = (",", ";", "\t", "|")


def read_text(path: Path) -> Iterator[Found | BrokenLine]:
    """One task per line; blank lines are skipped."""
    for line in read_lines(path):
        if line.text is None:
            yield _too_long(line.number)
        elif line.text.strip():
            yield Found(line.number, text=line.text)


def read_csv(path: Path) -> Iterator[Found | BrokenLine]:
    """Rows under a header line; the delimiter (`,` `;` tab or `|`) is the one that the header uses most."""
    return _rows(path, None)


def read_tsv(path: Path) -> Iterator[Found | BrokenLine]:
    """Rows under a header line, separated by tabs."""
    return _rows(path, "\t")


def header_of(path: Path, delimiter: str | None = None) -> list[str]:
    """The column names of a CSV or TSV file; empty when it has no line that is not blank."""
    for line in read_lines(path, keep_line_ends=True):
        if line.text is None:
            return []
        if line.text.strip():
            return _cells(line.text, delimiter or _delimiter(line.text))
    return []


def _rows(path: Path, delimiter: str | None) -> Iterator[Found | BrokenLine]:
    lines = _LineFeed(read_lines(path, keep_line_ends=True))
    header_line = next((text for text in lines if text.strip()), "")
    delimiter = delimiter or _delimiter(header_line)
    header = _cells(header_line, delimiter)
    rows = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        start = lines.number + 1
        row = _next_row(rows)
        yield from (_too_long(number) for number in lines.take_too_long())
        if row is None:
            return
        if isinstance(row, csv.Error):
            yield BrokenLine(start, "bad_quotes", f"{row}; read up to line {lines.number}")
        elif len(row) == len(header):
            yield Found(start, fields=dict(zip(header, row, strict=True)))
        elif any(cell.strip() for cell in row):
            detail = f"{len(row)} cells under a header of {len(header)}; quote a text that holds the delimiter"
            yield BrokenLine(start, "column_count", detail)


def _next_row(rows: Iterator[list[str]]) -> list[str] | csv.Error | None:
    """The next row, what is wrong with it (the reader goes on with the line after it), or null at the end."""
    try:
        return next(rows, None)
    except csv.Error as error:
        return error


class _LineFeed:
    """The lines as the csv module wants them, with the number of the last one that it took."""

    def __init__(self, lines: Iterator[Line]) -> None:
        self.number = 0
        self._too_long: list[int] = []
        self._lines = lines

    def __iter__(self) -> "_LineFeed":
        return self

    def __next__(self) -> str:
        line = next(self._lines)
        self.number = line.number
        if line.text is None:
            self._too_long.append(line.number)
            return "\n"
        return line.text

    def take_too_long(self) -> list[int]:
        """The numbers of the lines that were too long to be handed out, since the last call."""
        numbers, self._too_long = self._too_long, []
        return numbers


def _delimiter(header: str) -> str:
    return max(_DELIMITERS, key=lambda delimiter: len(_cells(header, delimiter)))


def _cells(line: str, delimiter: str) -> list[str]:
    return [cell.strip() for cell in next(csv.reader([line], delimiter=delimiter), [])]


def _too_long(number: int) -> BrokenLine:
    return BrokenLine(number, "too_long", f"the line has more than {MAX_LINE_CHARACTERS:,} characters")
