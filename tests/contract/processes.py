"""Processes as the system sees them."""

from contextlib import suppress
from pathlib import Path


def children(process: int) -> list[int]:
    """The processes that this one started and has not waited for yet, zombies included; none when it is gone."""
    found: list[int] = []
    with suppress(FileNotFoundError):
        for thread in Path(f"/proc/{process}/task").iterdir():
            with suppress(FileNotFoundError, ProcessLookupError):  # it may just have ended
                found += map(int, (thread / "children").read_text().split())
    return found


def runs(process: int) -> bool:
    """Whether it has work to do; no when it is gone."""
    return _state(process) == "R"


def lives(process: int) -> bool:
    """Whether it is still there, and no zombie."""
    return _state(process) not in ("Z", "X", None)


def memory_kib(process: int) -> dict[str, int]:
    """KiB by kind; "Rss" and "Pss" as the system counts them, "Private" is what no other process shares."""
    lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()[1:]
    kib = {name.rstrip(":"): int(amount) for name, amount, _ in (line.split() for line in lines)}
    return kib | {"Private": kib["Private_Clean"] + kib["Private_Dirty"]}


def _state(process: int) -> str | None:
    """The letter of its state; null when it is gone."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return None
