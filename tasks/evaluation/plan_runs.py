"""Executes a test plan: every case on a fresh copy of the state, through the door that agents use."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from schemas.ids import canonical_json
from schemas.logic_models import LogicModel
from tasks.authors.base import ExecutedCall, TestCase, TestPlan
from tasks.evaluation.findings import shorten
from tasks.evaluation.observed import Outcome, contract_problem, shown_arguments
from tasks.evaluation.states import state_problems
from tasks.evaluation.told_changes import told
from tasks.runtime.environment import Environment, EnvironmentBroken
from tasks.runtime.paths import with_values
from tasks.runtime.signature import ToolSignature
from tasks.runtime.state import difference, state_digest
from tasks.sandbox.base import CheckSession, CodeRejected, Sandbox

State = dict[str, Any]

_HOLDS = (
    "[(\n{predicate}\n) for before, state, args, result in "
    "[(states[at[0]], states[at[1]], calls[at[2]][0], calls[at[2]][1]) for at in [{at}]] for now in [state['now']]][0]"
)
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


@dataclass(frozen=True)
class _Reached:
    """A run whose predicate has still to be asked."""

    run: CaseRun
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
    with sandbox.environment(code, model.class_name) as session:
        environment = Environment(session, {tool.name: tool.parameters for tool in tools})
        for each in plans:
            environment.reset(each.state, is_complete=False)
            complete = environment.initial_state
            for case in each.plan.cases:
                number = len(reached) + 1
                problem = _problem(model, complete, case)
                if problem is not None:
                    reached.append(_unusable(case, number, complete, problem))
                else:
                    reached.append(_reached(environment, complete, number, case))
    with sandbox.checks() as checks:
        return tuple(_with_predicates(checks, reached))


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


def _unusable(case: TestCase, number: int, state: State, problem: str) -> _Reached:
    executed = ExecutedCall(number=number, case=case, result=None, error=None, changes=())
    run = CaseRun(case, executed, "fault", state_digest(state), "setup_refused", f"case {number}: {problem}")
    return _Reached(run, state, state)


def _reached(environment: Environment, state: State, number: int, case: TestCase) -> _Reached:
    if case.given:
        environment.reset(with_values(state, case.given), is_complete=False)
        state = environment.initial_state
    else:
        environment.reset(state)
    for call in case.setup:
        result, error = _called(environment, call.tool, call.arguments)
        if error is not None or _outcome(result, error) != "success":
            executed = ExecutedCall(number=number, case=case, result=result, error=error, changes=())
            problem = f"{_shown(case)}: {call.tool} of its setup does not succeed: {_said(result, error)}"
            run = CaseRun(case, executed, "fault", state_digest(state), "setup_refused", problem)
            return _Reached(run, state, state)
    before = environment.state() if case.setup else state
    result, error = _called(environment, case.tool, case.arguments)
    try:
        after = environment.state()
    except CodeRejected as rejected:
        after, error = before, f"{rejected.kind}: {rejected}"
    changes = tuple(told(change) for change in difference(*_where_different(before, after)))
    executed = ExecutedCall(number=number, case=case, result=result, error=error, changes=changes)
    outcome = _outcome(result, error)
    reason = _reason(case, outcome, bool(changes))
    detail = None if reason is None else _detail(case, reason, result, error, changes)
    return _Reached(CaseRun(case, executed, outcome, state_digest(before), reason, detail), before, after)


def _where_different(before: State, after: State) -> tuple[State, State]:
    """Both states without the attributes and records that are equal to the letter: most of a state is."""
    olds: State = {}
    news: State = {}
    for name in (*before, *(name for name in after if name not in before)):
        old, new = before.get(name), after.get(name)
        if name in before and name in after and canonical_json(old) == canonical_json(new):
            continue
        if isinstance(old, dict) and isinstance(new, dict):
            equal = [key for key in old if key in new and canonical_json(old[key]) == canonical_json(new[key])]
            old = {key: value for key, value in old.items() if key not in equal}
            new = {key: value for key, value in new.items() if key not in equal}
        olds |= {name: old} if name in before else {}
        news |= {name: new} if name in after else {}
    return olds, news


def _called(environment: Environment, tool: str, arguments: dict[str, Any]) -> tuple[Any, str | None]:
    try:
        return environment.call(tool, arguments), None
    except EnvironmentBroken as broken:
        return None, str(broken)


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
    for start in range(0, len(reached), _CASES_PER_MESSAGE):
        portion = reached[start : start + _CASES_PER_MESSAGE]
        asked = [each for each in portion if each.run.case.holds and each.run.outcome == each.run.case.expected]
        states = {name: state for each in asked for name, state in ((_name(each.before), each.before), _named(each))}
        calls = {str(each.run.executed.number): (each.run.case.arguments, each.run.executed.result) for each in asked}
        predicates = [
            _HOLDS.format(
                predicate=each.run.case.holds,
                at=(_name(each.before), _name(each.after), str(each.run.executed.number)),
            )
            for each in asked
        ]
        verdicts = checks.evaluate(predicates, {"states": states, "calls": calls}) if asked else []
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


def _named(reached: _Reached) -> tuple[str, State]:
    return _name(reached.after), reached.after


def _name(state: State) -> str:
    return state_digest(state)


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
