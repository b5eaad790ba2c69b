import gzip
import json
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from schemas.errors import UnreadableCorpus
from tasks.topics import CorpusReading, read_corpus
from tasks.topics.collector import MAX_TASK_CHARACTERS, MAX_TASKS

TASKS = ["Cancel my 3 o'clock, please", 'Say "hello, world"', "Wie spät ist es in 東京?"]


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def texts(reading: CorpusReading) -> list[str]:
    return [record.text.strip() for record in reading.records]


def refusal(path: Path, task_column: str | None = None) -> str:
    with pytest.raises(UnreadableCorpus) as caught:
        read_corpus(path, task_column=task_column)
    assert str(path) in str(caught.value)
    return str(caught.value)


def quoted(cells: list[str], delimiter: str) -> str:
    return delimiter.join('"' + cell.replace('"', '""') + '"' for cell in cells)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.jsonl", "\n".join(json.dumps({"task": task}) for task in TASKS)),
        ("b.NDJSON", "\r\n".join(json.dumps({"Prompt": task}, ensure_ascii=False) for task in TASKS)),
        ("c.jsonl", "\n\n".join(json.dumps(task) for task in TASKS)),
        ("d.json", json.dumps([{"utterance": task} for task in TASKS], indent=2)),
        ("e.json", json.dumps(TASKS)),
        ("f.csv", "id,task\n" + "\n".join(quoted(["x", task], ",") for task in TASKS)),
        ("g.csv", "id;task\n" + "\n".join(quoted(["x", task], ";") for task in TASKS)),
        ("h.tsv", "text\n" + "\n".join(quoted([task], "\t") for task in TASKS)),
        ("i.txt", "\n".join(TASKS)),
        ("named-json-but-lines.json", "\n".join(json.dumps({"task": task}) for task in TASKS)),
        ("named-lines-but-list.jsonl", json.dumps([{"task": task} for task in TASKS], indent=1)),
        ("bom.csv", b"\xef\xbb\xbf" + ("task\n" + "\n".join(quoted([task], ",") for task in TASKS)).encode()),
        ("wide.txt", "\n".join(TASKS).encode("utf-16")),
        ("wide.jsonl", "\n".join(json.dumps({"task": task}) for task in TASKS).encode("utf-16")),
    ],
)
def test_the_same_tasks_come_out_of_every_format(tmp_path: Path, name: str, content: str | bytes) -> None:
    reading = read_corpus(write(tmp_path, name, content))

    assert texts(reading) == TASKS
    assert reading.broken == ()
    assert reading.corpus == name


def test_parquet_is_read_with_its_labels_and_row_numbers(tmp_path: Path) -> None:
    path = tmp_path / "tasks.parquet"
    table = pa.table({"source": ["a", None, "c"], "id": [7, 8, None], "query": TASKS, "vector": [[1.0], [2.0], [3.0]]})
    parquet.write_table(table, path)

    records = read_corpus(path).records

    assert [record.text for record in records] == TASKS
    assert [(record.source, record.source_id, record.line) for record in records] == [
        ("a", "7", 1),
        ("tasks.parquet", "8", 2),
        ("c", "3", 3),
    ]


def test_labels_fall_back_to_file_name_and_line_number(tmp_path: Path) -> None:
    lines = [
        {"task": "one", "source": "desk", "source_id": "x-1", "id": 5},
        {"task": "two", "source": None, "id": 6},
        {"task": "three", "source": " ", "source_id": {"not": "a label"}},
    ]
    path = write(tmp_path, "c.jsonl", "\n".join(json.dumps(line) for line in lines))

    assert [(one.source, one.source_id, one.line) for one in read_corpus(path).records] == [
        ("desk", "x-1", 1),
        ("c.jsonl", "6", 2),
        ("c.jsonl", "3", 3),
    ]


def test_broken_lines_are_counted_by_number_and_reading_goes_on(tmp_path: Path) -> None:
    lines = [
        '{"task": "first"}',
        '{"task": "cut off',
        "[1, 2]",
        '{"text": "the column was task"}',
        '{"task": 12}',
        '{"task": null}',
        '{"task": " \\u200b\\n "}',
        '{"task": "\\ud800 half"}',
        json.dumps({"task": "x" * (MAX_TASK_CHARACTERS + 1)}),
        "[" * 200_000,
        '{"task": ' + "9" * 5_000 + "}",
        '{"task": "last"}',
    ]
    reading = read_corpus(write(tmp_path, "c.jsonl", "\n".join(lines)))

    assert texts(reading) == ["first", "last"]
    assert reading.records[-1].line == len(lines)
    assert [(one.line, one.reason) for one in reading.broken] == [
        (2, "invalid_json"),
        (3, "not_an_object"),
        (4, "no_task_column"),
        (5, "not_text"),
        (6, "empty_text"),
        (7, "empty_text"),
        (8, "bad_unicode"),
        (9, "too_long"),
        (10, "invalid_json"),
        (11, "invalid_json"),
    ]


def test_a_line_without_end_is_passed_over_in_bounded_pieces(tmp_path: Path) -> None:
    path = write(tmp_path, "c.txt", "before\n" + "x" * 3_500_000 + "\nafter\n")

    reading = read_corpus(path)

    assert [(record.line, record.text.strip()) for record in reading.records] == [(1, "before"), (3, "after")]
    assert [(one.line, one.reason) for one in reading.broken] == [(2, "too_long")]


