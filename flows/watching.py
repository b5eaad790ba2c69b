"""How a run is watched while it works: its progress is told, its wish to stop is heard, its task runs are counted."""

import threading
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Protocol

from prefect.logging import get_run_logger
from prefect.runtime import flow_run

from schemas.runs import StageCount


class Progress(Protocol):
    """Whoever tells a person how far the run is. Called from the thread that runs the flows."""

    def stage_started(self, title: str, total: int) -> None:
        """A step begins that consists of this many items."""

    def item_finished(self, title: str, label: str, note: str) -> None:
        """One item of the step is done; the note is a few words on how it went."""

    def stage_finished(self, count: StageCount) -> None:
        """A stage is balanced and in the ledger."""


def describe_count(count: StageCount) -> str:
    """One line, such as "20 in: 16 accepted, 3 rejected (4 reused)". What is zero is left out, save the accepted."""
    parts = [f"{count.accepted} accepted"]
    parts += [
        f"{number} {word}"
        for number, word in ((count.rejected, "rejected"), (count.duplicate, "duplicate"), (count.failed, "failed"))
        if number
    ]
    reused = f" ({count.reused} reused)" if count.reused else ""
    return f"{count.items_in} in: {', '.join(parts)}{reused}"


class LoggedProgress:
    """Writes to the log of the flow run, where the Prefect UI shows it."""

    def stage_started(self, title: str, total: int) -> None:
        """See `Progress`."""
        get_run_logger().info("%s: %d to do", title, total)

    def item_finished(self, title: str, label: str, note: str) -> None:
        """See `Progress`."""
        get_run_logger().info("%s: %s: %s", title, label, note)

    def stage_finished(self, count: StageCount) -> None:
        """See `Progress`."""
        get_run_logger().info("%s: %s, %.1f s", count.stage, describe_count(count), count.duration_s)


@dataclass(frozen=True)
class Watch:
    """What the flows of one run share with whoever started them."""

    progress: Progress = field(default_factory=LoggedProgress)
    stop: threading.Event = field(default_factory=threading.Event)
    """Set to end the run after the items that are in work."""
    task_runs: dict[str, int] = field(default_factory=dict)
    """Flow run id -> task runs submitted."""

    def count_task_run(self) -> None:
        """A task run of the flow run in progress was submitted."""
        self.task_runs[flow_run.id] = self.task_runs.get(flow_run.id, 0) + 1


_watch: ContextVar[Watch | None] = ContextVar("envmill_watch", default=None)


def watch() -> Watch:
    """The watch of this context; a logging one where nobody set any."""
    current = _watch.get()
    if current is None:
        current = Watch()
        _watch.set(current)
    return current


def watched_by(chosen: Watch) -> None:
    """Let the flows that are called from here on report to this watch."""
    _watch.set(chosen)
