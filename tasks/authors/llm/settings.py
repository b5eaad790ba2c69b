"""What an author needs to know of an endpoint."""

from dataclasses import dataclass
from urllib.parse import urlsplit

from pydantic import SecretStr

from schemas.errors import UsageError


@dataclass(frozen=True, slots=True)
class EndpointSettings:
    """One model behind one OpenAI-compatible chat-completions endpoint.

    Raises:
        UsageError: a value can't work; the message names it, and never shows the key.
    """

    base_url: str
    """Where the API begins, such as "http://127.0.0.1:8000/v1"."""
    model: str
    api_key: SecretStr | None = None
    """Null for an endpoint that asks for none."""
    temperature: float | None = 0.7
    """Null for the endpoint's own. Left out, too, for an endpoint that says it can't be chosen."""
    max_output_tokens: int | None = None
    """Most tokens of one reply; null for the endpoint's own limit. A reply that was cut off is asked for once more,
    with more room."""
    timeout_s: float = 120
    """Longest wait for one reply, in seconds."""
    tries: int = 5
    """Times that one request is sent while the trouble may pass: time-out, lost connection, 408, 409, 429, 5xx. What
    the endpoint says about when to come back is heeded up to a minute."""

    def __post_init__(self) -> None:
        if not _is_web_address(self.base_url):
            raise UsageError('The base URL of the endpoint must look like "http://127.0.0.1:8000/v1".')
        if not self.model.strip():
            raise UsageError("No model is named. Name one that the endpoint serves.")
        key = self.secret
        if key is not None and not (key.isascii() and key.isprintable() and " " not in key and key):
            raise UsageError("The API key is empty or holds blanks or characters that no key has. Copy it again.")

    @property
    def secret(self) -> str | None:
        """The key as it is sent, without blanks around it; null where none is."""
        return self.api_key.get_secret_value().strip() if self.api_key is not None else None


def _is_web_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:  # half a bracket, or a port that is no number
        return False
