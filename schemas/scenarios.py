"""Initial states, scenarios, their checks, and the executed proof."""

from types import MappingProxyType
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from schemas.row import Row, Status, Table

CheckKind = Literal["goal", "guard", "answer", "procedure"]
CheckOrigin = Literal["author", "derived"]
"""Written by the scenario's author, or derived from what its reference solution changes."""
TrialKind = Literal[
    "reference",
    "no_op",
    "prefix",
    "dropped_write",
    "changed_argument",
    "neighbour_entity",
    "wrong_twin",
    "swapped_order",
    "extra_write",
    "repeated_write",
    "forbidden_call",
    "wrong_answer",
    "giving_in",
    "stock_refusal",
    "reorder",
    "other_lookups",
    "refused_try",
    "other_wording",
    "second_reference",
]
"""What is played in a proof; `docs/proof.md` says what each is for. Those from "reorder" on have to pass."""


class Binding(BaseModel):
    """An argument that is taken from an earlier result.

    `path` walks the result of step `step` (counted from 0): ["data", 0, "owner_id"].
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    step: int = Field(ge=0)
    path: tuple[str | int, ...]


class ReferenceStep(BaseModel):
    """One call of a reference solution: literals from the task, and values bound to earlier results."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    tool: str
    literals: dict[str, Any] = Field(default_factory=dict)
    bindings: dict[str, Binding] = Field(default_factory=dict)


class CheckDraft(BaseModel):
    """One rule-based validation function: `def check(initial_state, final_state, trajectory) -> bool`."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: CheckKind
    origin: CheckOrigin = "author"
    text: str
    code: str
    exempt: tuple[str, ...] = ()
    """For a nothing-else-changed guard: dotted paths that may differ freely."""


class ScenarioDraft(BaseModel):
    """What an author writes for one scenario, before any proof."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: str
    """"single_goal", "several_goals" and others that change the state; "refusal" and "question" never do."""
    task: str
    reference: tuple[ReferenceStep, ...]
    final_message: str
    checks: tuple[CheckDraft, ...]
    user_goal: str | None = Field(
        default=None,
        description="What the person wants, knows, and reveals only when asked, for conversations; "
        "null where the task alone is used.",
    )


class InitialState(Row):
    """An initial state of a skeleton."""

    initial_state_id: str = Field(pattern=r"^sta_[0-9a-f]{16}$", description="Digest of skeleton and state.")
    skeleton_id: str
    number: int = Field(ge=1, description="Counts the states of one skeleton.")
    author: str
    record_count: int = Field(ge=0, description="Records in all collections.")
    state_json: str
    status: Status
    reason: str | None = Field(default=None, description="Reason code; null when accepted.")
    detail: str | None = None
    sandbox: str = Field(description="Isolation level of the run that tried it, or 'none'.")


class Scenario(Row):
    """A scenario: a task on an initial state, with its reference solution."""

    scenario_id: str = Field(
        pattern=r"^scn_[0-9a-f]{16}$", description="Digest of state, task, user goal, reference and checks."
    )
    skeleton_id: str
    initial_state_id: str
    version: int = Field(default=1, ge=1, description="2 is the first repair of a draft.")
    parent_scenario_id: str | None = Field(default=None, description="The version that this one repairs.")
    repairs: str | None = Field(default=None, description="Reason code that the version before was rejected for.")
    author: str
    kind: str
    task: str = Field(min_length=1)
    user_goal: str | None = Field(
        default=None,
        description="What the person wants, knows, and reveals only when asked, for conversations; "
        "null where the task alone is used.",
    )
    reference_json: str = Field(description="List of {tool, literals, bindings}.")
    final_message: str
    reference_length: int = Field(ge=0, description="Calls of the reference solution.")
    write_count: int = Field(ge=0, description="Calls of the reference that change the state.")
    tools_used: list[str] = Field(description="Distinct tools of the reference, in order of first use.")
    written_fields: list[str] = Field(
        default=[],
        description="What the reference writes to, whichever records it is, sorted: 'bookings.status', and "
        "'bookings.<new>' or 'bookings.<gone>' for records made or deleted. Empty where nothing changes or the "
        "reference was not played.",
    )
    check_count: int = Field(ge=0)
    proof_digest: str | None = Field(
        default=None,
        description="Digest of the texts that the proof was made from: code, state, task, reference and checks; "
        "null where nothing was proven.",
    )
    status: Status
    reason: str | None = Field(default=None, description="Reason code; null when accepted.")
    detail: str | None = None
    sandbox: str = Field(description="Isolation level of the run that tried it, or 'none'.")


class Check(Row):
    """A check of a scenario."""

    check_id: str = Field(pattern=r"^chk_[0-9a-f]{16}$")
    scenario_id: str
    number: int = Field(ge=1)
    kind: CheckKind
    origin: CheckOrigin = Field(description="'derived': from what the reference solution changes.")
    text: str
    code: str
    exempt: list[str]


class ScenarioValidation(Row):
    """An executed trial of a proof."""

    scenario_validation_id: str = Field(pattern=r"^svl_[0-9a-f]{16}$")
    scenario_id: str
    trial: TrialKind
    number: int = Field(
        ge=0,
        description="For 'reference' and 'prefix' the calls played, for 'no_op' the number of the stock message, else "
        "counted from 0 among the trials of its kind.",
    )
    what: str = Field(default="", description="What is done otherwise than in the reference.")
    is_expected_to_pass: bool
    has_passed: bool | None = Field(
        description="Whether every check held; null when a check or the environment broke, or nothing was there to be "
        "checked because a tool refused what the trial is about."
    )
    reward: float | None = Field(
        default=None, ge=0, le=1, description="Reward of the episode; null where it has none: `has_passed` is null."
    )
    is_counted: bool = Field(
        default=True,
        description="Whether it proves anything. A mutant that a tool refuses, or that ends like the reference, does "
        "not; `detail` says why.",
    )
    is_as_expected: bool
    checks_failed: list[int] = Field(description="Numbers of the checks that were false.")
    final_digest: str | None = Field(
        default=None, description="Digest of the final state of the reference; null for every other trial."
    )
    detail: str | None = Field(default=None, description="What is wrong, or why it is not counted; else null.")


INITIAL_STATES = Table(
    "initial_states",
    InitialState,
    kind="catalogue",
    key=("initial_state_id",),
    references=MappingProxyType({"skeleton_id": "skeletons.skeleton_id"}),
)
SCENARIOS = Table(
    "scenarios",
    Scenario,
    kind="catalogue",
    key=("scenario_id",),
    references=MappingProxyType(
        {"skeleton_id": "skeletons.skeleton_id", "initial_state_id": "initial_states.initial_state_id"}
    ),
)
CHECKS = Table(
    "checks",
    Check,
    kind="catalogue",
    key=("check_id",),
    references=MappingProxyType({"scenario_id": "scenarios.scenario_id"}),
)
SCENARIO_VALIDATIONS = Table(
    "scenario_validations",
    ScenarioValidation,
    kind="catalogue",
    key=("scenario_validation_id",),
    references=MappingProxyType({"scenario_id": "scenarios.scenario_id"}),
)
