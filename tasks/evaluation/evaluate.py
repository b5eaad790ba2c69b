"""The deterministic evaluation of one environment class: reads it, runs it, and decides."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from schemas.ids import seed_for
from schemas.logic_models import LogicModel
from schemas.row import Status
from tasks.evaluation import behaviour
from tasks.evaluation.campaign import Campaign
from tasks.evaluation.evidence import Evidence
from tasks.evaluation.explore import Explorer, Record
from tasks.evaluation.findings import Finding, summary
from tasks.evaluation.probe import PROBE_CLASS, with_probe
from tasks.evaluation.replay import replay_findings
from tasks.evaluation.rules import RuleReport, check_rules
from tasks.evaluation.source import Source, SourceReport, read_source
from tasks.evaluation.trials import Trial, trials_of
from tasks.runtime.signature import ToolSignature
from tasks.sandbox.base import CodeRejected, Sandbox, SessionDied

_BEHAVIOUR_CHECKS: tuple[tuple[str, Callable[[Evidence], Iterator[str]]], ...] = (
    ("does_not_load", behaviour.load_flaws),
    ("session_died", behaviour.death_flaws),
    ("state_not_json", behaviour.state_json_flaws),
    ("uncaught_exception", behaviour.exceptions),
    ("result_not_json", behaviour.result_json_flaws),
    ("result_malformed", behaviour.result_flaws),
    ("initial_state_invalid", behaviour.initial_state_flaws),
    ("wrong_argument_accepted", behaviour.accepted_wrong_arguments),
    ("query_changes_state", behaviour.changing_queries),
    ("failed_call_changes_state", behaviour.changing_failures),
    ("state_broken", behaviour.broken_states),
    ("invariant_broken", behaviour.broken_invariants),
    ("transition_broken", behaviour.broken_transitions),
    ("precondition_not_enforced", behaviour.skipped_preconditions),
    ("predicate_fails", behaviour.failing_predicates),
    ("nondeterministic", behaviour.differences),
    ("state_does_not_survive", behaviour.survival_flaws),
    ("shared_object", behaviour.shared_objects),
    ("tool_never_succeeds", behaviour.uncovered_tools),
)
"""In the order in which they decide: what explains the others comes first."""

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
    call_count: int
    """Tool calls executed in the first process."""
    tools_covered: int
    rules_checked: int
    sandbox: str


def evaluate(
    code: str,
    class_name: str,
    logic_model: LogicModel,
    states: Sequence[dict[str, Any]],
    *,
    sandbox: Sandbox,
    seed: int,
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

    Raises:
        SandboxUnavailable: the sandbox itself is broken.
    """
    source = read_source(Source(code, class_name, logic_model))
    if source.findings:
        return of_source(source, sandbox=sandbox.level)
    record = Record()
    if not states:
        record.findings.append(Finding("initial_state_invalid", "no initial state was given"))
    rules = RuleReport((), 0)
    died: SessionDied | None = None
    try:
        _explore(code, class_name, logic_model, source.tools, states, record, sandbox, seed)
        record.findings += _replay(code, class_name, record, sandbox)
        with sandbox.checks() as checks:
            rules = check_rules(checks, logic_model, record, _defaults(source.tools))
    except SessionDied as error:
        died = error
        last = f", at or after {record.observed[-1]}" if record.observed else ""
        record.findings.append(Finding("session_died", f"the process died ({error.reason}): {error}{last}"))
    trials = trials_of(record, source.tools)
    evidence = Evidence(logic_model, record, trials, (*record.findings, *rules.findings))
    return _decide(source, evidence, rules.rules_checked, died, sandbox.level)


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
        call_count=0,
        tools_covered=0,
        rules_checked=0,
        sandbox=sandbox,
    )


def _explore(
    code: str,
    class_name: str,
    model: LogicModel,
    tools: Sequence[ToolSignature],
    states: Sequence[dict[str, Any]],
    record: Record,
    sandbox: Sandbox,
    seed: int,
) -> None:
    campaign = Campaign(model, tools, Random(seed_for("evaluate", seed)))
    try:
        with sandbox.environment(code, class_name) as session:
            campaign.run(Explorer(session, model, record), states)
    except CodeRejected as error:
        record.findings.append(Finding("does_not_load", str(error)))


def _replay(code: str, class_name: str, record: Record, sandbox: Sandbox) -> tuple[Finding, ...]:
    if not record.starts:
        return ()
    try:
        with sandbox.environment(with_probe(code, class_name), PROBE_CLASS) as session:
            return replay_findings(session, record)
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
    source: SourceReport, evidence: Evidence, rules_checked: int, died: SessionDied | None, level: str
) -> Evaluation:
    findings = tuple(
        Finding(reason, detail) for reason, check in _BEHAVIOUR_CHECKS for detail in dict.fromkeys(check(evidence))
    )
    status: Status = "rejected" if findings else "accepted"
    reason = findings[0].reason if findings else None
    if died is not None and died.reason in _MACHINE_REASONS:
        status, reason = "failed", "session_died"
    return Evaluation(
        status=status,
        reason=reason,
        detail=summary(each for each in findings if each.reason == reason) if findings else None,
        checks_run=(*source.checks_run, *(reason for reason, _ in _BEHAVIOUR_CHECKS)),
        findings=findings,
        tools=source.tools,
        trials=evidence.trials,
        call_count=len(evidence.record.observed),
        tools_covered=len(evidence.record.covered()),
        rules_checked=rules_checked,
        sandbox=level,
    )
