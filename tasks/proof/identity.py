"""What a proof was made from, as one digest: whoever edits a row afterwards changes it."""

from collections.abc import Iterable

from schemas.ids import digest
from schemas.scenarios import Check, InitialState, Scenario
from schemas.skeletons import Skeleton


def proof_digest(skeleton: Skeleton, state: InitialState, scenario: Scenario, checks: Iterable[Check]) -> str:
    """Digest of the texts of the published rows that decide how a proof goes, and of what the task says."""
    return digest(
        [skeleton.class_name, skeleton.code],
        state.state_json,
        [scenario.kind, scenario.task, scenario.user_goal, scenario.reference_json, scenario.final_message],
        [[each.kind, each.origin, each.text, each.code] for each in sorted(checks, key=lambda each: each.number)],
    )
