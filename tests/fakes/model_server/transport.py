"""What can go wrong between a model and whoever asks it, each at a rate."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from random import Random
from types import MappingProxyType
from typing import Literal, get_args

from schemas.ids import seed_for

Trouble = Literal[
    "too_many_requests",
    "too_many_requests_retry_after",
    "internal_error",
    "unavailable",
    "dropped",
    "dropped_halfway",
    "hang",
    "garbled_body",
    "malformed_json",
    "wrong_schema",
    "empty",
    "refusal",
    "truncated",
    "thoughts",
]
TROUBLES: tuple[Trouble, ...] = get_args(Trouble)
ANSWERED: tuple[Trouble, ...] = ("malformed_json", "wrong_schema", "empty", "refusal", "truncated", "thoughts")
"""Those that come with a completion."""
_SERVER = "the server is not well"
STATUSES: Mapping[Trouble, tuple[int, str]] = MappingProxyType(
    {
        "too_many_requests": (429, "slow down"),
        "too_many_requests_retry_after": (429, "slow down, and come back later"),
        "internal_error": (500, _SERVER),
        "unavailable": (503, _SERVER),
    }
)
"""Those that are a status of HTTP, with what is said."""
SAID: Mapping[Trouble | None, str] = MappingProxyType(
    {
        "malformed_json": '{"title": "Half of it", "summary": [',
        "wrong_schema": '{"something_else": true, "judgements": 7}',
        "empty": "",
        "refusal": "",
    }
)
"""What is said in place of the answer."""


@dataclass(frozen=True)
class Weather:
    """How the line is.

    Args:
        rate: Share of requests that meet some trouble, 0 to 1.
        kinds: Those that occur, equally often.
        vanishes_after: Requests after which the model is gone; null when it stays.
        retry_after_s: What a 429 names.
        hang_s: Longest time without an answer.
    """

    rate: float = 0.0
    kinds: tuple[Trouble, ...] = field(default=TROUBLES)
    vanishes_after: int | None = None
    retry_after_s: float = 0.2
    hang_s: float = 60.0

    def trouble(self, request: str, arrival: int) -> Trouble | None:
        """What a request meets; another thing each time it arrives, but always the same things in the same order.

        Args:
            request: Digest of the request.
            arrival: How often it has arrived, this time included.
        """
        rng = Random(seed_for("trouble", request, arrival))
        return rng.choice(self.kinds) if rng.random() < self.rate else None
