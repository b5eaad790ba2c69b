"""A skeleton is built with a test plan and a judge: who is asked what, how often, and what becomes of the answers."""

import json

import pytest

from schemas.errors import AuthorUnavailable
from tasks.authors.base import (
    BadReply,
    CallJudgement,
    CallJudgements,
    CodeDraft,
    DraftTestPlan,
    ExecutedCall,
    JudgeCalls,
    Question,
    RepairCode,
    ReplyT,
    StatesDraft,
)
from tasks.authors.base import TestPlan as Plan
from tasks.skeletons.build import build_skeleton
from tasks.skeletons.outcome import SkeletonOutcome
from tests.fakes.authors import ScriptedAuthor
from tests.fakes.lending_shed import CODE, LOGIC_MODEL, STATES, TOPIC
from tests.fakes.lending_shed_tests import CASES, PLAN, case
from tests.fakes.sandbox import SANDBOX

CHEAP = CODE.replace('late * self.settings["late_fee_cents_per_day"]', "late * 10")
"""Nothing but the plan shows that the fee is wrong."""


class JudgingAuthor(ScriptedAuthor):
    """Passes every call that it is asked about, unless told otherwise."""

    def __init__(self, *codes: str, plans: tuple[Plan | BadReply | AuthorUnavailable, ...] = (PLAN,)) -> None:
        first, *repairs = (CodeDraft(code=code) for code in codes)
        super().__init__(
            {
                "draft_logic_model": [LOGIC_MODEL],
                "draft_code": [first],
                **({"repair_code": repairs} if repairs else {}),
                "draft_initial_states": [StatesDraft(states=STATES)],
                "draft_test_plan": plans,
            }
        )
        self.verdict = "pass"
        self.judged: list[ExecutedCall] = []

    def ask(self, question: Question[ReplyT], *, seed: int) -> ReplyT:
        """Judge, or say what was written down."""
        if isinstance(question, JudgeCalls):
            self.asked.append((question, seed))
            self.judged += question.calls
            said = [
                CallJudgement.model_validate({"number": call.number, "verdict": self.verdict, "reason": "So it is."})
                for call in question.calls
            ]
            return CallJudgements(judgements=tuple(said))  # type: ignore[return-value]
        return super().ask(question, seed=seed)


def built(author: ScriptedAuthor) -> SkeletonOutcome:
    return build_skeleton(TOPIC, author=author, sandbox=SANDBOX, seed=3)


def count(author: ScriptedAuthor, kind: type[Question[object]]) -> int:
    return sum(isinstance(question, kind) for question, _ in author.asked)


def test_the_plan_becomes_rows_and_numbers() -> None:
    author = JudgingAuthor(CODE)

    outcome = built(author)

    assert (outcome.status, outcome.reason) == ("accepted", None)
    (validation,) = outcome.skeleton_validations
    planned = [each for each in outcome.tool_tests if each.origin == "plan"]
    assert len(planned) == validation.plan_case_count == validation.plan_passed_count == len(CASES)
    assert (validation.strict_pass_rate, validation.judge_agreement, validation.unjudged_count) == (1.0, 1.0, 0)
    assert {each.verdict for each in planned} == {"pass"}
    assert {each.verdict for each in outcome.tool_tests if each.origin == "standard"} == {None}
    assert set(json.loads(validation.rules_untested_json)) == {"say_the_fee", "others_are_private"}
    refused = {each.rule_id for each in planned if each.outcome == "refusal" and each.rule_id}
    assert refused >= {rule.id for rule in LOGIC_MODEL.rules if rule.kind != "policy"}
    on_the_state = [each for each in planned if each.setup_json == "[]" and each.given_json == "{}"]
    assert {each.state_number for each in on_the_state} == {1}
    assert len({each.state_digest for each in on_the_state}) == 1
    assert json.loads(validation.states_json)[0]["now"] == STATES[0]["now"]
    later = next(each for each in planned if each.given_json != "{}")
    assert (json.loads(later.given_json), later.state_number) == ({"now": "2025-04-13T10:00"}, None)


