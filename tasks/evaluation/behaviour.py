"""Checks on what was seen of a running class: one function per promise of the contract."""

from collections.abc import Callable, Iterator

from tasks.evaluation import effects
from tasks.evaluation.evidence import Evidence
from tasks.evaluation.findings import Finding
from tasks.evaluation.observed import contract_problem

_ERRORS_SHOWN = 3


def load_flaws(evidence: Evidence) -> Iterator[str]:
    """The class loads, without a config and with every initial state."""
    yield from evidence.details("does_not_load")


def death_flaws(evidence: Evidence) -> Iterator[str]:
    """No call takes its process down."""
    yield from evidence.details("session_died")


def initial_state_flaws(evidence: Evidence) -> Iterator[str]:
    """Every initial state fits types, references and bounds, and no invariant is broken in it."""
    yield from evidence.details("initial_state_invalid")


def state_json_flaws(evidence: Evidence) -> Iterator[str]:
    """The public attributes are plain JSON, at first and after every call."""
    yield from evidence.details("state_not_json")
    for seen in evidence.record.observed:
        if seen.state_flaw is not None:
            yield f"after {seen}: {seen.state_flaw}"


def survival_flaws(evidence: Evidence) -> Iterator[str]:
    """A state that is loaded, dumped and loaded again is the same, and goes on the same way."""
    yield from evidence.details("state_does_not_survive")


def exceptions(evidence: Evidence) -> Iterator[str]:
    """No call raises, whatever the arguments."""
    for seen in evidence.record.observed:
        if seen.raised is not None:
            yield f"{seen} raises {seen.raised}"


def result_json_flaws(evidence: Evidence) -> Iterator[str]:
    """Every result is plain JSON."""
    for seen in evidence.record.observed:
        if seen.result_flaw is not None:
            yield f"{seen}: {seen.result_flaw}"


def result_flaws(evidence: Evidence) -> Iterator[str]:
    """Every result says whether the call succeeded, and carries data, a message or an error."""
    for seen in evidence.record.observed:
        problem = contract_problem(seen.result.result) if seen.result.error is None else None
        if problem is not None:
            yield f"{seen}: {problem}"


def accepted_wrong_arguments(evidence: Evidence) -> Iterator[str]:
    """Missing, unknown and wrong-typed arguments are refused: by the schema, and wrong types by the class too."""
    for trial in evidence.trials:
        is_wrong = trial.case in ("missing_argument", "unknown_argument", "wrong_type")
        if is_wrong and not trial.is_passed and trial.outcome != "exception":
            yield f"{trial.tool}, {trial.case}, {evidence.shown(trial)}: {trial.detail}"


def changing_queries(evidence: Evidence) -> Iterator[str]:
    """A query changes nothing."""
    queries = [operation.name for operation in evidence.model.operations if operation.kind == "query"]
    for seen in evidence.record.observed:
        if seen.call.tool in queries and seen.after is not None and seen.is_change:
            yield f"query {seen} changes the state"


def changing_failures(evidence: Evidence) -> Iterator[str]:
    """A call that does not succeed changes nothing."""
    for seen in evidence.record.observed:
        if seen.outcome != "success" and seen.after is not None and seen.is_change:
            yield f"{seen} does not succeed but changes the state"


def broken_states(evidence: Evidence) -> Iterator[str]:
    """Every state that is reached fits types, references and bounds."""
    yield from evidence.details("state_broken")


def broken_invariants(evidence: Evidence) -> Iterator[str]:
    """Every invariant and every uniqueness holds in every state that is reached."""
    yield from evidence.details("invariant_broken")


def broken_transitions(evidence: Evidence) -> Iterator[str]:
    """Every transition rule holds for every change."""
    yield from evidence.details("transition_broken")


def skipped_preconditions(evidence: Evidence) -> Iterator[str]:
    """A call that succeeds has met the preconditions that its operation enforces."""
    yield from evidence.details("precondition_not_enforced")


def failing_predicates(evidence: Evidence) -> Iterator[str]:
    """Every predicate can be evaluated wherever it applies."""
    yield from evidence.details("predicate_fails")


def differences(evidence: Evidence) -> Iterator[str]:
    """The same calls give the same results and states in another process."""
    yield from evidence.details("nondeterministic")


def shared_objects(evidence: Evidence) -> Iterator[str]:
    """Nothing is shared with the caller, or between two instances."""
    yield from evidence.details("shared_object")


def uncovered_tools(evidence: Evidence) -> Iterator[str]:
    """Every tool succeeds at least once. Says nothing when something else kept the calls from being made."""
    if not evidence.record.traces:
        return
    covered = evidence.record.covered()
    for operation in evidence.model.operations:
        if operation.name in covered:
            continue
        tries = [
            each
            for each in evidence.record.observed
            if each.call.tool == operation.name and each.case in ("positive", "sequence")
        ]
        errors = list(dict.fromkeys(each.error for each in tries if each.error is not None))
        says = f"; it says: {' / '.join(errors[:_ERRORS_SHOWN])}" if errors else ""
        yield f"{operation.name}: none of {len(tries)} calls succeeds{says}"


BEHAVIOUR_CHECKS: tuple[tuple[str, Callable[[Evidence], Iterator[str]]], ...] = (
    ("does_not_load", load_flaws),
    ("session_died", death_flaws),
    ("state_not_json", state_json_flaws),
    ("uncaught_exception", exceptions),
    ("result_not_json", result_json_flaws),
    ("result_malformed", result_flaws),
    ("initial_state_invalid", initial_state_flaws),
    ("wrong_argument_accepted", accepted_wrong_arguments),
    ("query_changes_state", changing_queries),
    ("failed_call_changes_state", changing_failures),
    ("state_broken", broken_states),
    ("invariant_broken", broken_invariants),
    ("transition_broken", broken_transitions),
    ("precondition_not_enforced", skipped_preconditions),
    ("predicate_fails", failing_predicates),
    ("effect_undeclared", effects.undeclared_effects),
    ("result_contradicts_state", effects.contradicting_results),
    ("filter_ignored", effects.ignored_filters),
    ("nondeterministic", differences),
    ("state_does_not_survive", survival_flaws),
    ("shared_object", shared_objects),
    ("tool_never_succeeds", uncovered_tools),
    ("effect_missing", effects.missing_effects),
)
"""In the order in which they decide: what explains the others comes first."""

_OF_MANY_CALLS = ("tool_never_succeeds", "effect_missing")
"""What a few calls don't do says nothing."""
_OF_PLANS = ("effect_undeclared",)
"""A model that was derived from the code declares nothing that the code could break."""


def behaviour_findings(evidence: Evidence, *, is_whole: bool) -> tuple[Finding, ...]:
    """Everything that fails, in the order of the checks, each once.

    Args:
        evidence: What was seen.
        is_whole: Whether this is all that will be seen, and not one sequence of many.
    """
    return tuple(
        Finding(reason, detail)
        for reason, check in BEHAVIOUR_CHECKS
        if (is_whole or reason not in _OF_MANY_CALLS) and (evidence.terms.is_planned or reason not in _OF_PLANS)
        for detail in dict.fromkeys(check(evidence))
    )
