"""The examples of tests, judgements and repairs: what they show is what really comes of executing it."""

import inspect
import json
import re
from collections import Counter

import pytest

from prompts.fences import as_json
from prompts.library import load
from schemas.scenarios import ScenarioDraft
from tasks.authors import base
from tasks.evaluation.evaluate import evaluate
from tasks.evaluation.planned import PLAN_REASONS, TESTERS_FAULT
from tasks.proof import prove, trials
from tasks.scenarios import choices, complete, drafts, examine, states
from tasks.skeletons.logic import logic_findings
from tests.fakes.sandbox import SANDBOX
from tests.unit.prompts.examples import example_of, given_in, repair_desk, repair_desk_states
from tests.unit.prompts.executing import executed, proven, runs_of
from tests.unit.prompts.key_cabinet import PLAN, STATE, broken_code, repaired_code

DESK, DESK_STATE = repair_desk(), repair_desk_states().states[0]
CASES = base.TestPlan.model_validate_json(example_of("draft_test_plan")).cases


def fenced(text: str) -> str:
    return f"```json\n{text}```"


def explained(prompt: str) -> list[str]:
    """The reason codes that a prompt explains to who repairs."""
    _, after = load(prompt).text.split("\n## The reasons\n" if prompt == "repair_code" else "\n## How to repair\n")
    return re.findall(r"`([a-z_]+)`(?=[,:.]| \()", after.split("\n## ")[0])


def test_the_given_code_is_rejected_with_the_evidence_shown() -> None:
    assert logic_findings(PLAN) == ()
    evaluation = evaluate(broken_code(), PLAN.class_name, PLAN, [STATE], sandbox=SANDBOX, seed=1)
    _, shown = given_in("repair_code")

    found = [base.Evidence(reason=each.reason, detail=each.detail) for each in evaluation.findings]
    wanted = [each for each in found if as_json(each.detail).splitlines()[1] in shown]
    assert evaluation.status == "rejected"
    assert as_json(wanted) == fenced(shown)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_repaired_code_is_accepted(seed: int) -> None:
    evaluation = evaluate(repaired_code(), PLAN.class_name, PLAN, [STATE], sandbox=SANDBOX, seed=seed)
    assert (evaluation.status, evaluation.detail) == ("accepted", None)


def test_every_reason_of_the_evaluation_is_explained_to_who_repairs_and_no_other() -> None:
    evaluation = evaluate(repaired_code(), PLAN.class_name, PLAN, [STATE], sandbox=SANDBOX, seed=1)
    of_plans = set(PLAN_REASONS) - set(TESTERS_FAULT)
    assert set(explained("repair_code")) == set(evaluation.checks_run) | of_plans


def test_every_case_of_the_test_plan_comes_out_as_expected() -> None:
    runs = runs_of(example_of("draft_code"), DESK.class_name, DESK_STATE, CASES, DESK)

    assert [run.detail for run in runs if run.reason is not None] == []
    calls = [run.executed for run in runs]
    queries = [operation.name for operation in DESK.operations if operation.kind == "query"]
    for call in calls:
        is_change = call.case.expected == "success" and call.case.tool not in queries
        assert bool(call.changes) == is_change, call


def test_the_test_plan_covers_what_its_prompt_asks_for() -> None:
    counts = Counter((case.tool, case.expected) for case in CASES)
    for operation in DESK.operations:
        assert counts[operation.name, "success"] >= 1
        assert counts[operation.name, "refused"] >= 2
        assert counts[operation.name, "success"] + counts[operation.name, "refused"] <= 8
    assert {case.rule_id for case in CASES} - {None} == {rule.id for rule in DESK.rules if rule.kind != "policy"}


def test_a_rule_that_refuses_a_case_is_enforced_by_its_tool_and_does_not_hold() -> None:
    operations = {operation.name: operation for operation in DESK.operations}
    rules = {rule.id: rule for rule in DESK.rules}
    for case in CASES:
        if case.rule_id is None:
            continue
        rule = rules[case.rule_id]
        assert (case.expected, rule.id in operations[case.tool].enforces) == ("refused", True)
        if rule.kind == "precondition":
            names = {"state": DESK_STATE, "args": case.arguments, "now": DESK_STATE["now"]}
            with SANDBOX.checks() as session:
                (verdict,) = session.evaluate([str(rule.predicate)], names)
            assert (verdict.passed, verdict.error) == (False, None)


def test_the_judged_calls_are_what_the_given_class_really_does() -> None:
    (shown,) = given_in("judge_calls")
    cases = [base.TestCase.model_validate(each["case"]) for each in _calls(shown)]
    calls = executed(broken_code(), PLAN.class_name, STATE, cases, PLAN)
    assert as_json(calls) == fenced(shown)


def test_the_judgements_fit_the_calls_and_show_every_verdict() -> None:
    (shown,) = given_in("judge_calls")
    judgements = base.CallJudgements.model_validate_json(example_of("judge_calls")).judgements

    assert [each.number for each in judgements] == [each["number"] for each in _calls(shown)]
    assert {each.verdict for each in judgements} == {"pass", "warning", "fail", "invalid_case"}
    rules = [rule.id for rule in PLAN.rules]
    assert all((each.rule_id in rules) == (each.verdict == "invalid_case") for each in judgements)


def test_the_given_scenario_is_rejected_with_the_evidence_shown() -> None:
    scenario, shown = given_in("repair_scenario")
    row = proven(ScenarioDraft.model_validate_json(scenario))

    assert as_json(ScenarioDraft.model_validate_json(scenario)) == fenced(scenario)
    assert row.status == "rejected"
    assert as_json([base.Evidence(reason=str(row.reason), detail=str(row.detail))]) == fenced(shown)


def test_the_repaired_scenario_is_proven() -> None:
    (repaired,) = base.ScenariosDraft.model_validate_json(example_of("repair_scenario")).scenarios
    row = proven(repaired)
    assert (row.status, row.detail) == ("accepted", None)


def test_the_reasons_that_a_scenario_is_repaired_for_exist() -> None:
    source = "".join(
        inspect.getsource(module) for module in (choices, complete, drafts, examine, states, prove, trials)
    )
    reasons = explained("repair_scenario")
    assert len(reasons) == len(set(reasons)) > 20
    assert [reason for reason in reasons if not re.search(rf"\b{reason}\b", source)] == []


def _calls(text: str) -> list[dict[str, object]]:
    calls: list[dict[str, object]] = json.loads(text)
    return calls
