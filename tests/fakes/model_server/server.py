"""The server: takes requests over HTTP, meets them with the troubles and faults that it was told to, and counts."""

import json
import socket
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import asdict, replace
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from schemas.ids import digest
from tasks.authors.base import ScenariosDraft
from tasks.sandbox.base import Sandbox
from tests.fakes.model_server.completions import Said, Skills, completion, cut, error, written
from tests.fakes.model_server.faults import FaultRates, spoiled
from tests.fakes.model_server.journal import Encounter, Journal
from tests.fakes.model_server.playing import PROMPT, Memory, is_game
from tests.fakes.model_server.reading import NotAPrompt, read_question
from tests.fakes.model_server.transport import SAID, STATUSES, Trouble, Weather
from tests.fakes.model_server.writing import Writer

MODEL = "house-model"
"""The only one that is served."""
GOOD, FAIR, ABLE = FaultRates(), Weather(), Skills()
"""No faults, no troubles, and all that can be asked for."""
_SHORT_TOKENS = 20


class ModelServer:
    """Serves from entering to leaving. The same requests get the same replies, in whichever order they come.

    Args:
        sandbox: Where environments are executed while answers are thought up.
        faults: Mistakes in what is written.
        weather: Troubles on the line.
        skills: What the endpoint offers.
        latency_s: Least time until an answer.
        slots: Requests that are answered at a time; others wait.
        port: 0 for any.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        *,
        faults: FaultRates = GOOD,
        weather: Weather = FAIR,
        skills: Skills = ABLE,
        latency_s: float = 0.0,
        slots: int = 64,
        port: int = 0,
    ) -> None:
        self.journal = Journal()
        self.faults, self.weather, self.skills, self.latency_s = faults, weather, skills, latency_s
        self.slots = threading.BoundedSemaphore(slots)
        self.is_over = threading.Event()
        self._writer, self._memory = Writer(sandbox), Memory()
        self._written: dict[str, tuple[str, Said]] = {}
        self._thinking: dict[str, threading.Lock] = {}
        """Held while the answer to a request is thought up."""
        self._lock = threading.Lock()
        self._server = _Listener(("127.0.0.1", port), partial(_Handler, self))
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    @property
    def base_url(self) -> str:
        """Where the API begins."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def said(self, body: Mapping[str, Any], request: str) -> tuple[str, Said]:
        """The prompt that a request puts, and the answer to it. Thought up once per request.

        Raises:
            NotAPrompt: it puts none.
        """
        if is_game(body):
            return PROMPT, self._memory.turn(body)
        with self._lock:
            thinking = self._thinking.setdefault(request, threading.Lock())
        with thinking:  # a client that has lost its patience asks the same again
            if request not in self._written:
                self._written[request] = self._thought_up(body)
            return self._written[request]

    def _thought_up(self, body: Mapping[str, Any]) -> tuple[str, Said]:
        question = read_question(body["messages"][0]["content"])
        answer = spoiled(question, self._writer.answer(question), self.faults, body["messages"])
        if isinstance(answer.reply, ScenariosDraft):
            self._memory.keep(answer.reply.scenarios)
        self.journal.made(answer.faults)
        return question.prompt, written(answer.reply, body)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.is_over.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Listener(ThreadingHTTPServer):
    request_queue_size = 512
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that are killed hang up; that is nothing to write down. All else is a fault of this server."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def __init__(self, model: ModelServer, *arguments: Any) -> None:
        self._model = model
        super().__init__(*arguments)

    def do_GET(self) -> None:
        if self.path == "/v1/models":
            self._send(200, {"object": "list", "data": [{"id": MODEL, "object": "model"}]})
        elif self.path == "/journal":
            self._send(200, asdict(self._model.journal.summary()))
        else:
            self._send(404, error("not found"))

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path != "/v1/chat/completions":
            self._send(404, error("not found"))
            return
        request = digest(body)
        begun = time.monotonic()
        with self._model.journal.arrived(request) as arrival:
            if not self._is_denied(body):
                self._meet(body, request, arrival, begun)

    def _is_denied(self, body: Mapping[str, Any]) -> bool:
        model, weather = self._model, self._model.weather
        is_gone = weather.vanishes_after is not None and model.journal.request_count > weather.vanishes_after
        if body["model"] != MODEL or is_gone:
            self._send(404, error(f"The model `{body['model']}` does not exist.", code="model_not_found"))
            return True
        refusal = model.skills.refused(body)
        if refusal is not None:
            message, code, param = refusal
            self._send(400, error(message, code=code, param=param))
        return refusal is not None

    def _meet(self, body: Mapping[str, Any], request: str, arrival: int, begun: float) -> None:
        model = self._model
        trouble = model.weather.trouble(request, arrival)
        if trouble is not None:
            model.journal.met(Encounter(trouble, _subject(body)))
        if trouble is not None and trouble in STATUSES:
            self._refuse(trouble)
        elif trouble == "dropped":
            self._hang_up()
        elif trouble == "hang":
            model.is_over.wait(model.weather.hang_s)
            self._hang_up()
        else:
            with model.slots:
                self._answer(body, request, trouble, begun)

    def _refuse(self, trouble: Trouble) -> None:
        status, message = STATUSES[trouble]
        waits = {"Retry-After": str(self._model.weather.retry_after_s)} if trouble.endswith("retry_after") else {}
        self._send(status, error(message), waits)

    def _answer(self, body: Mapping[str, Any], request: str, trouble: Trouble | None, begun: float) -> None:
        model = self._model
        try:
            prompt, said = model.said(body, request)
        except NotAPrompt as odd:
            self._send(418, error(str(odd)))
            return
        room = body.get("max_tokens") or body.get("max_completion_tokens")
        if trouble in SAID:
            said = Said(SAID[trouble], refusal="I can't help with that." if trouble == "refusal" else None)
        elif trouble == "truncated":
            said = cut(said, _SHORT_TOKENS)
        said = cut(said, room) if room is not None else said
        skills = replace(model.skills, thinks=True) if trouble == "thoughts" else model.skills
        content = json.dumps(completion(said, body, skills))
        model.is_over.wait(max(0.0, model.latency_s - (time.monotonic() - begun)))
        if trouble == "garbled_body":
            self._write(200, content[: len(content) // 2], {})
        elif trouble == "dropped_halfway":
            self._write(200, content[: len(content) // 2], {"Content-Length": str(len(content))})
            self._hang_up()
        else:
            self._write(200, content, {})
            model.journal.answered(request, prompt)

    def _hang_up(self) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def _send(self, status: int, body: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> None:
        self._write(status, json.dumps(body), headers or {})

    def _write(self, status: int, text: str, headers: Mapping[str, str]) -> None:
        content = text.encode()
        self.send_response(status)
        known = {"Content-Type": "application/json", "Content-Length": str(len(content)), **headers}
        for name, value in known.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *arguments: object) -> None:
        """Say nothing."""


def _subject(body: Mapping[str, Any]) -> str:
    try:
        return read_question(body["messages"][0]["content"]).subject
    except NotAPrompt:
        return ""
