"""Ctrl-C and SIGTERM: what is in work is finished or put away, whatever the moment; a second Ctrl-C leaves at once."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

INTERRUPTED = 130
"""Exit code of a run that a person stopped."""
STOPPED = "Stopped."
"""Of a command that keeps nothing, or had not begun."""
GOODBYE = "Stopped. What was finished is kept; the same command goes on from there."
NOT_IMPORTED = (
    "Stopped. Nothing was imported or forgotten: that counts once it is published. What was judged is kept; the same "
    "command goes on from there."
)
LONGEST_WAIT_S = 5.0
"""From Ctrl-C to the end of the process, whatever still hangs."""
_SIGNALS = (signal.SIGTERM, signal.SIGINT)


@contextmanager
def stopping_on_interrupt(
    stop: threading.Event, *, say: Callable[[], None], leave: Callable[[], None]
) -> Iterator[None]:
    """Turn Ctrl-C into a wish: set `stop`, so that the flows end between two items. Main thread only.

    A termination signal, as a service manager sends it, is taken for the same.

    Args:
        stop: Read by the flows.
        say: Called once, from the signal handler, to tell the person what happens now.
        leave: Ends the process at once; called at a second Ctrl-C or when the flows do not end in time.
    """
    timer = threading.Timer(LONGEST_WAIT_S, leave)
    timer.daemon = True

    def heard(_number: int, _frame: FrameType | None) -> None:
        if stop.is_set():
            leave()
        stop.set()
        timer.start()
        say()

    # SIGTERM: Prefect ends the flow in progress by itself, then passes the signal on to us.
    with _handled_by(heard):
        try:
            yield
        finally:
            timer.cancel()


@contextmanager
def ended_by_either_signal() -> Iterator[None]:
    """Raise KeyboardInterrupt at SIGTERM, too, and where Ctrl-C was switched off, so that what is begun is put away.

    A service manager asks with SIGTERM for what a person asks with Ctrl-C. Main thread only.
    """

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    with _handled_by(interrupt):
        yield


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Around a step that must not be left halfway: a signal is heard at its end. Main thread only."""
    heard: list[int] = []
    with _handled_by(lambda number, _frame: heard.append(number)):
        yield
    for number in heard:
        signal.raise_signal(number)


@contextmanager
def _handled_by(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    before = {number: signal.signal(number, handler) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, former in before.items():
            signal.signal(number, former)
