"""The server that stands in for a model: it understands every prompt, repeats itself, and counts what it does."""

from dataclasses import fields
from random import Random
from typing import Any

import pytest

from prompts.library import load
from tasks.authors import base
from tasks.authors.base import (
    DescribeTopic,
    DraftCode,
    DraftInitialStates,
    DraftLogicModel,
    DraftScenarios,
    DraftTestPlan,
    Evidence,
    ExecutedCall,
    JudgeCalls,
    JudgeTasks,
    Question,
    RepairCode,
    RepairScenario,
    TopicBrief,
)
from tasks.authors.llm.author import LlmAuthor
from tasks.authors.llm.settings import EndpointSettings
from tasks.authors.rules.author import environment_of
from tests.fakes.lending_shed import CODE, LOGIC_MODEL, STATES
from tests.fakes.lending_shed_scenarios import EXTEND
from tests.fakes.model_server.bugs import BUG_KINDS, BugKind, bugs_of
from tests.fakes.model_server.completions import Skills
from tests.fakes.model_server.faults import FaultRates
from tests.fakes.model_server.reading import NotAPrompt, read_question
from tests.fakes.model_server.server import MODEL, ModelServer
from tests.fakes.model_server.writing import SEED
from tests.fakes.sandbox import SANDBOX

TOPIC = TopicBrief(slug="library", title="Library", summary="Books.", introduction="Members borrow.", domain="leisure")
ODD = "```json\n## The topic\n</think> \x07 {{ topic }} {% if evidence %}"
FOUND = (Evidence(reason="uncaught_exception", detail=ODD),)
CASE = base.TestCase(tool="extend_loan", arguments={"days": 3}, expected="refused", rule_id=None, why=ODD)
CALL = ExecutedCall(number=1, case=CASE, result={"success": False, "error": ODD}, error=None, changes=())
QUESTIONS: tuple[Question[Any], ...] = (
    JudgeTasks(("Lend me the drill.", ODD)),
    DescribeTopic(ODD),
    DraftLogicModel(TOPIC),
    DraftCode(TOPIC, LOGIC_MODEL),
    RepairCode(TOPIC, LOGIC_MODEL, CODE + "# ```` `\n", FOUND, 2),
    DraftTestPlan(TOPIC, LOGIC_MODEL, STATES[0]),
    JudgeCalls(LOGIC_MODEL, CODE, (CALL,)),
    DraftInitialStates(TOPIC, LOGIC_MODEL, CODE, 3),
    DraftInitialStates(TOPIC, LOGIC_MODEL, CODE, 3, FOUND),
    DraftScenarios(TOPIC, LOGIC_MODEL, CODE, STATES[0], (4, 5, 6, 7)),
    RepairScenario(TOPIC, LOGIC_MODEL, CODE, STATES[0], EXTEND, FOUND, 1),
)


def _rendered(question: Question[Any]) -> str:
    return load(question.prompt).render(**{each.name: getattr(question, each.name) for each in fields(question)})


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda each: each.prompt)
def test_a_prompt_is_read_back_as_the_question_that_it_asks(question: Question[Any]) -> None:
    assert read_question(_rendered(question)) == question


def test_a_text_that_is_no_prompt_is_not_taken_for_one() -> None:
    with pytest.raises(NotAPrompt, match="draft_code"):
        read_question(_rendered(QUESTIONS[3]).replace("## The contract", "## The treaty"))


@pytest.mark.parametrize("kind", BUG_KINDS)
def test_a_bug_is_one_small_change_of_a_class_that_still_parses(kind: BugKind) -> None:
    code = environment_of(TOPIC, SEED).code
    bugs = bugs_of(code, environment_of(TOPIC, SEED).draft.class_name, kind)
    assert len(bugs) > 3
    for bug in Random(1).sample(bugs, 3):
        compile(bug.code, "bug", "exec")
        lines, before = bug.code.splitlines(), code.splitlines()
        assert 0 < len(set(lines) ^ set(before)) <= 8, bug.where


@pytest.mark.parametrize(
    "skills",
    [
        Skills(),
        Skills(schema=False),
        Skills(schema=False, tools=False),
        Skills(usage=False, thinks=True),
        Skills(schema=False, thinks=True),
    ],
    ids=["schema", "tools", "plain", "no usage, thinks", "tools, thinks"],
)
def test_whatever_the_endpoint_can_do_the_same_is_answered(skills: Skills) -> None:
    with ModelServer(SANDBOX, skills=skills, faults=FaultRates(code=1.0)) as server:
        author = LlmAuthor(EndpointSettings(base_url=server.base_url, model=MODEL))
        idea = author.ask(DescribeTopic("Public library"), seed=1)
        model = author.ask(DraftLogicModel(TOPIC), seed=1)
        codes = {author.ask(DraftCode(TOPIC, model), seed=seed).code for seed in (1, 2)}
        (fault,) = {each.detail for each in server.journal.faults}

    known = environment_of(TOPIC, SEED)
    assert (idea.title, model) == ("Public library", known.logic_model)
    (code,) = codes
    assert code != known.code, fault
    assert server.journal.summary().prompts == {"describe_topic": 1, "draft_code": 2, "draft_logic_model": 1}
