"""The author that asks a model, through the real client, against a real HTTP server with scripted replies."""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from pydantic import BaseModel

from tasks.authors.base import (
    BadReply,
    DescribeTopic,
    DraftCode,
    DraftInitialStates,
    DraftLogicModel,
    DraftScenarios,
    DraftTestPlan,
    EnvironmentIdea,
    Evidence,
    ExecutedCall,
    JudgeCalls,
    JudgeTasks,
    Question,
    RepairCode,
    RepairScenario,
    TestCase,
    TopicBrief,
)
from tasks.authors.llm.portions import TEXTS_PER_REQUEST
from tasks.scenarios.generate import generate_scenarios
from tasks.skeletons.build import build_skeleton
from tests.contract.llm_asking import IDEA, KEY, THEME, asking, author_of
from tests.fakes.endpoint import FakeEndpoint, Request
from tests.fakes.lending_shed import TOPIC
from tests.fakes.sandbox import SANDBOX
from tests.unit.prompts.examples import example_of, repair_desk, repair_desk_scenarios, repair_desk_states

BRIEF = TopicBrief(slug="desk", title="Repair desk", summary="A desk.", introduction="Repairs.", domain="transport")
MODEL = repair_desk()
CODE = example_of("draft_code")
STATE = repair_desk_states().states[0]
SCENARIO = repair_desk_scenarios().scenarios[0]
EVIDENCE = (Evidence(reason="broken_invariant", detail="A repair without a bicycle was accepted."),)
CASE = TestCase(tool="list_repairs", arguments={}, expected="success", why="Nothing is needed for it.")
CALLS = tuple(
    ExecutedCall(number=number, case=CASE, result={"success": True}, error=None, changes=()) for number in (1, 2, 5)
)

QUESTIONS: dict[str, Question[Any]] = {
    "judge_tasks": JudgeTasks(("Move my repair to Monday.", "Why do disc brakes squeal?")),
    "describe_topic": THEME,
    "draft_logic_model": DraftLogicModel(BRIEF),
    "draft_code": DraftCode(BRIEF, MODEL),
    "draft_initial_states": DraftInitialStates(BRIEF, MODEL, CODE, 1),
    "draft_scenarios": DraftScenarios(BRIEF, MODEL, CODE, STATE, (4,)),
    "repair_code": RepairCode(BRIEF, MODEL, CODE, EVIDENCE, 1),
    "draft_test_plan": DraftTestPlan(BRIEF, MODEL, STATE),
    "judge_calls": JudgeCalls(MODEL, CODE, CALLS),
    "repair_scenario": RepairScenario(BRIEF, MODEL, CODE, STATE, SCENARIO, EVIDENCE, 2),
}


def fenced(code: str) -> str:
    return f"```python\n{code}```\n"


def judged(*numbers: int) -> str:
    judgements = [{"number": number, "verdict": "pass", "reason": "As planned."} for number in numbers]
    return json.dumps({"judgements": judgements})


CODE_PROMPTS = ("draft_code", "repair_code")
REPLIES = {
    **{name: example_of(name) for name in list(QUESTIONS)[:6]},
    **dict.fromkeys(CODE_PROMPTS, fenced(CODE)),
    "draft_test_plan": json.dumps({"cases": [CASE.model_dump()]}),
    "judge_calls": judged(1, 2, 5),
    "repair_scenario": repair_desk_scenarios().model_dump_json(),
}


@pytest.mark.parametrize("prompt", QUESTIONS)
def test_every_question_is_answered_with_its_type(prompt: str) -> None:
    question = QUESTIONS[prompt]
    with asking(REPLIES[prompt]) as (endpoint, author):
        reply: BaseModel = author.ask(question, seed=7)

    assert type(reply) is question.reply_type
    (request,) = endpoint.requests
    assert (request.body["model"], request.body["seed"], request.body["temperature"]) == ("scripted", 7, 0.7)
    assert request.headers["authorization"] == f"Bearer {KEY}"
    if prompt in CODE_PROMPTS:
        assert "response_format" not in request.body
    else:
        schema = request.body["response_format"]["json_schema"]
        assert schema == {"name": type(reply).__name__, "schema": type(reply).model_json_schema(), "strict": False}


