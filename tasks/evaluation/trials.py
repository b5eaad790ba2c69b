"""Single calls as evidence: what was expected of each, and what came of it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from tasks.authors.base import SetupCall
from tasks.evaluation.explore import Record
from tasks.evaluation.judging import Verdict
from tasks.evaluation.observed import Case, Observed, Outcome, contract_problem
from tasks.evaluation.rules import RuleChecks
from tasks.runtime.arguments import problem_with
from tasks.runtime.signature import ToolSignature

UNKNOWN_ARGUMENT = "no_such_argument"


_BREAKING_ASKED = 25
"""Refused calls per tool that are asked whether they would have broken a precondition."""


@dataclass(frozen=True)
class Trial:
    """One executed test call. Cases as in the table `tool_tests`."""

    tool: str
    case: Case
    arguments: Mapping[str, Any]
    expected: Literal["success", "refusal"]
    outcome: Outcome
    is_passed: bool
    detail: str | None
    """What went wrong; null when passed."""
    starts_from: str | None = None
    """Digest of the state that it meets; null when the arguments never reached the class."""
    rule_id: str | None = None
    """The rule that the call would break; null for any other case."""
    origin: Literal["standard", "plan"] = "standard"
    """Whether the evaluation made the call by itself, or a test plan asked for it."""
    given: Mapping[str, Any] = field(default_factory=dict)
    """Values put into the state first, by path."""
    setup: tuple[SetupCall, ...] = ()
    """Calls that were made before it."""
    holds: str | None = None
    """Predicate that had to be true afterwards; null when none was given."""
    verdict: Verdict | None = None
    """What the judge said; null where nobody judged."""


def trials_of(record: Record, tools: Sequence[ToolSignature], rules: RuleChecks) -> tuple[Trial, ...]:
    """The single calls of a record, and the ones that the runtime must refuse before the class sees them.

    Per tool: one positive trial (its first success on a fresh copy of a state), one per required argument left out, two
    with an unknown argument, one per wrong-typed value, one per odd value, and one refused call per precondition that
    it would have broken, where such calls were made.
    """
    return tuple(trial for tool in tools for trial in _tool_trials(record, tool, rules))


def _tool_trials(record: Record, tool: ToolSignature, rules: RuleChecks) -> Iterator[Trial]:
    own = [each for each in record.observed if each.call.tool == tool.name]
    positive = next((each for each in own if each.case == "positive" and each.outcome == "success"), None)
    base = positive or next(iter(own), None)
    if positive is not None:
        yield _observed(positive, "success", contract_problem(positive.result.result))
    if base is not None:
        yield from _runtime_trials(tool, base.call.arguments)
    for seen in own:
        if seen.case == "wrong_type":
            yield _wrong_type(tool, seen)
        elif seen.case == "bad_value":
            # Both answers are fine, so what is expected is what came; an exception or a change on refusal is not fine.
            yield _observed(seen, "success" if seen.outcome == "success" else "refusal", _odd_flaw(seen))
    yield from _breaking(record, tool, own, rules)


def _breaking(record: Record, tool: ToolSignature, own: Sequence[Observed], rules: RuleChecks) -> Iterator[Trial]:
    if not rules.preconditions.get(tool.name):
        return
    refused = [
        each
        for each in own
        if each.outcome == "refusal"
        and each.before in record.states
        and problem_with(each.call.arguments, tool.parameters) is None
    ]
    by_state: dict[str, list[Observed]] = {}
    for seen in sorted(refused, key=lambda each: each.case != "breaks_rule")[:_BREAKING_ASKED]:
        by_state.setdefault(seen.before, []).append(seen)
    found: dict[str, Observed] = {}
    for state, asked in by_state.items():
        broken = rules.broken_by(tool.name, state, [each.call.arguments for each in asked])
        for seen, rule_ids in zip(asked, broken, strict=True):
            found |= {rule_id: seen for rule_id in rule_ids if rule_id not in found}
    for rule_id, seen in found.items():
        yield replace(_observed(seen, "refusal", _odd_flaw(seen)), case="breaks_rule", rule_id=rule_id)


def _runtime_trials(tool: ToolSignature, arguments: Mapping[str, Any]) -> Iterator[Trial]:
    for name in tool.parameters["required"]:
        rest = {other: value for other, value in arguments.items() if other != name}
        yield _refused_by_runtime(tool, "missing_argument", rest)
    for value in ("text", None):
        yield _refused_by_runtime(tool, "unknown_argument", {**arguments, UNKNOWN_ARGUMENT: value})


def _refused_by_runtime(tool: ToolSignature, case: Case, arguments: Mapping[str, Any]) -> Trial:
    is_refused = problem_with(arguments, tool.parameters) is not None
    detail = None if is_refused else "the schema lets these arguments pass"
    return Trial(tool.name, case, arguments, "refusal", "refusal" if is_refused else "success", is_refused, detail)


def _wrong_type(tool: ToolSignature, seen: Observed) -> Trial:
    """The schema must refuse it, and the class must too: not every caller checks the schema first."""
    flaw = None
    if problem_with(seen.call.arguments, tool.parameters) is None:
        flaw = "the schema lets these arguments pass"
    elif seen.outcome != "refusal":
        flaw = f"the class raises {seen.result.error}" if seen.outcome == "exception" else "the class accepts it"
    return _observed(seen, "refusal", flaw)


def _odd_flaw(seen: Observed) -> str | None:
    if seen.outcome == "exception":
        return seen.result.error
    return "the refused call changes the state" if seen.outcome == "refusal" and seen.is_change else None


def _observed(seen: Observed, expected: Literal["success", "refusal"], flaw: str | None) -> Trial:
    return Trial(
        seen.call.tool, seen.case, seen.call.arguments, expected, seen.outcome, flaw is None, flaw, seen.before
    )
