"""From staged rows to a release: every gate asked, then published whole, or quarantined whole."""

from collections.abc import Callable, Sequence
from datetime import datetime

from schemas.errors import GateRefused
from schemas.runs import GATE_RESULTS, GateResult, Release
from tasks.scenarios.similar import gate_similar
from warehouse.gate import gate_run
from warehouse.store import Warehouse

QUOTED_REFUSALS = 5


ProofGate = Callable[[Warehouse, str, datetime], Sequence[GateResult]]
"""Warehouse, run, time of the gate -> what executing the staged proofs says."""


def publish_batch(store: Warehouse, run_id: str, *, clock: Callable[[], datetime], prove_again: ProofGate) -> Release:
    """Gate what a run staged and make it the current release.

    Args:
        store: Holds the staged tables and the ledger of the run, balances included.
        run_id: The run.
        clock: Gives the time of the gate and of the release.
        prove_again: Executes the proofs. Asked, like the search for near-duplicates among scenarios, only when all
            other gates have passed, so that it meets sound rows.

    Raises:
        GateRefused: a gate said no; the batch lies in quarantine and readers see what they saw before.
        HomeNotWritable: the disk is full or read-only.
    """
    results = gate_run(store.home, run_id, at=clock())
    if all(result.has_passed for result in results):
        results = (*results, gate_similar(store, run_id, clock()), *prove_again(store, run_id, clock()))
    store.append_ledger(GATE_RESULTS, results, run_id)
    refusals = [result for result in results if not result.has_passed]
    if refusals:
        folder = store.quarantine(run_id, results)
        raise GateRefused(_refusal_text(refusals, str(folder)), quarantine=str(folder))
    return store.publish(run_id, published_at=clock())


def _refusal_text(refusals: list[GateResult], folder: str) -> str:
    lines = [f"Nothing was published: {len(refusals)} of the gates refused the batch."]
    for refusal in refusals[:QUOTED_REFUSALS]:
        where = f"{refusal.table_name}.{refusal.column_name}" if refusal.column_name else refusal.table_name
        detail = f": {refusal.detail}" if refusal.detail else ""
        lines.append(f"  {where}: {refusal.expectation} ({refusal.offending_count} rows){detail}")
    if len(refusals) > QUOTED_REFUSALS:
        lines.append(f"  and {len(refusals) - QUOTED_REFUSALS} more")
    lines.append(f"The batch and its gate report are in {folder}. The release before is untouched.")
    return "\n".join(lines)
