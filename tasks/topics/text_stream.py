"""A text file as decoded lines, in bounded memory, refused clearly when it is no text."""

import codecs
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from schemas.errors import UnreadableCorpus

MAX_LINE_CHARACTERS = 1_000_000
"""A longer line is passed over, so that a file without line ends can't fill the memory."""

_CHUNK_BYTES = 65_536
_BOMS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))
_MAGIC = (
    (b"PAR1", "a Parquet file; name it .parquet"),
    (b"\x1f\x8b", "compressed with gzip; unpack it first"),
    (b"BZh", "compressed with bzip2; unpack it first"),
    (b"\xfd7zXZ", "compressed with xz; unpack it first"),
    (b"\x28\xb5\x2f\xfd", "compressed with zstd; unpack it first"),
    (b"PK\x03\x04", "a ZIP archive or an Office document; unpack it, or save its sheet as CSV"),
    (b"%PDF", "a PDF; save its text as .txt with one task per line"),
    (b"SQLite format 3\x00", "an SQLite database; export its table as CSV"),
)


@dataclass(frozen=True, slots=True)
class Line:
    """One line, without the meaning that a format gives it."""

    number: int
    """From 1."""
    text: str | None
    """With its line end; null when the line is longer than `MAX_LINE_CHARACTERS`."""


def read_head(path: Path) -> bytes:
    """The first bytes of a file that exists and is not empty.

    Raises:
        UnreadableCorpus: the path is missing, no regular file, empty or not allowed to be read.
    """
    try:
        if not path.exists():
            raise UnreadableCorpus(f"{path}: there is no such file. Check the path.")
        if path.is_dir():
            raise UnreadableCorpus(f"{path} is a folder. Name the corpus files inside it, one by one.")
        if not path.is_file():
            raise UnreadableCorpus(f"{path} is no regular file. Save the tasks to a file and name that.")
        with path.open("rb") as file:
            head = file.read(_CHUNK_BYTES)
    except OSError as error:
        raise UnreadableCorpus(f"{path} can't be read: {error.strerror or error}. Check its permissions.") from error
    except ValueError as error:  # a NUL character in the path
        raise UnreadableCorpus(f"{str(path)!r} is no path of a file: {error}.") from error
    if not head:
        raise UnreadableCorpus(f"{path} is empty. A corpus holds one task text per line or row.")
    return head


def refuse_binary(path: Path, head: bytes) -> None:
    """Raise when the first bytes are those of no text.

    Raises:
        UnreadableCorpus: the head has the mark of another format, or a NUL byte outside UTF-16.
    """
    for mark, advice in _MAGIC:
        if head.startswith(mark):
            raise UnreadableCorpus(f"{path} is no text: it is {advice}.")
    if encoding_of(head) != "utf-16" and (at := head.find(b"\x00")) >= 0:
        raise _binary(path, f"a NUL byte at position {at}")


def encoding_of(head: bytes) -> str:
    """The encoding that a byte order mark names; UTF-8 without one."""
    return next((encoding for mark, encoding in _BOMS if head.startswith(mark)), "utf-8")


def read_lines(path: Path, *, keep_line_ends: bool = False) -> Iterator[Line]:
    r"""Every line of a text file (`\n`, `\r\n` or `\r`), one at a time.

    Args:
        path: A file that `read_head` accepted.
        keep_line_ends: Hand line ends out as they are (CSV needs them inside quotes) instead of as `\n`.

    Raises:
        UnreadableCorpus: wrong encoding, with the position of the first bad byte, or a NUL character.
    """
    encoding = encoding_of(read_head(path))
    try:
        with path.open(encoding=encoding, newline="" if keep_line_ends else None) as stream:
            yield from _bounded(path, stream)
    except UnicodeDecodeError as error:
        raise _wrong_encoding(path, encoding) from error
    except OSError as error:
        raise UnreadableCorpus(f"{path} can't be read: {error.strerror or error}.") from error


def whole_text(path: Path) -> str:
    """A text file as one text; for files that are known to be small.

    Raises:
        UnreadableCorpus: as `read_lines`.
    """
    encoding = encoding_of(read_head(path))
    try:
        text = path.read_text(encoding=encoding)
    except UnicodeDecodeError as error:
        raise _wrong_encoding(path, encoding) from error
    except OSError as error:
        raise UnreadableCorpus(f"{path} can't be read: {error.strerror or error}.") from error
    if (at := text.find("\x00")) >= 0:
        raise _binary(path, f"a NUL character after {at} characters")
    return text


def _bounded(path: Path, stream: TextIO) -> Iterator[Line]:
    number = 0
    while text := stream.readline(MAX_LINE_CHARACTERS):
        number += 1
        is_whole = text.endswith(("\n", "\r")) or len(text) < MAX_LINE_CHARACTERS
        rest = "" if is_whole else stream.readline(MAX_LINE_CHARACTERS)
        is_too_long = bool(rest)
        while rest and not rest.endswith(("\n", "\r")):
            _refuse_nul(path, number, rest)
            rest = stream.readline(MAX_LINE_CHARACTERS)
        _refuse_nul(path, number, text)
        yield Line(number, None if is_too_long else text)


def _refuse_nul(path: Path, number: int, text: str) -> None:
    if "\x00" in text:
        raise _binary(path, f"a NUL character in line {number}")


def _binary(path: Path, what: str) -> UnreadableCorpus:
    return UnreadableCorpus(f"{path} is binary ({what}). A corpus is JSONL, JSON, CSV, TSV, Parquet or plain text.")


def _wrong_encoding(path: Path, encoding: str) -> UnreadableCorpus:
    """Read the file once more, by chunks, to find the byte; a text stream doesn't know it."""
    decoder = codecs.getincrementaldecoder(encoding)()
    name = "UTF-16 (as its first bytes say)" if encoding == "utf-16" else "UTF-8"
    done = 0
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK_BYTES):
            done += len(chunk)
            try:
                decoder.decode(chunk)
            except UnicodeDecodeError as error:
                # The decoder carries the undecoded end of one chunk over to the next.
                at = done - len(error.object) + error.start
                byte = error.object[error.start]
                return UnreadableCorpus(
                    f"{path} is not valid {name}: byte 0x{byte:02X} at position {at} (from 0). "
                    f"UTF-8 is expected; convert it, for example with `iconv -f LATIN1 -t UTF-8`."
                )
    return UnreadableCorpus(f"{path} is not valid {name}: it ends inside a character, at position {done}.")