def test_csv_keeps_line_ends_in_quotes_and_reports_rows_that_do_not_fit(tmp_path: Path) -> None:
    content = 'id,task\n1,"over\ntwo lines"\n2,un,quoted\n3,"bad" quote\n\n4,fine\n5,"never closed\n6,swallowed\n'

    reading = read_corpus(write(tmp_path, "c.csv", content))

    assert [(record.line, record.source_id, record.text) for record in reading.records] == [
        (2, "1", "over\ntwo lines"),
        (7, "4", "fine"),
    ]
    assert [(one.line, one.reason) for one in reading.broken] == [
        (4, "column_count"),
        (5, "bad_quotes"),
        (8, "bad_quotes"),
    ]
    assert "line 9" in reading.broken[-1].detail


@pytest.mark.parametrize("name", ["c.csv", "c.tsv"])
def test_a_table_without_task_column_names_its_columns_and_the_way_out(tmp_path: Path, name: str) -> None:
    delimiter = "\t" if name.endswith("tsv") else ","
    path = write(
        tmp_path, name, delimiter.join(["id", "user said"]) + "\n" + delimiter.join(["1", "Book a room"]) + "\n"
    )

    message = refusal(path)

    assert "'id', 'user said'" in message
    assert "--task-column NAME" in message
    assert texts(read_corpus(path, task_column="user said")) == ["Book a room"]


def test_objects_without_task_column_name_their_fields(tmp_path: Path) -> None:
    path = write(tmp_path, "c.jsonl", '{"id": 1, "said": "Book"}\n{"id": 2, "said": "Pay", "note": ""}\n')

    assert "'id', 'said', 'note'" in refusal(path)
    assert "no column 'spoken'" in refusal(path, task_column="spoken")
    assert texts(read_corpus(path, task_column="said")) == ["Book", "Pay"]


def test_a_parquet_column_of_numbers_is_no_task_column(tmp_path: Path) -> None:
    path = tmp_path / "c.parquet"
    parquet.write_table(pa.table({"task": [1, 2], "said": ["a", "b"]}), path)

    assert "int64" in refusal(path)
    assert "no column 'other'" in refusal(path, task_column="other")
    assert texts(read_corpus(path, task_column="said")) == ["a", "b"]


@pytest.mark.parametrize("name", ["c.txt", "c.jsonl", "c.csv", "c.json"])
def test_a_wrong_encoding_names_the_first_bad_byte(tmp_path: Path, name: str) -> None:
    good = b'{"task": "' + b"a" * 70_000
    path = write(tmp_path, name, good + "é".encode("latin-1") + b'"}\n')

    message = refusal(path)

    assert f"byte 0xE9 at position {len(good)}" in message
    assert "UTF-8" in message


def test_utf16_that_ends_inside_a_character_is_refused(tmp_path: Path) -> None:
    assert "UTF-16" in refusal(write(tmp_path, "c.txt", "Book a room\n".encode("utf-16")[:-1]))


@pytest.mark.parametrize(
    ("name", "content", "part"),
    [
        ("c.txt", b"Book a\x00room\n", "NUL byte at position 6"),
        ("c.txt", b"a" * 70_000 + b"\n\x00\n", "NUL character in line 2"),
        ("c.jsonl", b"\x00\x01\x02", "binary"),
        ("c.jsonl", gzip.compress(b'{"task": "x"}', mtime=0), "gzip"),
        ("c.csv", b"PK\x03\x04 sheet", "ZIP"),
        ("c.jsonl", b"PAR1....", "Parquet"),
        ("c.parquet", b'{"task": "x"}', "no readable Parquet"),
        ("c.parquet", b"PAR1" + b"x" * 50 + b"PAR1", "no readable Parquet"),
        ("c.txt", b"", "empty"),
        ("c.txt", b" \n\t\n", "no task text"),
        ("c.jsonl", b"\n", "no task text"),
        ("c.csv", b"task\n", "no task text"),
        ("c.json", b"[]", "no task text"),
        ("c.json", b'{\n"task": "x"}', "JSON object"),
        ("c.json", b'[{"task": "x"},', "line 1"),
        ("c.jsonl", b'{"task": "x"\n{"task"\n', "2 broken"),
        ("c.txt", b'{"task": "x"}\n', "c.jsonl"),
        ("c.xlsx", b"anything", ".parquet"),
        ("c", b"anything", ".jsonl"),
    ],
)
def test_a_file_that_is_no_corpus_is_refused_with_the_reason(
    tmp_path: Path, name: str, content: bytes, part: str
) -> None:
    assert part in refusal(write(tmp_path, name, content))


def test_missing_files_and_folders_are_refused(tmp_path: Path) -> None:
    assert "no such file" in refusal(tmp_path / "missing.jsonl")
    assert "folder" in refusal(tmp_path)


def test_more_tasks_than_the_limit_are_refused_and_not_cut_off(tmp_path: Path) -> None:
    path = write(tmp_path, "c.txt", "Book a room\n" * (MAX_TASKS + 1))

    assert f"more than {MAX_TASKS:,} tasks" in refusal(path)


def test_a_file_of_broken_lines_alone_is_given_up_early(tmp_path: Path) -> None:
    path = write(tmp_path, "c.jsonl", '{"said": "x"}\n' * 20_000)

    assert "'said'" in refusal(path)
