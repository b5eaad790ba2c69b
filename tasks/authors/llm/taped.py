"""HTTP clients that keep what passes through them, or answer from what was kept. Authentication stays outside."""

import json
from typing import Any

import httpx2
import openai
from pydantic import JsonValue

from tasks.authors.llm.recording import Recorder, Recording, request_digest
from tasks.authors.llm.settings import EndpointSettings

Tape = Recorder | Recording
_KEPT_HEADERS = ("content-type", "retry-after", "retry-after-ms")
_ERRORS: dict[str, type[httpx2.RequestError]] = {
    each.__name__: each
    for each in (
        httpx2.ConnectError,
        httpx2.ConnectTimeout,
        httpx2.DecodingError,
        httpx2.PoolTimeout,
        httpx2.ProxyError,
        httpx2.ReadError,
        httpx2.ReadTimeout,
        httpx2.RemoteProtocolError,
        httpx2.TooManyRedirects,
        httpx2.WriteError,
        httpx2.WriteTimeout,
    )
}


def client_for(settings: EndpointSettings, tape: Tape | None) -> httpx2.Client | None:
    """The HTTP client for an endpoint; null where the usual one will do."""
    login: Any = {"auth": settings.login} if settings.login is not None else {}
    match tape:
        case Recorder():
            return RecordingClient(settings, tape, **login)
        case Recording():
            return ReplayingClient(tape)
        case None:
            return openai.DefaultHttpxClient(**login) if login else None


class RecordingClient(openai.DefaultHttpxClient):
    """Sends, and keeps every exchange. What it gives back is what a replay will: secrets of ours are blotted out.

    Args:
        settings: Whose secrets are kept out.
        recorder: Where exchanges are kept.
        client: As for `httpx2.Client`.
    """

    def __init__(self, settings: EndpointSettings, recorder: Recorder, **client: Any) -> None:
        super().__init__(**client)
        self._settings, self._recorder = settings, recorder

    def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """See `httpx2.Client`.

        Raises:
            HomeNotWritable: the exchange can't be kept.
        """
        body = _body_of(request)
        known: dict[str, Any] = {
            "method": request.method,
            "path": _path_of(request),
            "request": json.loads(self._settings.blotted(json.dumps(body).encode())),
            "digest_of_request": request_digest(request.method, _path_of(request), body),
        }
        try:
            response = super().send(request, **options)
            content = self._settings.blotted(response.read())
        except httpx2.RequestError as error:
            said = self._settings.blotted(str(error).encode()).decode()
            self._recorder.keep(**known, broke=type(error).__name__, said=said)
            raise
        headers = {
            name: self._settings.blotted(value.encode()).decode()
            for name in _KEPT_HEADERS
            if (value := response.headers.get(name)) is not None
        }
        self._recorder.keep(**known, status=response.status_code, headers=headers, content=content)
        return httpx2.Response(response.status_code, headers=headers, content=content, request=request)


class ReplayingClient(openai.DefaultHttpxClient):
    """Answers from a recording and never touches a network.

    Args:
        recording: What was kept.
    """

    def __init__(self, recording: Recording) -> None:
        super().__init__(trust_env=False)
        self._recording = recording

    def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """See `httpx2.Client`.

        Raises:
            UsageError: the request was not recorded.
        """
        known = self._recording.answer(request.method, _path_of(request), _body_of(request))
        if known.status is None:
            raise _ERRORS.get(known.broke or "", httpx2.TransportError)(known.said, request=request)
        return httpx2.Response(known.status, headers=known.headers, content=known.content, request=request)


def _path_of(request: httpx2.Request) -> str:
    return request.url.raw_path.decode("ascii")


def _body_of(request: httpx2.Request) -> JsonValue:
    content = request.read()
    body: JsonValue = json.loads(content) if content else None
    return body
