"""Flow: what the run staged passes its gates and becomes the current release."""

import os
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from prefect import flow, task

from flows.composition import local_sandbox, utc_now
from flows.plan import RunPlan
from flows.verifying import proof_gate
from flows.watching import watch
from schemas.runs import GateResult, Release
from tasks.policies import ONCE
from tasks.publish import publish_batch
from tasks.sandbox.base import Sandbox
from warehouse.store import Warehouse

TITLE = "publish release"


@task(name="gate and publish", tags=["publish"], **ONCE)
def publish(label: str, home: Path, sandbox: Sandbox, at_a_time: int) -> Release:
    """Ask every gate; publish whole or quarantine whole. The label is the run's id."""

    def prove_again(store: Warehouse, run_id: str, at: datetime) -> Sequence[GateResult]:
        return proof_gate(store, run_id, at, sandbox=sandbox, at_a_time=at_a_time)

    return publish_batch(Warehouse(home), label, clock=utc_now, prove_again=prove_again)


@flow(name=TITLE, flow_run_name="publish {plan.run_id}")
def publish_release(plan: RunPlan) -> Release:
    """Publish what the stages before have staged.

    Raises:
        GateRefused: the batch breaks a contract; it is quarantined.
    """
    watch().progress.stage_started(TITLE, 1)
    watch().count_task_run()
    sandbox = local_sandbox(allow_unsafe=plan.unsafe_no_sandbox)
    release = publish(plan.run_id, plan.home, sandbox, min(plan.at_a_time, os.cpu_count() or 1))
    watch().progress.item_finished(TITLE, f"release {release.number}", "published")
    return release
