"""What a run with a language model yields, and what it costs, when the model makes known mistakes.

    python -m tests.benchmarks.model_yield [--fault-rate 0.5] [--profile default] [--home FOLDER]

Nothing here fails: it prints what the marts say, and whether the targets are met.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from tasks.authors.rules.themes import themes
from tasks.sandbox.zygote import ZygoteSandbox
from tests.benchmarks.measuring import Figure, show
from tests.fakes.model_server.faults import FaultRates
from tests.fakes.model_server.server import MODEL, ModelServer
from warehouse.query import query

PROJECT = Path(__file__).resolve().parent.parent.parent
_LEAST_ENVIRONMENTS, _LEAST_REPAIRED = 16, 5
_MOST_PER_ENVIRONMENT, _MOST_PER_SCENARIO = 12, 3


def run(home: Path, server: ModelServer, *options: str) -> None:
    """`envmill run --author llm`, in a process of its own.

    Raises:
        CalledProcessError: it failed; its output was printed.
    """
    done = subprocess.run(
        [sys.executable, "-m", "flows", "run", "--author", "llm", "--home", str(home), *options],
        cwd=PROJECT,
        env=environment_for(server),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        print(done.stdout)
        done.check_returncode()


def environment_for(server: ModelServer) -> Mapping[str, str]:
    """The environment of a process that asks this server."""
    known = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
    return {**known, "ENVMILL_LLM_BASE_URL": server.base_url, "ENVMILL_LLM_MODEL": MODEL, "PYTHONUNBUFFERED": "1"}


def topics(count: int) -> tuple[str, ...]:
    """Options that name this many topics."""
    return tuple(part for theme in themes()[:count] for part in ("--topic", theme.title))


def answer(home: Path, sql: str) -> list[dict[str, Any]]:
    """Rows of the catalogue."""
    return list(query(home, sql).to_pylist())


def yields(home: Path) -> Iterator[Figure]:
    """What the marts say of the latest run."""
    (built,) = answer(home, "select * from yield_by_stage where is_latest_run and stage = 'build_skeletons'")
    repaired = answer(
        home,
        "select count(*) as number from environments "
        "join raw.skeletons using (skeleton_id) where skeletons.version > 1",
    )[0]["number"]
    count = built["accepted"]
    yield Figure("environments accepted", f"{count} of {built['items_in']}", "", "16", count >= _LEAST_ENVIRONMENTS)
    yield Figure("of those after a repair", str(repaired), "", "5", repaired >= _LEAST_REPAIRED)
    for cost in answer(home, "select * from cost_per_accepted where is_latest_run order by product"):
        most = _MOST_PER_ENVIRONMENT if cost["product"] == "environment" else _MOST_PER_SCENARIO
        per = cost["calls_per_accepted"]
        tokens = f"{cost['tokens_per_accepted']:,.0f} tokens" if cost["tokens_per_accepted"] is not None else ""
        figure = f"{per:.2f}" if per is not None else "none accepted"
        what = f"calls per accepted {cost['product']} ({cost['accepted']})"
        yield Figure(what, figure, tokens, f"at most {most}", per is not None and per <= most)


def main() -> None:
    """Run twice, and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.model_yield", description=__doc__)
    parser.add_argument("--fault-rate", type=float, default=0.5, help="share of classes and scenarios with a fault")
    parser.add_argument("--profile", default="default")
    parser.add_argument("--topics", type=int, default=0, help="themes given by hand, in place of the bundled corpus")
    parser.add_argument("--home", type=Path, default=None, help="keep the home here")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = options.home or Path(folder) / "home"
        order: tuple[str, ...] = ("--profile", options.profile)
        order += (("--no-corpus",) + topics(options.topics)) if options.topics else ()
        with (
            closing(ZygoteSandbox()) as sandbox,
            ModelServer(sandbox, faults=FaultRates.everywhere(options.fault_rate)) as server,
        ):
            start = time.perf_counter()
            run(home, server, *order)
            seconds, after_first = time.perf_counter() - start, server.journal.summary()
            figures = [Figure("first run", f"{seconds:.0f} s", f"{after_first.requests} requests"), *yields(home)]
            run(home, server, *order)
            again = server.journal.summary().requests - after_first.requests
        figures += _repeated(home, again)
        figures += [Figure(f"fault: {kind}", str(count)) for kind, count in after_first.faults.items()]
        show(f"A model that makes mistakes in {options.fault_rate:.0%} of what it writes", figures)


def _repeated(home: Path, requests: int) -> Iterator[Figure]:
    first, second = answer(
        home,
        "select release_id, coalesce(sum(attempts), 0) as calls from raw.runs left join raw.llm_calls using (run_id) "
        "group by run_id, release_id, started_at order by started_at",
    )
    calls = second["calls"]
    yield Figure("second run, requests", str(requests), f"{calls} in llm_calls", "0", requests == calls == 0)
    is_same = first["release_id"] == second["release_id"] is not None
    yield Figure("second run, release", second["release_id"], first["release_id"], "the same", is_same)


if __name__ == "__main__":
    main()
