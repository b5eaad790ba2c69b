"""Times things on a machine that others use too: in turn rather than one after the other, and the median counts."""

import os
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

_WIDTH = 132


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of a report."""

    what: str
    value: str
    compared: str = ""
    """What it is measured against, with its own value."""
    target: str = ""
    is_met: bool | None = None
    """Null where there is no target, or nothing to say about it."""


def in_turn(works: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, list[float]]:
    """Seconds of every work in every round; a round does each work once, so that a busy moment meets all alike."""
    seconds: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            start = time.perf_counter()
            work()
            seconds[name].append(time.perf_counter() - start)
    return seconds


def medians(works: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """The same, condensed."""
    return {name: statistics.median(each) for name, each in in_turn(works, rounds).items()}


def milliseconds(seconds: float) -> str:
    """Such as "17.2 ms"."""
    return f"{seconds * 1000:.2f} ms" if seconds < 0.01 else f"{seconds * 1000:.1f} ms"


def rate(count: float, seconds: float, of: str) -> str:
    """Such as "8,120 steps/s"."""
    per_second = count / seconds
    return f"{per_second:,.0f} {of}/s" if per_second >= 100 else f"{per_second:.1f} {of}/s"


def show(title: str, figures: Sequence[Figure]) -> None:
    """Print a table, and how busy the machine was."""
    table = Table(title=title, title_justify="left", caption=_busy(), caption_justify="left")
    for heading in ("what", "measured", "against", "target", ""):
        table.add_column(heading)
    for each in figures:
        met = {True: "met", False: "MISSED", None: ""}[each.is_met]
        table.add_row(each.what, each.value, each.compared, each.target, met)
    Console(width=_WIDTH).print(table)


def _busy() -> str:
    return f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
