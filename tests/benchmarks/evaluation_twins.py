"""Whether a class with a fault in it does anything different from the class without: if not, there is nothing to catch.

The criterion is mechanical. Both classes get the same calls of the tools that the fault can be reached from: 800 calls
per fault, drawn as the evaluation draws arguments but from another seed, a fifth of them with one odd value. Half of
them are made on states that 300 random calls have led to, half on such states with one value replaced: the clock stands
at a moment that some record names, or near it; a setting is a little different, or a number that stands in a record; a
record has what another of its kind has, or what the clock says. Only states that fit the plan and its invariants count.
Both are the same when no call ends differently: by success, refusal or exception, by what a success returns, by the
state that is left, and, where the fault is about sharing (80 calls), by what the probe sees, which also looks at what
instances share that a part of the state is left out for. The words of a refusal do not count.
A fault that shows itself in none of these calls may still be one, such as one that needs two numbers to be equal.
"""

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import Any

from schemas.ids import canonical_json
from schemas.logic_models import Entity, LogicModel, Operation, Rule
from tasks.evaluation.arguments import ArgumentMaker
from tasks.evaluation.probe import PROBE_CLASS, with_probe
from tasks.evaluation.states import is_date, is_moment, state_problems
from tasks.evaluation.wrong_values import odd_values
from tasks.sandbox.base import Call, CheckSession, CodeRejected, EnvironmentSession, Sandbox, SessionDied, StepResult
from tests.benchmarks.evaluation_faults import Fault

CALLS, SHARING_CALLS = 800, 80
_WALK = 300
_ODD, _EDITED, _NEAR = 0.2, 0.5, 0.5
_EDITS = 160
_SHARING = ("aliased_return_value", "shared_mutable_default")

State = dict[str, Any]


@dataclass(frozen=True)
class Original:
    """A class without a fault, and states that it was seen in."""

    code: str
    model: LogicModel
    states: tuple[State, ...]
    """Those that calls have led to."""
    edited: tuple[State, ...]
    """Such states with one value replaced."""


