"""Runs what stands in the examples: calls on a class, and scenarios through the scenario stage."""

from collections.abc import Sequence
from typing import Any

from schemas.ids import canonical_json
from schemas.scenarios import Scenario, ScenarioDraft
from tasks.authors.base import ExecutedCall, ScenariosDraft, StatesDraft
from tasks.authors.base import TestCase as Case
from tasks.runtime.environment import Environment
from tasks.runtime.signature import tools_of
from tasks.runtime.state import Change
from tasks.scenarios.generate import generate_scenarios
from tasks.skeletons.rows import tool_rows
from tests.fakes.authors import ScriptedAuthor
from tests.fakes.lending_shed import TOPIC
from tests.fakes.lending_shed_scenarios import SKELETON
from tests.fakes.sandbox import SANDBOX
from tests.unit.prompts.examples import example_of, repair_desk, repair_desk_states


def executed(code: str, class_name: str, state: dict[str, Any], cases: Sequence[Case]) -> tuple[ExecutedCall, ...]:
    """What comes of each case on a fresh copy of the state, seen by an agent."""
    with SANDBOX.environment(code, class_name) as session:
        environment = Environment(session, {tool.name: tool.parameters for tool in tools_of(code, class_name)})
        calls = []
        for number, case in enumerate(cases, start=1):
            environment.reset(state)
            result = environment.call(case.tool, case.arguments)
            changes = tuple(_told(change) for change in environment.difference())
            calls.append(ExecutedCall(number=number, case=case, result=result, error=None, changes=changes))
    return tuple(calls)


def proven(draft: ScenarioDraft) -> Scenario:
    """The row of a scenario on the repair desk's state."""
    plan, code = repair_desk(), example_of("draft_code")
    skeleton = SKELETON.model_copy(update={"code": code, "class_name": plan.class_name})
    author = ScriptedAuthor(
        {
            "draft_initial_states": [StatesDraft(states=repair_desk_states().states)],
            "draft_scenarios": [ScenariosDraft(scenarios=(draft,))],
        }
    )
    outcome = generate_scenarios(
        skeleton,
        plan,
        tool_rows(skeleton.skeleton_id, plan, tools_of(code, plan.class_name)),
        TOPIC,
        author=author,
        sandbox=SANDBOX,
        seed=1,
        state_count=1,
        scenarios_per_state=1,
    )
    (row,) = outcome.scenarios
    return row


def _told(change: Change) -> str:
    path, before, after = ".".join(change.path), canonical_json(change.before), canonical_json(change.after)
    match change.kind:
        case "added":
            return f"{path} is new: {after}."
        case "removed":
            return f"{path} is gone, it was {before}."
        case "changed":
            return f"{path} was {before} and is {after}."
