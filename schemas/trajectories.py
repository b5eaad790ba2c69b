"""Episodes that probe agents played on published scenarios, and their steps."""

from types import MappingProxyType
from typing import Literal

from pydantic import Field

from schemas.row import Row, Table

AgentName = Literal["no_op", "random_valid", "greedy", "noisy_reference", "language_model"]
"""Who plays; `docs/proof.md` says how each of them goes about it."""
Ending = Literal["finished", "call_limit", "cut_off", "declined", "broken"]
"""finished: the agent gave its final message. call_limit: it wanted to go on calling. cut_off: there was no room for
its message. declined: the model or a filter would not answer. broken: the environment broke under its hands."""
EpisodeFault = Literal["environment", "check", "scenario"]
"""What broke, so that the episode has no reward and says nothing about its agent. scenario: none of its checks could
measure one."""
StepOutcome = Literal["done", "refused", "invalid", "broken"]
"""done: the tool did it. refused: the tool said no. invalid: no such tool, or unfit arguments. broken: the environment
is at fault."""


class Trajectory(Row):
    """An episode: one agent's attempt at one scenario."""

    trajectory_id: str = Field(
        pattern=r"^trj_[0-9a-f]{16}$", description="Digest of scenario, agent, model, attempt and seed."
    )
    scenario_id: str
    agent: AgentName
    model: str | None = Field(default=None, description="Name of the language model; null for all other agents.")
    attempt: int = Field(ge=1, description="Counts the attempts of one agent at one scenario.")
    seed: int = Field(description="What the agent draws its choices from.")
    noise: float | None = Field(
        default=None, ge=0, le=1, description="Of 'noisy_reference': chance of each step to be disturbed; else null."
    )
    disturbed_count: int | None = Field(
        default=None, ge=0, description="Of 'noisy_reference': steps that were disturbed; else null."
    )
    reward: float | None = Field(ge=0, le=1, description="Null when something broke that is not the agent's doing.")
    success: bool | None = Field(description="Whether every check held; null exactly when `reward` is.")
    call_count: int = Field(ge=0)
    refused_count: int = Field(ge=0, description="Of the calls, those that were refused or did not fit.")
    ended: Ending
    at_fault: EpisodeFault | None = Field(default=None, description="What broke; null when there is a reward.")
    problem: str | None = Field(default=None, description="How it broke; null when there is a reward.")
    final_message: str
    has_steps: bool = Field(
        description="Whether its steps are kept: of the first attempt of each agent, each of a language model, all "
        "that broke, and every success but that of a reference without a disturbed step. The others can be played "
        "again from their seed."
    )
    sandbox: str = Field(description="Isolation level of the run that played it, or 'none'.")


class TrajectoryStep(Row):
    """A call of an episode whose steps are kept."""

    trajectory_id: str
    number: int = Field(ge=1)
    tool: str
    arguments_json: str
    result_json: str = Field(description="What the agent saw.")
    outcome: StepOutcome
    error_by: Literal["agent", "environment"] | None = Field(
        default=None, description="Who caused an error; null when the call did what it is for."
    )


TRAJECTORIES = Table(
    "trajectories",
    Trajectory,
    kind="catalogue",
    key=("trajectory_id",),
    references=MappingProxyType({"scenario_id": "scenarios.scenario_id"}),
)
TRAJECTORY_STEPS = Table(
    "trajectory_steps",
    TrajectoryStep,
    kind="catalogue",
    key=("trajectory_id", "number"),
    references=MappingProxyType({"trajectory_id": "trajectories.trajectory_id"}),
)
