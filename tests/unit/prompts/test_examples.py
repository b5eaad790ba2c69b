"""What the prompts show as an example passes every check that the prompts announce."""

from dataclasses import fields
from typing import Any

import pytest

from prompts.library import load, names
from tasks.authors.base import EnvironmentIdea, Question, TaskJudgements
from tasks.authors.llm.author import QUESTIONS
from tasks.evaluation.evaluate import evaluate
from tasks.runtime.signature import imports_of
from tasks.sandbox.allowed import ALLOWED_MODULES
from tasks.skeletons.logic import logic_findings
from tasks.skeletons.predicates import FUNCTIONS, METHODS
from tests.fakes.sandbox import SANDBOX
from tests.unit.prompts.examples import example_of, repair_desk, repair_desk_scenarios, repair_desk_states
from tests.unit.prompts.executing import proven


@pytest.mark.parametrize("kind", QUESTIONS, ids=lambda kind: kind.prompt)
def test_every_question_has_a_prompt_with_its_inputs_and_its_reply(kind: type[Question[Any]]) -> None:
    prompt = load(kind.prompt)
    assert prompt.inputs == tuple(field.name for field in fields(kind))
    assert prompt.reply == kind.reply_type.__name__


def test_there_is_no_prompt_without_a_question() -> None:
    assert set(names()) == {kind.prompt for kind in QUESTIONS} | {"answer_again", "play_scenario"}


def test_the_judgements_are_valid_and_show_both_answers() -> None:
    reply = TaskJudgements.model_validate_json(example_of("judge_tasks"))
    assert [each.is_stateful for each in reply.judgements] == [True, False]


def test_the_idea_is_valid() -> None:
    EnvironmentIdea.model_validate_json(example_of("describe_topic"))


def test_the_plan_is_sound() -> None:
    assert logic_findings(repair_desk()) == ()


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_class_is_accepted_on_the_state(seed: int) -> None:
    plan, states = repair_desk(), repair_desk_states().states
    code = example_of("draft_code")
    evaluation = evaluate(code, plan.class_name, plan, states, sandbox=SANDBOX, seed=seed)
    assert (evaluation.status, evaluation.detail) == ("accepted", None)


def test_the_scenario_is_proven_on_the_state() -> None:
    (scenario,) = repair_desk_scenarios().scenarios
    assert scenario.user_goal is not None
    row = proven(scenario)
    assert (row.status, row.detail, row.user_goal) == ("accepted", None, scenario.user_goal)


def test_the_prompts_name_what_is_really_allowed() -> None:
    for prompt in ("draft_code", "repair_code"):
        assert f"`{' '.join(ALLOWED_MODULES)}`" in load(prompt).text
    assert f"`{' '.join(FUNCTIONS)}`" in load("draft_logic_model").text
    assert f"`{' '.join(METHODS)}`" in load("draft_logic_model").text
    assert all(module in ALLOWED_MODULES for module in imports_of(example_of("draft_code")))
