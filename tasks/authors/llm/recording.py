"""Exchanges with an endpoint, kept in a folder and given out again: one JSON object per line.

    {"attempt": 1, "method": "POST", "path": "/v1/chat/completions", "request": {"model": ...}, "request_digest": "3f",
     "status": 429, "headers": {"retry-after": "1"}, "body": "{...}", "body_base64": null, "broke": null, "said": ""}

Nothing of ours is in it but the bodies: no key, no header, no name of a host. A file may be packed with gzip.
"""

import base64
import gzip
import json
import os
import threading
import zlib
from collections import Counter, defaultdict, deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, JsonValue, ValidationError

from schemas.errors import HomeNotWritable, UsageError
from schemas.ids import digest

_ENDINGS = (".jsonl", ".jsonl.gz")
_REFUSALS = (400, 404, 422)
"""How an endpoint may say that it does not take a parameter."""
_LONGEST_QUOTE = 60


class Exchange(BaseModel):
    """One request and what came of it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    attempt: int
    """How often this very request was sent by then, from 1; counted in its file."""
    method: str
    path: str
    """With the query, without the host."""
    request: JsonValue
    """Body of the request; null for none."""
    request_digest: str
    """See `request_digest`; by this it is found again."""
    status: int | None
    """Null where there was no response."""
    headers: dict[str, str] = {}
    """Of the response, those that decide what is made of it; names in lower case."""
    body: str | None = None
    """Of the response, where it is UTF-8."""
    body_base64: str | None = None
    """Of the response, where it is not."""
    broke: str | None = None
    """Class of the client's error that came in the place of a response, such as "ReadTimeout"."""
    said: str = ""
    """What that error said."""

    @property
    def content(self) -> bytes:
        """Body of the response, byte for byte."""
        return base64.b64decode(self.body_base64) if self.body_base64 is not None else (self.body or "").encode()


def request_digest(method: str, path: str, request: JsonValue) -> str:
    """What tells requests apart. The order of members in the body does not."""
    return digest(method, path, request)


def exchange_files(folder: Path) -> list[Path]:
    """The files of a recording, in the order in which they were begun.

    Raises:
        UsageError: there are none.
    """
    found = sorted(path for path in folder.glob("exchanges-*") if path.name.endswith(_ENDINGS))
    if not found:
        what = "holds no recorded exchanges" if folder.is_dir() else "is no folder"
        raise UsageError(f"{folder} {what}. Name a folder that --record has written.")
    return found


