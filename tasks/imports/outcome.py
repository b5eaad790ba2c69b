"""What became of one import."""

from dataclasses import dataclass

from schemas.logic_models import LogicModelRow
from schemas.row import Status
from schemas.scenarios import Check, InitialState, Scenario, ScenarioValidation
from schemas.skeletons import Skeleton, SkeletonValidation, Tool, ToolTest
from schemas.topics import Topic


@dataclass(frozen=True)
class ScenarioFate:
    """What became of one scenario of a file."""

    name: str
    """What the file calls it."""
    scenario_id: str | None
    """Null where no row could be made of it."""
    status: Status
    reason: str | None
    detail: str | None


@dataclass(frozen=True)
class ImportOutcome:
    """The decision on an environment and on its scenarios, and every row that was made."""

    slug: str
    name: str
    """What the file calls it."""
    source: str
    status: Status
    reason: str | None
    detail: str | None
    topic: Topic
    logic_model: LogicModelRow
    skeleton: Skeleton
    tools: tuple[Tool, ...]
    tool_tests: tuple[ToolTest, ...]
    skeleton_validation: SkeletonValidation
    initial_states: tuple[InitialState, ...] = ()
    scenarios: tuple[Scenario, ...] = ()
    checks: tuple[Check, ...] = ()
    scenario_validations: tuple[ScenarioValidation, ...] = ()
    fates: tuple[ScenarioFate, ...] = ()
