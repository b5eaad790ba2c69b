"""Which calls an environment is put through."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from schemas.logic_models import LogicModel, Operation
from tasks.evaluation.arguments import ArgumentMaker
from tasks.evaluation.breaking import BreakingCalls
from tasks.evaluation.explore import Explorer, Record
from tasks.evaluation.findings import Finding
from tasks.evaluation.foreign_arguments import ForeignArguments, ForeignStrategies
from tasks.evaluation.observed import Observed
from tasks.evaluation.pursuit import Pursuit
from tasks.evaluation.rules import RuleChecks
from tasks.evaluation.sequences import FailingSequence, SequenceSearch
from tasks.evaluation.strategies import CallStrategies
from tasks.evaluation.terms import PLANNED, Terms
from tasks.evaluation.wrong_values import LONG_TEXT, odd_values, wrong_values
from tasks.runtime.signature import ToolSignature
from tasks.sandbox.base import Call

State = dict[str, Any]

_FIRST_TRIES = 10
_LAST_ROUNDS = 2


@dataclass(frozen=True)
class Campaign:
    """The calls on one class: single ones, sequences, and ones that must be refused."""

    model: LogicModel
    tools: Sequence[ToolSignature]
    rng: Random
    judge: Callable[[Record], tuple[Finding, ...]]
    """Everything that is wrong with the calls of one sequence."""
    rules: RuleChecks
    terms: Terms = PLANNED

    def run(self, explorer: Explorer, states: Sequence[State]) -> FailingSequence | None:
        """Make all calls. Stops early when the class can't be loaded with every initial state.

        Returns:
            The shortest random sequence that broke a promise; null when all held.
        """
        if not explorer.load_default():
            return None
        loaded = [explorer.load(state, number) for number, state in enumerate(states, start=1)]
        if not all(loaded) or not loaded:
            return None
        maker = self._maker()
        found = self._positives(explorer, maker)
        failing = self._sequences(explorer, maker)
        self._insist(explorer, maker, found)
        breaking = BreakingCalls(self.model, maker, self.rules)
        for operation in self.model.operations:
            base = found.get(operation.name)
            explorer.go_to(base.before if base else explorer.record.starts[0])
            arguments = base.call.arguments if base else maker.draw(operation, explorer.state, optional=1)
            self._refused_calls(explorer, operation, arguments)
            self._odd_calls(explorer, operation, arguments)
            if base is not None:
                breaking.make(explorer, operation, base)
        return failing

    def _maker(self) -> ArgumentMaker:
        if self.terms.is_planned:
            return ArgumentMaker(self.model, self.rng)
        schemas = {tool.name: tool.parameters for tool in self.tools}
        return ForeignArguments(self.model, self.rng, schemas, self.terms.examples)

    def _positives(self, explorer: Explorer, maker: ArgumentMaker) -> dict[str, Observed]:
        """Tool -> its first successful call on an initial state."""
        found: dict[str, Observed] = {}
        for operation in self.model.operations:
            for start in explorer.record.starts:
                if operation.name not in found:
                    seen = self._try(explorer, maker, operation, start, _FIRST_TRIES)
                    found |= {operation.name: seen} if seen else {}
        return found

    def _try(
        self, explorer: Explorer, maker: ArgumentMaker, operation: Operation, start: str, tries: int
    ) -> Observed | None:
        """The first successful call on a state; null when no try succeeds."""
        for number in range(tries):
            explorer.go_to(start)
            arguments = maker.draw(operation, explorer.state, optional=(0.0, 1.0, 0.4)[min(number, 2)])
            seen = explorer.call("positive", Call(operation.name, arguments))
            maker.hints.learn(operation, arguments, seen.error)
            if seen.outcome == "success":
                return seen
        return None

    def _sequences(self, explorer: Explorer, maker: ArgumentMaker) -> FailingSequence | None:
        """Random calls one after the other, those more often that change the state or have not succeeded yet."""
        successes: dict[str, list[dict[str, Any]]] = {}
        for seen in explorer.record.observed:
            if seen.outcome == "success":
                successes.setdefault(seen.call.tool, []).append(seen.call.arguments)
        strategies: CallStrategies | ForeignStrategies = CallStrategies(self.model, self.tools, maker, successes)
        if isinstance(maker, ForeignArguments):
            strategies = ForeignStrategies(self.model, maker, successes)
        return SequenceSearch(explorer, strategies, self.judge, self.rng.getrandbits(64)).run()

    def _insist(self, explorer: Explorer, maker: ArgumentMaker, found: dict[str, Observed]) -> None:
        """Look for a positive call of the remaining tools in states that other calls have led to.

        What one tool's success has led to may be what another one needs, so there are rounds until one has
        found nothing new, two at least. The tools that change the state come first.
        """
        counts: list[int] = []
        while len(counts) < _LAST_ROUNDS or counts[-1] != counts[-2]:
            missing = [operation for operation in self.model.operations if operation.name not in found]
            for operation in sorted(missing, key=lambda each: each.kind == "query"):
                done = (each for each in explorer.record.observed if each.call.tool == operation.name)
                success = next((each for each in done if each.outcome == "success"), None)
                if success is None:
                    success = Pursuit(operation, explorer, maker, self.model, self.rng).run()
                if success is not None:
                    explorer.go_to(success.before)
                    again = explorer.call("positive", success.call)
                    found |= {operation.name: again} if again.outcome == "success" else {}
            counts.append(len(found))

    def _refused_calls(self, explorer: Explorer, operation: Operation, arguments: dict[str, Any]) -> None:
        """Wrong types, straight to the class."""
        properties = self._schema(operation)["properties"]
        calls = [
            Call(operation.name, {**arguments, name: value})
            for name, schema in properties.items()
            for value in wrong_values(schema)
        ]
        if calls:
            explorer.calls_apart("wrong_type", calls)

    def _odd_calls(self, explorer: Explorer, operation: Operation, arguments: dict[str, Any]) -> None:
        """Values that a careless tool stumbles over, each from the same state; one long text per tool is enough."""
        start, is_long_done = explorer.position, False
        calls = []
        for parameter in operation.parameters:
            for value in odd_values(self.model, parameter, arguments.get(parameter.name)):
                if value == LONG_TEXT and is_long_done:
                    continue
                is_long_done = is_long_done or value == LONG_TEXT
                calls.append(Call(operation.name, {**arguments, parameter.name: value}))
        if operation.kind == "query" and calls:
            explorer.calls_apart("bad_value", calls)
            return
        for call in calls:
            explorer.go_to(start)
            explorer.call("bad_value", call)

    def _schema(self, operation: Operation) -> dict[str, Any]:
        return next(tool.parameters for tool in self.tools if tool.name == operation.name)
