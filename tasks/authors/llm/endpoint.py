"""One chat-completions endpoint: sends a request, waits out passing trouble, learns what it does not take."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import openai
from openai.types.chat import ChatCompletion
from pydantic import BaseModel

from tasks.authors.llm.settings import EndpointSettings
from tasks.authors.llm.troubles import Troubles

MORE_ROOM = 16_384
"""Tokens that a reply may have at least when the first one was cut off."""

_LEARNED = ("response_format", "temperature", "seed", "max_tokens")
"""Parameters that some endpoints refuse."""
_LARGEST_SEED = 2**31


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: str
    """ "user" or "assistant"."""
    content: str


@dataclass(frozen=True, slots=True)
class Completion:
    """What came back."""

    text: str
    """Empty when the model wrote nothing."""
    is_cut_off: bool
    """It ended because there was no room for more."""
    output_tokens: int
    """As the endpoint counts; 0 when it does not say."""
    refusal: str | None
    """Why nothing was written, where the model or a filter declined; else null."""


class Endpoint:
    """Safe to use from several threads. The key is in no message, and in no error that is raised."""

    def __init__(self, settings: EndpointSettings) -> None:
        self._settings = settings
        self._client = openai.OpenAI(
            base_url=settings.base_url,
            api_key=settings.secret or "none",  # the client insists on one, and would look for it in the environment
            timeout=settings.timeout_s,
            max_retries=settings.tries - 1,
        )
        self._troubles = Troubles(settings, self._client)
        self._refused: frozenset[str] = frozenset()

    def complete(self, messages: Sequence[Message], *, seed: int, reply_type: type[BaseModel] | None) -> Completion:
        """The model's next turn. One that was cut off is asked for once more, with more room.

        Args:
            messages: The conversation so far.
            seed: Passed on, for endpoints that know what to do with it.
            reply_type: Asks for JSON of this type, where the endpoint can hold a model to it; null for text.

        Raises:
            AuthorUnavailable: the endpoint did not answer, or refuses the request.
        """
        request: dict[str, Any] = {
            "model": self._settings.model,
            "messages": [{"role": each.role, "content": each.content} for each in messages],
            "seed": seed % _LARGEST_SEED,
        }
        if self._settings.temperature is not None:
            request["temperature"] = self._settings.temperature
        if reply_type is not None:
            request["response_format"] = _json_format(reply_type)
        limit = self._settings.max_output_tokens
        first = self._answer(request if limit is None else {**request, "max_tokens": limit})
        if isinstance(first, openai.APIStatusError):
            raise self._troubles.of(first)
        if not first.is_cut_off:
            return first
        room = max(MORE_ROOM, 2 * (limit or 0), 2 * first.output_tokens)
        second = self._answer({**request, "max_tokens": room})
        return second if isinstance(second, Completion) else first  # there may be no such room

    def _answer(self, request: dict[str, Any]) -> "Completion | openai.APIStatusError":
        """The completion, or the error of an endpoint that refuses this very request.

        What the endpoint does not take is left out and the request sent again; it is remembered if that helped.
        """
        refused = self._refused
        while True:
            sent = _without(request, refused)
            outcome = self._send(sent)
            if isinstance(outcome, ChatCompletion):
                self._refused |= refused
                return self._completion(outcome)
            if not isinstance(outcome, openai.BadRequestError | openai.UnprocessableEntityError):
                raise self._troubles.of(outcome)
            name = _parameter_to_blame(outcome, sent)
            if name is None:
                return outcome
            refused |= {name}

    def _send(self, request: dict[str, Any]) -> object:
        """The answer of the client, or the error that it raises.

        That error holds the request with its key, so it is returned, and never becomes the context of another one.
        """
        try:
            answer: object = self._client.chat.completions.create(**request)
        except (openai.APIError, json.JSONDecodeError) as error:
            return error
        return answer

    def _completion(self, answer: ChatCompletion) -> Completion:
        choices = answer.choices or ()  # no endpoint is held to the types of the client
        if not choices or choices[0].message is None:
            raise self._troubles.of(answer)
        choice = choices[0]
        is_filtered = choice.finish_reason == "content_filter"
        return Completion(
            text=choice.message.content or "",
            is_cut_off=choice.finish_reason == "length",
            output_tokens=answer.usage.completion_tokens or 0 if answer.usage else 0,
            refusal=choice.message.refusal or ("a content filter stepped in" if is_filtered else None),
        )


def _json_format(reply_type: type[BaseModel]) -> dict[str, Any]:
    # Not strict: strict mode refuses objects with free keys, which states and settings are.
    schema = {"name": reply_type.__name__, "schema": reply_type.model_json_schema(), "strict": False}
    return {"type": "json_schema", "json_schema": schema}


def _without(request: dict[str, Any], refused: frozenset[str]) -> dict[str, Any]:
    sent = {name: value for name, value in request.items() if name not in refused}
    if "max_tokens" in request and "max_tokens" in refused:
        sent["max_completion_tokens"] = request["max_tokens"]  # the newer name of the same thing
    return sent


def _parameter_to_blame(error: openai.APIStatusError, sent: dict[str, Any]) -> str | None:
    """The parameter that the endpoint names; one that names none is most likely unable to hold a model to a schema."""
    if isinstance(error.param, str) and error.param:
        named = error.param.replace("[", ".").split(".")[0]
        return named if named in _LEARNED and named in sent else None
    return "response_format" if "response_format" in sent else None
