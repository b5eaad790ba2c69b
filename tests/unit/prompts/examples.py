"""The worked examples that stand in the prompts, taken out of them."""

import re

from prompts.library import load
from schemas.logic_models import LogicModel
from tasks.authors.base import ScenariosDraft, StatesDraft

_BLOCK = re.compile(r"^```(?:json|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def example_of(prompt: str) -> str:
    """The one fenced block of the section "Example"."""
    _, after = load(prompt).text.split("\n## Example\n")
    section = after.split("\n## ")[0]
    (block,) = _BLOCK.findall(section)
    return str(block)


def repair_desk() -> LogicModel:
    """The plan that the example class, states and scenarios belong to."""
    return LogicModel.model_validate_json(example_of("draft_logic_model"))


def repair_desk_states() -> StatesDraft:
    return StatesDraft.model_validate_json(example_of("draft_initial_states"))


def repair_desk_scenarios() -> ScenariosDraft:
    return ScenariosDraft.model_validate_json(example_of("draft_scenarios"))
