"""One HTTP request to an endpoint through the client: what comes of it is a record, never an exception of the client.

An exception of the client holds the request with its key, and often the endpoint's words about the key. It ends here.
"""

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

import httpx2
import openai

from schemas.errors import EnvmillError
from tasks.authors.llm.completions import answer_in
from tasks.authors.llm.outcomes import Answer, Failure
from tasks.authors.llm.retries import named_wait
from tasks.authors.llm.settings import EndpointSettings
from tasks.authors.llm.taped import Tape, client_for

_LISTING_TIMEOUT_S = 10
_LONGEST_QUOTE = 300


class Wire:
    """The client of one endpoint, built once. Safe to use from several threads.

    Args:
        settings: Where the endpoint is, and the key to it.
        clock: With a time zone.
        tape: Keeps what is sent and what comes, or answers in the endpoint's place; null for neither.
    """

    def __init__(self, settings: EndpointSettings, clock: Callable[[], datetime], tape: Tape | None = None) -> None:
        self._settings, self._clock = settings, clock
        self._client = openai.OpenAI(
            base_url=settings.address,  # with a password in it, every request would be logged with that
            api_key=settings.secret or "none",  # the client insists on one, and would look for it in the environment
            timeout=settings.timeout_s,
            max_retries=0,
            http_client=client_for(settings, tape),
        )
        # It found these in the environment, which speaks of another endpoint; a header may hold a key that nothing here
        # would black out in what the endpoint says.
        self._client.organization = self._client.project = None
        self._client._custom_headers = {}

    def post(self, request: Mapping[str, Any]) -> Answer | Failure:
        """Send one request for a completion, once.

        Raises:
            UsageError: it is to be answered from a recording that does not hold it.
            HomeNotWritable: what came of it can't be recorded.
        """
        try:
            response = self._client.chat.completions.with_raw_response.create(**request).http_response
        except openai.APITimeoutError:
            return Failure("timeout", "")
        except openai.APIConnectionError as error:
            of_tape = error.__cause__
            if not isinstance(of_tape, EnvmillError):
                return self._lost(error)
        except openai.APIStatusError as error:
            return self._refused(error)
        else:
            return self._read(response)
        # Anew, and out here: the one that was caught leads to the request.
        raise type(of_tape)(str(of_tape))

    def models(self) -> tuple[str, ...] | None:
        """Names of what the endpoint serves, sorted; null when it has no list, or one of another form."""
        try:
            listed = self._client.models.list(timeout=_LISTING_TIMEOUT_S).data  # a copy would look around again
            return tuple(sorted(str(each.id) for each in listed or ()))
        except (openai.APIError, ValueError, AttributeError, TypeError):
            return None

    def _read(self, response: httpx2.Response) -> Answer | Failure:
        try:
            body = json.loads(response.content)
        except (ValueError, RecursionError):
            is_json = response.headers.get("content-type", "").split(";")[0].endswith("json")
            return Failure("garbled", "") if is_json else Failure("foreign", self._quoted(response.text))
        answer = answer_in(body)
        if answer is not None:
            return answer
        error = body.get("error") if isinstance(body, dict) else None
        return Failure("garbled", self._quoted(str(error or "")), code=self._code(error))

    def _lost(self, error: openai.APIConnectionError) -> Failure:
        cause = error.__cause__
        why = f"{type(cause).__name__}: {cause}" if cause is not None else "connection lost"
        return Failure("connection", self._quoted(why), is_unsent=isinstance(cause, httpx2.ConnectError))

    def _refused(self, error: openai.APIStatusError) -> Failure:
        return Failure(
            "status",
            self._quoted(_words(error)),
            status=error.status_code,
            code=self._code(error.body),
            param=self._param(error.body),
            wait_s=named_wait(error.response.headers, self._clock()),
        )

    def _code(self, body: object) -> str | None:
        code = body.get("code") or body.get("type") if isinstance(body, Mapping) else None
        return self._quoted(str(code)) if code is not None else None

    def _param(self, body: object) -> str | None:
        """By its first name: of "response_format.type", "response_format"."""
        named = _named_param(body) if isinstance(body, Mapping) else None
        return self._quoted(named.replace("[", ".").split(".")[0]) if isinstance(named, str) else None

    def _quoted(self, text: str) -> str:
        """One line without the key, safe to show; of a long text the beginning."""
        line = " ".join(self._settings.redacted(text).encode("utf-8", "replace").decode().split())
        return line if len(line) <= _LONGEST_QUOTE else line[: _LONGEST_QUOTE - 3] + "..."


def _words(error: openai.APIStatusError) -> str:
    """The endpoint's own words, which stand in different places."""
    body = error.body
    if isinstance(body, Mapping):
        return str(next((body[name] for name in ("message", "detail", "error") if body.get(name)), body))
    return str(body or error.message)


def _named_param(body: Mapping[str, Any]) -> object:
    """The parameter that an error names: as `param`, or as the place of a validation error; null for none."""
    if body.get("param"):
        return body["param"]
    message = body.get("message")
    details = body.get("detail") or (message.get("detail") if isinstance(message, Mapping) else None)
    first = details[0] if isinstance(details, list) and details else None
    place = first.get("loc") if isinstance(first, Mapping) else None
    return place[1] if isinstance(place, list) and len(place) > 1 and place[0] == "body" else None
