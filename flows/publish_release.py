"""Flow: what the run staged passes its gates and becomes the current release."""

from pathlib import Path

from prefect import flow, task

from flows.composition import utc_now
from flows.plan import RunPlan
from flows.watching import watch
from schemas.runs import Release
from tasks.policies import ONCE
from tasks.publish import publish_batch
from warehouse.store import Warehouse

TITLE = "publish release"


@task(name="gate and publish", tags=["publish"], **ONCE)
def publish(label: str, home: Path) -> Release:
    """Ask every gate; publish whole or quarantine whole. The label is the run's id."""
    return publish_batch(Warehouse(home), label, clock=utc_now)


@flow(name=TITLE, flow_run_name="publish {plan.run_id}")
def publish_release(plan: RunPlan) -> Release:
    """Publish what the stages before have staged.

    Raises:
        GateRefused: the batch breaks a contract; it is quarantined.
    """
    watch().progress.stage_started(TITLE, 1)
    watch().count_task_run()
    release = publish(plan.run_id, plan.home)
    watch().progress.item_finished(TITLE, f"release {release.number}", "published")
    return release
