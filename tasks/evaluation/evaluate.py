"""The deterministic evaluation of one environment class: reads it, runs it, and decides."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from schemas.ids import seed_for
from schemas.logic_models import LogicModel
from schemas.row import Status
from tasks.evaluation.behaviour import BEHAVIOUR_CHECKS, behaviour_findings
from tasks.evaluation.campaign import Campaign
from tasks.evaluation.evidence import Evidence
from tasks.evaluation.explore import Explorer, Record
from tasks.evaluation.findings import Finding, summary
from tasks.evaluation.plan_report import PlanReport
from tasks.evaluation.probe import PROBE_CLASS, with_probe
from tasks.evaluation.replay import replay_findings
from tasks.evaluation.rules import RuleChecks
from tasks.evaluation.sequences import FailingSequence
from tasks.evaluation.source import Source, SourceReport, read_source
from tasks.evaluation.terms import PLANNED, Terms
from tasks.evaluation.trials import Trial, trials_of
from tasks.runtime.signature import ToolSignature
from tasks.sandbox.base import CodeRejected, Sandbox, SessionDied

_OTHER_HASH_SEED = 1
"""For the second process: sets have another order there, and objects another address."""
_MACHINE_REASONS = ("wall", "memory")
"""A process that ran out of these may do better on another day: the item is tried again, not blamed."""


@dataclass(frozen=True)
class Evaluation:
    """The decision on a class, and what it rests on."""

    status: Status
    reason: str | None
    """Reason code of the first failed check; null when accepted."""
    detail: str | None
    checks_run: tuple[str, ...]
    """Reason codes of all checks that were run, in order."""
    findings: tuple[Finding, ...]
    """Everything that failed, in the order of the checks; empty when accepted."""
    tools: tuple[ToolSignature, ...]
    """The public methods as the code has them; empty when it can't be read."""
    trials: tuple[Trial, ...]
    failing_sequence: FailingSequence | None
    """The shortest random sequence that was found to break a promise; null when all held."""
    call_count: int
    """Tool calls executed in the first process."""
    tools_covered: int
    rules_checked: int
    sandbox: str
    states: tuple[dict[str, Any], ...] = ()
    """The initial states that it was run on; empty when it was only read."""
    plan: PlanReport | None = None
    """What came of the test plan; null while none was executed."""


def evaluate(
    code: str,
    class_name: str,
    logic_model: LogicModel,
    states: Sequence[dict[str, Any]],
    *,
    sandbox: Sandbox,
    seed: int,
    terms: Terms = PLANNED,
) -> Evaluation:
    """Check a class against its logic model, first by reading it, then by running it on initial states.

    A class that fails by reading is not run. The same arguments give the same evaluation.

    Args:
        code: The module, untrusted.
        class_name: The environment class in it.
        logic_model: The plan, valid.
        states: Initial states, untrusted; at least one.
        sandbox: Where the code runs.
        seed: Draws the calls.
        terms: What is known beside the plan; by default nothing, and the plan promises everything.

    Raises:
        SandboxUnavailable: the sandbox itself is broken.
    """
    source = read_source(Source(code, class_name, logic_model, terms.is_planned))
    if source.findings:
        return of_source(source, sandbox=sandbox.level)
    record = Record()
    if not states:
        record.findings.append(Finding("initial_state_invalid", "no initial state was given"))
    trials: tuple[Trial, ...] = ()
    failing: FailingSequence | None = None
    rules_checked = 0
    died: SessionDied | None = None
    try:
        with sandbox.checks() as checks:
            rules = RuleChecks(checks, logic_model, record.states, _defaults(source.tools))
            try:
                campaign = _campaign(logic_model, source.tools, rules, seed, terms)
                failing = _explore(code, class_name, campaign, states, record, sandbox)
                record.findings += _replay(code, class_name, record, sandbox, terms)
            finally:  # also of calls up to one that took its process down
                record.findings += rules.findings(record)
                rules_checked = rules.rules_checked
                trials = trials_of(record, source.tools, rules)
    except SessionDied as error:
        died = error
        last = f", at or after {record.observed[-1]}" if record.observed else ""
        record.findings.append(Finding("session_died", f"the process died ({error.reason}): {error}{last}"))
    evidence = Evidence(logic_model, record, trials, tuple(record.findings), terms)
    return _decide(source, evidence, rules_checked, failing, died, sandbox.level)


def of_source(source: SourceReport, *, sandbox: str) -> Evaluation:
    """The evaluation of a class that fails by reading."""
    return Evaluation(
        status="rejected",
        reason=source.findings[0].reason,
        detail=summary(each for each in source.findings if each.reason == source.findings[0].reason),
        checks_run=source.checks_run,
        findings=source.findings,
        tools=source.tools,
        trials=(),
        failing_sequence=None,
        call_count=0,
        tools_covered=0,
        rules_checked=0,
        sandbox=sandbox,
    )


def _campaign(
    model: LogicModel, tools: Sequence[ToolSignature], rules: RuleChecks, seed: int, terms: Terms
) -> Campaign:
    def judge(seen: Record) -> tuple[Finding, ...]:
        evidence = Evidence(model, seen, (), (*seen.findings, *rules.findings(seen)), terms)
        return behaviour_findings(evidence, is_whole=False)

    return Campaign(model, tools, Random(seed_for("evaluate", seed)), judge, rules, terms)


def _explore(
    code: str,
    class_name: str,
    campaign: Campaign,
    states: Sequence[dict[str, Any]],
    record: Record,
    sandbox: Sandbox,
) -> FailingSequence | None:
    try:
        with sandbox.environment(code, class_name) as session:
            return campaign.run(Explorer(session, campaign.model, record, campaign.terms), states)
    except CodeRejected as error:
        record.findings.append(Finding("does_not_load", str(error)))
        return None


def _replay(code: str, class_name: str, record: Record, sandbox: Sandbox, terms: Terms) -> tuple[Finding, ...]:
    if not record.starts:
        return ()
    try:
        with sandbox.environment(with_probe(code, class_name), PROBE_CLASS, hash_seed=_OTHER_HASH_SEED) as session:
            return replay_findings(session, record, is_exact=terms.is_planned)
    except CodeRejected as error:
        return (Finding("does_not_load", f"a subclass of the class: {error}"),)


def _defaults(tools: Sequence[ToolSignature]) -> Mapping[str, Mapping[str, Any]]:
    """Tool -> the values that its optional parameters have when a call leaves them out."""
    return {
        tool.name: {
            name: schema.get("default")
            for name, schema in tool.parameters["properties"].items()
            if name not in tool.parameters["required"]
        }
        for tool in tools
    }


def _decide(
    source: SourceReport,
    evidence: Evidence,
    rules_checked: int,
    failing: FailingSequence | None,
    died: SessionDied | None,
    level: str,
) -> Evaluation:
    findings = behaviour_findings(evidence, is_whole=True)
    status: Status = "rejected" if findings else "accepted"
    reason = findings[0].reason if findings else None
    if died is not None and died.reason in _MACHINE_REASONS:
        status, reason = "failed", "session_died"
    return Evaluation(
        status=status,
        reason=reason,
        detail=summary(each for each in findings if each.reason == reason) if findings else None,
        checks_run=(*source.checks_run, *(reason for reason, _ in BEHAVIOUR_CHECKS)),
        findings=findings,
        tools=source.tools,
        trials=evidence.trials,
        failing_sequence=failing,
        call_count=len(evidence.record.observed),
        tools_covered=len(evidence.record.covered()),
        rules_checked=rules_checked,
        sandbox=level,
        states=tuple(evidence.record.states[digest] for digest in evidence.record.starts),
    )
