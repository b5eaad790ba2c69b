"""What reading a corpus gives: the task texts, and the lines that hold none."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class CorpusRecord:
    """One task text of a corpus, as it stands in the file."""

    corpus: str
    """File name, without its folder."""
    source: str
    """Value of the column `source`; the corpus name where there is none."""
    source_id: str
    """Value of the column `source_id` or `id`; the line number where there is none."""
    line: int
    """Line (text formats) or row number (JSON lists, Parquet), from 1."""
    text: str
    """Not yet normalised, but never of blanks alone, and at most `MAX_TASK_CHARACTERS` long."""


@dataclass(frozen=True, slots=True)
class BrokenLine:
    """A line or row that holds no usable task text."""

    line: int
    """From 1, counted as in `CorpusRecord`."""
    reason: str
    """Reason code: invalid_json, not_an_object, no_task_column, not_text, empty_text, too_long, bad_unicode,
    column_count or bad_quotes."""
    detail: str


@dataclass(frozen=True, slots=True)
class CorpusReading:
    """One corpus, read."""

    corpus: str
    records: tuple[CorpusRecord, ...]
    """In file order; never empty."""
    broken: tuple[BrokenLine, ...]
    """In file order."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a reader found in one line or row, before a column is chosen. Blank lines are not found at all."""

    line: int
    fields: Mapping[str, object] = field(default_factory=dict)
    """Column -> value."""
    text: str | None = None
    """The task itself, where the format has no columns; null where it has."""
