"""Executes the predicates of a logic model on everything that was reached."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from schemas.ids import canonical_json
from schemas.logic_models import LogicModel, Rule, RuleKind
from tasks.evaluation.explore import Record
from tasks.evaluation.findings import Finding
from tasks.evaluation.observed import Observed
from tasks.sandbox.base import CheckSession, CheckVerdict

# One message asks a rule about many cases at once; only a rule that does not hold in all of them is asked case by case.
# The predicate stands on lines of its own, so that a comment in it ends there.
_ON_STATE = "all((\n{predicate}\n) for at in {cases} for state in [states[at[0]]] for now in [state['now']])"
_ON_CHANGE = (
    "all((\n{predicate}\n) for at in {cases} for before, state in [(states[at[0]], states[at[1]])] "
    "for now in [state['now']])"
)
_ON_CALL = (
    "all((\n{predicate}\n) for at in {cases} for state, args in [(states[at[0]], calls[at[1]])] "
    "for now in [state['now']])"
)
_FORMS: Mapping[RuleKind, str] = MappingProxyType(
    {"invariant": _ON_STATE, "uniqueness": _ON_STATE, "transition": _ON_CHANGE, "precondition": _ON_CALL}
)
_REASONS: Mapping[RuleKind, str] = MappingProxyType(
    {
        "invariant": "invariant_broken",
        "uniqueness": "invariant_broken",
        "transition": "transition_broken",
        "precondition": "precondition_not_enforced",
    }
)
_CHARACTERS_PER_MESSAGE = 4_000_000


@dataclass(frozen=True)
class RuleReport:
    """What the predicates said."""

    findings: tuple[Finding, ...]
    rules_checked: int
    """Rules whose predicate was executed on at least one case."""


@dataclass(frozen=True)
class _Case:
    """One thing that a rule is asked about."""

    rule: Rule
    at: tuple[str, ...]
    """Digest of a state, of two states, or digest of a state and number of a call: what the rule's form needs."""
    text: str


@dataclass
class _Batch:
    """Cases for one message, by rule, and the states and calls that they need."""

    cases: dict[str, list[_Case]] = field(default_factory=dict)
    states: dict[str, Any] = field(default_factory=dict)
    calls: dict[str, Any] = field(default_factory=dict)


def check_rules(session: CheckSession, model: LogicModel, record: Record, defaults: Mapping[str, Any]) -> RuleReport:
    """Ask every executable rule about every state, change and successful call that it applies to.

    Args:
        session: Where the predicates run.
        model: The rules.
        record: What was reached; `states` holds valid states only.
        defaults: Tool -> values of the arguments that a call leaves out.
    """
    findings: list[Finding] = []
    checked: dict[str, None] = {}
    for batch in _batches(model, record, defaults):
        questions = list(batch.cases.values())
        for cases, verdict in zip(questions, _ask(session, batch, questions), strict=True):
            checked[cases[0].rule.id] = None
            if not verdict.passed:
                findings += _findings(session, batch, cases, record)
    return RuleReport(tuple(findings), len(checked))


def _ask(session: CheckSession, batch: _Batch, questions: list[list[_Case]]) -> list[CheckVerdict]:
    """One verdict per list of cases of the same rule."""
    predicates = [
        _FORMS[cases[0].rule.kind].format(predicate=cases[0].rule.predicate, cases=[case.at for case in cases])
        for cases in questions
    ]
    return session.evaluate(predicates, {"states": batch.states, "calls": batch.calls})


def _findings(session: CheckSession, batch: _Batch, cases: list[_Case], record: Record) -> Iterator[Finding]:
    """The cases in which a rule does not hold or can't be evaluated."""
    verdicts = _ask(session, batch, [[case] for case in cases])
    for case, verdict in zip(cases, verdicts, strict=True):
        rule = case.rule
        if verdict.error is not None:
            yield Finding("predicate_fails", f"rule '{rule.id}' {case.text}: {verdict.error}")
        elif not verdict.passed:
            is_given = len(case.at) == 1 and case.at[0] in record.starts
            reason = "initial_state_invalid" if is_given else _REASONS[rule.kind]
            yield Finding(reason, f"rule '{rule.id}' ({rule.text}) does not hold {case.text}")


def _batches(model: LogicModel, record: Record, defaults: Mapping[str, Any]) -> Iterator[_Batch]:
    """All cases, each once, in portions that one message can carry."""
    if not record.starts:
        return
    most = max(2, _CHARACTERS_PER_MESSAGE // len(canonical_json(record.states[record.starts[0]])))
    batch = _Batch()
    known: set[tuple[str, tuple[str, ...]]] = set()
    for case, seen in _cases(model, record):
        if (case.rule.id, case.at) in known:
            continue
        known.add((case.rule.id, case.at))
        if len(batch.states) >= most:
            yield batch
            batch = _Batch()
        batch.cases.setdefault(case.rule.id, []).append(case)
        is_call = case.rule.kind == "precondition"
        batch.states |= {digest: record.states[digest] for digest in (case.at[:1] if is_call else case.at)}
        if is_call and seen is not None:
            batch.calls[case.at[1]] = {**defaults[seen.call.tool], **seen.call.arguments}
    yield batch


def _cases(model: LogicModel, record: Record) -> Iterator[tuple[_Case, Observed | None]]:
    """In the order in which things happened."""
    rules = [rule for rule in model.rules if rule.predicate is not None and rule.kind in _FORMS]
    on_state = [rule for rule in rules if _FORMS[rule.kind] == _ON_STATE]
    on_change = [rule for rule in rules if _FORMS[rule.kind] == _ON_CHANGE]
    on_call = {
        operation.name: [rule for rule in rules if rule.kind == "precondition" and rule.id in operation.enforces]
        for operation in model.operations
    }
    for number, start in enumerate(record.starts, start=1):
        yield from ((_Case(rule, (start,), f"in initial state {number}"), None) for rule in on_state)
    for number, seen in enumerate(record.observed):
        if seen.before not in record.states:
            continue
        if seen.outcome == "success":
            text = f"before {seen}, which succeeded"
            at = (seen.before, str(number))
            yield from ((_Case(rule, at, text), seen) for rule in on_call[seen.call.tool])
        if seen.is_change and seen.after is not None and seen.after in record.states:
            text = f"after {seen}"
            yield from ((_Case(rule, (seen.after,), text), seen) for rule in on_state)
            yield from ((_Case(rule, (seen.before, seen.after), text), seen) for rule in on_change)
