"""Tries calls on the author's own class, with its switches, to see which are allowed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from schemas.logic_models import LogicModel, Operation, Rule
from tasks.authors.base import SetupCall, TestCase
from tasks.authors.rules.spec import Draft, State
from tasks.authors.rules.testing.edits import Edit, edited_state, edits_of
from tasks.authors.rules.testing.guards import Attempt, attempts
from tasks.authors.rules.testing.variations import Arguments, Variations, sensible
from tasks.sandbox.base import CheckSession, EnvironmentSession

_SENSIBLE, _LOOSE = 5, 3
"""Calls per deed on records that fit it, and on any."""
_DRAWS, _FEW_DRAWS = 24, 5
_MOST_SECOND_EDITS = 25
ON_STATE = "[(\n{predicate}\n) for state in [{state}] for now in [state['now']]][0]"


@dataclass
class Tries:
    """What the parts of the search share."""

    draft: Draft
    model: LogicModel
    parameters: Mapping[str, frozenset[str]]
    guards: Mapping[str, frozenset[int]]
    """Method -> the conditions that a call of it may meet."""
    session: EnvironmentSession
    checks: CheckSession
    rng: Random
    count: int = field(default=0)
    """Calls of `few` so far."""

    def many(self, operation: Operation, state: State) -> tuple[list[Attempt], list[Attempt]]:
        """Calls that succeed and calls that are refused, different ones, the sensible ones first."""
        variations = Variations(self.model, state, self.rng)
        bases = [*self.sensible(operation, state), *({} for _ in range(not operation.parameters))]
        bases += [variations.drawn(operation, optional=0.3) for _ in range(_DRAWS // (3 if bases else 1))]
        done = attempts(self.session, state, operation.name, bases)
        allowed = [each.arguments for each in done if each.is_success]
        replaced = list(variations.replaced(operation, allowed[0] if allowed else bases[0]))
        done += attempts(self.session, state, operation.name, replaced)
        different = {repr(each.arguments): each for each in reversed(done)}
        ordered = list(reversed(different.values()))
        return [each for each in ordered if each.is_success], [each for each in ordered if each.is_refusal]

    def few(self, operation: Operation, state: State) -> list[Attempt]:
        """Calls, fewer than `many` makes, on all kinds of records."""
        variations = Variations(self.model, state, self.rng)
        tries = self.sensible(operation, state)
        first = tries[:1]
        tries += [variations.drawn(operation, optional=0.3) for _ in range(_FEW_DRAWS)]
        tries += [
            {**base, each.name: key}
            for base in first
            for each in operation.parameters
            if each.type == "reference"
            for key in variations.values(operation, each, None)
        ]
        self.count += len(tries)
        done = attempts(self.session, state, operation.name, tries)
        return [each for each in done if each.is_success or each.is_refusal]

    def sensible(self, operation: Operation, state: State) -> list[Arguments]:
        """Arguments of the deeds that a tool is there for."""
        takes = self.parameters[operation.name]
        self.session.init(state)
        found = [
            sensible(deed, state, self.session, self.rng, takes, strict=number < _SENSIBLE)
            for deed in self.draft.deeds
            if deed.tool == operation.name
            for number in range(_SENSIBLE + _LOOSE)
        ]
        return [each for each in found if each is not None]

    def sound(self, state: State, edit: Edit, *, alone: bool = False) -> list[dict[str, Any]]:
        """The edit as it is, where it breaks no rule over whole states, or with one more edit of the same record.

        With `alone`, one more edit is not tried.
        """
        kept = [each for each in self.model.rules if each.kind in ("invariant", "uniqueness") and each.predicate]
        options: list[list[Edit]] = [[edit]]
        match edit[0].split("."):
            case [collection, key, _] if not alone:
                entity = next(each for each in self.model.entities if each.collection == collection)
                options += [[edit, other] for other in edits_of(entity, key, state) if other[0] != edit[0]]
        predicates = [_all_hold(kept, option) for option in options]
        verdicts = self.checks.evaluate(predicates[:1], {"state": state})
        if not verdicts[0].passed:
            verdicts += self.checks.evaluate(predicates[1:_MOST_SECOND_EDITS], {"state": state})
        return [dict(option) for option, verdict in zip(options, verdicts, strict=False) if verdict.passed]


def _all_hold(rules: Sequence[Rule], edits: Sequence[Edit]) -> str:
    state = edited_state(edits)
    return f"all([{', '.join(ON_STATE.format(predicate=each.predicate, state=state) for each in rules)}])"


def refused_case(
    tried: Attempt,
    rule: Rule | None = None,
    setup: Sequence[SetupCall] = (),
    *,
    why: str | None = None,
    given: dict[str, Any] | None = None,
) -> TestCase:
    """The case of a call that must be refused."""
    said = rule.text if rule is not None else str(tried.result.get("error"))
    return TestCase(
        tool=tried.tool,
        arguments=tried.arguments,
        given=given or {},
        setup=tuple(setup),
        expected="refused",
        rule_id=rule.id if rule is not None else None,
        why=why or said,
    )
