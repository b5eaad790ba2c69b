"""Which calls an environment is put through."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from schemas.logic_models import LogicModel, Operation
from tasks.evaluation.arguments import ArgumentMaker
from tasks.evaluation.explore import Explorer
from tasks.evaluation.observed import Observed
from tasks.evaluation.pursuit import Pursuit
from tasks.evaluation.wrong_values import LONG_TEXT, odd_values, wrong_values
from tasks.runtime.signature import ToolSignature
from tasks.sandbox.base import Call

State = dict[str, Any]

_FIRST_TRIES = 10
_SEQUENCES = 3
_SEQUENCE_CALLS = 40
_SAME_TOOL_TRIES = 3
_LAST_ROUNDS = 2


@dataclass(frozen=True)
class Campaign:
    """The calls on one class: single ones, sequences, and ones that must be refused."""

    model: LogicModel
    tools: Sequence[ToolSignature]
    rng: Random

    def run(self, explorer: Explorer, states: Sequence[State]) -> None:
        """Make all calls. Stops early when the class can't be loaded with every initial state."""
        if not explorer.load_default():
            return
        loaded = [explorer.load(state, number) for number, state in enumerate(states, start=1)]
        if not all(loaded) or not loaded:
            return
        maker = ArgumentMaker(self.model, self.rng)
        found = self._positives(explorer, maker)
        for number in range(_SEQUENCES):
            self._sequence(explorer, maker, explorer.record.starts[number % len(states)])
        self._insist(explorer, maker, found)
        for operation in self.model.operations:
            base = found.get(operation.name)
            explorer.go_to(base.before if base else explorer.record.starts[0])
            arguments = base.call.arguments if base else maker.draw(operation, explorer.state, optional=1)
            self._refused_calls(explorer, operation, arguments)
            self._odd_calls(explorer, operation, arguments)

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

    def _sequence(self, explorer: Explorer, maker: ArgumentMaker, start: str) -> None:
        """Calls one after the other, those more often that change the state or have not succeeded yet."""
        explorer.go_to(start)
        with explorer.trace():
            covered = set(explorer.record.covered())
            calls = 0
            while calls < _SEQUENCE_CALLS:
                weights = [self._weight(operation, covered) for operation in self.model.operations]
                operation = self.rng.choices(self.model.operations, weights)[0]
                for _ in range(min(_SAME_TOOL_TRIES, _SEQUENCE_CALLS - calls)):
                    arguments = maker.draw(operation, explorer.state, optional=0.4)
                    seen = explorer.call("sequence", Call(operation.name, arguments))
                    maker.hints.learn(operation, arguments, seen.error)
                    calls += 1
                    if seen.outcome == "success":
                        covered.add(operation.name)
                        break

    def _weight(self, operation: Operation, covered: set[str]) -> int:
        return (2 if operation.kind == "state_change" else 1) * (1 if operation.name in covered else 3)

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