def test_a_model_that_repeats_the_examples_passes_all_but_the_coverage_of_its_short_test_plan() -> None:
    written = [REPLIES[name] for name in ("draft_logic_model", "draft_code", "draft_initial_states")]
    sandbox = SANDBOX
    with asking(*written, '{"cases": []}', '{"cases": []}', *["I will not write it again."] * 2) as (_, author):
        built = build_skeleton(TOPIC, author=author, sandbox=sandbox, seed=1)
    assert (built.status, built.reason) == ("rejected", "rule_untested")
    assert set(built.skeleton_validations[0].checks_failed) <= {"rule_untested", "tool_untested"}

    with asking(REPLIES["draft_initial_states"], REPLIES["draft_scenarios"]) as (_, author):
        outcome = generate_scenarios(
            built.skeletons[0],
            MODEL,
            built.tools,
            TOPIC,
            author=author,
            sandbox=sandbox,
            seed=1,
            state_count=1,
            scenarios_per_state=1,
        )

    assert [(row.status, row.detail, row.author) for row in outcome.scenarios] == [("accepted", None, "scripted")]
    assert [check.kind for check in outcome.checks] == ["goal", "answer", "guard"]


def test_many_texts_are_judged_in_portions_and_come_back_in_order() -> None:
    count = 2 * TEXTS_PER_REQUEST + 3

    def judge(request: Request) -> str:
        texts = json.loads(request.prompt.rpartition("```json\n")[2].removesuffix("\n```\n"))
        judged = [
            {"is_stateful": False, "reason": "chit_chat", "explanation": text, "environment": None} for text in texts
        ]
        return json.dumps({"judgements": judged})

    with FakeEndpoint(judge) as endpoint:
        reply = author_of(endpoint).ask(JudgeTasks(tuple(f"text {number}" for number in range(count))), seed=0)

    assert [each.explanation for each in reply.judgements] == [f"text {number}" for number in range(count)]
    assert len(endpoint.requests) == 3


def test_several_threads_share_one_author() -> None:
    def answer(request: Request) -> str:
        return json.dumps({**json.loads(IDEA), "title": request.prompt.rpartition("```json\n")[2].split('"')[1]})

    with FakeEndpoint(answer) as endpoint, ThreadPoolExecutor(8) as pool:
        author = author_of(endpoint)
        titles = [f"theme {number}" for number in range(24)]
        replies = list(pool.map(lambda title: author.ask(DescribeTopic(title), seed=0), titles))

    assert [reply.title for reply in replies] == titles


WRAPPED = {
    "bare": IDEA,
    "after a thought": f'<think>Which fields? {{"title": 1}}\n```json\n{{}}\n```</think>\n{IDEA}',
    "after a thought whose opening tag is missing": f"So they want a desk.\n</think>\n\n{IDEA}",
    "in a fence with words around": f"Here it is:\n\n```json\n{IDEA}```\nI hope this helps!",
    "in the second fence": f"First try:\n```json\n{{}}\n```\nBetter:\n```json\n{IDEA}```",
    "in a fence that is never closed": f"```json\n{IDEA}",
    "between words": f"Sure! {IDEA} Anything else?",
}


@pytest.mark.parametrize("form", WRAPPED)
def test_json_is_found_however_it_is_wrapped(form: str) -> None:
    with asking(WRAPPED[form]) as (endpoint, author):
        assert author.ask(THEME, seed=0) == EnvironmentIdea.model_validate_json(IDEA)
    assert len(endpoint.requests) == 1


WRAPPED_CODE = {
    "in a fence": fenced(CODE),
    "after a thought with code": f"<think>\n```\nclass {MODEL.class_name}: ...\n```\n</think>\n{fenced(CODE)}",
    "before a usage example": f"The class:\n{fenced(CODE)}\nUse it:\n```python\nprint({MODEL.class_name}())\n```",
    "after a smaller draft": f"```\nclass {MODEL.class_name}: ...\n```\nNow in full:\n{fenced(CODE)}",
    "without a fence": CODE,
}


