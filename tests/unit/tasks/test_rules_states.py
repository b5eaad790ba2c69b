"""What initial states must never hold, and what their tasks must say."""

from typing import Any

import pytest

from schemas.scenarios import ScenarioDraft
from tasks.authors.base import DraftInitialStates, DraftLogicModel, DraftScenarios, TopicBrief
from tasks.authors.rules.author import RuleAuthor, environment_of
from tasks.authors.rules.tell import AGREED
from tests.fakes.sandbox import SANDBOX

OPEN = {"accounts": ("open", "frozen"), "voucher_accounts": ("open", "frozen"), "lines": ("active", "paused")}
CASES = (
    ("retail-bank", "customers", "accounts"),
    ("airline-bookings", "passengers", "voucher_accounts"),
    ("mobile-plans", "subscribers", "lines"),
)


def _answers(theme: str, seed: int) -> tuple[list[dict[str, Any]], list[ScenarioDraft]]:
    topic = TopicBrief(slug=theme, title=theme.replace("-", " "), summary="", introduction="", domain="")
    author = RuleAuthor(SANDBOX)
    model = author.ask(DraftLogicModel(topic=topic), seed=seed)
    states = author.ask(DraftInitialStates(topic=topic, logic_model=model, code="", count=3), seed=seed).states
    question = DraftScenarios(topic=topic, logic_model=model, code="", state=states[0], lengths=(4, 6, 8))
    drafts = author.ask(question, seed=seed).scenarios
    return list(states), [each for each in drafts if each.kind not in ("refusal", "question")]


@pytest.mark.parametrize(("theme", "people", "things"), CASES)
def test_nobody_who_is_gone_has_something_open_and_tasks_give_consent_only_where_a_policy_wants_it(
    theme: str, people: str, things: str
) -> None:
    states, tasks = _answers(theme, 0)

    for state in states:
        key = next(iter(next(iter(state[people].values()))))
        gone = {each[key] for each in state[people].values() if each["status"] != "active"}
        held = [each for each in state.get(things, {}).values() if each["status"] in OPEN[things]]
        assert [each for each in held if each[key] in gone] == []
    assert tasks
    topic = TopicBrief(slug=theme, title=theme.replace("-", " "), summary="", introduction="", domain="")
    wants = environment_of(topic, 0).draft.asks_before
    for draft in tasks:
        is_wanted = any(step.tool in wants for step in draft.reference)
        assert any(said in draft.task for said in AGREED) is is_wanted


def test_amounts_below_zero_are_said_right() -> None:
    topic = TopicBrief(slug="retail-bank", title="Retail bank", summary="", introduction="", domain="")
    known = environment_of(topic, 0)
    account = {"account_id": "ACC-0001", "customer_id": "CUS-0001", "kind": "checking", "balance_cents": -5050}
    account |= {"opening_cents": -5050, "overdraft_cents": 10_000, "status": "open"}
    with SANDBOX.environment(known.code, known.draft.class_name) as session:
        session.init({"now": "2025-06-10T11:00", "accounts": {"ACC-0001": account}})
        answer = session.step("close_account", {"account_id": "ACC-0001"}).result

    assert answer == {"success": False, "error": "ACC-0001 has a balance of -50.50 euros; it must be zero."}
