"""Runs what was seen once more in a second process: same results, same states, no hidden state, nothing shared."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tasks.evaluation.explore import Record
from tasks.evaluation.findings import Finding
from tasks.evaluation.observed import Observed
from tasks.evaluation.retold import goes_on_alike
from tasks.sandbox.base import Call, CodeRejected, EnvironmentSession, StepResult

_SHARE_CALLS_PER_TOOL = 2


def replay_findings(session: EnvironmentSession, record: Record, *, is_exact: bool = True) -> tuple[Finding, ...]:
    """What differs from the first time.

    Args:
        session: It has the class with its probe.
        record: The first time.
        is_exact: Whether a resumed state must go on the same to the letter, or may draw other ids and time stamps.
    """
    try:
        differences = tuple(_differences(session, record))
        resumed = () if differences else tuple(_resumed(session, record, is_exact))
        return (*differences, *resumed, *_shared_objects(session, record))
    except CodeRejected as error:
        return (Finding("nondeterministic", f"a second process refuses what the first one accepted: {error}"),)


def _differences(session: EnvironmentSession, record: Record) -> Iterator[Finding]:
    for run in record.runs():
        again = session.play(record.states[run.start], _made(run.calls), watch=True)
        detail = _difference(run.calls, again.results)
        if detail is not None:
            yield Finding("nondeterministic", detail)


def _resumed(session: EnvironmentSession, record: Record, is_exact: bool) -> Iterator[Finding]:
    """A state that was dumped in the middle must go on like the instance that it was dumped from."""
    for number, trace in enumerate(record.traces, start=1):
        rest = trace.calls[len(trace.calls) // 2 :]
        if not rest or rest[0].before not in record.states:
            continue
        again = session.play(record.states[rest[0].before], _made(rest), watch=True)
        detail = _difference(rest, again.results)
        if detail is not None and (is_exact or not goes_on_alike(session, record.states, rest)):
            resumed = f"sequence {number}, continued from a dump of its middle, where clock and chance start anew"
            yield Finding("state_does_not_survive", f"{resumed}: {detail}")


def _made(calls: Sequence[Observed]) -> list[Call]:
    return [each.call for each in calls]


def _difference(first: Sequence[Observed], second: Sequence[StepResult]) -> str | None:
    """The first call that ended differently, or left another state; null when all agree.

    A sequence whose state was set back, because a call broke it, agrees up to that call only.
    """
    expected_before = first[0].before if first else ""
    for seen, again in zip(first, second, strict=True):
        if seen.before != expected_before:
            return None
        if (seen.result.result, seen.result.error) != (again.result, again.error):
            return f"{seen} gave another result: {_short(seen.result)} and then {_short(again)}"
        if seen.result.digest != again.digest:
            return f"{seen} left another state"
        expected_before = seen.result.digest or ""
    return None


def _short(result: StepResult) -> str:
    return str(result.error or result.result)[:100]


def _shared_objects(session: EnvironmentSession, record: Record) -> Iterator[Finding]:
    successes = [each for each in record.observed if each.outcome == "success" and each.before in record.states]
    counts: dict[str, int] = {}
    for seen in successes:
        counts[seen.call.tool] = counts.get(seen.call.tool, 0) + 1
        if counts[seen.call.tool] <= _SHARE_CALLS_PER_TOOL:
            arguments = {"tool": seen.call.tool, "arguments": seen.call.arguments}
            played = session.play(record.states[seen.before], [Call("probe_call", arguments)])
            yield from _truths(seen.call.tool, played.results[0])
    if record.starts:
        calls = [{"tool": each.call.tool, "arguments": each.call.arguments} for each in successes]
        names = sorted({name for seen in successes for name in _changed(record, seen)})
        config = {"config": record.states[record.starts[0]], "calls": calls, "names": names}
        played = session.play(record.states[record.starts[0]], [Call("probe_config", config)])
        yield from _truths("the class", played.results[0])


def _changed(record: Record, seen: Observed) -> Iterator[str]:
    """State attributes that a call changed: only these can go wrong where they are shared."""
    before, after = record.states.get(seen.before), record.states.get(seen.after or "")
    if seen.is_change and before is not None and after is not None:
        yield from (name for name in after if name in before and after[name] != before[name])


def _truths(subject: str, step: StepResult) -> Iterator[Finding]:
    answers: Mapping[str, Any] = step.result if isinstance(step.result, dict) else {}
    if step.error is not None:
        yield Finding("nondeterministic", f"{subject}: raises in a second process: {step.error}")
    for sentence, is_true in answers.items():
        if is_true:
            yield Finding("shared_object", f"{subject}: {sentence}")
