"""Which rules refused calls are there for: those that such a call breaks."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from schemas.logic_models import Operation, Rule
from tasks.authors.rules.spec import State
from tasks.authors.rules.testing.guards import Attempt, attempt, attempts
from tasks.authors.rules.testing.tries import Tries
from tasks.authors.rules.testing.variations import Arguments, conditions

_ON_CALL = "[(\n{predicate}\n) for state in [{state}] for now in [state['now']]][0]"
_ON_CHANGE = "[(\n{predicate}\n) for before, state in [(base, {{**base, **changed}})] for now in [state['now']]][0]"
_ALIKE, _PER_CONDITION = 2, 8
"""Calls that do the same without a condition that are looked at: on records in the same condition, and altogether."""


@dataclass(frozen=True)
class _Unrefused:
    """What a refused call does when one of the conditions that refused it is switched off."""

    place: int
    """Of the call, among those that were refused."""
    changed: Mapping[str, Any]
    """The attributes of the class that it changes, as they are then."""


def broken_rules(
    tries: Tries, operation: Operation, state: State, rules: Sequence[Rule], refusals: Sequence[Attempt]
) -> dict[str, Attempt]:
    """For each rule that one of these calls would break, the first such call, by the id of the rule.

    A precondition does not hold before such a call. Any other rule is broken afterwards when one of the conditions that
    refused the call is switched off. Where a rule can't be evaluated it is not broken.

    Args:
        tries: Where calls are tried.
        operation: The tool.
        state: What the calls were refused in.
        rules: Of whatever kind.
        refusals: Calls of the tool.
    """
    asked: list[tuple[Rule, int, str, dict[str, Any]]] = []
    changing = [rule for rule in rules if rule.kind != "precondition"]
    outcomes = _outcomes(tries, state, refusals, changing) if changing else []
    for rule in rules:
        if rule.kind == "precondition":
            on_call = predicate_on_call(rule, "base")
            asked += [
                (rule, place, on_call, {"args": all_arguments(operation, each.arguments)})
                for place, each in enumerate(refusals)
            ]
        else:
            on_change, names = _ON_CHANGE.format(predicate=rule.predicate), names_in(rule)
            asked += [
                (rule, each.place, on_change, {"changed": each.changed})
                for each in outcomes
                if names & each.changed.keys()
            ]
    answers = failing(tries, [each[2] for each in asked], {"base": state}, [each[3] for each in asked])
    found: dict[str, Attempt] = {}
    for (rule, place, _, _), is_broken in zip(asked, answers, strict=True):
        if is_broken:
            found.setdefault(rule.id, refusals[place])
    return found


def _outcomes(tries: Tries, state: State, refusals: Sequence[Attempt], rules: Sequence[Rule]) -> list[_Unrefused]:
    """What refused calls would do to anything that a rule names, different ones, in the order of the calls."""
    named = set().union(*(names_in(rule) for rule in rules))
    found: list[tuple[int, int]] = []
    for number in sorted({number for each in refusals for number in each.fired}):
        places = [place for place, each in enumerate(refusals) if number in each.fired]
        calls = [refusals[place].arguments for place in places]
        alike, whole = Counter[str](), Counter[str]()
        for place, each in zip(
            places, attempts(tries.session, state, refusals[places[0]].tool, calls, off=[number]), strict=True
        ):
            touched = str(each.touched)
            kind = f"{touched} {conditions(state, each.arguments)}"
            if each.is_success and concerns(each, named) and alike[kind] < _ALIKE and whole[touched] < _PER_CONDITION:
                alike[kind] += 1
                whole[touched] += 1
                found.append((place, number))
    return [_Unrefused(place, _changed(tries, state, refusals[place], number)) for place, number in sorted(found)]


def _changed(tries: Tries, state: State, refused: Attempt, number: int) -> dict[str, Any]:
    attempt(tries.session, state, refused.tool, refused.arguments, [number])
    after = tries.session.snapshot()
    return {name: value for name, value in after.items() if value != state.get(name)}


def names_in(rule: Rule) -> frozenset[str]:
    """The collections, attributes and values that the predicate of a rule names."""
    return frozenset(re.findall(r"""["'](\w+)["']""", rule.predicate or ""))


def concerns(success: Attempt, names: frozenset[str] | set[str]) -> bool:
    """Whether a success on a copy of the state touches a collection with one of these names."""
    return any(re.split(r"[ .]", each)[0] in names for each in success.touched)


def predicate_on_call(rule: Rule, state: str) -> str:
    """The predicate of a precondition over `args` and a state, which is an expression."""
    return _ON_CALL.format(predicate=rule.predicate, state=state)


def all_arguments(operation: Operation, given: Arguments) -> Arguments:
    """The arguments of a call with null for those that are not given, as a precondition sees them."""
    return {**dict.fromkeys(each.name for each in operation.parameters), **given}


def failing(
    tries: Tries, predicates: Sequence[str], names: dict[str, Any], own: Sequence[dict[str, Any]]
) -> list[bool]:
    """Whether each predicate is false. Where it can't be evaluated it is not."""
    verdicts = tries.checks.evaluate(predicates, names, own=own) if predicates else []
    return [not verdict.passed and verdict.error is None for verdict in verdicts]
