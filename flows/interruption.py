"""Ctrl-C during a run: finish what is in work, keep it, and leave; a second one leaves at once."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

INTERRUPTED = 130
"""Exit code of a run that a person stopped."""
GOODBYE = "Stopped. What was finished is kept; the same command goes on from there."
LONGEST_WAIT_S = 5.0
"""From Ctrl-C to the end of the process, whatever still hangs."""


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
    before = {number: signal.signal(number, heard) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        timer.cancel()
        for number, handler in before.items():
            signal.signal(number, handler)
