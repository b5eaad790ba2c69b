"""What of the protocol one endpoint refuses: found out once, remembered for a while."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime

from tasks.authors.llm.cache import ModeMemory
from tasks.authors.llm.modes import ReplyMode

PROBE_S = 0.25
"""How long requests wait for what the first one of an endpoint learns. One that refuses does so at once; one that
accepts takes its time to write, and nobody should wait for that."""


class Dialect:
    """What one endpoint refuses: learned once, kept by the cache, shared by all threads."""

    def __init__(self, memory: ModeMemory, address: str, model: str, clock: Callable[[], datetime]) -> None:
        self._memory, self._address, self._model, self._clock = memory, address, model, clock
        self._lock = threading.Lock()
        self._is_probing = threading.Lock()
        self._is_known = threading.Event()
        self._refused: frozenset[str] | None = None
        """Null before the memory was looked into."""

    @property
    def refused(self) -> frozenset[str]:
        """Parameters to leave out."""
        with self._lock:
            if self._refused is None:
                remembered = self._memory.get(self._address, self._model, now=self._clock())
                self._refused = remembered or frozenset()
                if remembered is not None:
                    self._is_known.set()
            return self._refused

    @property
    def is_known(self) -> bool:
        """A request for a typed reply was answered once."""
        return self._is_known.is_set()

    @contextmanager
    def learning(self) -> Iterator[None]:
        """Around a request: while nothing is known, the first one goes ahead, and the others wait a moment for it."""
        _ = self.refused
        if self.is_known or not self._is_probing.acquire(blocking=False):
            self._is_known.wait(PROBE_S)
            yield
            return
        try:
            yield
        finally:
            self._is_probing.release()

    def learn(self, refused: frozenset[str], mode: ReplyMode) -> None:
        """A request without these was answered."""
        with self._lock:
            known = self._refused or frozenset()
            is_news = not refused <= known or (mode != "text" and not self._is_known.is_set())
            self._refused = known | refused
            if mode != "text":
                self._is_known.set()
            if is_news and self._is_known.is_set():
                self._memory.remember(self._address, self._model, self._refused, now=self._clock())