@pytest.mark.parametrize("form", WRAPPED_CODE)
def test_code_is_found_however_it_is_wrapped(form: str) -> None:
    with asking(WRAPPED_CODE[form]) as (endpoint, author):
        assert author.ask(QUESTIONS["draft_code"], seed=0).code == CODE
    assert len(endpoint.requests) == 1


MISFITS: dict[str, tuple[str, str, str]] = {
    "no JSON": ("describe_topic", "I would rather not.", "no complete JSON object"),
    "nothing": ("describe_topic", "", "The answer is empty"),
    "a thought alone": ("describe_topic", "<think>Hm.", "The answer is empty"),
    "broken JSON": ("describe_topic", IDEA[: len(IDEA) // 2], "no complete JSON object"),
    "half a character": ("describe_topic", IDEA.replace("workshop", "\\ud800"), "no complete JSON object"),
    "a missing field": ("describe_topic", '{"title": "Desk"}', "summary: Field required"),
    "an unknown field": ("describe_topic", IDEA.replace('{"title"', '{"mood": 1, "title"'), "mood: Extra inputs"),
    "a value out of bounds": ("describe_topic", IDEA.replace('"usefulness": 7', '"usefulness": 11'), "got 11"),
    "a judgement too few": ("judge_tasks", '{"judgements": []}', "0 judgements for 2 texts"),
    "no environment": (
        "judge_tasks",
        json.dumps({"judgements": [{**json.loads(REPLIES["judge_tasks"])["judgements"][0], "environment": None}] * 2}),
        "Judgement 1 calls its text stateful",
    ),
    "a call too few": ("judge_calls", judged(1, 2), "calls 1, 2, 5 were to be judged, and the judgements are of 1, 2"),
    "calls in another order": ("judge_calls", judged(1, 5, 2), "are of 1, 5, 2"),
    "no call": ("judge_calls", judged(), "are of none"),
    "no repaired class": ("repair_code", "I can't.", f"No fenced block defines `class {MODEL.class_name}`"),
    "no class": ("draft_code", "```python\nprint('done')\n```", f"No fenced block defines `class {MODEL.class_name}`"),
}


@pytest.mark.parametrize("case", MISFITS)
def test_a_reply_that_does_not_fit_is_asked_for_again_with_the_reason(case: str) -> None:
    prompt, bad, reason = MISFITS[case]
    with asking(bad, REPLIES[prompt]) as (endpoint, author):
        reply: BaseModel = author.ask(QUESTIONS[prompt], seed=3)

    assert type(reply) is QUESTIONS[prompt].reply_type
    first, second = (request.messages for request in endpoint.requests)
    assert [message["role"] for message in second] == ["user", "assistant", "user"]
    assert second[0] == first[0]
    assert reason in second[2]["content"].encode().decode("unicode_escape")


@pytest.mark.parametrize("case", MISFITS)
def test_a_second_misfit_is_a_bad_reply_with_its_reason(case: str) -> None:
    prompt, bad, reason = MISFITS[case]
    with asking(bad, bad) as (endpoint, author), pytest.raises(BadReply) as caught:
        author.ask(QUESTIONS[prompt], seed=3)

    assert caught.value.reason == "reply_unusable"
    assert prompt in str(caught.value)
    assert reason in str(caught.value)
    assert len(endpoint.requests) == 2


def test_the_client_is_not_imported_before_an_author_is_made() -> None:
    program = "import sys, tasks.authors.llm.author; sys.exit('openai' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], env={**os.environ, "PYTHONPATH": "."}).returncode == 0


def test_the_same_question_is_the_same_request() -> None:
    with asking(IDEA, IDEA) as (endpoint, author):
        author.ask(THEME, seed=-1)
        author.ask(THEME, seed=-1)
    first, second = endpoint.requests
    assert first.body == second.body
