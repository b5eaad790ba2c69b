"""A chat-completions endpoint on this machine that says what a test wrote down for it."""

import json
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self


@dataclass(frozen=True)
class Request:
    """One request for a completion, as it arrived."""

    headers: Mapping[str, str]
    body: dict[str, Any]

    @property
    def messages(self) -> list[dict[str, str]]:
        found: list[dict[str, str]] = self.body["messages"]
        return found

    @property
    def prompt(self) -> str:
        """The first thing that was said."""
        return self.messages[0]["content"]


@dataclass(frozen=True)
class Answer:
    """What goes back. A text as body is sent as it is."""

    body: dict[str, Any] | str
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay_s: float = 0
    is_dropped: bool = False
    """The connection is closed instead."""


Reply = Answer | str
"""A text is what the model says."""


DROPPED = Answer("", is_dropped=True)


def said(
    text: str | None,
    *,
    finish_reason: str = "stop",
    tokens: int = 7,
    refusal: str | None = None,
    called: str | None = None,
    calls: Sequence[tuple[str, str | dict[str, Any]]] = (),
    usage: Mapping[str, Any] | None = None,
    delay_s: float = 0,
) -> Answer:
    """A completion.

    `called`: arguments of a call of the tool `reply`; `calls`: tools with arguments; `usage`: empty for none.
    """
    message: dict[str, Any] = {"role": "assistant", "content": text, "refusal": refusal}
    if called is not None:
        function = {"name": "reply", "arguments": called}
        message["tool_calls"] = [{"id": "call-1", "type": "function", "function": function}]
    if calls:
        message["tool_calls"] = [
            {"id": f"use-{number}", "type": "function", "function": {"name": name, "arguments": arguments}}
            for number, (name, arguments) in enumerate(calls)
        ]
    counted = {"prompt_tokens": 1, "completion_tokens": tokens, "total_tokens": tokens + 1}
    return Answer(
        {
            "id": "chatcmpl-1",
            "object": "chat.completion",
            "created": 0,
            "model": "scripted",
            "choices": [{"index": 0, "message": message, "finish_reason": finish_reason}],
            "usage": dict(counted if usage is None else usage) or None,
        },
        delay_s=delay_s,
    )


def refused(status: int, message: str, *, param: str | None = None, **headers: str) -> Answer:
    """An error in the usual form; header names are written with underscores."""
    error = {"message": message, "type": "error", "param": param, "code": None}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Answer({"error": error}, status, named)


class FakeEndpoint:
    """A real HTTP server, from entering to leaving. What it was asked stands in `requests`.

    Args:
        replies: What it says, in order, or how it answers a request. When nothing is left, it answers 418.
        key: The only key it lets in; null for all.
        models: What it lists; null for a server without a list.
        refuses: Parameters that it answers with 400, and whether it names them.
    """

    def __init__(
        self,
        replies: Sequence[Reply] | Callable[[Request], Reply] = (),
        *,
        key: str | None = None,
        models: Sequence[str] | None = ("scripted",),
        refuses: Mapping[str, bool] | None = None,
    ) -> None:
        self.requests: list[Request] = []
        self.listings: list[Mapping[str, str]] = []
        """Headers of the requests for the list of models."""
        self._queue = deque(replies) if isinstance(replies, Sequence) else None
        self._answer = replies if callable(replies) else None
        self._key, self._models, self._refuses = key, models, refuses or {}
        self._lock = threading.Lock()
        self.closing = threading.Event()
        self._server = _Server(("127.0.0.1", 0), _handler_of(self))
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def complete(self, request: Request) -> Answer:
        """Answer a request for a completion, and remember it."""
        with self._lock:
            self.requests.append(request)
            denied = self._denied(request)
            if denied is not None:
                return denied
            if self._answer is not None:
                reply = self._answer(request)
            else:
                reply = self._queue.popleft() if self._queue else refused(418, "nothing is left to say")
        return said(reply) if isinstance(reply, str) else reply

    def models(self) -> Answer:
        """The list of models."""
        if self._models is None:
            return refused(404, "not found")
        return Answer({"object": "list", "data": [{"id": name, "object": "model"} for name in self._models]})

    def _denied(self, request: Request) -> Answer | None:
        given = request.headers.get("authorization", "").removeprefix("Bearer ")
        if self._key is not None and given != self._key:
            return refused(401, f"Incorrect API key provided: {given}")  # as some servers do
        for name, is_named in self._refuses.items():
            if name in request.body:
                return refused(400, "this parameter is not supported", param=name if is_named else None)
        return None

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    request_queue_size = 128  # many threads connect at once


def _handler_of(endpoint: FakeEndpoint) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            endpoint.listings.append(dict(self.headers))
            self._send(endpoint.models() if self.path == "/v1/models" else refused(404, "not found"))

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if self.path != "/v1/chat/completions":
                self._send(refused(404, "not found"))
                return
            self._send(endpoint.complete(Request({k.lower(): v for k, v in self.headers.items()}, body)))

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

        def _send(self, answer: Answer) -> None:
            endpoint.closing.wait(answer.delay_s)
            if answer.is_dropped:
                self.close_connection = True
                return
            is_text = isinstance(answer.body, str)
            content = (answer.body if isinstance(answer.body, str) else json.dumps(answer.body)).encode()
            kind = "text/html" if is_text else "application/json"
            self.send_response(answer.status)
            for name, value in {"Content-Type": kind, "Content-Length": str(len(content)), **answer.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

    return Handler
