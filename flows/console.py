"""Progress for a person at a terminal, and for a log file."""

from types import TracebackType
from typing import Self

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from flows.watching import describe_count
from schemas.runs import StageCount

_Kind = type[BaseException] | None


class PlainProgress:
    """One line per finished item and stage, for pipes and logs."""

    def __init__(self, console: Console) -> None:
        """Write to this console."""
        self._console = console

    def __enter__(self) -> Self:
        """Nothing to start."""
        return self

    def __exit__(self, kind: _Kind, error: BaseException | None, trace: TracebackType | None) -> None:
        """Nothing to stop."""

    def stage_started(self, title: str, total: int) -> None:
        """See `Progress`."""
        if total > 1:
            self._say(f"{title}: {total} to do")

    def item_finished(self, title: str, label: str, note: str) -> None:
        """See `Progress`."""
        self._say(f"{title}: {label}: {note}")

    def stage_finished(self, count: StageCount) -> None:
        """See `Progress`."""
        self._say(f"{count.stage}: {describe_count(count)}, {count.duration_s:.1f} s")

    def _say(self, text: str) -> None:
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)


class LiveProgress:
    """One bar per step with the item that was finished last; the balance of a stage stays above the bars."""

    def __init__(self, console: Console) -> None:
        """Draw on this console."""
        self._console = console
        self._bars = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("[dim]{task.fields[last]}"),
            console=console,
        )
        self._ids: dict[str, TaskID] = {}

    def __enter__(self) -> Self:
        """Start drawing."""
        self._bars.start()
        return self

    def __exit__(self, kind: _Kind, error: BaseException | None, trace: TracebackType | None) -> None:
        """Leave the last picture on the screen."""
        self._bars.stop()

    def stage_started(self, title: str, total: int) -> None:
        """See `Progress`."""
        self._ids[title] = self._bars.add_task(title, total=total, last="")

    def item_finished(self, title: str, label: str, note: str) -> None:
        """See `Progress`."""
        if title in self._ids:
            self._bars.update(self._ids[title], advance=1, last=escape(f"{label}: {note}"[:80]))

    def stage_finished(self, count: StageCount) -> None:
        """See `Progress`."""
        for task_id in self._ids.values():
            self._bars.remove_task(task_id)
        self._ids.clear()
        self._console.print(
            f"[bold]{count.stage.replace('_', ' ')}[/]: {describe_count(count)} [dim]{count.duration_s:.1f} s[/]",
            highlight=False,
        )


def progress_on(console: Console) -> PlainProgress | LiveProgress:
    """Live bars on a terminal, lines anywhere else."""
    return LiveProgress(console) if console.is_terminal else PlainProgress(console)
