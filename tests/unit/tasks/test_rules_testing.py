"""The test plan of the built-in author: found on its own class, and passed by it and by no class with a fault."""

from collections import Counter
from functools import cache
from random import Random

import pytest

from schemas.logic_models import LogicModel
from tasks.authors.base import DraftInitialStates, DraftTestPlan, TopicBrief
from tasks.authors.rules.author import RuleAuthor, environment_of
from tasks.authors.rules.testing.guards import GUARDED_CLASS, attempts, with_guards
from tasks.authors.rules.testing.settled_session import SettledSession
from tasks.authors.rules.testing.variations import Variations
from tasks.evaluation.plan_runs import CaseRun, StatedPlan, run_plans
from tasks.runtime.signature import tools_of
from tests.fakes.lending_shed import LOGIC_MODEL, STATES
from tests.fakes.sandbox import SANDBOX

THEMES = ("music-library", "retail-bank")
REFUSED_ALONE = {
    ("list_free_consultation_times", frozenset({"day", name})) for name in ("adviser_id", "subject", "customer_id")
}
"""It takes an adviser with a subject, or a consultation; a customer only with these."""
SHOP = '''
class Shop:
    """Lends."""

    def __init__(self, config=None):
        self.now = "2025-05-12T09:30"

    def lend(self, days, name):
        """Lend."""
        if not 1 <= days <= 9 or not name:
            return {"success": False, "error": "no"}
        if days < 7 and not (len(name) < 3 or name == "Ada"):
            return {"success": False, "error": "no"}
        return {"success": True, "message": "yes"}
'''


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


@pytest.mark.parametrize(
    ("theme", "without_a_case"),
    [
        ("music-library", ["places_in_line", "playlist_stays_deleted"]),
        ("retail-bank", ["account_entries_add_up"]),
        ("vehicle-control", []),
        ("food-delivery", ["order_total"]),
    ],
)
def test_every_tool_and_every_rule_that_a_condition_keeps_has_its_cases(theme: str, without_a_case: list[str]) -> None:
    _, model, stated = written(theme)
    counts = Counter((each.tool, each.expected) for each in stated.plan.cases)
    for operation in model.operations:
        assert counts[operation.name, "success"] >= 1, operation.name
        assert counts[operation.name, "refused"] >= 2, operation.name
    enforced = {rule_id for operation in model.operations for rule_id in operation.enforces}
    tested = {each.rule_id for each in stated.plan.cases}
    assert sorted(each.rule_id for each in stated.plan.untested) == without_a_case
    assert tested - {None} == enforced - set(without_a_case)
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


@pytest.mark.parametrize("theme", THEMES)
def test_every_optional_argument_of_a_query_is_given_alone_or_refused_without_another_one(theme: str) -> None:
    _, model, stated = written(theme)
    given: dict[str, set[tuple[str, frozenset[str]]]] = {"success": set(), "refused": set()}
    for each in stated.plan.cases:
        given[each.expected].add((each.tool, frozenset(each.arguments)))
    for operation in (each for each in model.operations if each.kind == "query"):
        required = {each.name for each in operation.parameters if each.required}
        for name in (each.name for each in operation.parameters if not each.required):
            alone = (operation.name, frozenset({*required, name}))
            assert alone in given["refused" if alone in REFUSED_ALONE else "success"], alone


def test_a_query_is_tried_with_the_values_of_what_it_finds() -> None:
    variations = Variations(LOGIC_MODEL, STATES[0], Random(1))
    extend_loan = next(each for each in LOGIC_MODEL.operations if each.name == "extend_loan")
    loans = [STATES[0]["loans"][key] for key in ("LOA-0002", "LOA-0003")]

    calls = list(variations.limited(extend_loan, {"loan_id": "LOA-0003"}, loans))

    assert {each["due_on"] for each in calls} == {"2025-03-20", "2025-03-30", "2025-04-01", "2025-04-12"}
    assert {each["loan_id"] for each in calls} == {"LOA-0003"}


def test_each_of_several_conditions_that_are_enough_can_be_switched_off_alone() -> None:
    code, guards = with_guards(SHOP, "Shop")
    with SANDBOX.environment(code, GUARDED_CLASS) as opened:
        session = SettledSession(opened)
        session.init(None)
        state = session.snapshot()

        def fired(days: int, name: str, *off: int) -> tuple[bool, tuple[int, ...]]:
            (tried,) = attempts(session, state, "lend", [{"days": days, "name": name}], off=off)
            return tried.is_success, tried.fired

        assert guards["lend"] == {0, 1, 2, 3}
        assert [fired(days, "Ada") for days in (1, 9)] == [(True, ())] * 2
        assert [fired(0, "Ada"), fired(10, "Ada"), fired(5, "")] == [(False, (0,)), (False, (1,)), (False, (2,))]
        assert fired(0, "", 0) == (False, (0, 2))
        assert fired(0, "Ada", 0) == (True, (0,))
        assert [fired(5, "Bob"), fired(5, "Bo")] == [(False, (3,)), (True, ())]


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
        ('if account["status"] == "closed":', "if False:"),
        ('if _as_moment(consultation["start"]) < self._now()', 'if _as_moment(consultation["start"]) <= self._now()'),
        ("if begins < end and start <", "if begins <= end and start <"),
        ("not 1 <= amount_cents <= 10_000_000", "not 1 <= amount_cents"),
        ("or len(set(works_on)) < len(works_on)", ""),
        ('.lower() in customer["full_name"].lower()', '.lower() in customer["customer_id"].lower()'),
    ],
    ids=[
        "a wrong value",
        "a limit of an amount",
        "a condition turned round",
        "a condition that only an empty account can meet",
        "a limit of the clock",
        "one appointment right after another",
        "one of two limits",
        "one of two conditions",
        "a filter on another attribute",
    ],
)
def test_a_fault_shows_in_some_case(old: str, new: str) -> None:
    reasons = {each.reason for each in runs("retail-bank", faulty("retail-bank", old, new))}

    assert reasons - {None}
