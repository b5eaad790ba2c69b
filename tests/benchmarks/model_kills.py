"""What `kill -9` costs: a run is killed at random moments and started again, and nothing answered is paid for again.

    python -m tests.benchmarks.model_kills [--kills 10] [--topics 8] [--latency 0.5]

Nothing here fails: it prints what the server counted, and whether the target is met.
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from tasks.sandbox.zygote import ZygoteSandbox
from tests.benchmarks.measuring import Figure, show
from tests.benchmarks.model_yield import PROJECT, answer, environment_for, run, topics
from tests.fakes.model_server.faults import FaultRates
from tests.fakes.model_server.server import ModelServer

_LONGEST_START_S = 120.0
_SEED = 4


@dataclass(frozen=True)
class Kill:
    """One kill."""

    after_s: float
    """From the first request of the run, or from its start when there was none."""
    in_flight: int
    """Requests that the run had under way."""
    requests: int
    """That this run had made."""


def killed(home: Path, server: ModelServer, order: tuple[str, ...], after_s: float) -> Kill | None:
    """Start the run and kill it; null when it came to its end before."""
    before = server.journal.request_count
    process = subprocess.Popen(
        [sys.executable, "-m", "flows", "run", "--author", "llm", "--home", str(home), *order],
        cwd=PROJECT,
        env=environment_for(server),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        deadline = time.monotonic() + _LONGEST_START_S
        while server.journal.request_count == before and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(after_s)
        if process.poll() is not None:
            return None
        # Frozen first, so that nothing moves between the count and the kill.
        os.kill(process.pid, signal.SIGSTOP)
        in_flight = server.journal.summary().in_flight
        return Kill(after_s, in_flight, server.journal.request_count - before)
    finally:
        process.kill()
        process.wait()


def main() -> None:
    """Kill, resume, and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.model_kills", description=__doc__)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--topics", type=int, default=8)
    parser.add_argument("--latency", type=float, default=0.5)
    parser.add_argument("--longest", type=float, default=12.0, help="latest moment of a kill, from the first request")
    options = parser.parse_args()
    rng = random.Random(_SEED)
    order = ("--profile", "tiny", "--no-corpus", *topics(options.topics))
    with (
        tempfile.TemporaryDirectory() as folder,
        closing(ZygoteSandbox()) as sandbox,
        ModelServer(sandbox, faults=FaultRates.everywhere(0.3), latency_s=options.latency) as server,
    ):
        home = Path(folder) / "home"
        kills = [killed(home, server, order, rng.uniform(0, options.longest)) for _ in range(options.kills)]
        run(home, server, *order)
        show("A run that is killed again and again", list(_figures(home, server, [each for each in kills if each])))


def _figures(home: Path, server: ModelServer, kills: list[Kill]) -> Iterator[Figure]:
    for number, each in enumerate(kills, 1):
        yield Figure(f"kill {number}", f"after {each.after_s:.1f} s", f"{each.requests} requests of this run")
    summary = server.journal.summary()
    in_flight = sum(each.in_flight for each in kills)
    yield Figure("requests, all runs", str(summary.requests), f"{summary.answered} answered")
    yield Figure(
        "answered calls paid twice",
        str(summary.answered_twice),
        f"{in_flight} in flight at {len(kills)} kills",
        f"at most {in_flight}",
        summary.answered_twice <= in_flight,
    )
    (built,) = answer(home, "select * from yield_by_stage where is_latest_run and stage = 'build_skeletons'")
    yield Figure("environments accepted in the end", f"{built['accepted']} of {built['items_in']}")


if __name__ == "__main__":
    main()