def test_few_questions_are_asked_for_a_class_that_needs_no_repair() -> None:
    author = JudgingAuthor(CODE)

    built(author)

    assert (count(author, DraftTestPlan), count(author, JudgeCalls), len(author.asked)) == (1, 1, 5)
    question = next(question for question, _ in author.asked if isinstance(question, DraftTestPlan))
    assert not hasattr(question, "code"), "the tester does not see the code"


def test_what_the_plan_shows_is_repaired_and_only_what_is_new_is_judged_again() -> None:
    author = JudgingAuthor(CHEAP, CODE)

    outcome = built(author)

    assert [(each.status, each.reason) for each in outcome.skeletons] == [
        ("rejected", "effect_wrong"),
        ("accepted", None),
    ]
    repair = next(question for question, _ in author.asked if isinstance(question, RepairCode))
    assert [each.reason for each in repair.evidence] == ["effect_wrong"]
    assert "fee_due_cents" in repair.evidence[0].detail
    assert count(author, DraftTestPlan) == 1
    assert len(author.judged) == len(CASES) + 1


def test_a_judge_who_is_not_content_is_heard() -> None:
    author = JudgingAuthor(CODE)
    author.verdict = "warning"

    outcome = built(author)

    assert (outcome.status, outcome.reason) == ("rejected", "judged_poor")
    assert {each.verdict for each in outcome.tool_tests if each.origin == "plan"} == {"warning"}
    assert outcome.skeleton_validations[0].judge_agreement == 0.0


def test_rules_without_a_case_are_asked_for_once_more_on_another_state() -> None:
    without = Plan(cases=tuple(each for each in CASES if each.rule_id != "email_unique"))
    taken = next(iter(STATES[1]["members"].values()))["email"]
    twice = case("register_member", "refused", rule="email_unique", full_name="Ada", email=taken)
    author = JudgingAuthor(CODE, plans=(without, Plan(cases=(CASES[0], twice))))

    outcome = built(author)

    assert outcome.status == "accepted", outcome.detail
    first, second = (question for question, _ in author.asked if isinstance(question, DraftTestPlan))
    assert first.state != second.state
    planned = [each for each in outcome.tool_tests if each.origin == "plan"]
    assert len(planned) == len(without.cases) + 1
    assert planned[-1].rule_id == "email_unique"
    assert planned[-1].state_number == 2


def test_rules_that_stay_without_a_case_reject_and_the_code_is_not_repaired_for_it() -> None:
    without = Plan(cases=tuple(each for each in CASES if each.rule_id != "email_unique"))
    author = JudgingAuthor(CODE, CHEAP, plans=(without, without))

    outcome = built(author)

    assert (outcome.status, outcome.reason) == ("rejected", "rule_untested")
    assert count(author, RepairCode) == 0


def test_a_plan_that_can_not_be_read_rejects_and_the_class_keeps_its_row() -> None:
    author = JudgingAuthor(CODE, plans=(BadReply("no JSON"),))

    outcome = built(author)

    assert (outcome.status, outcome.reason) == ("rejected", "reply_unusable")
    assert [each.status for each in outcome.skeletons] == ["rejected"]
    assert count(author, RepairCode) == 0


def test_an_author_who_is_gone_before_the_plan_leaves_the_topic_for_the_next_run() -> None:
    author = JudgingAuthor(CODE, plans=(AuthorUnavailable("the endpoint answers 503"),))

    outcome = built(author)

    assert (outcome.status, outcome.reason, outcome.skeletons) == ("failed", "author_unavailable", ())


@pytest.mark.parametrize("code", [CODE.replace("if self._is_lent(item_id):", "if False:")])
def test_what_is_rejected_without_the_plan_costs_no_plan(code: str) -> None:
    author = JudgingAuthor(code)

    outcome = built(author)

    assert (outcome.status, outcome.reason) == ("rejected", "invariant_broken")
    assert (count(author, DraftTestPlan), count(author, JudgeCalls)) == (0, 0)
