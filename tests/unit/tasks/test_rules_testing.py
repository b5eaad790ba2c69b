"""The test plan of the built-in author: found on its own class, and passed by it and by no class with a fault."""

from collections import Counter
from functools import cache

import pytest

from schemas.logic_models import LogicModel
from tasks.authors.base import DraftInitialStates, DraftTestPlan, TopicBrief
from tasks.authors.rules.author import RuleAuthor, environment_of
from tasks.evaluation.plan_runs import CaseRun, StatedPlan, run_plans
from tasks.runtime.signature import tools_of
from tests.fakes.sandbox import SANDBOX

THEMES = ("music-library", "retail-bank")


def brief(slug: str) -> TopicBrief:
    title = slug.replace("-", " ").capitalize()
    return TopicBrief(slug=slug, title=title, summary=f"{title}.", introduction=f"{title}.", domain="any")


@cache
def written(theme: str) -> tuple[str, LogicModel, StatedPlan]:
    author, topic = RuleAuthor(SANDBOX), brief(theme)
    known = environment_of(topic, 1)
    state = author.ask(DraftInitialStates(topic, known.logic_model, known.code, 1), seed=1).states[0]
    plan = author.ask(DraftTestPlan(topic, known.logic_model, state), seed=1)
    return known.code, known.logic_model, StatedPlan(state, plan)


def runs(theme: str, code: str) -> tuple[CaseRun, ...]:
    _, model, stated = written(theme)
    return run_plans(code, model, tools_of(code, model.class_name), [stated], SANDBOX)


def faulty(theme: str, old: str, new: str) -> str:
    code = written(theme)[0]
    assert old in code, old
    return code.replace(old, new, 1)


@pytest.mark.parametrize("theme", THEMES)
def test_every_case_comes_out_as_expected_on_the_authors_own_class(theme: str) -> None:
    assert [each.detail for each in runs(theme, written(theme)[0]) if each.reason is not None] == []


@pytest.mark.parametrize("theme", THEMES)
def test_every_tool_and_every_precondition_has_its_cases(theme: str) -> None:
    _, model, stated = written(theme)
    counts = Counter((each.tool, each.expected) for each in stated.plan.cases)
    for operation in model.operations:
        assert counts[operation.name, "success"] >= 1, operation.name
        assert counts[operation.name, "refused"] >= 2, operation.name
    enforced = {rule_id for operation in model.operations for rule_id in operation.enforces}
    tested = {each.rule_id for each in stated.plan.cases}
    untested = {each.rule_id for each in stated.plan.untested}
    assert tested - {None} <= enforced
    assert enforced == (tested - {None}) | untested
    kinds = {rule.id: rule.kind for rule in model.rules}
    assert [each for each in untested if kinds[each] == "precondition"] == []
    assert all(each.why for each in stated.plan.untested)


@pytest.mark.parametrize("theme", THEMES)
def test_what_succeeds_says_what_is_true_afterwards(theme: str) -> None:
    _, model, stated = written(theme)
    for each in stated.plan.cases:
        assert (each.holds is not None) == (each.expected == "success")
    for operation in model.operations:
        held = [str(each.holds) for each in stated.plan.cases if each.tool == operation.name and each.holds]
        assert any("result[" in each for each in held)
        assert all("state == before" in each for each in held) == (operation.kind == "query")


def test_the_same_question_has_the_same_plan() -> None:
    _, model, stated = written("music-library")
    question = DraftTestPlan(brief("music-library"), model, stated.state)

    again = RuleAuthor(SANDBOX).ask(question, seed=1)

    assert again == stated.plan


def test_a_case_lies_on_each_side_of_a_limit() -> None:
    _, _, stated = written("retail-bank")
    texts = [each.why for each in stated.plan.cases]

    assert any(text.startswith("The last ") for text in texts)
    assert any(text.startswith("The first ") for text in texts)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"status": "active"', '"status": "archived"'),
        ("amount_cents > available", "amount_cents >= available"),
        ('["status"] != "open"', '["status"] == "open"'),
    ],
)
def test_a_fault_shows_in_some_case(old: str, new: str) -> None:
    reasons = {each.reason for each in runs("retail-bank", faulty("retail-bank", old, new))}

    assert reasons - {None}
