"""What a server has seen and done, for comparison with what its client believes."""

import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from tests.fakes.model_server.faults import Fault
from tests.fakes.model_server.transport import Trouble

_JUST_NOW_S = 0.2
"""A reply that was sent within this time may still be on its way into the client's records."""


@dataclass(frozen=True)
class Encounter:
    """A request that met a trouble."""

    trouble: Trouble
    subject: str
    """What it was about, as the accounts of the client call it."""


@dataclass(frozen=True)
class Summary:
    """The journal so far."""

    requests: int
    """Requests for a completion that reached the server."""
    answered: int
    """Completions that were sent to their last byte."""
    answered_twice: int
    """Completions that answered a request that was answered before."""
    in_flight: int
    """Requests that are not answered, or were only just now."""
    prompts: dict[str, int]
    """Prompt -> completions."""
    troubles: dict[str, int]
    """Kind -> requests that met it."""
    faults: dict[str, int]
    """Kind -> faults that were put into replies."""


class Journal:
    """Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._arrivals: Counter[str] = Counter()
        self._answers: Counter[str] = Counter()
        self._prompts: Counter[str] = Counter()
        self._encounters: list[Encounter] = []
        self._pending = 0
        self._last_answers: list[float] = []
        self._faults: list[Fault] = []

    @contextmanager
    def arrived(self, request: str) -> Iterator[int]:
        """Around the handling of a request; how often it has arrived, this time included."""
        with self._lock:
            self._arrivals[request] += 1
            self._pending += 1
            arrival = self._arrivals[request]
        try:
            yield arrival
        finally:
            with self._lock:
                self._pending -= 1

    def met(self, encounter: Encounter) -> None:
        """A request met a trouble."""
        with self._lock:
            self._encounters.append(encounter)

    def made(self, faults: Sequence[Fault]) -> None:
        """These faults were put into a reply."""
        with self._lock:
            self._faults += faults

    def answered(self, request: str, prompt: str) -> None:
        """A completion was sent to its last byte."""
        now = time.monotonic()
        with self._lock:
            self._answers[request] += 1
            self._prompts[prompt] += 1
            self._last_answers = [*(at for at in self._last_answers if now - at < _JUST_NOW_S), now]

    @property
    def encounters(self) -> tuple[Encounter, ...]:
        """Every request that met a trouble."""
        with self._lock:
            return tuple(self._encounters)

    @property
    def faults(self) -> tuple[Fault, ...]:
        """Every fault that was put into a reply, once per different request."""
        with self._lock:
            return tuple(self._faults)

    @property
    def request_count(self) -> int:
        """Requests so far."""
        with self._lock:
            return self._arrivals.total()

    def summary(self) -> Summary:
        """All of it, at this moment."""
        now = time.monotonic()
        with self._lock:
            return Summary(
                requests=self._arrivals.total(),
                answered=self._answers.total(),
                answered_twice=sum(count - 1 for count in self._answers.values()),
                in_flight=self._pending + sum(now - at < _JUST_NOW_S for at in self._last_answers),
                prompts=dict(sorted(self._prompts.items())),
                troubles=dict(sorted(Counter(each.trouble for each in self._encounters).items())),
                faults=dict(sorted(Counter(each.kind for each in self._faults).items())),
            )
