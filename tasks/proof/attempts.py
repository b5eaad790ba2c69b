"""What a trial does: the reference with something done otherwise, and how that is played."""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from schemas.scenarios import ReferenceStep, TrialKind
from tasks.proof.trials import Solution
from tasks.runtime.environment import Environment
from tasks.runtime.episode import BindingError, Episode, PlayedCall, bound_arguments
from tasks.sandbox.base import Call


@dataclass(frozen=True, slots=True)
class Move:
    """One call, or the first of several that a tool does not refuse."""

    calls: tuple[ReferenceStep, ...]
    step: int | None = None
    """The step of the reference that it stands for, counted from 0: what binds to that step reads its result."""
    is_tampered: bool = False
    """Whether the trial is about this call. Where a tool refuses each of `calls`, the trial proves nothing."""
    is_to_be_refused: bool = False
    """The other way round: the trial proves nothing where the call is not refused."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A trial that is to be played."""

    kind: TrialKind
    what: str
    """What is done otherwise than in the reference."""
    moves: tuple[Move, ...]
    final_message: str


@dataclass(frozen=True, slots=True)
class Played:
    """How an attempt went. Either there is an episode, or `void` says why it proves nothing."""

    attempt: Attempt
    """With its tampered moves as they were made."""
    episode: Episode | None
    void: str | None = None


class _Void(Exception):
    """The attempt proves nothing."""


class Player:
    """Plays attempts of one solution, all from its initial state."""

    def __init__(self, solution: Solution, environment: Environment) -> None:
        """Play in this environment; `reference` comes before any `play`."""
        self._solution, self._environment = solution, environment
        self._known: tuple[PlayedCall, ...] = ()

    def reference(self) -> tuple[Episode, dict[int, dict[str, Any]]]:
        """The episode of the reference, and the state after each step that changes it.

        Raises:
            BindingError, EnvironmentBroken, CodeRejected, SessionDied: see `tasks.runtime.episode.play`.
        """
        self._restart()
        calls: list[PlayedCall] = []
        states: dict[int, dict[str, Any]] = {}
        for number, step in enumerate(self._solution.reference):
            arguments = bound_arguments(step, calls)
            seen = self._environment.observe(step.tool, arguments)
            calls.append(PlayedCall(step.tool, arguments, seen.result, seen.outcome))
            if number in self._solution.write_steps:
                states[number] = self._environment.state()
        self._known = tuple(calls)
        last = len(calls) - 1
        final = states[last] if last in states else self._environment.state()
        return Episode(self._solution.state, final, self._known, self._solution.final_message), states

    def replayed(self) -> Episode:
        """The reference once more, with the arguments that it had.

        Raises:
            EnvironmentBroken, CodeRejected, SessionDied: see `tasks.runtime.episode.play`.
        """
        self._restart()
        calls = self._made_at_once([Call(each.tool, each.arguments) for each in self._known])
        return Episode(self._solution.state, self._environment.state(), tuple(calls), self._solution.final_message)

    def play(self, attempt: Attempt) -> Played:
        """Make the moves. Calls that need nothing from one another go in one message.

        Raises:
            EnvironmentBroken, CodeRejected, SessionDied: see `tasks.runtime.episode.play`.
        """
        self._restart()
        same = self._same_beginning(attempt.moves)
        calls = self._made_at_once([Call(each.tool, each.arguments) for each in self._known[:same]])
        results: dict[int, Any] = {number: call.result for number, call in enumerate(calls)}
        moves = list(attempt.moves)
        try:
            while len(calls) < len(moves):
                ready = self._ready(moves[len(calls) :], results)
                if len(ready) > 1:
                    made = self._made_at_once(ready)
                else:
                    played, call = self._make(moves[len(calls)], results)
                    moves[len(calls)] = replace(moves[len(calls)], calls=(call,))
                    made = [played]
                for move, each in zip(moves[len(calls) :], made, strict=False):
                    if move.step is not None:
                        results[move.step] = each.result
                calls += made
        except _Void as void:
            return Played(attempt, None, str(void))
        done = replace(attempt, moves=tuple(moves))
        state = self._environment.state()
        return Played(done, Episode(self._solution.state, state, tuple(calls), attempt.final_message))

    def _make(self, move: Move, results: Mapping[int, Any]) -> tuple[PlayedCall, ReferenceStep]:
        error = "there is nothing to try"
        for call in move.calls:
            try:
                arguments = resolved(call, results)
            except BindingError as missing:
                raise _Void(f"A later call has nothing to bind to: {missing}") from missing
            seen = self._environment.observe(call.tool, arguments)
            is_refused = seen.outcome != "done"
            if move.is_to_be_refused and not is_refused:
                raise _Void(f"{call.tool} did what it should have refused.")
            if not is_refused or not move.is_tampered:
                return PlayedCall(call.tool, arguments, seen.result, seen.outcome), call
            error = f"{call.tool}: {seen.result.get('error')}"
        raise _Void(f"The tool refuses it: {error}")

    def _ready(self, moves: Sequence[Move], results: Mapping[int, Any]) -> list[Call]:
        """The next calls that can go in one message: nothing hangs on how they end, and all that they need is known."""
        ready: list[Call] = []
        for move in moves:
            (call, *others) = move.calls or (None,)
            if call is None or others or move.is_tampered or move.is_to_be_refused:
                break
            if any(binding.step not in results for binding in call.bindings.values()):
                break
            try:
                ready.append(Call(call.tool, resolved(call, results)))
            except BindingError:
                break  # told when it is its turn
        return ready

    def _same_beginning(self, moves: Sequence[Move]) -> int:
        for number, move in enumerate(moves):
            is_known = number < len(self._known) and move.step == number and not move.is_tampered
            if not is_known or move.calls != (self._solution.reference[number],):
                return number
        return len(moves)

    def _made_at_once(self, calls: Sequence[Call]) -> list[PlayedCall]:
        seen = self._environment.observe_all(calls)
        return [
            PlayedCall(call.tool, each.arguments, each.result, each.outcome)
            for call, each in zip(calls, seen, strict=True)
        ]

    def _restart(self) -> None:
        if self._environment.has_begun_with(self._solution.state):
            self._environment.restart()
        else:
            self._environment.reset(self._solution.state)


