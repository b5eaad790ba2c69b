"""The row of a run: written when it starts, replaced when it ends, however it ends."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from prefect import tags
from prefect.client.orchestration import get_client
from prefect.client.schemas.filters import (
    FlowRunFilter,
    FlowRunFilterState,
    FlowRunFilterStateType,
    FlowRunFilterTags,
)
from prefect.client.schemas.objects import StateType
from prefect.exceptions import TerminationSignal
from prefect.runtime import flow_run
from prefect.states import Crashed

from flows.composition import Kit
from flows.homes import home_lock
from flows.plan import RunPlan
from schemas.errors import EnvmillError, GateRefused
from schemas.runs import Release, Run
from tasks.fingerprint import MAKES_EVERYTHING, code_digest
from warehouse.query import query

INTERRUPTED = "stopped from outside; what was finished is kept, and the next run goes on from there"
DIED = "the process ended without a word; what was finished is kept, and the next run goes on from there"


@dataclass
class RunRecord:
    """What a run in progress has to show."""

    release: Release | None = None
    detail: str | None = None
    """What was left undone; null when nothing was."""


@contextmanager
def recorded_run(kit: Kit, plan: RunPlan) -> Iterator[RunRecord]:
    """Hold the home, write the run's row, and write it again with how the run ended.

    Raises:
        MachineryError: another run is at work in this home.
    """
    with home_lock(plan.home, f"run {plan.run_id}"):
        _bury_the_dead(kit, plan.home)
        run = Run(
            run_id=plan.run_id,
            profile=plan.profile,
            author=kit.author.name,
            seed=plan.seed,
            corpora=[path.name for path in plan.corpora],
            given_topics=list(plan.given_topics),
            holdouts=plan.holdouts.named(),
            sandbox=kit.sandbox.level,
            code_digest=code_digest(MAKES_EVERYTHING),
            status="running",
            started_at=kit.clock(),
        )
        kit.store.replace_run(run)
        record = RunRecord()
        _tag_flow_run(plan.run_id)
        try:
            with tags(plan.run_id):
                yield record
        except BaseException as error:
            kit.store.replace_run(run.model_copy(update={**_ending(error), "finished_at": kit.clock()}))
            raise
        release_id = record.release and record.release.release_id
        published = {"status": "published", "release_id": release_id, "detail": record.detail}
        kit.store.replace_run(run.model_copy(update={**published, "finished_at": kit.clock()}))


def _ending(error: BaseException) -> dict[str, Any]:
    match error:
        case GateRefused():
            return {"status": "refused", "detail": str(error)}
        case KeyboardInterrupt() | TerminationSignal():
            return {"status": "interrupted", "detail": INTERRUPTED}
        case EnvmillError():
            return {"status": "failed", "detail": str(error)}
        case _:
            return {"status": "failed", "detail": f"{type(error).__name__}: {error}"}


def _bury_the_dead(kit: Kit, home: Path) -> None:
    """Rows that still say "running" belong to runs that were killed: this home is ours alone."""
    for row in query(home, "select * from raw.runs where status = 'running'").to_pylist():
        # A column that an older file lacks is null; its default is meant.
        run = Run.model_validate({name: value for name, value in row.items() if value is not None})
        kit.store.replace_run(run.model_copy(update={"status": "interrupted", "detail": DIED}))
        _bury_in_prefect(run.run_id)


def _tag_flow_run(run_id: str) -> None:
    """Name the run of the ledger on the flow run in progress; those it calls are tagged by their context."""
    with get_client(sync_client=True) as client:
        client.update_flow_run(flow_run.id, tags=[*flow_run.tags, run_id])


def _bury_in_prefect(run_id: str) -> None:
    """Prefect never learns that a process was killed, and would show its flow runs as running for ever."""
    unfinished = FlowRunFilterStateType(any_=[StateType.RUNNING, StateType.PENDING])
    with get_client(sync_client=True) as client:
        for dead in client.read_flow_runs(
            flow_run_filter=FlowRunFilter(
                tags=FlowRunFilterTags(all_=[run_id]), state=FlowRunFilterState(type=unfinished)
            )
        ):
            client.set_flow_run_state(dead.id, Crashed(message=DIED), force=True)
