"""What can come of one request over HTTP: an answer, or a failure. Records of ours, so that no key travels in them."""

from dataclasses import dataclass
from typing import Literal

from tasks.authors.playing import ToolUse

PASSING_STATUS = (408, 409, 429)
"""Besides all from 500 up."""
_USED_UP = ("insufficient_quota", "billing_hard_limit_reached", "billing_not_active")
"""Codes of a 429 that no waiting helps against."""

FailureKind = Literal["timeout", "connection", "status", "garbled", "foreign"]
"""`garbled`: status 200, but no chat completion came out of it. `foreign`: it is not even JSON; a web page, say."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one reply; null where the endpoint does not say."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    """Reasoning included."""
    cached_tokens: int | None = None
    """Of the input, what the endpoint had cached."""
    reasoning_tokens: int | None = None
    """Of the output."""


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a request brought no completion."""

    kind: FailureKind
    said: str
    """The endpoint's own words, or what the connection broke with; empty when there are none. Without the key."""
    status: int | None = None
    """Of HTTP; null unless the kind is `status`."""
    code: str | None = None
    """The endpoint's name for the error."""
    param: str | None = None
    """The parameter of the request that the endpoint names as the reason."""
    wait_s: float | None = None
    """When the endpoint wants to be asked again, from now; null when it does not say."""
    is_unsent: bool = False
    """There was no connection: the endpoint knows nothing of the request."""

    @property
    def is_passing(self) -> bool:
        """The same request may be answered later."""
        if self.status is not None:
            return self.code not in _USED_UP and (self.status in PASSING_STATUS or self.status >= 500)
        return self.kind != "foreign"

    @property
    def is_overload(self) -> bool:
        """Fewer requests at a time may help."""
        return self.status in (429, 503) or self.is_unsent

    @property
    def is_unbilled(self) -> bool:
        """Surely nothing was written for it."""
        return self.status is not None or self.is_unsent


@dataclass(frozen=True, slots=True)
class Answer:
    """A chat completion, with what counts of it."""

    text: str
    """What the model wrote; empty when it wrote nothing. Holds nothing that UTF-8 can't."""
    finish_reason: str | None
    refusal: str | None
    """Why nothing was written, where the model or a filter declined."""
    usage: Usage
    uses: tuple[ToolUse, ...] = ()
    """Calls of tools that it asks for."""