def original_of(code: str, model: LogicModel, starts: tuple[State, ...], sandbox: Sandbox) -> Original:
    """Walk through the class for states."""
    rng = Random(f"walk {model.class_name}")
    maker = ArgumentMaker(model, rng)
    states = list(starts)
    with sandbox.environment(code, model.class_name) as session:
        for number in range(_WALK):
            if number % (_WALK // len(starts)) == 0:
                session.init(starts[number // (_WALK // len(starts)) % len(starts)])
                state = session.snapshot()
            operation = rng.choice(model.operations)
            step = session.step(operation.name, maker.draw(operation, state, optional=0.4))
            if operation.kind == "state_change" and isinstance(step.result, dict) and step.result.get("success"):
                state = session.snapshot()
                states.append(state)
    edited = [each for each in (_edited(model, rng.choice(states), rng) for _ in range(_EDITS)) if each is not None]
    rules = [each for each in model.rules if each.kind in ("invariant", "uniqueness") and each.predicate is not None]
    with sandbox.checks() as checks:
        kept = [state for state in edited if _holds(checks, rules, state) and not state_problems(model, state)]
    return Original(code, model, tuple(states), tuple(kept))


def _holds(checks: CheckSession, rules: Sequence[Rule], state: State) -> bool:
    verdicts = checks.evaluate([str(each.predicate) for each in rules], {"state": state, "now": state["now"]})
    return all(each.passed for each in verdicts)


def _edited(model: LogicModel, state: State, rng: Random) -> State | None:
    """A copy with one value replaced by one of its kind; null where there is nothing to replace."""
    entity = rng.choice(model.entities)
    records = list(state[entity.collection].values())
    if not records:
        return None
    change = rng.choice([_other_time, _other_setting, _other_record])
    return change(entity, state, records, rng)


def _other_time(entity: Entity, state: State, records: list[State], rng: Random) -> State | None:
    moments = [value for each in records for value in each.values() if is_date(value) or is_moment(value)]
    return {**state, "now": _near(rng.choice(moments), state["now"], rng)} if moments else None


def _other_setting(entity: Entity, state: State, records: list[State], rng: Random) -> State | None:
    names = [name for name, value in state.get("settings", {}).items() if type(value) is int]
    if not names:
        return None
    name = rng.choice(names)
    numbers = [value for each in records for value in each.values() if type(value) is int and value > 0]
    values = [state["settings"][name] + rng.choice([-1, 1]), *rng.sample(numbers, min(1, len(numbers)))]
    return {**state, "settings": {**state["settings"], name: max(1, rng.choice(values))}}


def _other_record(entity: Entity, state: State, records: list[State], rng: Random) -> State:
    record = rng.choice(records)
    name = rng.choice([each.name for each in entity.attributes if each.name != entity.key])
    value = rng.choice(records)[name]
    if (is_date(value) or is_moment(value)) and rng.random() < _NEAR:
        value = _near(value, state["now"], rng)[: len(value)]
    return {**state, entity.collection: {**state[entity.collection], record[entity.key]: {**record, name: value}}}


def _near(text: str, now: str, rng: Random) -> str:
    """A moment: that of the text or of now, a minute or a day from it, or the day of one at the time of the other."""
    moment = datetime.fromisoformat(rng.choice([f"{text[:10]}{now[10:]}", f"{text}{now[10:]}"[: len(now)], now]))
    step = rng.choice([timedelta(), timedelta(), timedelta(minutes=1), timedelta(days=1)])
    moved = moment + step * rng.choice([-1, 1])
    return moved.strftime("%Y-%m-%dT%H:%M")


def is_twin(original: Original, fault: Fault, sandbox: Sandbox) -> bool:
    """Whether no difference was seen."""
    rng = Random(f"twins {fault.kind} {fault.method} {fault.line}")
    maker = ArgumentMaker(original.model, rng)
    reached = _tools_reaching(original, fault.method)
    is_sharing = fault.kind in _SHARING
    written = sorted({name for each in original.model.operations for name in each.writes})
    names = written if is_sharing else None
    try:
        with (
            _opened(original.code, original, sandbox, is_sharing) as one,
            _opened(fault.code, original, sandbox, is_sharing) as other,
        ):
            for _ in range(SHARING_CALLS if is_sharing else CALLS):
                state = rng.choice(original.edited if rng.random() < _EDITED and original.edited else original.states)
                operation = rng.choice(reached)
                call = Call(operation.name, _arguments(original.model, maker, operation, state, rng))
                if _seen(one, state, call, names) != _seen(other, state, call, names):
                    return False
    except (CodeRejected, SessionDied):
        return False
    return True


def _opened(code: str, original: Original, sandbox: Sandbox, is_sharing: bool) -> Any:
    name = original.model.class_name
    return sandbox.environment(with_probe(code, name), PROBE_CLASS) if is_sharing else sandbox.environment(code, name)


def _arguments(
    model: LogicModel, maker: ArgumentMaker, operation: Operation, state: State, rng: Random
) -> dict[str, Any]:
    arguments = maker.draw(operation, state, optional=0.4)
    if operation.parameters and rng.random() < _ODD:
        parameter = rng.choice(operation.parameters)
        odd = odd_values(model, parameter, arguments.get(parameter.name))
        if odd:
            arguments = {**arguments, parameter.name: rng.choice(odd)}
    return arguments


def _seen(session: EnvironmentSession, state: State, call: Call, names: list[str] | None) -> str:
    """How a call ends; with names, of the attributes that tools write, what the probe sees."""
    session.init(state)
    if names is not None:
        probed = session.step("probe_call", {"tool": call.tool, "arguments": call.arguments})
        given = {"config": state, "calls": [{"tool": call.tool, "arguments": call.arguments}], "names": names}
        return canonical_json([probed.result, session.step("probe_config", given).result])
    step = session.steps([call], watch=True)[0]
    return canonical_json([_ending(step), step.digest])


def _ending(step: StepResult) -> Any:
    if step.error is not None:
        return "exception"
    return step.result if not isinstance(step.result, dict) or step.result.get("success") is not False else "refusal"


def _tools_reaching(original: Original, method: str) -> list[Operation]:
    """The tools whose method is this one, or calls it, directly or through others; all for the constructor."""
    tree = ast.parse(original.code)
    calls = {
        node.name: {each.attr for each in ast.walk(node) if isinstance(each, ast.Attribute)}
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
    }
    reaching = {method}
    while more := {name for name, used in calls.items() if used & reaching} - reaching:
        reaching |= more
    tools = [each for each in original.model.operations if each.name in reaching]
    return tools if tools and method != "__init__" else list(original.model.operations)
