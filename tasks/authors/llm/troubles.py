"""Every trouble with an endpoint, told to a person: what happened, where, and what to do next. Never with the key."""

from collections.abc import Mapping
from urllib.parse import urlsplit

import openai
from openai.types.chat import ChatCompletion

from schemas.errors import AuthorUnavailable
from tasks.authors.llm.settings import EndpointSettings

_LONGEST_QUOTE = 300
_MODELS_SHOWN = 20
_LISTING_TIMEOUT_S = 10


class Troubles:
    """Makes the error to raise from what the client gave."""

    def __init__(self, settings: EndpointSettings, client: openai.OpenAI) -> None:
        self._settings, self._client, self._tries = settings, client, settings.tries
        self._url = _without_password(settings.base_url)

    def of(self, outcome: object) -> AuthorUnavailable:
        """The error for an outcome of the client that holds no reply."""
        return AuthorUnavailable(self._redacted(self._told(outcome)))

    def _told(self, outcome: object) -> str:
        if isinstance(outcome, openai.APITimeoutError):
            return (
                f"{self._url} gave no reply within {self._settings.timeout_s:g} s, in up to {self._tries} tries. "
                "Wait, lower --concurrency, or allow more time."
            )
        if isinstance(outcome, openai.APIConnectionError):
            cause = outcome.__cause__
            why = f"{type(cause).__name__}: {_quoted(str(cause))}" if cause is not None else "connection lost"
            return f"{self._url} can't be reached ({why}). Is it running, and is the base URL right?"
        if isinstance(outcome, openai.APIStatusError):
            return self._status(outcome)
        said = f" It says: {_quoted(_error_of(outcome))}" if _error_of(outcome) else ""
        return (
            f"{self._url} answered, but not with a chat completion.{said} "
            "Is the base URL right? For most servers it ends in /v1."
        )

    def _status(self, error: openai.APIStatusError) -> str:
        said = f"{error.status_code}: {_quoted(_message_of(error))}"
        model = self._settings.model
        match error.status_code:
            case 401 if self._settings.api_key is None:
                return f"{self._url} wants an API key, and none is configured ({said}). Set one."
            case 401:
                return f"{self._url} refuses the API key ({said}). Is it the key of this endpoint, and still valid?"
            case 403:
                return (
                    f"{self._url} knows the API key but does not let it use the model '{model}' ({said}). "
                    "Ask for access, or choose another model."
                )
            case 404:
                return f"{self._url} has no model '{model}', or no chat completions ({said}). {self._models()}"
            case 429:
                return (
                    f"{self._url} is busy or the quota is used up ({said}), in up to {self._tries} tries. "
                    "Wait, lower --concurrency, or check the quota of the key."
                )
            case status if status >= 500 or status in (408, 409):
                return f"{self._url} is in trouble ({said}), in up to {self._tries} tries. Wait, or look into its log."
            case _:
                return (
                    f"{self._url} refuses the request for the model '{model}' ({said}). "
                    "If it speaks of length, choose a model with a larger context."
                )

    def _models(self) -> str:
        """What could be asked for instead."""
        try:
            listed = self._client.with_options(max_retries=0, timeout=_LISTING_TIMEOUT_S).models.list().data
        except (openai.APIError, ValueError, AttributeError):  # no list, or one of another form
            return "It lists no models: is the base URL right? For most servers it ends in /v1."
        names = sorted(each.id for each in listed or ())
        if not names:
            return "It lists no models."
        more = f" and {len(names) - _MODELS_SHOWN} more" if len(names) > _MODELS_SHOWN else ""
        return f"Choose one of its models: {', '.join(names[:_MODELS_SHOWN])}{more}."

    def _redacted(self, text: str) -> str:
        key = self._settings.secret
        return text if key is None else text.replace(key, "***")


def _message_of(error: openai.APIStatusError) -> str:
    """The endpoint's own words, which stand in different places."""
    body = error.body
    if isinstance(body, Mapping):
        words = next((body[name] for name in ("message", "detail", "error") if body.get(name)), body)
        return str(words)
    return str(body or error.message)


def _error_of(outcome: object) -> str:
    """What an answer says that is no chat completion; empty when it says nothing."""
    if isinstance(outcome, ChatCompletion):
        extra = outcome.model_extra or {}
        return str(extra.get("error") or "")
    return outcome if isinstance(outcome, str) else ""


def _quoted(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST_QUOTE else line[: _LONGEST_QUOTE - 3] + "..."


def _without_password(url: str) -> str:
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl().rstrip("/")
