"""How many requests go out at a time: fewer while the endpoint says it is too much, then more again."""

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from schemas.errors import UsageError


class Limiter:
    """Slots for requests, granted in the order in which they were asked for. For threads.

    Begins with all slots. Trouble halves the number that is granted, down to 1; a round of successes adds one slot, and
    once it went beyond where the last trouble was, twice as many with every round, up to all.

    Args:
        limit: Most requests at a time, at least 1.

    Raises:
        UsageError: the limit is below 1.
    """

    def __init__(self, limit: int) -> None:
        if limit < 1:
            raise UsageError(f"--concurrency {limit} is too low. Give 1 or more.")
        self._limit = limit
        self._allowed = float(limit)
        self._trouble_at = float(limit)
        self._in_use = 0
        self._cuts = 0
        self._waiting: deque[_Waiter] = deque()
        self._lock = threading.Lock()
        self._local = threading.local()

    @property
    def current(self) -> int:
        """Slots that are granted at a time just now."""
        return int(self._allowed)

    @property
    def in_use(self) -> int:
        """Slots that are taken; for a while more than `current`, after trouble."""
        return self._in_use

    @property
    def waiting(self) -> int:
        """Threads that wait for a slot."""
        return len(self._waiting)

    @contextmanager
    def slot(self) -> Iterator[None]:
        """Wait for a slot and hold it. One thread takes one at a time."""
        self._local.cuts = self._take()
        try:
            yield
        finally:
            with self._lock:
                self._in_use -= 1
                self._grant()

    def backed_off(self) -> None:
        """The request of this thread's latest slot was turned away: 429, 503, connection refused.

        Many at once count as one: only requests that were sent since the last cut tell whether it was enough.
        """
        with self._lock:
            if self._is_recent():
                self._cuts += 1
                self._trouble_at = self._allowed
                self._allowed = max(1.0, self._allowed / 2)

    def succeeded(self) -> None:
        """The request of this thread's latest slot was answered. One from before the last cut says nothing new."""
        with self._lock:
            if self._is_recent():
                per_round = max(1.0, self._allowed - self._trouble_at)
                self._allowed = min(float(self._limit), self._allowed + per_round / self._allowed)
                self._grant()

    def _is_recent(self) -> bool:
        return getattr(self._local, "cuts", None) == self._cuts

    def _take(self) -> int:
        """A slot, and the number of cuts before it was granted."""
        with self._lock:
            if self._in_use < self.current:  # then nobody waits: every change grants what it frees
                self._in_use += 1
                return self._cuts
            waiter = _Waiter()
            self._waiting.append(waiter)
        try:
            waiter.granted.wait()
        except BaseException:  # an interrupt from the keyboard: the slot must not be lost
            with self._lock:
                if waiter.granted.is_set():
                    self._in_use -= 1
                    self._grant()
                else:
                    self._waiting.remove(waiter)
            raise
        return waiter.cuts

    def _grant(self) -> None:
        while self._waiting and self._in_use < self.current:
            waiter = self._waiting.popleft()
            self._in_use += 1
            waiter.cuts = self._cuts
            waiter.granted.set()


@dataclass(eq=False, slots=True)
class _Waiter:
    granted: threading.Event = field(default_factory=threading.Event)
    cuts: int = 0
