"""What a test plan adds to an evaluation: cases, executed and judged where somebody judges, and their coverage."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from schemas.logic_models import LogicModel
from schemas.row import Status
from tasks.authors.base import NotOffered
from tasks.evaluation.evaluate import Evaluation
from tasks.evaluation.findings import Finding, summary
from tasks.evaluation.judging import LARGEST_SHARE_INVALID, Judge, Ruling, rulings_on
from tasks.evaluation.plan_report import PlanReport
from tasks.evaluation.plan_runs import CaseRun, StatedPlan, run_plans
from tasks.evaluation.trials import Trial
from tasks.sandbox.base import CodeRejected, Sandbox, SessionDied

STRICT_PASS_RATE = 0.98
"""Share of the judged cases that must pass. Without a judge, who alone may find a case wrong, all must."""
POSITIVE_CASES, NEGATIVE_CASES = 1, 2
"""Executed cases that every tool needs."""

_UNREACHED, _UNCHANGED = "tool_never_succeeds", "effect_missing"
"""What a case of a plan can set right: it brings about what luck has not."""
_MEANWHILE = "while the test plan was executed"
_CODES_FAULT = ("uncaught_exception", "failed_call_changes_state")
"""Wrong whatever the case expected: no judge can excuse these."""
PLAN_REASONS = (
    "does_not_load",
    "session_died",
    "state_not_json",
    "uncaught_exception",
    "failed_call_changes_state",
    "rule_not_enforced",
    "forbidden_call_accepted",
    "allowed_call_refused",
    "effect_wrong",
    "judged_wrong",
    "judged_poor",
    "setup_refused",
    "unjudged",
    "too_many_invalid_cases",
    "tool_untested",
    "rule_untested",
)
"""In the order in which they decide; what the code is to blame for comes first."""
TESTERS_FAULT = PLAN_REASONS[PLAN_REASONS.index("setup_refused") :]
"""Reasons for which the code need not be repaired: the plan or its judge is not good enough."""


@dataclass(frozen=True)
class _Decided:
    """A case with its ruling, and whether it passes: null for an invalid one."""

    run: CaseRun
    ruling: Ruling | None
    is_passed: bool | None


def with_plan(
    evaluation: Evaluation,
    code: str,
    logic_model: LogicModel,
    plans: Sequence[StatedPlan],
    *,
    sandbox: Sandbox,
    judge: Judge | None = None,
    known: Mapping[str, Ruling] | None = None,
) -> Evaluation:
    """The evaluation with test plans executed.

    Deterministic first, judged second: what was rejected before, or fails a case by itself, is not judged.

    Args:
        evaluation: Of a class that could be loaded with this state.
        code: The module, untrusted.
        logic_model: The plan of the class, valid.
        plans: The cases, and the initial states that they were written on; at least one.
        sandbox: Where the code runs.
        judge: Asked about what the calls did; null where nobody judges. It may raise NotOffered, to the same effect.
        known: What it has said about earlier versions.

    Raises:
        SandboxUnavailable: the sandbox itself is broken.
    """
    try:
        runs = run_plans(code, logic_model, evaluation.tools, plans, sandbox)
    except SessionDied as died:
        return _rejected(evaluation, (Finding("session_died", f"{_MEANWHILE}: {died}"),))
    except CodeRejected as error:
        reason = "state_not_json" if error.kind == "state_not_json" else "does_not_load"
        return _rejected(evaluation, (Finding(reason, f"{_MEANWHILE}: {error}"),))
    asks = judge if needs_plan(evaluation) and not _is_broken(runs) else None
    rulings = dict(known or {})
    given: Sequence[Ruling | None] = [None] * len(runs)
    try:
        if asks is not None:
            given, rulings = rulings_on([run.executed for run in runs], asks, rulings)
    except NotOffered:
        asks = None
    decided = _decided(runs, given)
    evaluation = _with_covered_tools(evaluation, decided)
    said = {each.rule_id: each.why for stated in plans for each in stated.plan.untested}
    untested = _untested(logic_model, said, evaluation.trials, decided)
    report = _report(decided, is_judged=asks is not None, untested=untested, rulings=rulings)
    findings = tuple(_findings(logic_model, evaluation.trials, decided, report))
    trials = (*evaluation.trials, *(_trial(each) for each in decided))
    merged = replace(
        evaluation, trials=trials, plan=report, checks_run=(*evaluation.checks_run, *_new_checks(evaluation))
    )
    return _rejected(merged, findings) if findings else merged


def needs_plan(evaluation: Evaluation) -> bool:
    """Whether nothing is wrong but what a test plan may set right.

    That are tools that no call has reached, and those that changed nothing in the few calls that succeeded: these may
    have asked for what was so already.
    """
    is_open = all(each.reason in (_UNREACHED, _UNCHANGED) for each in evaluation.findings)
    return bool(evaluation.states) and evaluation.status != "failed" and is_open


def _with_covered_tools(evaluation: Evaluation, decided: Sequence[_Decided]) -> Evaluation:
    """Without the findings about tools that a case of the plan sets right; accepted when nothing else was found."""
    done = [each.run for each in decided if each.is_passed and each.run.outcome == "success"]
    set_right = {(_UNREACHED, run.case.tool) for run in done}
    set_right |= {(_UNCHANGED, run.case.tool) for run in done if run.executed.changes}
    left = tuple(each for each in evaluation.findings if (each.reason, each.detail.split(":")[0]) not in set_right)
    if left == evaluation.findings:
        return evaluation
    covered = evaluation.tools_covered + sum(each.reason == _UNREACHED for each in evaluation.findings)
    covered -= sum(each.reason == _UNREACHED for each in left)
    status: Status = "rejected" if left else "accepted"
    reason = left[0].reason if left else None
    detail = summary(each for each in left if each.reason == reason) if left else None
    return replace(evaluation, findings=left, status=status, reason=reason, detail=detail, tools_covered=covered)


def _new_checks(evaluation: Evaluation) -> tuple[str, ...]:
    return tuple(reason for reason in PLAN_REASONS if reason not in evaluation.checks_run)


def _rejected(evaluation: Evaluation, findings: tuple[Finding, ...]) -> Evaluation:
    """With these findings after its own; the first of all decides."""
    every = tuple(dict.fromkeys((*evaluation.findings, *findings)))
    reason = every[0].reason
    status: Status = "failed" if evaluation.status == "failed" else "rejected"
    detail = evaluation.detail or summary(each for each in every if each.reason == reason)
    return replace(evaluation, status=status, reason=evaluation.reason or reason, detail=detail, findings=every)


def _is_broken(runs: Sequence[CaseRun]) -> bool:
    return any(run.reason in _CODES_FAULT for run in runs)


def _decided(runs: Sequence[CaseRun], rulings: Sequence[Ruling | None]) -> tuple[_Decided, ...]:
    """Pass or not. So many cases may be invalid: the first ones that the judge names, where their outcome surprised."""
    allowed = int(len(runs) * LARGEST_SHARE_INVALID)
    decided = []
    for run, ruling in zip(runs, rulings, strict=True):
        is_passed: bool | None = run.reason is None and (ruling is None or ruling.verdict == "pass")
        is_surprise = run.reason is not None and run.reason not in _CODES_FAULT
        if ruling is not None and ruling.verdict == "invalid_case" and is_surprise and allowed > 0:
            allowed, is_passed = allowed - 1, None
        decided.append(_Decided(run, ruling, is_passed))
    return tuple(decided)


def _report(
    decided: Sequence[_Decided],
    *,
    is_judged: bool,
    untested: Mapping[str, str | None],
    rulings: Mapping[str, Ruling],
) -> PlanReport:
    judged = [each for each in decided if each.ruling is not None and each.ruling.verdict != "unjudged"]
    agreeing = [
        each
        for each in judged
        if each.ruling is not None and (each.ruling.verdict == "pass") == (each.run.reason is None)
    ]
    return PlanReport(
        case_count=len(decided),
        passed_count=sum(each.is_passed is True for each in decided),
        invalid_count=sum(each.is_passed is None for each in decided),
        unjudged_count=sum(each.ruling is not None and each.ruling.verdict == "unjudged" for each in decided),
        is_judged=is_judged,
        agreement=len(agreeing) / len(judged) if judged else None,
        rules_untested=untested,
        rulings=rulings,
    )


def _findings(
    model: LogicModel,
    standard: Sequence[Trial],
    decided: Sequence[_Decided],
    report: PlanReport,
) -> Iterator[Finding]:
    needed = STRICT_PASS_RATE if report.is_judged else 1.0
    found: list[Finding] = []
    if report.strict_pass_rate < needed:
        found += [_failure(each) for each in decided if each.is_passed is False]
    surplus = sum(
        each.ruling is not None and each.ruling.verdict == "invalid_case" and each.is_passed is False
        for each in decided
    )
    if surplus:
        detail = f"the judge calls {surplus + report.invalid_count} of {len(decided)} cases wrong; a tenth may be"
        found.append(Finding("too_many_invalid_cases", detail))
    found += _uncovered_tools(model, standard, decided)
    found += _uncovered_rules(model, report)
    yield from sorted(found, key=lambda each: PLAN_REASONS.index(each.reason))


def _failure(decided: _Decided) -> Finding:
    run, ruling = decided.run, decided.ruling
    if run.reason is not None:
        return Finding(run.reason, str(run.detail))
    assert ruling is not None, "a case that came out as expected fails by its judge only"
    reason = {"fail": "judged_wrong", "warning": "judged_poor"}.get(ruling.verdict, "unjudged")
    outcome = f"comes out as expected ({run.outcome})"
    return Finding(reason, f"{run.case.tool}, case {run.executed.number}, {outcome}, but: {ruling.reason}")


def _uncovered_tools(model: LogicModel, standard: Sequence[Trial], decided: Sequence[_Decided]) -> Iterator[Finding]:
    trials = [*standard, *(_trial(each) for each in decided)]
    counts = Counter((each.tool, each.outcome) for each in trials if each.is_passed and each.outcome == each.expected)
    for operation in model.operations:
        positive, negative = counts[operation.name, "success"], counts[operation.name, "refusal"]
        if positive < POSITIVE_CASES or negative < NEGATIVE_CASES:
            detail = f"{operation.name} has {positive} executed cases that succeed and {negative} that are refused"
            yield Finding("tool_untested", f"{detail}; it needs {POSITIVE_CASES} and {NEGATIVE_CASES}")


def _uncovered_rules(model: LogicModel, report: PlanReport) -> Iterator[Finding]:
    enforced = {rule_id for operation in model.operations for rule_id in operation.enforces}
    for rule_id, why in report.rules_untested.items():
        if rule_id in enforced and why is None:
            yield Finding("rule_untested", f"no executed case was refused for breaking rule '{rule_id}'")


def _untested(
    model: LogicModel, said: Mapping[str, str], standard: Sequence[Trial], decided: Sequence[_Decided]
) -> dict[str, str | None]:
    """Rule -> why no case was refused for it; null where one must be.

    What every call must keep may be kept by the way the calls are built; a condition of one call can be missed.
    """
    enforcing = {(operation.name, rule_id) for operation in model.operations for rule_id in operation.enforces}
    trials = [*standard, *(_trial(each) for each in decided)]
    tested = {
        each.rule_id
        for each in trials
        if (each.tool, each.rule_id) in enforcing and each.is_passed and each.outcome == "refusal"
    }
    enforced = {rule_id for _, rule_id in enforcing}
    untested: dict[str, str | None] = {}
    for rule in model.rules:
        if rule.id in tested:
            continue
        if rule.kind == "policy":
            untested[rule.id] = "a policy: no tool enforces it, only the agent can obey it"
        elif rule.id not in enforced:
            untested[rule.id] = "no operation refuses for it; it is asked of every state that is reached"
        else:
            untested[rule.id] = said.get(rule.id) if rule.kind != "precondition" else None
    return untested


def _trial(decided: _Decided) -> Trial:
    run, ruling = decided.run, decided.ruling
    case = run.case
    is_wanted = case.expected == "success"
    rule_id = case.rule_id if run.breaks_rule else None
    detail = _failure(decided).detail if decided.is_passed is False else None
    if decided.is_passed is None and ruling is not None:
        detail = f"the case is wrong: {ruling.reason}"
    return Trial(
        tool=case.tool,
        case="positive" if is_wanted else "breaks_rule" if rule_id else "negative",
        arguments=case.arguments,
        expected="success" if is_wanted else "refusal",
        outcome=run.outcome,
        is_passed=decided.is_passed is True,
        detail=detail,
        starts_from=run.starts_from,
        rule_id=rule_id,
        origin="plan",
        given=case.given,
        setup=case.setup,
        holds=case.holds,
        verdict=ruling.verdict if ruling is not None else None,
    )
