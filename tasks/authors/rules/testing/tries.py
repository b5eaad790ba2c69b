"""Tries calls on the author's own class, with its switches, to see which are allowed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from schemas.logic_models import LogicModel, Operation
from tasks.authors.rules.spec import Draft, State
from tasks.authors.rules.testing.edits import EDITED, Edit, edited_parts, edits_of
from tasks.authors.rules.testing.guards import Attempt, attempts
from tasks.authors.rules.testing.variations import Arguments, Variations, sensible
from tasks.sandbox.base import CheckSession, EnvironmentSession

_SENSIBLE, _LOOSE = 5, 3
"""Calls per deed on records that fit it, and on any."""
_DRAWS, _FEW_DRAWS = 24, 5
_MOST_SHAPES = 5
"""Calls that give different arguments, of which each argument is replaced."""
_MOST_SECOND_EDITS, _MOST_OTHER_EDITS = 25, 40
_ALL_HOLD = "[all([{predicates}]) for state in [{state}] for now in [state['now']]][0]"


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
        bases += list(variations.shaped(operation))
        bases += [variations.drawn(operation, optional=0.3) for _ in range(_DRAWS // (3 if bases else 1))]
        done = attempts(self.session, state, operation.name, bases)
        replaced = [
            each
            for base in _of_different_shapes([each.arguments for each in done if each.is_success]) or bases[:1]
            for each in variations.replaced(operation, base)
        ]
        done += attempts(self.session, state, operation.name, replaced)
        if operation.kind == "query":
            found = max(done, key=lambda each: (each.is_success, len(str(each.result.get("data")))))
            limited = list(variations.limited(operation, found.arguments, found.result.get("data")))
            done += attempts(self.session, state, operation.name, limited)
        different: dict[str, Attempt] = {}
        for each in done:
            different.setdefault(repr(each.arguments), each)
        ordered = list(different.values())
        return [each for each in ordered if each.is_success], [each for each in ordered if each.is_refusal]

    def copies(self, operation: Operation, state: State, base: Arguments) -> list[Attempt]:
        """Calls that ask for what some record is already."""
        variations = Variations(self.model, state, self.rng)
        calls = {repr(each): each for each in variations.copied(operation, base) if each != base}
        return attempts(self.session, state, operation.name, list(calls.values()))

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

    def sound(
        self, state: State, edit: Edit, *, alone: bool = False, others: Sequence[Edit] = ()
    ) -> list[dict[str, Any]]:
        """The edit as it is, where it breaks no rule over whole states, or with one more edit of the same record.

        Args:
            state: What is edited.
            edit: Of it.
            alone: Whether one more edit is not tried.
            others: Further edits, of which one more may be.
        """
        kept = [each for each in self.model.rules if each.kind in ("invariant", "uniqueness") and each.predicate]
        options: list[list[Edit]] = [[edit]]
        match edit[0].split("."):
            case [collection, key, _] if not alone:
                entity = next(each for each in self.model.entities if each.collection == collection)
                own_record = [[edit, other] for other in edits_of(entity, key, state) if other[0] != edit[0]]
                options += own_record[: _MOST_SECOND_EDITS - 1]
        options += [[edit, other] for other in others[:_MOST_OTHER_EDITS] if other[0] != edit[0]]
        predicates = ", ".join(f"(\n{each.predicate}\n)" for each in kept)
        all_hold = _ALL_HOLD.format(predicates=predicates, state=EDITED)
        own = [{"edited": edited_parts(state, option)} for option in options]
        verdicts = self.checks.evaluate([all_hold], {"base": state}, own=own[:1])
        if not verdicts[0].passed:
            verdicts += self.checks.evaluate([all_hold] * len(own[1:]), {"base": state}, own=own[1:])
        return [dict(option) for option, verdict in zip(options, verdicts, strict=False) if verdict.passed]


def _of_different_shapes(allowed: Sequence[Arguments]) -> list[Arguments]:
    """The first call of those that give the same arguments, whatever their values; few."""
    shapes: dict[str, Arguments] = {}
    for each in allowed:
        shapes.setdefault(str(sorted(each)), each)
    return list(shapes.values())[:_MOST_SHAPES]