class Recorder:
    """Appends exchanges to a file of its own. Safe to use from several threads; processes take different files.

    Args:
        folder: Made when missing. What earlier runs recorded there stays, and is replayed first.

    Raises:
        HomeNotWritable: the folder can't be written.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._sent: Counter[str] = Counter()
        self._lock = threading.Lock()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._handle = _new_file(folder)
        except OSError as error:
            raise self._unwritable(error) from error

    def keep(
        self,
        *,
        method: str,
        path: str,
        request: JsonValue,
        digest_of_request: str,
        status: int | None = None,
        headers: dict[str, str] | None = None,
        content: bytes = b"",
        broke: str | None = None,
        said: str = "",
    ) -> None:
        """Write down one exchange; it is in the file when this returns. `Exchange` says what the parts mean.

        Raises:
            HomeNotWritable: the disk is full, or the folder is gone.
        """
        text = _text_of(content)
        with self._lock:
            self._sent[digest_of_request] += 1
            exchange = Exchange(
                attempt=self._sent[digest_of_request],
                method=method,
                path=path,
                request=request,
                request_digest=digest_of_request,
                status=status,
                headers=headers or {},
                body=text,
                body_base64=base64.b64encode(content).decode() if text is None else None,
                broke=broke,
                said=said,
            )
            line = json.dumps(exchange.model_dump(mode="json"), ensure_ascii=False) + "\n"
            try:
                # At once and unbuffered: of a process that is killed, whole lines stay.
                self._handle.write(line.encode("utf-8", "backslashreplace"))
            except OSError as error:
                raise self._unwritable(error) from error

    def _unwritable(self, error: OSError) -> HomeNotWritable:
        return HomeNotWritable(
            f"Can't record into {self.folder}: {error.strerror or error}. Make room, or name another folder."
        )


def _new_file(folder: Path) -> Any:
    number = 1 + max((int(part) for path in folder.iterdir() if (part := path.name[10:14]).isdigit()), default=0)
    while True:
        path = folder / f"exchanges-{number:04d}.jsonl"
        try:
            return os.fdopen(
                os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_APPEND, 0o666), "wb", buffering=0
            )
        except FileExistsError:  # of a run that began just now
            number += 1


def _text_of(content: bytes) -> str | None:
    try:
        return content.decode()
    except UnicodeDecodeError:
        return None


class Recording:
    """Gives out what was recorded, to each request in the recorded order. Safe to use from several threads.

    Which of several threads found out that the endpoint refuses a parameter is chance. So a recorded refusal answers
    other requests of the same shape, too, where what they say was recorded in another shape only.

    Args:
        folder: As `Recorder` wrote it.

    Raises:
        UsageError: it holds no exchanges, or a line that is none.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._waiting: defaultdict[str, deque[Exchange]] = defaultdict(deque)
        self._spent: Counter[str] = Counter()
        self._refusals: defaultdict[str, list[tuple[str, Exchange]]] = defaultdict(list)
        """Shape -> what was said in it and refused."""
        self._shapes: defaultdict[str, dict[str, dict[str, Any]]] = defaultdict(dict)
        """What is said -> each shape in which it was sent, with a request of it but for the messages."""
        self._lock = threading.Lock()
        for path in exchange_files(folder):
            for exchange in _read(path):
                self._take(exchange)

    def _take(self, exchange: Exchange) -> None:
        self._waiting[exchange.request_digest].append(exchange)
        if isinstance(exchange.request, dict):
            saying, shape = _saying(exchange.request), _shape(exchange.path, exchange.request)
            self._shapes[saying][shape] = _without_messages(exchange.request)
            if exchange.status in _REFUSALS:
                self._refusals[shape].append((saying, exchange))

    def answer(self, method: str, path: str, request: JsonValue) -> Exchange:
        """What came of this request when it was sent this often.

        Raises:
            UsageError: it was not recorded, or not this often.
        """
        key = request_digest(method, path, request)
        with self._lock:
            if self._waiting[key]:
                self._spent[key] += 1
                return self._waiting[key].popleft()
            refusal = self._refusal(path, request) if isinstance(request, dict) and not self._spent[key] else None
            if refusal is None:
                raise UsageError(self._unrecorded(method, path, request, self._spent[key]))
            return refusal

    def _refusal(self, path: str, request: dict[str, Any]) -> Exchange | None:
        if _saying(request) not in self._shapes:
            return None
        refused = self._refusals[_shape(path, request)]
        # A parameter was to blame where the same was said again without it.
        return next((exchange for saying, exchange in refused if len(self._shapes[saying]) > 1), None)

    def _unrecorded(self, method: str, path: str, request: JsonValue, times: int) -> str:
        asked = f"{method} {path}{_quoted(request)}"
        if times:
            return (
                f"{asked} is in the recording {self._folder} {times} time{'s' * (times > 1)}, and is sent once more. "
                "Replay into a fresh --home, or record anew."
            )
        differing = self._differing(request) if isinstance(request, dict) else []
        why = f" What it says was recorded with another {', '.join(differing)}." if differing else ""
        return (
            f"{asked} is not in the recording {self._folder}.{why} "
            "Replay with the command, the endpoint settings and the version that recorded, or record anew; "
            "what a home already knew is not in a recording, so begin one with a fresh --home."
        )

    def _differing(self, request: dict[str, Any]) -> list[str]:
        shapes, asked = self._shapes.get(_saying(request)), _without_messages(request)
        if not shapes:
            return []
        *_, known = shapes.values()
        return [name for name in sorted({*known, *asked}) if known.get(name) != asked.get(name)]


def _read(path: Path) -> Iterator[Exchange]:
    try:
        content = gzip.decompress(path.read_bytes()) if path.name.endswith(".gz") else path.read_bytes()
    except (OSError, EOFError, zlib.error) as error:
        raise UsageError(f"The recording {path} can't be read: {error}. Record anew.") from error
    *lines, unfinished = content.split(b"\n")
    # A line without an end is of a process that ended while it wrote: nobody has used that exchange.
    for number, line in enumerate(lines, 1):
        try:
            yield Exchange.model_validate_json(line)
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(map(str, first["loc"]))
            problem = f"{place}: {first['msg']}" if place else first["msg"]
            raise UsageError(f"{path}, line {number}, is no recorded exchange ({problem}). Record anew.") from error


def _without_messages(request: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in request.items() if name != "messages"}


def _saying(request: dict[str, Any]) -> str:
    return digest(request.get("model"), request.get("messages"))


def _shape(path: str, request: dict[str, Any]) -> str:
    """Which parameters are used, whatever their values are."""
    return digest(path, request.get("model"), sorted(request))


def _quoted(request: JsonValue) -> str:
    """Model and both ends of what is said."""
    match request:
        case {"model": str(model), "messages": [{"content": str(first)}, *_] as messages}:
            last = messages[-1]
            said = " ".join(str(last.get("content", "") if isinstance(last, dict) else "").split())
            begin = " ".join(first.split())[:_LONGEST_QUOTE]
            return f" (model {model}, {begin!r} ... {said[-_LONGEST_QUOTE:]!r})"
        case _:
            return ""
