"""What became of one topic on its way to a skeleton."""

from dataclasses import dataclass

from schemas.logic_models import LogicModelRow
from schemas.row import Status
from schemas.skeletons import Skeleton, SkeletonValidation, Tool, ToolTest


@dataclass(frozen=True)
class SkeletonOutcome:
    """The decision on a topic, and every row that was made on the way, also when it was rejected."""

    topic_id: str
    status: Status
    """`failed` when machinery or the author's endpoint broke; the topic is then tried again by the next run."""
    reason: str | None
    """Reason code; null when accepted."""
    detail: str | None
    """What was wrong, for a person; null when accepted."""
    logic_models: tuple[LogicModelRow, ...] = ()
    skeletons: tuple[Skeleton, ...] = ()
    tools: tuple[Tool, ...] = ()
    tool_tests: tuple[ToolTest, ...] = ()
    skeleton_validations: tuple[SkeletonValidation, ...] = ()
