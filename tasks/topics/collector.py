"""Turns what a reader finds into records: chooses the task column, keeps the limits, counts what is broken."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from schemas.errors import UnreadableCorpus
from tasks.topics.corpus import BrokenLine, CorpusReading, CorpusRecord, Found
from tasks.topics.normalise import has_lone_surrogate, normalise

TASK_COLUMNS = ("task", "text", "prompt", "instruction", "query", "question", "request", "input", "utterance")
"""Column names that hold a task, best first; upper and lower case are one."""

MAX_TASK_CHARACTERS = 20_000
MAX_TASKS = 200_000
MAX_CORPUS_CHARACTERS = 100_000_000
MAX_BROKEN_LINES = 10_000
"""Limits of one file. A file beyond them is refused, never cut off silently."""

_SHOWN_COLUMNS = 20


def choose_column(path: Path, columns: Iterable[str], task_column: str | None) -> str:
    """The column that holds the task.

    Raises:
        UnreadableCorpus: the named column is not there, or none has a known name.
    """
    names = list(columns)
    if column := _known_column(names, task_column):
        return column
    there = ", ".join(repr(_short(name)) for name in names[:_SHOWN_COLUMNS]) or "none"
    more = f" and {len(names) - _SHOWN_COLUMNS} more" if len(names) > _SHOWN_COLUMNS else ""
    missing = f"no column {task_column!r}" if task_column else f"no task column ({', '.join(TASK_COLUMNS)})"
    raise UnreadableCorpus(
        f"{path} has {missing}. Its columns are: {there}{more}. Name the right one with --task-column NAME."
    )


class Collector:
    """Collects one file. Feed it in file order, then ask for the reading."""

    def __init__(self, path: Path, task_column: str | None) -> None:
        """Start with nothing read."""
        self._path = path
        self._task_column = task_column
        self._column: str | None = None
        self._columns_seen: dict[str, None] = {}
        self._records: list[CorpusRecord] = []
        self._broken: list[BrokenLine] = []
        self._characters = 0

    def add(self, item: Found | BrokenLine) -> None:
        """Take one line or row.

        Raises:
            UnreadableCorpus: a limit of the whole file is reached.
        """
        record = self._record(item) if isinstance(item, Found) else item
        if isinstance(record, BrokenLine):
            self._broken.append(record)
            self._refuse_wreck()
        else:
            self._records.append(record)
            self._characters += len(record.text)
            self._refuse_giant()

    def reading(self) -> CorpusReading:
        """What was collected.

        Raises:
            UnreadableCorpus: no line holds a task text.
        """
        if not self._records:
            raise self._nothing_readable()
        return CorpusReading(self._path.name, tuple(self._records), tuple(self._broken))

    def _record(self, found: Found) -> CorpusRecord | BrokenLine:
        text: object = found.text
        if text is None:
            if self._column is None:
                self._column = _known_column(found.fields, self._task_column)
            if self._column is None or self._column not in found.fields:
                self._columns_seen.update(dict.fromkeys(list(found.fields)[:_SHOWN_COLUMNS]))
                wanted = self._column or self._task_column or "any known task column"
                return BrokenLine(found.line, "no_task_column", f"the record has no field {wanted!r}")
            text = found.fields[self._column]
        if text is None:
            return BrokenLine(found.line, "empty_text", "the task is null")
        if not isinstance(text, str):
            return BrokenLine(found.line, "not_text", f"the task is of type {type(text).__name__}, not a text")
        if fault := _fault(text):
            return BrokenLine(found.line, *fault)
        return CorpusRecord(
            corpus=self._path.name,
            source=_label(found.fields, "source") or self._path.name,
            source_id=_label(found.fields, "source_id") or _label(found.fields, "id") or str(found.line),
            line=found.line,
            text=text,
        )

    def _refuse_giant(self) -> None:
        advice = "Split it, or draw a sample with `shuf -n`."
        if len(self._records) > MAX_TASKS:
            raise UnreadableCorpus(f"{self._path} holds more than {MAX_TASKS:,} tasks. {advice}")
        if self._characters > MAX_CORPUS_CHARACTERS:
            raise UnreadableCorpus(f"{self._path} holds more than {MAX_CORPUS_CHARACTERS:,} characters. {advice}")

    def _refuse_wreck(self) -> None:
        if len(self._broken) > MAX_BROKEN_LINES:
            if not self._records:
                raise self._nothing_readable()
            raise UnreadableCorpus(f"{self._path} has more than {MAX_BROKEN_LINES:,} broken lines; {self._first()}.")

    def _nothing_readable(self) -> UnreadableCorpus:
        if self._columns_seen and self._column is None:
            try:
                choose_column(self._path, self._columns_seen, self._task_column)
            except UnreadableCorpus as error:
                return error
        if not self._broken:
            return UnreadableCorpus(f"{self._path} holds no task text, only blank lines or a header.")
        return UnreadableCorpus(
            f"{self._path} holds no readable task text: {len(self._broken):,} broken; {self._first()}."
        )

    def _first(self) -> str:
        first = self._broken[0]
        return f"the first is line {first.line} ({first.reason}: {first.detail})"


def _known_column(columns: Iterable[str], task_column: str | None) -> str | None:
    names = list(columns)
    if task_column is not None:
        return task_column if task_column in names else None
    by_spelling = {name.strip().casefold(): name for name in reversed(names)}
    return next((by_spelling[known] for known in TASK_COLUMNS if known in by_spelling), None)


def _fault(text: str) -> tuple[str, str] | None:
    if len(text) > MAX_TASK_CHARACTERS:
        return "too_long", f"{len(text):,} characters; a task has at most {MAX_TASK_CHARACTERS:,}"
    if has_lone_surrogate(text):
        return "bad_unicode", "the text holds half of a surrogate pair"
    if not normalise(text):
        return "empty_text", "the task is blank"
    return None


def _label(fields: Mapping[str, object], column: str) -> str:
    """A name or number from a column, normalised; empty when the column holds neither."""
    value = fields.get(column)
    is_label = isinstance(value, str | int | float) and not isinstance(value, bool)
    text = str(value) if is_label else ""
    return "" if len(text) > MAX_TASK_CHARACTERS or has_lone_surrogate(text) else normalise(text)


def _short(name: str) -> str:
    return name if len(name) <= 40 else name[:37] + "..."
