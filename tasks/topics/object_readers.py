"""JSON and JSONL: one object or one string per task."""

import json
from collections.abc import Iterator
from pathlib import Path

from schemas.errors import UnreadableCorpus
from tasks.topics.corpus import BrokenLine, Found
from tasks.topics.text_stream import MAX_LINE_CHARACTERS, encoding_of, read_lines, whole_text

MAX_JSON_BYTES = 64 * 1024 * 1024
"""A JSON list has to be parsed as a whole, so a bigger one is refused; JSONL has no such limit."""


def read_jsonl(path: Path) -> Iterator[Found | BrokenLine]:
    """One JSON object or JSON string per line; blank lines are skipped."""
    for line in read_lines(path):
        if line.text is None:
            yield BrokenLine(line.number, "too_long", f"the line has more than {MAX_LINE_CHARACTERS:,} characters")
        elif line.text.strip():
            yield _parsed(line.number, line.text)


def read_json(path: Path) -> Iterator[Found | BrokenLine]:
    """A JSON list of objects or strings. The "line" of a task is its place in the list, from 1.

    Raises:
        UnreadableCorpus: not valid JSON, not a list, or bigger than `MAX_JSON_BYTES`.
    """
    size = path.stat().st_size
    if size > MAX_JSON_BYTES:
        raise UnreadableCorpus(
            f"{path} is a JSON list of {size:,} bytes; the limit is {MAX_JSON_BYTES:,}. "
            f"Convert it to JSONL, which has no limit: `jq -c '.[]' {path.name} > {path.stem}.jsonl`."
        )
    try:
        value = json.loads(whole_text(path))
    except json.JSONDecodeError as error:
        raise UnreadableCorpus(
            f"{path} is no valid JSON: {error.msg} in line {error.lineno}, column {error.colno}."
        ) from error
    except (ValueError, RecursionError) as error:
        raise UnreadableCorpus(f"{path} can't be parsed as JSON: {error}.") from error
    if not isinstance(value, list):
        raise UnreadableCorpus(f"{path} holds one JSON {_kind(value)}; a list of objects or texts is expected.")
    for number, item in enumerate(value, start=1):
        yield _item(number, item)


def starts_as_list(head: bytes) -> bool:
    """Whether the first visible character opens a JSON list."""
    return _decoded(head).lstrip().startswith("[")


def starts_as_object_line(head: bytes) -> bool:
    """Whether the first line that is not blank is a whole JSON object."""
    first, end, _ = _decoded(head).lstrip().partition("\n")
    if not first.startswith("{") or not (end or len(head) < 60_000):
        return False
    try:
        return isinstance(json.loads(first), dict)
    except (ValueError, RecursionError):
        return False


def _decoded(head: bytes) -> str:
    return head.decode(encoding_of(head), "ignore")


def _parsed(number: int, text: str) -> Found | BrokenLine:
    try:
        return _item(number, json.loads(text))
    except json.JSONDecodeError as error:
        return BrokenLine(number, "invalid_json", f"{error.msg} at column {error.colno}")
    except (ValueError, RecursionError) as error:
        return BrokenLine(number, "invalid_json", str(error))


def _item(number: int, value: object) -> Found | BrokenLine:
    if isinstance(value, dict):
        return Found(number, fields=value)
    if isinstance(value, str):
        return Found(number, text=value)
    return BrokenLine(number, "not_an_object", f"a JSON {_kind(value)}, neither an object nor a text")


def _kind(value: object) -> str:
    names = {dict: "object", list: "list", str: "text", bool: "boolean", type(None): "null"}
    return names.get(type(value), "number")
