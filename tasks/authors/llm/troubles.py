"""Every trouble with an endpoint, told to a person: what happened, where, and what to do next. Never with the key."""

from schemas.errors import AuthorUnavailable
from tasks.authors.llm.outcomes import Failure
from tasks.authors.llm.settings import EndpointSettings
from tasks.authors.llm.wire import Wire

_MODELS_SHOWN = 20


class Troubles:
    """Makes the error to raise from a failure."""

    def __init__(self, settings: EndpointSettings, wire: Wire) -> None:
        self._settings, self._wire, self._tries = settings, wire, settings.tries
        self._url = settings.address

    def of(self, failure: Failure) -> AuthorUnavailable:
        """The error for a failure that is no reply in any sense."""
        return AuthorUnavailable(self._settings.redacted(self._told(failure)))

    def _told(self, failure: Failure) -> str:
        match failure.kind:
            case "timeout":
                return (
                    f"{self._url} gave no reply within {self._settings.timeout_s:g} s, in up to {self._tries} tries. "
                    "Wait, lower --concurrency, or allow more time."
                )
            case "connection":
                return f"{self._url} can't be reached ({failure.said}). Is it running, and is the base URL right?"
            case "status":
                return self._status(failure)
            case _:
                said = f" It says: {failure.said}" if failure.said else ""
                return (
                    f"{self._url} answered, but not with a chat completion.{said} "
                    "Is the base URL right? For most servers it ends in /v1."
                )

    def _status(self, failure: Failure) -> str:
        said = f"{failure.status}: {failure.said}"
        model = self._settings.model
        match failure.status or 0:
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
            case 429 if not failure.is_passing:
                return f"{self._url} answers no more: the quota of the key is used up ({said}). Raise it, then go on."
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
        names = self._wire.models()
        if names is None:
            return "It lists no models: is the base URL right? For most servers it ends in /v1."
        if not names:
            return "It lists no models."
        more = f" and {len(names) - _MODELS_SHOWN} more" if len(names) > _MODELS_SHOWN else ""
        return f"Choose one of its models: {', '.join(names[:_MODELS_SHOWN])}{more}."
