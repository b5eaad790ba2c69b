"""The worked examples that stand in the prompts, taken out of them."""

import re

from prompts.library import load
from schemas.logic_models import LogicModel
from tasks.authors.base import ScenariosDraft, StatesDraft

_BLOCK = re.compile(r"^```(?:json|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def example_of(prompt: str) -> str:
    """The answer in the section "Example": its last fenced block."""
    return _example(prompt)[-1]


def given_in(prompt: str) -> list[str]:
    """What the example answers: the fenced blocks before its answer; empty where words say it."""
    return _example(prompt)[:-1]


def repair_desk() -> LogicModel:
    """The plan that the example class, states and scenarios belong to."""
    return LogicModel.model_validate_json(example_of("draft_logic_model"))


def repair_desk_states() -> StatesDraft:
    return StatesDraft.model_validate_json(example_of("draft_initial_states"))


def repair_desk_scenarios() -> ScenariosDraft:
    return ScenariosDraft.model_validate_json(example_of("draft_scenarios"))


def _example(prompt: str) -> list[str]:
    _, after = load(prompt).text.split("\n## Example\n")
    return [str(block) for block in _BLOCK.findall(after.split("\n## ")[0])]
