"""A clock that only moves when it is read, ticked or slept on; it stands in for every clock of the machine."""

import math
import operator
import time
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta, tzinfo
from time import struct_time
from typing import Any, SupportsIndex

_MICROSECOND = timedelta(microseconds=1)
_SECOND = 1_000_000
_EPOCH = datetime(1970, 1, 1)
_DEFAULT = datetime(2025, 1, 1)
_EARLIEST = (datetime(1, 1, 1) - _EPOCH) // _MICROSECOND
_LATEST = (datetime(9999, 12, 31) - _EPOCH) // _MICROSECOND
"""No sleep or tick gets past it; the readings of a session can't use up the day that is left."""
_LONGEST_SLEEP_S = (2**63 - 1) / 1e9
_UPTIME = 86_400 * _SECOND
"""What clocks that count from no particular moment show at the start: that of a machine that runs for a day."""


class Clock:
    """Counts microseconds; every reading moves it by one.

    Its methods are bound when they stand in, so that a class may keep one as an attribute, like the real ones.
    """

    __slots__ = ("_now", "_start", "_asctime", "_ctime", "_gmtime", "_localtime", "_strftime", "_wall_clocks")

    def __init__(self) -> None:
        self._asctime, self._ctime = time.asctime, time.ctime
        self._gmtime, self._localtime = time.gmtime, time.localtime
        self._strftime = time.strftime
        self._wall_clocks = (time.CLOCK_REALTIME, getattr(time, "CLOCK_TAI", None))
        self.begin(None)

    def begin(self, start: str | None) -> None:
        """Set the clock.

        Args:
            start: ISO date or moment, UTC where it names no zone. Null, and what is neither: 2025-01-01T00:00:00.
        """
        self._now = min(max(_since_epoch(start), _EARLIEST), _LATEST)
        self._start = self._now - _UPTIME

    def tick(self) -> None:
        """Let a second pass."""
        self._now = min(self._now + _SECOND, max(self._now, _LATEST))

    def replacements(self) -> dict[Callable[..., Any], Callable[..., Any]]:
        """Real function of the module `time` -> what stands in for it. Those that the system lacks are left out."""
        simulated: dict[str, Callable[..., Any]] = {
            "time": self.time, "time_ns": self.time_ns, "sleep": self.sleep,
            "clock_gettime": self.clock_gettime, "clock_gettime_ns": self.clock_gettime_ns,
            "localtime": self.localtime, "gmtime": self.gmtime, "ctime": self.ctime, "asctime": self.asctime,
            "strftime": self.strftime,
        }  # fmt: skip
        for name in ("monotonic", "perf_counter", "process_time", "thread_time"):
            simulated |= {name: self.elapsed, f"{name}_ns": self.elapsed_ns}
        return {vars(time)[name]: function for name, function in simulated.items() if name in vars(time)}

    def class_methods(self) -> tuple[tuple[type, str, Callable[..., Any]], ...]:
        """Class, name and function of the class methods that read the clock; a `datetime` inherits `today`."""

        def now(cls: type[datetime], tz: tzinfo | None = None) -> datetime:
            moment = _EPOCH + timedelta(0, 0, self._read())
            if tz is not None:
                moment = moment.replace(tzinfo=tz)  # refuses what is no zone, in the words of the real one
            if cls is not datetime:
                moment = cls.combine(moment.date(), moment.timetz())
            return moment if tz is None else tz.fromutc(moment)

        def utcnow(cls: type[datetime]) -> datetime:
            return now(cls)

        def today(cls: type[date]) -> date:
            return cls.fromtimestamp(self.time())

        return ((datetime, "now", now), (datetime, "utcnow", utcnow), (date, "today", today))

    def time(self) -> float:
        """Seconds since 1970."""
        self._now = now = self._now + 1
        return now / 1e6

    def time_ns(self) -> int:
        """Nanoseconds since 1970."""
        return self._read() * 1000

    def elapsed(self) -> float:
        """Seconds since a moment of no meaning."""
        self._now = now = self._now + 1
        return (now - self._start) / 1e6

    def elapsed_ns(self) -> int:
        """Nanoseconds since a moment of no meaning."""
        return (self._read() - self._start) * 1000

    def clock_gettime(self, clock: int, /) -> float:
        """Seconds of one of the system's clocks."""
        return self.time() if clock in self._wall_clocks else self.elapsed()

    def clock_gettime_ns(self, clock: int, /) -> int:
        """Nanoseconds of one of the system's clocks."""
        return self.time_ns() if clock in self._wall_clocks else self.elapsed_ns()

    def sleep(self, seconds: float | SupportsIndex, /) -> None:
        """Move on at once.

        Raises:
            TypeError, ValueError, OverflowError: as from the real one.
        """
        length = seconds if isinstance(seconds, float) else operator.index(seconds)
        if math.isnan(length):
            raise ValueError("Invalid value NaN (not a number)")
        if length < 0:
            raise ValueError("sleep length must be non-negative")
        if length > _LONGEST_SLEEP_S:
            raise OverflowError("timestamp too large to convert to C PyTime_t")
        self._now = min(self._now + round(length * _SECOND), max(self._now, _LATEST))

    def localtime(self, seconds: float | None = None, /) -> struct_time:
        """The parts of a moment in the local zone, which is UTC."""
        return self._localtime(self.time() if seconds is None else seconds)

    def gmtime(self, seconds: float | None = None, /) -> struct_time:
        """The parts of a moment in UTC."""
        return self._gmtime(self.time() if seconds is None else seconds)

    def ctime(self, seconds: float | None = None, /) -> str:
        """A moment as text."""
        return self._ctime(self.time() if seconds is None else seconds)

    def asctime(self, *moment: Any) -> str:
        """A moment in parts as text."""
        return self._asctime(*(moment or (self.localtime(),)))

    def strftime(self, form: str, /, *moment: Any) -> str:
        """A moment in parts as text of a given form."""
        return self._strftime(form, *(moment or (self.localtime(),)))

    def _read(self) -> int:
        """Move first: a moment of zero microseconds, which prints without any, is as rare as on a real clock."""
        self._now = now = self._now + 1
        return now


def _since_epoch(start: str | None) -> int:
    """Microseconds."""
    try:
        moment = datetime.fromisoformat(start) if start is not None else _DEFAULT
    except ValueError:
        moment = _DEFAULT
    if moment.tzinfo is not None:
        return (moment - _EPOCH.replace(tzinfo=UTC)) // _MICROSECOND
    return (moment - _EPOCH) // _MICROSECOND
