"""The door to a corpus: one file in, its task texts and its broken lines out."""

from collections.abc import Callable, Iterator
from pathlib import Path
from types import MappingProxyType

from schemas.errors import UnreadableCorpus
from tasks.topics.collector import Collector, choose_column
from tasks.topics.corpus import BrokenLine, CorpusReading, Found
from tasks.topics.object_readers import read_json, read_jsonl, starts_as_list, starts_as_object_line
from tasks.topics.parquet_reader import parquet_columns, read_parquet
from tasks.topics.table_readers import header_of, read_csv, read_text, read_tsv
from tasks.topics.text_stream import read_head, refuse_binary

Reader = Callable[[Path], Iterator[Found | BrokenLine]]

TEXT_READERS = MappingProxyType(
    {
        ".jsonl": read_jsonl,
        ".ndjson": read_jsonl,
        ".json": read_json,
        ".csv": read_csv,
        ".tsv": read_tsv,
        ".txt": read_text,
        ".text": read_text,
    }
)
"""File name extension -> reader. Parquet, which is no text, is the one other kind."""


def read_corpus(path: Path | str, *, task_column: str | None = None) -> CorpusReading:
    """All task texts of one file, in file order, with every line that could not be used.

    Memory is bounded whatever the size of the file: see the limits in `collector.py`.

    Args:
        path: A .jsonl, .ndjson, .json, .csv, .tsv, .parquet, .txt or .text file.
        task_column: The column (or JSON field) that holds the task; by default the first known name, such as `task`
            or `text`. Plain text has no columns and ignores it.

    Raises:
        UnreadableCorpus: the file is missing, a folder, empty, binary, wrongly encoded, of an unknown kind, too big,
            or has no task column or no task text.
    """
    path = Path(path)
    head = read_head(path)
    ending = path.suffix.lower()
    if ending == ".parquet":
        column = choose_column(path, parquet_columns(path), task_column)
        found = read_parquet(path, column)
        return _collect(path, found, column)
    if ending not in TEXT_READERS:
        known = ", ".join((*TEXT_READERS, ".parquet"))
        raise UnreadableCorpus(f"{path}: a corpus ends in one of {known}. Rename or convert it.")
    refuse_binary(path, head)
    if ending in (".csv", ".tsv"):
        header = header_of(path, "\t" if ending == ".tsv" else None)
        task_column = choose_column(path, header, task_column) if header else task_column
    reader = _reader_for(path, ending, head)
    return _collect(path, reader(path), task_column)


def _reader_for(path: Path, ending: str, head: bytes) -> Reader:
    """The reader that the extension names, unless the content is plainly of the neighbouring kind."""
    if ending in (".jsonl", ".ndjson") and starts_as_list(head):
        return read_json
    if ending == ".json" and starts_as_object_line(head):
        return read_jsonl
    if ending in (".txt", ".text") and starts_as_object_line(head):
        raise UnreadableCorpus(f"{path} holds JSON objects, not plain text. Rename it to {path.stem}.jsonl.")
    return TEXT_READERS[ending]


def _collect(path: Path, found: Iterator[Found | BrokenLine], task_column: str | None) -> CorpusReading:
    collector = Collector(path, task_column)
    for item in found:
        collector.add(item)
    return collector.reading()
