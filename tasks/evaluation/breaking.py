"""Calls that should be refused because of a rule: aimed at the rule, not left to chance."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product
from typing import Any

from schemas.logic_models import LogicModel, Operation
from tasks.evaluation.arguments import ArgumentMaker, State, records_in
from tasks.evaluation.explore import Explorer
from tasks.evaluation.observed import Observed
from tasks.evaluation.rules import RuleChecks
from tasks.sandbox.base import Call

_IDS = 24
"""Ids per reference; with two references, as many pairs as there are of a third of that."""
_PAIRS = 80
_PER_RULE = 2
_TAKEN = 2
"""Values per text that stand in the state already: unique ones must be refused."""

Arguments = Mapping[str, Any]


class BreakingCalls:
    """Makes such calls for one operation at a time."""

    def __init__(self, model: LogicModel, maker: ArgumentMaker, rules: RuleChecks) -> None:
        self._model, self._maker, self._rules = model, maker, rules

    def make(self, explorer: Explorer, operation: Operation, base: Observed) -> None:
        """Make the calls of an operation.

        Args:
            explorer: Makes them, each from the state of the base.
            operation: What is called.
            base: A call of it that succeeded.
        """
        if operation.kind == "query":
            return
        for start in dict.fromkeys((base.before, *explorer.record.starts)):
            explorer.go_to(start)
            for arguments in self._aimed(operation, explorer.state, base.call.arguments, start):
                explorer.go_to(start)
                explorer.call("breaks_rule", Call(operation.name, dict(arguments)))
        explorer.go_to(base.before)
        for arguments in list(self._taken(operation, explorer.state, base.call.arguments)):
            explorer.go_to(base.before)
            explorer.call("sequence", Call(operation.name, dict(arguments)))
        if base.after in explorer.record.states:
            explorer.go_to(base.after)
            explorer.call("sequence", base.call)  # the same once more

    def _aimed(self, operation: Operation, state: State, base: Arguments, start: str) -> Iterator[Arguments]:
        """Arguments that break as few preconditions as possible, some for each that can be broken on this state."""
        if not self._rules.preconditions[operation.name]:
            return
        candidates = list(islice(self._candidates(operation, state, base), _PAIRS))
        broken = self._rules.broken_by(operation.name, start, candidates)
        ranked = sorted(range(len(candidates)), key=lambda number: len(broken[number]))
        counts: dict[str, int] = {}
        for number in ranked:
            wanted = [rule_id for rule_id in broken[number] if counts.get(rule_id, 0) < _PER_RULE]
            if wanted:
                counts |= {rule_id: counts.get(rule_id, 0) + 1 for rule_id in broken[number]}
                yield candidates[number]

    def _candidates(self, operation: Operation, state: State, base: Arguments) -> Iterator[Arguments]:
        """The base with other records, and with other values of enums."""
        targets = {each.name: target for each in operation.parameters if (target := self._maker.target(each))}
        given = [name for name in targets if name in base][:2]
        limit = _IDS if len(given) == 1 else _IDS // 3
        ids = [_spread(list(records_in(state, targets[name])), limit, base[name]) for name in given]
        for keys in product(*ids):
            yield {**base, **dict(zip(given, keys, strict=True))}
        for each in operation.parameters:
            if each.type == "enum":
                yield from ({**base, each.name: value} for value in each.values)

    def _taken(self, operation: Operation, state: State, base: Arguments) -> Iterator[Arguments]:
        for each in operation.parameters:
            if each.type == "string" and self._maker.target(each) is None and each.name in base:
                _, values = self._maker.like(operation, each, "string", state)
                yield from ({**base, each.name: value} for value in values[:_TAKEN])


def _spread(keys: Sequence[str], limit: int, first: Any) -> list[Any]:
    """So many of the keys, the one that is in use first, the others from all over."""
    step = max(1, len(keys) // limit)
    return list(dict.fromkeys((first, *keys[::step])))[:limit]
