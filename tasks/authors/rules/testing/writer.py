"""Writes the test plan for one state."""

from collections.abc import Iterator, Sequence

from schemas.logic_models import LogicModel, Operation
from tasks.authors.base import TestCase, TestPlan
from tasks.authors.rules.spec import State
from tasks.authors.rules.testing.edge_cases import EdgeCases
from tasks.authors.rules.testing.expectations import NOTHING_CHANGED
from tasks.authors.rules.testing.guard_cases import GuardCases
from tasks.authors.rules.testing.guards import Attempt
from tasks.authors.rules.testing.openings import opening
from tasks.authors.rules.testing.rule_cases import RuleCases
from tasks.authors.rules.testing.scenes import Scene, allowed_case, refused_case
from tasks.authors.rules.testing.tries import Tries

_SUCCESSES, _KINDS_OF_SUCCESS, _QUERY_SUCCESSES = 3, 5, 10
"""Cases per tool, those at limits not counted: of a change three, or one for each thing that it may do, up to five."""
_WITH_LIMITS = ("integer", "number", "date", "datetime")
_ALLOWED = "It is allowed."
_ALLOWED_COPIES = 2
_ALIKE = "It is allowed, although a record says some of it already."
_OPENED = "It is allowed in this state."


def written_plan(tries: Tries, state: State) -> TestPlan:
    """Cases from this state; what no case was found for is said in `untested`."""
    tries.session.init(state)
    state = tries.session.snapshot()
    rules = RuleCases(tries)
    guards = GuardCases(tries, rules)
    cases: list[TestCase] = []
    for operation in tries.model.operations:
        cases += _tool_cases(tries, guards, rules, operation, Scene(state))
    cases += rules.searched(state)
    different = {case.model_dump_json(exclude={"why"}): case for case in reversed(cases)}
    return TestPlan(cases=tuple(reversed(different.values())), untested=rules.untested())


def _tool_cases(
    tries: Tries, guards: GuardCases, rules: RuleCases, operation: Operation, scene: Scene
) -> Iterator[TestCase]:
    edges = EdgeCases(tries, rules)
    successes, refusals = tries.many(operation, scene.state)
    yield from rules.among(operation, scene, refusals)
    opened = opening(tries, operation, scene, refusals) if not successes else None
    if opened is not None:
        scene, first = opened
        yield allowed_case(tries, scene, first, _OPENED)
        more, refusals = tries.many(operation, scene.state)
        successes = [first, *more]
    yield from _positives(tries, operation, scene, successes)
    copies = tries.copies(operation, scene.state, successes[0].arguments) if successes else []
    alike = [each for each in copies if each.is_success]
    yield from (allowed_case(tries, scene, each, _ALIKE) for each in alike[:_ALLOWED_COPIES])
    refusals = [*refusals, *(each for each in copies if each.is_refusal)]
    yield from guards.of(operation, scene, successes, refusals)
    yield from (refused_case(scene, each) for each in _refused_alone(operation, successes, refusals))
    yield from edges.in_arguments(operation, scene, successes, refusals)
    yield from edges.in_state(operation, scene, successes)
    if successes and operation.kind == "state_change":
        cases, second = rules.again(operation, scene, successes[0])
        yield from cases
        if second is not None and not cases:
            yield second


def _positives(tries: Tries, operation: Operation, scene: Scene, successes: Sequence[Attempt]) -> list[TestCase]:
    """Cases that succeed; of a state change those that change something, as far as there are some."""
    ranked = _ranked(tries.model, operation, scene.state, successes)
    if operation.kind == "query":
        most = min(len(operation.parameters) + 2, _QUERY_SUCCESSES)
        singles = _with_one_argument(operation, ranked)
        others = [each for each in _different(ranked) if each not in singles]
        return [allowed_case(tries, scene, each, _ALLOWED) for each in [*singles, *others][:most]]
    kinds = len({each.touched for each in ranked})
    most = max(_SUCCESSES, min(kinds, _KINDS_OF_SUCCESS))
    cases = [allowed_case(tries, scene, each, _ALLOWED) for each in _different(ranked)[: most * 2]]
    cases.sort(key=lambda case: NOTHING_CHANGED in str(case.holds))
    return cases[:most]


def _different(ranked: Sequence[Attempt]) -> list[Attempt]:
    """Successes that differ in what they change, in which arguments they give or in the conditions that they meet."""
    shapes: dict[str, list[Attempt]] = {}
    for each in ranked:
        shapes.setdefault(f"{each.touched} {sorted(each.arguments)} {each.fired}", []).append(each)
    rounds = max((len(each) for each in shapes.values()), default=0)
    found = [each[number] for number in range(rounds) for each in shapes.values() if number < len(each)]
    firsts: dict[tuple[str, ...], Attempt] = {}
    for each in found:
        firsts.setdefault(each.touched, each)
    return [*firsts.values(), *(each for each in found if firsts[each.touched] is not each)]


def _refused_alone(
    operation: Operation, successes: Sequence[Attempt], refusals: Sequence[Attempt]
) -> Iterator[Attempt]:
    """For each optional parameter of a query that can't be given without another one, a refusal for that."""
    required = {each.name for each in operation.parameters if each.required}
    allowed = {frozenset(each.arguments) for each in successes}
    for name in (each.name for each in operation.parameters if not each.required and operation.kind == "query"):
        shape = frozenset({*required, name})
        if shape not in allowed:
            yield from [each for each in refusals if each.arguments.keys() == shape][:1]


def _with_one_argument(operation: Operation, ranked: Sequence[Attempt]) -> list[Attempt]:
    """For each optional parameter, the best success that gives no other one."""
    required = {each.name for each in operation.parameters if each.required}
    found = []
    for parameter in (each for each in operation.parameters if not each.required):
        wanted = required | {parameter.name}
        found += [each for each in ranked if set(each.arguments) == wanted][:1]
    return found


def _ranked(model: LogicModel, operation: Operation, state: State, successes: Sequence[Attempt]) -> list[Attempt]:
    """Those on other records than the first come first, and of a query those that find much but not everything."""
    firsts = {next(iter(state[each.collection]), "") for each in model.entities}
    most = max((_shown(each) for each in successes), default=0)
    return sorted(successes, key=lambda each: _rank(operation, each, firsts, most))


def _rank(operation: Operation, success: Attempt, firsts: set[str], most: int) -> tuple[bool, bool, bool, int]:
    is_first = any(value in firsts for value in success.arguments.values() if isinstance(value, str))
    if operation.kind != "query":
        return is_first, False, False, 0
    shown = _shown(success)
    told = str(success.result.get("data"))
    limits = [success.arguments.get(each.name) for each in operation.parameters if each.type in _WITH_LIMITS]
    is_off_limit = any(each is not None and str(each) not in told for each in limits)
    return is_first, shown == most, is_off_limit, -shown


def _shown(success: Attempt) -> int:
    return len(str(success.result.get("data") or ""))
