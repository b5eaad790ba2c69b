"""The built-in author: what it composes for every theme, and that the same question has one answer."""

import ast
from importlib.resources import files
from typing import Any

import pytest

from schemas.logic_models import LogicModel
from tasks.authors.base import (
    DraftInitialStates,
    DraftLogicModel,
    DraftScenarios,
    Evidence,
    JudgeCalls,
    NotOffered,
    Question,
    RepairCode,
    RepairScenario,
    TopicBrief,
)
from tasks.authors.rules.author import RuleAuthor
from tasks.authors.rules.compose import compose
from tasks.authors.rules.invent import invented_section
from tasks.authors.rules.logic import logic_model_of
from tasks.authors.rules.render import render
from tasks.skeletons.structure import structure_digest
from tests.fakes.lending_shed_scenarios import EXTEND
from tests.fakes.sandbox import SANDBOX

THEMES = sorted(
    each.name.removesuffix(".yaml")
    for each in files("tasks.authors.rules").joinpath("environments").iterdir()
    if each.name.endswith(".yaml")
)


def brief(slug: str, title: str | None = None) -> TopicBrief:
    title = title or slug.replace("-", " ").capitalize()
    return TopicBrief(slug=slug, title=title, summary=f"{title}.", introduction=f"{title}.", domain="any")


def planned(theme: str, seed: int = 1) -> tuple[str, LogicModel]:
    draft = compose(brief(theme), theme, seed)
    code = render(draft)
    return code, logic_model_of(draft, code)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("seed", [1, 2])
def test_every_theme_makes_an_environment_of_full_size(theme: str, seed: int) -> None:
    _, model = planned(theme, seed)

    executable = [rule for rule in model.rules if rule.predicate]
    assert len(model.operations) >= 15, [each.name for each in model.operations]
    assert len(model.entities) >= 4
    assert len(executable) >= 5
    assert any(rule.kind == "policy" for rule in model.rules)
    assert {each.kind for each in model.operations} == {"query", "state_change"}


@pytest.mark.parametrize("theme", THEMES)
def test_the_code_of_a_theme_has_no_trace_of_a_template(theme: str) -> None:
    code, _ = planned(theme)

    for trace in ("<<", ">>", "<%", "%>", "{{", "#:", "noun", "role", "TODO", "\n\n\n\n", "None None"):
        assert trace not in code, trace
    used = {node.id for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Name)}
    attributes = {node.attr for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Attribute)}
    defined = [node.name for node in ast.walk(ast.parse(code)) if isinstance(node, ast.FunctionDef)]
    helpers = [name for name in defined if name.startswith("_") and name != "__init__"]
    assert [name for name in helpers if name not in used | attributes] == []
    assert len(defined) == len(set(defined))
    assert max(len(line) for line in code.splitlines()) <= 132


def test_themes_differ_in_structure_and_not_only_in_names() -> None:
    shapes = {theme: structure_digest(planned(theme)[1]) for theme in THEMES}

    assert len(set(shapes.values())) == len(THEMES)


def test_the_seed_changes_the_structure_digest_a_theme_with_options() -> None:
    assert len({structure_digest(planned("mobile-plans", seed)[1]) for seed in range(6)}) > 1


@pytest.mark.parametrize(
    ("title", "thing", "visit"),
    [
        ("Beekeeping club hive inspections", "hive", "inspection"),
        ("submarine spare parts", "part", "visit"),
        ("Lessons for nervous llamas", "llama", "lesson"),
        ("the office", "item", "visit"),
        ("吃饭", "item", "visit"),
        ("client supply now", "item", "visit"),
    ],
)
def test_a_topic_without_a_theme_gets_an_environment_of_its_own_words(title: str, thing: str, visit: str) -> None:
    section = invented_section(title)
    draft = compose(brief("some-topic", title), None, 1)
    model = logic_model_of(draft, render(draft))

    assert list(section["nouns"])[1] == thing
    assert list(section["nouns"])[3] == visit
    assert {f"register_{thing}", f"book_{visit}"} <= {each.name for each in model.operations}
    assert len({each.id_prefix for each in model.entities}) == len(model.entities)


def test_the_same_question_has_the_same_answer_from_two_authors() -> None:
    answers = []
    for _ in range(2):
        author = RuleAuthor(SANDBOX)
        topic = brief("retail-bank")
        model = author.ask(DraftLogicModel(topic=topic), seed=3)
        code = "unused: the author knows its own code"
        states = author.ask(DraftInitialStates(topic=topic, logic_model=model, code=code, count=1), seed=3)
        question = DraftScenarios(topic=topic, logic_model=model, code=code, state=states.states[0], lengths=(4, 6, 8))
        answers.append((model, states, author.ask(question, seed=3)))

    assert answers[0] == answers[1]
    assert len(answers[0][2].scenarios) == 3


def test_a_task_needs_look_ups_and_names_no_ids() -> None:
    author = RuleAuthor(SANDBOX)
    topic = brief("course-registry")
    model = author.ask(DraftLogicModel(topic=topic), seed=5)
    state = author.ask(DraftInitialStates(topic=topic, logic_model=model, code="", count=1), seed=5).states[0]

    asked = DraftScenarios(topic=topic, logic_model=model, code="", state=state, lengths=(3, 5, 6, 7, 8, 9))
    drafts = author.ask(asked, seed=5).scenarios

    writes = {each.name for each in model.operations if each.kind == "state_change"}
    ids = {key for each in model.entities for key in state[each.collection]}
    assert len(drafts) == 6
    assert len({draft.kind for draft in drafts}) == 6
    for draft in drafts:
        assert 1 <= len(draft.reference) <= 15
        assert draft.reference[0].tool not in writes
        changes = [step for step in draft.reference if step.tool in writes]
        assert any(step.bindings for step in changes) or draft.kind in ("refusal", "question")
        assert not [key for key in ids if key in draft.task + str(draft.user_goal)]
        assert draft.checks


def test_repairs_and_judgements_are_declined_and_it_says_why() -> None:
    topic = brief("course-registry")
    code, model = planned("course-registry")
    found = (Evidence(reason="uncaught_exception", detail="enrol({}) raises KeyError: 'x' (line 12)"),)
    author = RuleAuthor(SANDBOX)

    repairs: tuple[Question[Any], ...] = (
        RepairCode(topic, model, code, found, round=1),
        RepairScenario(topic, model, code, {}, EXTEND, found, round=1),
    )
    for repair in repairs:
        with pytest.raises(NotOffered, match="composes from tested parts and repairs nothing"):
            author.ask(repair, seed=1)
    with pytest.raises(NotOffered):
        author.ask(JudgeCalls(model, code, ()), seed=1)
