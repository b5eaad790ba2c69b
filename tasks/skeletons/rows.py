"""The rows of one skeleton."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from schemas.ids import canonical_json, make_id
from schemas.logic_models import LogicModel, LogicModelRow
from schemas.skeletons import Skeleton, SkeletonValidation, Tool, ToolTest
from schemas.topics import Topic
from tasks.evaluation.evaluate import Evaluation
from tasks.evaluation.findings import Finding, shorten, summary
from tasks.evaluation.observed import shown_arguments
from tasks.evaluation.sequences import FailingSequence
from tasks.evaluation.trials import Trial
from tasks.runtime.signature import ToolSignature
from tasks.runtime.state import state_digest
from tasks.skeletons.policy import policy_text
from tasks.skeletons.structure import structure_digest

_FINDINGS_PER_REASON = 10


def storable(text: str) -> str:
    """The text with escapes in place of lone surrogates, which no file of UTF-8 can hold."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def logic_model_row(topic: Topic, model: LogicModel, *, author: str, findings: Sequence[Finding]) -> LogicModelRow:
    """The row of a draft; rejected when anything was found."""
    is_json = not any(finding.reason == "logic_not_json" for finding in findings)
    # What JSON or UTF-8 can't carry is kept as it prints: the row is the evidence of its own rejection.
    text = canonical_json(model.model_dump()) if is_json else ascii(model)
    return LogicModelRow(
        logic_model_id=make_id("lgm", topic.topic_id, text),
        topic_id=topic.topic_id,
        author=author,
        title=storable(model.title),
        entity_count=len(model.entities),
        operation_count=len(model.operations),
        rule_count=len(model.rules),
        model_json=text,
        status="rejected" if findings else "accepted",
        reason=findings[0].reason if findings else None,
        detail=storable(summary(findings)) if findings else None,
    )


def skeleton_row(
    topic: Topic,
    logic_model: LogicModelRow,
    model: LogicModel,
    code: str,
    evaluation: Evaluation,
    parent: Skeleton | None,
) -> Skeleton:
    """The row of a class with the decision on it. Tools are counted as the code has them.

    Args:
        topic: What it is about.
        logic_model: The row of its plan.
        model: Its plan.
        code: Its module.
        evaluation: What was found.
        parent: The version that it repairs; null for the first.
    """
    kinds = {operation.name: operation.kind for operation in model.operations}
    built = [kinds[tool.name] for tool in evaluation.tools if tool.name in kinds]
    return Skeleton(
        skeleton_id=make_id("skl", topic.topic_id, code),
        environment_id=make_id("env", topic.slug),
        slug=topic.slug,
        version=parent.version + 1 if parent else 1,
        parent_skeleton_id=parent.skeleton_id if parent else None,
        repairs=parent.reason if parent else None,
        topic_id=topic.topic_id,
        logic_model_id=logic_model.logic_model_id,
        author=logic_model.author,
        title=model.title,
        class_name=model.class_name,
        code=code,
        policy=policy_text(model),
        tool_count=len(built),
        query_count=built.count("query"),
        state_change_count=built.count("state_change"),
        entity_count=len(model.entities),
        rule_count=len(model.rules),
        line_count=len(code.splitlines()),
        structure=structure_digest(model),
        status=evaluation.status,
        reason=evaluation.reason,
        detail=evaluation.detail,
    )


def tool_rows(skeleton_id: str, model: LogicModel, tools: Sequence[ToolSignature]) -> tuple[Tool, ...]:
    """One row per planned public method; an unplanned one is no tool and rejects the skeleton."""
    operations = {operation.name: operation for operation in model.operations}
    return tuple(
        Tool(
            tool_id=make_id("tol", skeleton_id, tool.name),
            skeleton_id=skeleton_id,
            name=tool.name,
            kind=operations[tool.name].kind,
            description=tool.summary,
            # In the order of the signature, as a reader of a function declaration expects.
            parameters_json=json.dumps(tool.parameters, ensure_ascii=False),
            reads=list(tool.reads),
            writes=list(tool.writes),
            enforces=list(operations[tool.name].enforces),
        )
        for tool in tools
        if tool.name in operations
    )


