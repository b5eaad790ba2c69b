"""How good the scenarios of a release are, and how long it takes to prove them all again.

    python -m tests.benchmarks.release [--home FOLDER] [--profile full]

Without a home, a release is made first, by the built-in author. Nothing here fails: it prints figures and targets.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from pathlib import Path
from typing import Any

from flows.verifying import CURRENT, verify_release
from tasks.sandbox.zygote import ZygoteSandbox
from tests.benchmarks.measuring import Figure, show
from warehouse.query import query

PROJECT = Path(__file__).resolve().parent.parent.parent
_MANY = 1_000
"""Scenarios that the time of `verify` is told for."""
_MUTANTS = (
    "dropped_write", "changed_argument", "neighbour_entity", "wrong_twin", "swapped_order", "extra_write",
    "repeated_write", "forbidden_call", "wrong_answer", "giving_in", "stock_refusal",
)  # fmt: skip
_EQUIVALENTS = ("reorder", "other_lookups", "refused_try", "other_wording", "second_reference")
_PUBLISHED = "raw.scenarios as s where s.status = 'accepted' and s.author = 'rules'"


def main() -> None:
    """Make a release where none is given, and measure it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--home", type=Path, help="a home with a release")
    parser.add_argument("--profile", default="full", help="of the run that makes one")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        home = options.home or Path(scratch)
        if options.home is None:
            start = time.perf_counter()
            order = [sys.executable, "-m", "flows", "run", "--home", str(home), "--profile", options.profile]
            subprocess.run(order, cwd=PROJECT, check=True)
            print(f"Made in {time.perf_counter() - start:.0f} s.")
        show("Scenarios", [*_proofs(home), *_shapes(home), *_differences(home)])
        show("Proved again", _verified(home))


def _one(home: Path, sql: str, *parameters: object) -> dict[str, Any]:
    row: dict[str, Any] = query(home, sql, parameters).to_pylist()[0]
    return row


def _proofs(home: Path) -> list[Figure]:
    drafts = _one(
        home,
        "select count(*) filter (where version = 1) as drafts, count(*) filter (where status = 'accepted') as proven, "
        "count(*) filter (where status = 'duplicate' and reason = 'similar_scenario') as too_similar "
        "from raw.scenarios where author = 'rules'",
    )
    share = (drafts["proven"] + drafts["too_similar"]) / drafts["drafts"]  # both were proven; the same task was not
    trials = {
        row["trial"]: row
        for row in query(
            home,
            "select trial, count(*) filter (where v.is_counted) as counted, "
            "count(*) filter (where v.is_counted and v.is_as_expected) as good from raw.scenario_validations as v "
            f"where v.scenario_id in (select s.scenario_id from {_PUBLISHED}) group by trial",
        ).to_pylist()
    }
    figures = [Figure("candidates proven within 2 repairs", f"{share:.1%}", f"{drafts}", "75 %", share >= 0.75)]
    for name, kinds, target in (
        ("references that pass", ("reference",), 1.0),
        ("doing nothing fails", ("no_op",), 1.0),
        ("prefixes fail", ("prefix",), 1.0),
        ("mutants killed", _MUTANTS, 0.95),
        ("extra writes and neighbours killed", ("extra_write", "neighbour_entity"), 1.0),
        ("equivalents accepted", _EQUIVALENTS, 1.0),
    ):
        found = [trials[kind] for kind in kinds if kind in trials]
        counted, good = sum(each["counted"] for each in found), sum(each["good"] for each in found)
        rate = good / counted if counted else 0.0
        figures.append(Figure(name, f"{rate:.2%}", f"{counted:,} trials", f"{target:.0%}", rate >= target))
    present = [kind for kind in _MUTANTS if kind in trials and trials[kind]["counted"]]
    figures.append(Figure("kinds of mutants", str(len(present)), "", "8", len(present) >= 8))
    return figures


def _shapes(home: Path) -> list[Figure]:
    shape = _one(
        home,
        "select median(s.reference_length) as calls, median(len(s.tools_used)) as tools, "
        "min(s.reference_length) as least, max(s.reference_length) as most, "
        """count(*) filter (where s.reference_json not like '%"path"%' and s.write_count > 0) as unbound, """
        f"count(*) as scenarios from {_PUBLISHED}",
    )
    return [
        Figure("reference calls, median", f"{shape['calls']:g}", f"{shape['least']} to {shape['most']}", "5",
               shape["calls"] >= 5),
        Figure("distinct tools, median", f"{shape['tools']:g}", "", "4", shape["tools"] >= 4),
        Figure("changes without a look-up that is needed", str(shape["unbound"]), f"{shape['scenarios']} scenarios",
               "0", shape["unbound"] == 0),
    ]  # fmt: skip


def _differences(home: Path) -> list[Figure]:
    kinds = query(home, f"select s.kind, count(*) as n from {_PUBLISHED} group by 1 order by 2 desc").to_pylist()
    return [Figure("kinds of scenarios", str(len(kinds)), ", ".join(f"{each['kind']} {each['n']}" for each in kinds))]


def _verified(home: Path) -> list[Figure]:
    """Evaluations of checks are trials times the checks of their scenario."""
    with closing(ZygoteSandbox()) as sandbox:
        start = time.perf_counter()
        found = verify_release(home, CURRENT, sandbox=sandbox, at_a_time=os.cpu_count() or 1)
        seconds = time.perf_counter() - start
    count = len(found.rechecked)
    evaluations = sum(each.trial_count * each.scenario.check_count for each in found.rechecked)
    errors = sum(trouble.reason.startswith("check_") for each in found.broken for trouble in each.troubles)
    many = seconds / count * _MANY
    proof = seconds / count * (os.cpu_count() or 1)
    same = sum(all(one.reason != "final_state_differs" for one in each.troubles) for each in found.rechecked)
    return [
        Figure("scenarios that hold", f"{count - len(found.broken)} of {count}", "", "all", not found.broken),
        Figure("same final digest in another process", f"{same} of {count}", "", "all", same == count),
        Figure("evaluations of checks", f"{evaluations:,}", f"{errors} with an error", "0 in 100,000", errors == 0),
        Figure("one proof, on one core", f"{proof * 1000:.0f} ms", "", "150 ms", proof <= 0.15),
        Figure(f"time for {_MANY:,} scenarios", f"{many:.0f} s", f"{seconds:.1f} s for {count}", "120 s", many <= 120),
    ]


if __name__ == "__main__":
    main()
