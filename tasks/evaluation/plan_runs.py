"""Executes a test plan: every case on a fresh copy of the state, through the door that agents use."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from schemas.ids import canonical_json
from schemas.logic_models import LogicModel
from tasks.authors.base import ExecutedCall, TestCase, TestPlan
from tasks.evaluation.case_session import CaseSession
from tasks.evaluation.findings import shorten
from tasks.evaluation.observed import Outcome, contract_problem, shown_arguments
from tasks.evaluation.states import state_problems
from tasks.evaluation.told_changes import told
from tasks.runtime.paths import with_values
from tasks.runtime.signature import ToolSignature
from tasks.runtime.state import difference
from tasks.sandbox.base import CheckSession, Sandbox
from tasks.sandbox.inside.attributes import StateDigests

State = dict[str, Any]

_HOLDS = "[(\n{predicate}\n) for before in [{before}] for state in [{state}] for now in [state['now']]][0]"
_BEFORE, _AFTER = (
    f"{{name: {part}[name] if name in {part} else {whole}[name] for name in {names}}}"
    for part, whole, names in (("own_before", "base", "names_before"), ("own_after", "before", "names_after"))
)
"""States, put together from what they share with the state that the plan was written on, and what they do not."""
_CASES_PER_MESSAGE = 60


@dataclass(frozen=True)
class StatedPlan:
    """A test plan and the initial state that it was written on."""

    state: State
    plan: TestPlan


@dataclass(frozen=True)
class CaseRun:
    """A test case and what came of it."""

    case: TestCase
    executed: ExecutedCall
    outcome: Outcome
    """ "fault": a call of its setup did not succeed, so the case was not reached."""
    starts_from: str
    """Digest of the state that the call met."""
    reason: str | None
    """Reason code when it did not come out as expected; null when it did."""
    detail: str | None
    """What was expected and what came; null when as expected."""
    breaks_rule: bool = True
    """False where the precondition that a refused case names holds for its call: it was refused for something else."""


@dataclass(frozen=True)
class _Reached:
    """A run whose predicate has still to be asked."""

    run: CaseRun
    base: State
    """The state that the plan was written on. The others share its parts where they are as in it."""
    before: State
    after: State


def run_plans(
    code: str, model: LogicModel, tools: Sequence[ToolSignature], plans: Sequence[StatedPlan], sandbox: Sandbox
) -> tuple[CaseRun, ...]:
    """Execute every case of every plan, in order; they are numbered through.

    Args:
        code: The module, untrusted.
        model: The plan of its class.
        tools: The methods of the class.
        plans: The cases, on valid states; arguments may be anything. A case for a tool or rule that does not exist is
            not executed and does not pass.
        sandbox: Where the code runs.

    Raises:
        CodeRejected: the class does not load, or its state is no plain JSON.
        SessionDied: a call took the process down.
    """
    reached: list[_Reached] = []
    with sandbox.environment(code, model.class_name) as opened:
        session = CaseSession(opened, {tool.name: tool.parameters for tool in tools})
        for each in plans:
            opened.init(each.state)
            base = _Base(opened.snapshot())
            for case in each.plan.cases:
                number = len(reached) + 1
                problem = _problem(model, base.state, case)
                if problem is not None:
                    reached.append(_unusable(case, number, base, problem))
                else:
                    reached.append(_reached(session, base, number, case))
    with sandbox.checks() as checks:
        runs = tuple(_with_predicates(checks, reached))
        return tuple(_with_claims(checks, model, reached, runs))


class _Base:
    """The state that a plan was written on, and digests of it and of states that differ from it in little."""

    def __init__(self, state: State) -> None:
        self.state = state
        self._digests = StateDigests()
        self._digest = self._digests.of(state)

    def digest_of(self, state: State) -> str:
        """The digest of a state, which may be this one."""
        return self._digest if state is self.state else self._digests.of(state)


def _problem(model: LogicModel, state: State, case: TestCase) -> str | None:
    """Why a case means nothing for this environment; null when it can be executed."""
    names = [operation.name for operation in model.operations]
    for name in (case.tool, *(each.tool for each in case.setup)):
        if name not in names:
            return f"there is no tool {shorten(name)}"
    if case.rule_id is not None and case.rule_id not in [rule.id for rule in model.rules]:
        return f"there is no rule '{shorten(case.rule_id)}'"
    try:
        given = with_values(state, case.given)
    except KeyError as missing:
        return f"nothing is at the path {missing}"
    problems = state_problems(model, given, since=state) if case.given else ()
    return f"its state contradicts the plan: {problems[0]}" if problems else None


def _unusable(case: TestCase, number: int, base: _Base, problem: str) -> _Reached:
    executed = ExecutedCall(number=number, case=case, result=None, error=None, changes=())
    starts_from = base.digest_of(base.state)
    run = CaseRun(case, executed, "fault", starts_from, "setup_refused", f"case {number}: {problem}")
    return _Reached(run, base.state, base.state, base.state)


def _reached(session: CaseSession, base: _Base, number: int, case: TestCase) -> _Reached:
    state = with_values(base.state, case.given) if case.given else base.state
    session.set(state)
    for call in case.setup:
        result, error = session.prepare(call.tool, call.arguments)
        if error is not None or _outcome(result, error) != "success":
            executed = ExecutedCall(number=number, case=case, result=result, error=error, changes=())
            problem = f"{_shown(case)}: {call.tool} of its setup does not succeed: {_said(result, error)}"
            run = CaseRun(case, executed, "fault", base.digest_of(state), "setup_refused", problem)
            return _Reached(run, base.state, state, state)
    called = session.call(case.tool, case.arguments)
    result, error = called.result, called.error
    changes = tuple(told(change) for change in difference(*_where_different(called.before, called.after)))
    executed = ExecutedCall(number=number, case=case, result=result, error=error, changes=changes)
    outcome = _outcome(result, error)
    reason = _reason(case, outcome, bool(changes))
    detail = None if reason is None else _detail(case, reason, result, error, changes)
    run = CaseRun(case, executed, outcome, base.digest_of(called.before), reason, detail)
    return _Reached(run, base.state, called.before, called.after)


def _where_different(before: State, after: State) -> tuple[State, State]:
    """Both states without the attributes and records that are equal to the letter: most of a state is."""
    olds: State = {}
    news: State = {}
    for name in (*before, *(name for name in after if name not in before)):
        old, new = before.get(name), after.get(name)
        if old is new and name in before and name in after:
            continue
        if name in before and name in after and canonical_json(old) == canonical_json(new):
            continue
        if isinstance(old, dict) and isinstance(new, dict):
            equal = [key for key in old if key in new and canonical_json(old[key]) == canonical_json(new[key])]
            old = {key: value for key, value in old.items() if key not in equal}
            new = {key: value for key, value in new.items() if key not in equal}
        olds |= {name: old} if name in before else {}
        news |= {name: new} if name in after else {}
    return olds, news


def _outcome(result: Any, error: str | None) -> Outcome:
    if error is not None:
        return "exception"
    return "success" if isinstance(result, dict) and result.get("success") is True else "refusal"


def _reason(case: TestCase, outcome: Outcome, is_change: bool) -> str | None:
    if outcome == "exception":
        return "uncaught_exception"
    if outcome == "refusal":
        if is_change:
            return "failed_call_changes_state"
        return "allowed_call_refused" if case.expected == "success" else None
    if case.expected == "success":
        return None
    return "forbidden_call_accepted" if case.rule_id is None else "rule_not_enforced"


def _detail(case: TestCase, reason: str, result: Any, error: str | None, changes: Sequence[str]) -> str:
    said = _said(result, error)
    match reason:
        case "uncaught_exception":
            came = f"it raises {said}"
        case "failed_call_changes_state":
            came = f"it is refused ({said}) but {changes[0]}"
        case "allowed_call_refused":
            came = f"it should succeed, but is refused: {said}"
        case "rule_not_enforced":
            came = f"rule '{case.rule_id}' forbids it, but it succeeds"
        case _:
            came = "it should be refused, but succeeds"
    return f"{_shown(case)}: {came}. Tried: {case.why}"


def _with_predicates(checks: CheckSession, reached: Sequence[_Reached]) -> Iterator[CaseRun]:
    """The runs, those that succeeded as expected with the answer of their predicate."""
    for base, portion in _portions(reached):
        asked = [each for each in portion if each.run.case.holds and each.run.outcome == each.run.case.expected]
        predicates = [_HOLDS.format(predicate=each.run.case.holds, before=_BEFORE, state=_AFTER) for each in asked]
        verdicts = checks.evaluate(predicates, {"base": base}, own=[_names(each) for each in asked]) if asked else []
        answers = {each.run.executed.number: verdict for each, verdict in zip(asked, verdicts, strict=True)}
        for each in portion:
            verdict = answers.get(each.run.executed.number)
            if verdict is None or verdict.passed:
                yield each.run
            else:
                why = f" ({verdict.error})" if verdict.error else ""
                came = "; ".join(each.run.executed.changes) or _said(each.run.executed.result, None)
                detail = f"{_shown(each.run.case)}: afterwards {each.run.case.holds} does not hold{why}; it did: {came}"
                yield replace(each.run, reason="effect_wrong", detail=detail)


def _with_claims(
    checks: CheckSession, model: LogicModel, reached: Sequence[_Reached], runs: Sequence[CaseRun]
) -> Iterator[CaseRun]:
    """The same runs; of those that were refused for a precondition, it is asked whether they break it."""
    rules = {rule.id: rule.predicate for rule in model.rules if rule.kind == "precondition" and rule.predicate}
    blanks = {each.name: dict.fromkeys(one.name for one in each.parameters) for each in model.operations}
    unbroken: set[int] = set()
    for base, portion in _portions(reached):
        asked = [each for each in portion if each.run.outcome == "refusal" and each.run.case.rule_id in rules]
        predicates = [
            _HOLDS.format(predicate=rules[str(each.run.case.rule_id)], before=_BEFORE, state=_BEFORE) for each in asked
        ]
        own = [{**_names(each), "args": {**blanks[each.run.case.tool], **each.run.case.arguments}} for each in asked]
        verdicts = checks.evaluate(predicates, {"base": base}, own=own) if asked else []
        for each, verdict in zip(asked, verdicts, strict=True):
            if verdict.passed or verdict.error is not None:
                unbroken.add(each.run.executed.number)
    for run in runs:
        yield replace(run, breaks_rule=False) if run.executed.number in unbroken else run


def _portions(reached: Sequence[_Reached]) -> Iterator[tuple[State, Sequence[_Reached]]]:
    """So many consecutive cases of one plan as one message may carry, with the state that it was written on."""
    for _, group in groupby(reached, key=lambda each: id(each.base)):
        cases = list(group)
        for start in range(0, len(cases), _CASES_PER_MESSAGE):
            yield cases[0].base, cases[start : start + _CASES_PER_MESSAGE]


def _names(reached: _Reached) -> dict[str, Any]:
    """What the predicate of one case may name."""
    return {
        "args": reached.run.case.arguments,
        "result": reached.run.executed.result,
        "names_before": list(reached.before),
        "own_before": _unshared(reached.before, reached.base),
        "names_after": list(reached.after),
        "own_after": _unshared(reached.after, reached.before),
    }


def _unshared(state: State, other: State) -> State:
    return {name: value for name, value in state.items() if name not in other or other[name] is not value}


def _shown(case: TestCase) -> str:
    after = f" after {', '.join(each.tool for each in case.setup)}" if case.setup else ""
    where = f" where {shown_arguments(case.given)}" if case.given else ""
    return f"{case.tool}({shown_arguments(case.arguments)}){after}{where}"


def _said(result: Any, error: str | None) -> str:
    if error is not None:
        return shorten(error)
    problem = contract_problem(result)
    if problem is not None:
        return problem
    return shorten(str(result["error"]) if not result["success"] else canonical_json(result))