def as_moves(reference: Sequence[ReferenceStep]) -> tuple[Move, ...]:
    """The reference itself."""
    return tuple(Move((step,), number) for number, step in enumerate(reference))


def resolved(call: ReferenceStep, results: Mapping[int, Any]) -> dict[str, Any]:
    """The arguments of a call whose bindings name steps of the reference.

    Raises:
        BindingError: the results do not hold what an argument is bound to.
    """
    arguments = copy.deepcopy(call.literals)
    for name, binding in call.bindings.items():
        if binding.step not in results:
            raise BindingError(binding.step, name, binding, "that step was not made")
        value = results[binding.step]
        for part in binding.path:
            fits = isinstance(value, dict) if isinstance(part, str) else isinstance(value, list)
            try:
                value = value[part] if fits else None
            except (KeyError, IndexError):
                fits = False
            if not fits:
                raise BindingError(binding.step, name, binding, f"there is no {part!r}")
        arguments[name] = copy.deepcopy(value)
    return arguments


def with_argument(call: ReferenceStep, name: str, value: Any) -> ReferenceStep:
    """The call with another value of one argument."""
    bindings = {key: each for key, each in call.bindings.items() if key != name}
    return call.model_copy(update={"literals": {**call.literals, name: value}, "bindings": bindings})


def needed_steps(reference: Sequence[ReferenceStep], number: int) -> set[int]:
    """The step and all that it is bound to, directly or not."""
    needed = {number}
    for each in range(number, -1, -1):
        if each in needed:
            needed |= {binding.step for binding in reference[each].bindings.values()}
    return needed


def dependent_steps(reference: Sequence[ReferenceStep], number: int) -> set[int]:
    """The step and all that is bound to it, directly or not."""
    dependent = {number}
    for each in range(number + 1, len(reference)):
        if any(binding.step in dependent for binding in reference[each].bindings.values()):
            dependent.add(each)
    return dependent