def tool_test_rows(
    skeleton_id: str, trials: Sequence[Trial], states: Sequence[Mapping[str, Any]] = ()
) -> tuple[ToolTest, ...]:
    """One row per distinct trial. Texts of more than 1,000 characters are shortened in `arguments_json`.

    Args:
        skeleton_id: Whose tests these are.
        trials: What was executed.
        states: The initial states, to number those that a trial starts from.
    """
    numbers = {state_digest(state): number for number, state in enumerate(states, start=1)}
    rows: dict[str, ToolTest] = {}
    for trial in trials:
        arguments = shown_arguments(dict(trial.arguments))
        given = shown_arguments(dict(trial.given))
        setup = shown_arguments([each.model_dump() for each in trial.setup])
        identity: tuple[Any, ...] = (trial.tool, trial.case, arguments)
        if trial.origin == "plan":
            identity = (*identity, trial.origin, given, setup, trial.expected, trial.rule_id, trial.holds)
        row = ToolTest(
            tool_test_id=make_id("tst", skeleton_id, *identity),
            skeleton_id=skeleton_id,
            tool=storable(trial.tool),
            origin=trial.origin,
            case=trial.case,
            rule_id=trial.rule_id,
            state_digest=trial.starts_from,
            state_number=numbers.get(trial.starts_from or ""),
            given_json=given,
            setup_json=setup,
            arguments_json=arguments,
            expected=trial.expected,
            holds=trial.holds,
            outcome=trial.outcome,
            verdict=trial.verdict,
            is_passed=trial.is_passed,
            detail=storable(shorten(trial.detail)) if trial.detail else None,
        )
        rows.setdefault(row.tool_test_id, row)
    return tuple(rows.values())


def skeleton_validation_row(skeleton_id: str, evaluation: Evaluation, tests: Sequence[ToolTest]) -> SkeletonValidation:
    """Every metric of an evaluation; the first findings of each reason are its evidence."""
    evidence: dict[str, list[str]] = {}
    for finding in evaluation.findings:
        evidence.setdefault(finding.reason, []).append(shorten(finding.detail))
    plan = evaluation.plan
    return SkeletonValidation(
        skeleton_id=skeleton_id,
        decision=evaluation.status,
        reason=evaluation.reason,
        checks_run=list(evaluation.checks_run),
        checks_failed=list(evidence),
        evidence_json=canonical_json({reason: found[:_FINDINGS_PER_REASON] for reason, found in evidence.items()}),
        call_count=evaluation.call_count,
        test_count=len(tests),
        test_passed_count=sum(test.is_passed for test in tests),
        tools_covered=evaluation.tools_covered,
        rules_checked=evaluation.rules_checked,
        failing_sequence_json=_sequence_json(evaluation.failing_sequence),
        states_json=canonical_json(list(evaluation.states)),
        plan_case_count=plan.case_count if plan else 0,
        plan_passed_count=plan.passed_count if plan else 0,
        invalid_case_count=plan.invalid_count if plan else 0,
        unjudged_count=plan.unjudged_count if plan else 0,
        strict_pass_rate=plan.strict_pass_rate if plan else None,
        judge_agreement=plan.agreement if plan else None,
        rules_untested_json=canonical_json(dict(plan.rules_untested) if plan else {}),
        sandbox=evaluation.sandbox,
    )


def _sequence_json(sequence: FailingSequence | None) -> str | None:
    if sequence is None:
        return None
    shown = {
        "reason": sequence.finding.reason,
        "detail": shorten(sequence.finding.detail),
        "state_number": sequence.state_number,
        "calls": list(sequence.calls),
    }
    return storable(canonical_json(shown))
