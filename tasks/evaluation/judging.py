"""The judge: somebody who sees what executed calls did, and says whether that is what the plan wants.

A judge is not trusted more than needed: what can't be read counts as not judged, never as passed, and of the cases that
come out unexpectedly only so many may be called wrong.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from schemas.ids import digest
from tasks.authors.base import CallJudgements, ExecutedCall

CALLS_PER_QUESTION = 120
"""At most. Every question carries the plan and the code, which are as long as forty calls."""
LARGEST_SHARE_INVALID = 0.1
"""Of the cases of a plan. What a judge calls invalid beyond it counts as failed."""
_LONGEST_LIST = 6
_LONGEST_TEXT = 300

Verdict = Literal["pass", "warning", "fail", "invalid_case", "unjudged"]
Judge = Callable[[tuple[ExecutedCall, ...]], CallJudgements | None]
"""Executed calls -> judgements; null when no usable answer could be had."""


@dataclass(frozen=True)
class Ruling:
    """What was said of one call."""

    verdict: Verdict
    reason: str
    rule_id: str | None = None
    """For an invalid case, the rule that it contradicts; null where it contradicts something else."""


_UNJUDGED = Ruling("unjudged", "the judge gave no usable answer")


def rulings_on(
    calls: Sequence[ExecutedCall], judge: Judge, known: Mapping[str, Ruling]
) -> tuple[tuple[Ruling, ...], dict[str, Ruling]]:
    """One ruling per call, and all that is known afterwards.

    Args:
        calls: What is to be judged; numbers are unique.
        judge: Asked about portions of equal size, of `CALLS_PER_QUESTION` calls at most.
        known: Earlier rulings, by `call_key`: a call that did the same again is not asked about again.
    """
    rulings = dict(known)
    open_calls = [call for call in calls if call_key(call) not in rulings]
    count = -(-len(open_calls) // CALLS_PER_QUESTION)
    for number in range(count):
        portion = open_calls[number * len(open_calls) // count : (number + 1) * len(open_calls) // count]
        answer = judge(tuple(_shortened(call) for call in portion))
        rulings |= _readable(portion, answer)
    return tuple(rulings.get(call_key(call), _UNJUDGED) for call in calls), rulings


def call_key(call: ExecutedCall) -> str:
    """The same for calls that tried and did the same, whatever their numbers."""
    return digest([call.case.model_dump(), call.result, call.error, call.changes])


def _readable(calls: Sequence[ExecutedCall], answer: CallJudgements | None) -> dict[str, Ruling]:
    """The judgements that say of exactly one of the calls what it is worth; a number that comes twice says nothing."""
    judgements = answer.judgements if answer is not None else ()
    numbers = [each.number for each in judgements]
    said = {each.number: each for each in judgements if numbers.count(each.number) == 1}
    return {
        call_key(call): Ruling(said[call.number].verdict, said[call.number].reason, said[call.number].rule_id)
        for call in calls
        if call.number in said
    }


def _shortened(call: ExecutedCall) -> ExecutedCall:
    """The call with long lists and texts of its result cut: twenty records say no more than six."""
    return call.model_copy(update={"result": _cut(call.result)})


def _cut(value: Any) -> Any:
    if isinstance(value, list):
        shown = [_cut(each) for each in value[:_LONGEST_LIST]]
        return [*shown, f"... and {len(value) - _LONGEST_LIST} more"] if len(value) > _LONGEST_LIST else shown
    if isinstance(value, dict):
        return {name: _cut(each) for name, each in value.items()}
    return f"{value[:_LONGEST_TEXT]}..." if isinstance(value, str) and len(value) > _LONGEST_TEXT else value
