"""Runs what stands in the examples: calls on a class, and scenarios through the scenario stage."""

from collections.abc import Sequence
from typing import Any

from schemas.logic_models import LogicModel
from schemas.scenarios import Scenario, ScenarioDraft
from tasks.authors.base import ExecutedCall, ScenariosDraft, StatesDraft
from tasks.authors.base import TestCase as Case
from tasks.authors.base import TestPlan as Plan
from tasks.evaluation.plan_runs import CaseRun, StatedPlan, run_plans
from tasks.runtime.signature import tools_of
from tasks.scenarios.generate import generate_scenarios
from tasks.skeletons.rows import tool_rows
from tests.fakes.authors import ScriptedAuthor
from tests.fakes.lending_shed import TOPIC
from tests.fakes.lending_shed_scenarios import SKELETON
from tests.fakes.sandbox import SANDBOX
from tests.unit.prompts.examples import example_of, repair_desk, repair_desk_states


def executed(
    code: str, class_name: str, state: dict[str, Any], cases: Sequence[Case], plan: LogicModel
) -> tuple[ExecutedCall, ...]:
    """What comes of each case on a fresh copy of the state, seen by an agent."""
    return tuple(run.executed for run in runs_of(code, class_name, state, cases, plan))


def runs_of(
    code: str, class_name: str, state: dict[str, Any], cases: Sequence[Case], plan: LogicModel
) -> tuple[CaseRun, ...]:
    """The same with what was expected."""
    stated = StatedPlan(state, Plan(cases=tuple(cases)))
    return run_plans(code, plan, tools_of(code, class_name), [stated], SANDBOX)


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
