"""What an author needs to know of an endpoint, and how to speak of it without giving its key away."""

import json
from dataclasses import dataclass
from typing import NoReturn
from urllib.parse import unquote, urlsplit

from pydantic import SecretStr

from schemas.errors import UsageError

_SHORTEST_SECRET = 8


@dataclass(frozen=True, slots=True)
class EndpointSettings:
    """One model behind one OpenAI-compatible chat-completions endpoint. Can't be pickled: it holds a key.

    Raises:
        UsageError: a value can't work; the message names it, and never shows the key.
    """

    base_url: str
    """Where the API begins, such as "http://127.0.0.1:8000/v1"; without a query. A name and a password before the host
    are sent as basic authentication, in the place of a key."""
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

    @property
    def address(self) -> str:
        """The base URL as it may be shown and written down: without name and password."""
        parts = urlsplit(self.base_url)
        return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl().rstrip("/")

    @property
    def login(self) -> tuple[str, str] | None:
        """Name and password of the base URL; null where it has none."""
        parts = urlsplit(self.base_url)
        named = (unquote(parts.username or ""), unquote(parts.password or ""))
        return named if any(named) else None

    def redacted(self, text: str) -> str:
        """The text with *** for every secret in it."""
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return text

    def blotted(self, content: bytes) -> bytes:
        """The same for what may be JSON, to be kept. Short secrets stay in it: "ollama" or "EMPTY" are words, too."""
        for secret in self._secrets:
            if len(secret) >= _SHORTEST_SECRET:
                for form in (json.dumps(secret)[1:-1], secret.replace("/", "\\/"), secret):
                    content = content.replace(form.encode(), b"***")
        return content

    @property
    def _secrets(self) -> tuple[str, ...]:
        name, password = self.login or ("", "")
        # Some put a key alone where a name would stand.
        return tuple(secret for secret in (self.secret, password or name) if secret)

    def __repr__(self) -> str:
        return f"EndpointSettings(base_url={self.address!r}, model={self.model!r})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("The settings of an endpoint hold its key and are never written down. Read them anew.")


def _is_web_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        is_plain = not parts.query and not parts.fragment
        return parts.scheme in ("http", "https") and bool(parts.hostname) and (parts.port or 1) > 0 and is_plain
    except ValueError:  # half a bracket, or a port that is no number
        return False
