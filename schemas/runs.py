"""The ledger: what was run, attempted, gated and released."""

from types import MappingProxyType
from typing import Literal

from pydantic import AwareDatetime, Field

from schemas.row import Row, Stage, Status, Table


class Run(Row):
    """One execution of the factory. Its file is replaced when the run ends."""

    run_id: str = Field(pattern=r"^run_[0-9a-z-]+$")
    profile: str
    author: str
    seed: int
    corpora: list[str] = Field(description="File names of the corpora.")
    given_topics: list[str]
    holdouts: list[str] = Field(
        default=[],
        description="Hold-outs that it kept away from: file name and digest of the content, a blank between.",
    )
    sandbox: str = Field(description="Isolation level, or 'none' when it was switched off.")
    code_digest: str = Field(description="Digest of the code that made the items.")
    status: Literal["running", "published", "refused", "failed", "interrupted"]
    detail: str | None = Field(
        default=None, description="Why it ended without a release, or what it left undone; null otherwise."
    )
    release_id: str | None = None
    started_at: AwareDatetime
    finished_at: AwareDatetime | None = None


class StageCount(Row):
    """The balance of one stage of one run: items_in = accepted + rejected + duplicate + failed."""

    run_id: str
    stage: Stage
    items_in: int = Field(ge=0, description="Counted where the items enter, not from the attempts.")
    accepted: int = Field(ge=0)
    rejected: int = Field(ge=0)
    duplicate: int = Field(ge=0)
    failed: int = Field(ge=0)
    reused: int = Field(ge=0, description="Of all items, how many came from an earlier run's work.")
    duration_s: float = Field(ge=0)


class Attempt(Row):
    """One item of one stage of one run, accepted or not."""

    run_id: str
    stage: Stage
    item_id: str = Field(description="Id of the row the item became.")
    label: str = Field(description="What a person calls the item: file and line, slug, start of the task.")
    parent_id: str | None = Field(default=None, description="Id of the item it was made from.")
    status: Status
    reason: str | None = Field(default=None, description="Reason code; null when accepted.")
    detail: str | None = None
    at: AwareDatetime


class GateResult(Row):
    """An evaluated expectation on a batch."""

    run_id: str
    table_name: str
    gate: Literal["table", "across", "proof"] = Field(
        description="'across': a rule over several rows or tables; 'proof': what changed is executed again."
    )
    expectation: str
    column_name: str | None = None
    has_passed: bool
    offending_count: int = Field(ge=0)
    detail: str | None = Field(default=None, description="Some offending values, or why it could not be evaluated.")
    at: AwareDatetime


class Release(Row):
    """A published, gated version of the catalogue."""

    release_id: str = Field(
        pattern=r"^rel_[0-9a-f]{16}$", description="Digest of the content, volatile columns left out."
    )
    number: int = Field(ge=1)
    run_id: str
    environment_count: int = Field(ge=0)
    scenario_count: int = Field(ge=0)
    row_counts_json: str = Field(description="Table -> rows.")
    published_at: AwareDatetime


RUNS = Table("runs", Run, kind="ledger", key=("run_id",), volatile=("started_at", "finished_at"))
STAGE_COUNTS = Table("stage_counts", StageCount, kind="ledger", key=("run_id", "stage"), volatile=("duration_s",))
ATTEMPTS = Table("attempts", Attempt, kind="ledger", key=("run_id", "stage", "item_id"), volatile=("at",))
GATE_RESULTS = Table(
    "gate_results",
    GateResult,
    kind="ledger",
    key=("run_id", "table_name", "gate", "expectation", "column_name"),
    volatile=("at",),
)
RELEASES = Table(
    "releases",
    Release,
    kind="ledger",
    key=("release_id", "number"),
    references=MappingProxyType({"run_id": "runs.run_id"}),
    volatile=("published_at",),
)
