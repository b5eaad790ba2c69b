"""A test plan is executed on copies of its state, judged where somebody judges, and decides with the rest."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from tasks.authors.base import CallJudgement, CallJudgements, ExecutedCall, NotOffered, SetupCall, UntestedRule
from tasks.authors.base import TestCase as Case
from tasks.authors.base import TestPlan as Plan
from tasks.evaluation.evaluate import Evaluation, evaluate
from tasks.evaluation.findings import Finding
from tasks.evaluation.judging import CALLS_PER_QUESTION
from tasks.evaluation.plan_runs import StatedPlan
from tasks.evaluation.planned import with_plan
from tests.fakes.lending_shed import CLASS_NAME, CODE, LOGIC_MODEL, STATES
from tests.fakes.lending_shed_tests import CASES, PLAN, case, lend
from tests.fakes.sandbox import SANDBOX


@pytest.fixture(scope="module")
def good() -> Evaluation:
    return evaluate(CODE, CLASS_NAME, LOGIC_MODEL, STATES, sandbox=SANDBOX, seed=1)


def planned(
    good: Evaluation, cases: Sequence[Case] = CASES, *, code: str = CODE, judge: Any = None, **plan: Any
) -> Evaluation:
    stated = StatedPlan(STATES[0], Plan(cases=tuple(cases), **plan))
    return with_plan(good, code, LOGIC_MODEL, [stated], sandbox=SANDBOX, judge=judge)


def judge_saying(*verdicts: str) -> Any:
    """A judge with these verdicts on the first calls, who passes the rest."""

    def judge(calls: tuple[ExecutedCall, ...]) -> CallJudgements:
        said = dict(enumerate(verdicts, start=1))
        return CallJudgements(
            judgements=tuple(
                CallJudgement.model_validate(
                    {"number": call.number, "verdict": said.get(call.number, "pass"), "reason": "So it is."}
                )
                for call in calls
            )
        )

    return judge


def edited(old: str, new: str) -> str:
    assert CODE.count(old) == 1
    return CODE.replace(old, new)


def test_a_good_class_passes_every_case_and_every_rule_is_broken_by_one(good: Evaluation) -> None:
    whole = planned(good)

    assert (whole.status, whole.findings) == ("accepted", ())
    assert whole.plan is not None
    assert (whole.plan.case_count, whole.plan.passed_count, whole.plan.strict_pass_rate) == (len(CASES), len(CASES), 1)
    assert (whole.plan.is_judged, whole.plan.agreement) == (False, None)
    assert whole.plan.rules_untested == {
        "say_the_fee": "a policy: no tool enforces it, only the agent can obey it",
        "others_are_private": "a policy: no tool enforces it, only the agent can obey it",
    }
    trials = [each for each in whole.trials if each.origin == "plan"]
    assert [each.tool for each in trials] == [each.tool for each in CASES]
    assert all(each.is_passed and each.outcome == each.expected and each.starts_from for each in trials)
    assert {each.rule_id for each in trials if each.case == "breaks_rule"} >= {"item_lent_once", "loan_limit"}


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        (
            "if self._is_lent(item_id):",
            "if days > 7 and self._is_lent(item_id):",
            "rule_not_enforced",
        ),
        ("wanted <= last", "wanted <= last + timedelta(days=1)", "forbidden_call_accepted"),
        ("_is_count(days, 1, self", "_is_count(days, 1, -1 + self", "allowed_call_refused"),
        ('late * self.settings["late_fee_cents_per_day"]', "late * 10", "effect_wrong"),
        ('loan["is_extended"] = True', 'loan["is_extended"] = 1 / 0', "uncaught_exception"),
        ("theirs = [loan for", "self.counters['loans'] += 1\n        theirs = [loan for", "failed_call_changes_state"),
    ],
    ids=["a rule not enforced", "a limit too far", "a limit too near", "a wrong amount", "an error", "a change"],
)
def test_what_does_not_come_out_as_expected_rejects_with_its_own_reason(
    good: Evaluation, old: str, new: str, reason: str
) -> None:
    whole = planned(good, code=edited(old, new))

    assert whole.status == "rejected"
    assert whole.reason == reason, whole.detail
    assert whole.detail


def test_a_case_starts_from_its_own_copy_of_the_state(good: Evaluation) -> None:
    """Lending the same item in every case works in every case."""
    whole = planned(good, [*CASES, lend(), lend(), lend(member_id="MEM-0003")])

    assert whole.status == "accepted"


def test_a_case_whose_setup_does_not_succeed_was_not_reached_and_does_not_pass(good: Evaluation) -> None:
    hopeless = lend("refused", setup=(SetupCall(tool="settle_fee", arguments={"loan_id": "LOA-0099"}),))

    whole = planned(good, [*CASES, hopeless])

    assert (whole.status, whole.reason) == ("rejected", "setup_refused")
    last = [each for each in whole.trials if each.origin == "plan"][-1]
    assert (last.outcome, last.is_passed) == ("fault", False)


@pytest.mark.parametrize(
    "unusable",
    [
        case("fly_away"),
        lend("refused", rule="no_such_rule"),
        lend(given={"nowhere.at.all": 1}),
        lend(given={"items.ITM-0004.condition": "lost"}),
    ],
    ids=["no such tool", "no such rule", "no such path", "a state that the plan forbids"],
)
def test_a_case_that_means_nothing_is_kept_and_does_not_pass(good: Evaluation, unusable: Case) -> None:
    whole = planned(good, [*CASES, unusable])

    assert (whole.status, whole.reason) == ("rejected", "setup_refused")
    assert whole.plan is not None
    assert (whole.plan.case_count, whole.plan.passed_count) == (len(CASES) + 1, len(CASES))


def test_a_rule_without_a_case_rejects_unless_no_call_can_break_it(good: Evaluation) -> None:
    without = [each for each in CASES if each.rule_id not in ("loan_limit", "loan_lifecycle")]
    excused = [UntestedRule(rule_id=name, why="no call can") for name in ("loan_limit", "loan_lifecycle")]

    assert planned(good, without).reason == "rule_untested"
    kept = planned(good, without, untested=excused)
    assert (kept.status, kept.reason) == ("accepted", None)
    assert kept.plan is not None
    assert kept.plan.rules_untested["loan_limit"] == "no call can"


def test_a_precondition_is_never_excused(good: Evaluation) -> None:
    bare = replace(good, trials=tuple(each for each in good.trials if each.rule_id != "broken_stays"))
    without = [each for each in CASES if each.rule_id != "broken_stays"]

    whole = planned(bare, without, untested=[UntestedRule(rule_id="broken_stays", why="nothing breaks")])

    assert (whole.status, whole.reason) == ("rejected", "rule_untested")


def test_a_case_that_is_refused_for_something_else_does_not_count_for_the_rule_that_it_names(good: Evaluation) -> None:
    bare = replace(good, trials=tuple(each for each in good.trials if each.rule_id != "training_needed"))
    without = [each for each in CASES if each.rule_id != "training_needed"]
    needs_none = lend("refused", rule="training_needed", days=99)

    whole = planned(bare, [*without, needs_none])

    assert (whole.status, whole.reason) == ("rejected", "rule_untested")
    assert whole.detail is not None and "training_needed" in whole.detail
    assert whole.plan is not None and whole.plan.rules_untested["training_needed"] is None
    trial = next(each for each in whole.trials if each.arguments == needs_none.arguments)
    assert (trial.case, trial.rule_id, trial.is_passed) == ("negative", None, True)


def test_a_case_of_a_tool_that_does_not_enforce_a_rule_does_not_count_for_it(good: Evaluation) -> None:
    without = [each for each in CASES if each.rule_id != "email_unique"]
    elsewhere = case("settle_fee", "refused", rule="email_unique", loan_id="LOA-0003", amount_cents=1)

    assert planned(good, [*without, elsewhere]).reason == "rule_untested"


def test_a_tool_needs_a_success_and_two_refusals(good: Evaluation) -> None:
    bare = replace(good, trials=())

    whole = planned(bare, [each for each in CASES if each.tool != "settle_fee"])

    assert whole.reason == "tool_untested"
    assert whole.detail is not None and "settle_fee" in whole.detail


def test_the_judge_is_asked_in_batches_and_its_agreement_is_kept(good: Evaluation) -> None:
    asked: list[int] = []

    def judge(calls: tuple[ExecutedCall, ...]) -> CallJudgements:
        asked.append(len(calls))
        verdicts: CallJudgements = judge_saying()(calls)
        return verdicts

    more = CALLS_PER_QUESTION + 2 - len(CASES)
    repeated = [lend().model_copy(update={"why": f"For the {number}. time."}) for number in range(more)]
    whole = planned(good, [*CASES, *repeated], judge=judge)

    assert whole.status == "accepted"
    assert asked == [CALLS_PER_QUESTION // 2 + 1] * 2, "portions of equal size, as few as possible"
    assert whole.plan is not None
    assert (whole.plan.is_judged, whole.plan.agreement, whole.plan.unjudged_count) == (True, 1.0, 0)


@pytest.mark.parametrize(("verdict", "reason"), [("fail", "judged_wrong"), ("warning", "judged_poor")])
def test_what_the_judge_does_not_pass_counts_as_failed(good: Evaluation, verdict: str, reason: str) -> None:
    whole = planned(good, judge=judge_saying(verdict))

    assert (whole.status, whole.reason) == ("rejected", reason)
    assert whole.plan is not None
    assert whole.plan.passed_count == len(CASES) - 1
    assert whole.plan.agreement == pytest.approx((len(CASES) - 1) / len(CASES))


def test_one_in_fifty_may_fail_before_a_judge(good: Evaluation) -> None:
    many = [*CASES, *(lend(days=days) for days in range(1, 21))]

    assert planned(good, many, judge=judge_saying("warning")).status == "accepted"
    assert planned(good, many, judge=judge_saying("warning", "warning")).status == "rejected"


@pytest.mark.parametrize("answer", ["nothing", "no number", "twice"])
def test_what_can_not_be_read_is_not_judged_and_not_passed(good: Evaluation, answer: str) -> None:
    def judge(calls: tuple[ExecutedCall, ...]) -> CallJudgements | None:
        said: CallJudgements = judge_saying()(calls)
        match answer:
            case "nothing":
                return None
            case "no number":
                return CallJudgements(judgements=said.judgements[1:])
            case _:
                return CallJudgements(judgements=(*said.judgements, said.judgements[0]))

    whole = planned(good, judge=judge)

    assert (whole.status, whole.reason) == ("rejected", "unjudged")
    assert whole.plan is not None
    assert whole.plan.unjudged_count == (len(CASES) if answer == "nothing" else 1)


def test_a_wrong_expectation_is_set_aside_with_its_case(good: Evaluation) -> None:
    wrong = lend("refused")

    alone = planned(good, [wrong, *CASES])
    judged = planned(good, [wrong, *CASES], judge=judge_saying("invalid_case"))

    assert (alone.status, alone.reason) == ("rejected", "forbidden_call_accepted")
    assert judged.status == "accepted"
    assert judged.plan is not None
    assert (judged.plan.invalid_count, judged.plan.strict_pass_rate) == (1, 1.0)
    first = next(each for each in judged.trials if each.origin == "plan")
    assert (first.verdict, first.is_passed, first.detail) == ("invalid_case", False, "the case is wrong: So it is.")


def test_no_more_than_a_tenth_of_the_cases_may_be_called_wrong(good: Evaluation) -> None:
    wrong = [lend("refused", days=days) for days in range(1, 6)]

    whole = planned(good, [*wrong, *CASES], judge=judge_saying(*["invalid_case"] * 5))

    assert whole.status == "rejected"
    assert {each.reason for each in whole.findings} == {"forbidden_call_accepted", "too_many_invalid_cases"}
    assert whole.plan is not None
    assert whole.plan.invalid_count == 3


def test_what_came_out_as_expected_can_not_be_called_wrong(good: Evaluation) -> None:
    whole = planned(good, judge=judge_saying("invalid_case"))

    assert whole.status == "rejected"
    assert whole.plan is not None
    assert whole.plan.invalid_count == 0


def test_where_nobody_judges_the_expectations_stand(good: Evaluation) -> None:
    def judge(calls: tuple[ExecutedCall, ...]) -> CallJudgements | None:
        raise NotOffered("I do not judge.")

    whole = planned(good, judge=judge)

    assert whole.status == "accepted"
    assert whole.plan is not None
    assert (whole.plan.is_judged, whole.plan.unjudged_count) == (False, 0)


def test_a_tool_that_only_the_plan_reaches_is_covered(good: Evaluation) -> None:
    unreached = Finding("tool_never_succeeds", "settle_fee: none of 300 calls succeeds")
    bare = replace(good, status="rejected", reason=unreached.reason, detail="x", findings=(unreached,), tools_covered=7)

    assert (planned(bare).status, planned(bare).tools_covered, planned(bare).findings) == ("accepted", 8, ())
    without = planned(bare, [each for each in CASES if each.tool != "settle_fee" or each.expected == "refused"])
    assert (without.status, without.reason) == ("rejected", "tool_never_succeeds")


def test_a_tool_that_changes_something_in_the_plan_only_is_right(good: Evaluation) -> None:
    unchanged = Finding("effect_missing", "settle_fee: none of 4 successful calls changes anything")
    found = replace(good, status="rejected", reason=unchanged.reason, detail="x", findings=(unchanged,))

    assert (planned(found).status, planned(found).tools_covered, planned(found).findings) == ("accepted", 8, ())
    idle = CODE.replace('loan["fee_due_cents"] -= amount_cents', "pass")
    assert idle != CODE
    assert planned(found, code=idle).reason == "effect_missing"


def test_what_is_rejected_before_is_not_judged(good: Evaluation) -> None:
    def judge(calls: tuple[ExecutedCall, ...]) -> CallJudgements | None:
        raise AssertionError("nobody should be asked")

    broken = (Finding("state_broken", "It was broken."),)
    rejected = replace(good, status="rejected", reason="state_broken", detail="It was broken.", findings=broken)

    whole = planned(rejected, judge=judge)

    assert (whole.status, whole.reason, whole.detail) == ("rejected", "state_broken", "It was broken.")
    assert whole.plan is not None and whole.plan.passed_count == len(CASES)


def test_a_judged_call_is_not_judged_again_when_it_did_the_same(good: Evaluation) -> None:
    first = planned(good, judge=judge_saying())
    assert first.plan is not None

    def judge(calls: tuple[ExecutedCall, ...]) -> CallJudgements | None:
        assert [call.case.tool for call in calls] == ["return_item"]
        answer: CallJudgements = judge_saying()(calls)
        return answer

    code = edited('late * self.settings["late_fee_cents_per_day"]', "late * 10")
    stated = StatedPlan(STATES[0], PLAN)
    again = with_plan(good, code, LOGIC_MODEL, [stated], sandbox=SANDBOX, judge=judge, known=first.plan.rulings)

    assert again.plan is not None
    assert len(again.plan.rulings) == len(first.plan.rulings) + 1
