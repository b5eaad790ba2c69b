"""Wrong solutions, made from the right one. Each keeps the final message, so that the state has to betray it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from random import Random
from typing import Any

from schemas.scenarios import ReferenceStep, TrialKind
from tasks.proof.attempts import Attempt, Move, as_moves, dependent_steps, with_argument
from tasks.proof.extra import Toolbox, concerned_ids, filled_calls
from tasks.proof.neighbours import entity_holding, neighbours, other_values
from tasks.proof.trials import Solution
from tasks.runtime.episode import Episode

_MOST_OPTIONS = 8
"""A tool that refuses so many values of an argument, or so many records, is left alone."""
_MOST: dict[TrialKind, int] = {
    "dropped_write": 2,
    "changed_argument": 3,
    "neighbour_entity": 2,
    "wrong_twin": 2,
    "repeated_write": 1,
}
_EXTRA_OPTIONS = 8


@dataclass(frozen=True, slots=True)
class Maker:
    """Makes the mutants of one solution. The same solution and seed give the same ones, in the same order."""

    solution: Solution
    toolbox: Toolbox
    episode: Episode
    """Of the reference."""
    seed: int

    def state_mutants(self) -> Iterator[Attempt]:
        """Dropped, changed, misdirected and repeated writes; none for a scenario without a write."""
        yield from islice(self._dropped(), _MOST["dropped_write"])
        yield from islice(self.changed_writes(), _MOST["changed_argument"])
        yield from islice(self._misdirected("wrong_twin"), _MOST["wrong_twin"])
        yield from islice(self._misdirected("neighbour_entity"), _MOST["neighbour_entity"])
        yield from islice(self._repeated(), _MOST["repeated_write"])

    def extra_writes(self) -> Iterator[Attempt]:
        """The reference with one more change, each time another; for a refusal, the change that was to be refused."""
        state, calls = self.episode.final_state, self.episode.calls
        kind: TrialKind = "giving_in" if self.solution.kind == "refusal" else "extra_write"
        if self.solution.write_steps:
            options = [each for name in self._id_arguments(self._last) for each in self._redirected(self._last, name)]
            yield self._with_extra(kind, "the last change is made for another record too", options)
        known = concerned_ids(self.toolbox.logic_model, state, calls)
        tools = self.toolbox.named("state_change")
        rng = Random(self.seed)
        rng.shuffle(tools)
        told = {step.tool for step in self.solution.reference}
        tools.sort(key=lambda each: each in told)  # a stable sort: other tools first
        filled = [each for tool in tools for each in islice(filled_calls(self.toolbox, tool, state, known, rng), 2)]
        for start in range(0, len(filled), _EXTRA_OPTIONS):
            yield self._with_extra(kind, "something else is changed too", filled[start : start + _EXTRA_OPTIONS])

    @property
    def _last(self) -> int:
        return self.solution.write_steps[-1]

    def _with_extra(self, kind: TrialKind, what: str, options: Sequence[ReferenceStep]) -> Attempt:
        extra = Move(tuple(options[:_EXTRA_OPTIONS]), is_tampered=True)
        return Attempt(kind, what, (*as_moves(self.solution.reference), extra), self.solution.final_message)

    def _dropped(self) -> Iterator[Attempt]:
        for number in self.solution.write_steps:
            left_out = dependent_steps(self.solution.reference, number)
            moves = tuple(each for each in as_moves(self.solution.reference) if each.step not in left_out)
            tool = self.solution.reference[number].tool
            yield Attempt("dropped_write", f"{tool} at step {number} is left out", moves, self.solution.final_message)

    def changed_writes(self) -> Iterator[Attempt]:
        """Writes with another value of one argument that names no record."""
        places = [
            (number, name)
            for number in self.solution.write_steps
            for name, value in self.episode.calls[number].arguments.items()
            if value is not None and self._entity(value) is None
        ]
        Random(self.seed).shuffle(places)
        for number, name in places:
            call = self.episode.calls[number]
            values = islice(other_values(call.arguments[name], self.toolbox.schema_of(call.tool, name)), _MOST_OPTIONS)
            options = [with_argument(self._literal(number), name, each) for each in values]
            if options:
                yield self._tampered("changed_argument", number, name, options)

    def _misdirected(self, kind: TrialKind) -> Iterator[Attempt]:
        for number in reversed(self.solution.write_steps):
            for name in self._id_arguments(number):
                options = self._redirected(number, name, twins=kind == "wrong_twin", others=kind != "wrong_twin")
                if options:
                    yield self._tampered(kind, number, name, options)

    def _repeated(self) -> Iterator[Attempt]:
        for number in reversed(self.solution.write_steps):
            again = Move((self._literal(number),), is_tampered=True)
            moves = as_moves(self.solution.reference)
            what = f"{self.solution.reference[number].tool} at step {number} is called twice"
            yield Attempt(
                "repeated_write", what, (*moves[: number + 1], again, *moves[number + 1 :]), self.solution.final_message
            )

    def _tampered(self, kind: TrialKind, number: int, name: str, options: Sequence[ReferenceStep]) -> Attempt:
        moves = list(as_moves(self.solution.reference))
        moves[number] = Move(tuple(options), number, is_tampered=True)
        what = f"{self.solution.reference[number].tool} at step {number} gets another {name}"
        return Attempt(kind, what, tuple(moves), self.solution.final_message)

    def _redirected(self, number: int, name: str, *, twins: bool = True, others: bool = True) -> list[ReferenceStep]:
        """The write for another record."""
        value = self.episode.calls[number].arguments[name]
        entity = self._entity(value)
        if entity is None:
            return []
        alike, unlike = neighbours(self.toolbox.logic_model, self.episode.final_state, entity, value)
        found = (alike if twins else []) + (unlike if others else [])
        return [with_argument(self._literal(number), name, each) for each in found[:_MOST_OPTIONS]]

    def _id_arguments(self, number: int) -> list[str]:
        return [name for name, value in self.episode.calls[number].arguments.items() if self._entity(value)]

    def _literal(self, number: int) -> ReferenceStep:
        """The step with the arguments that it had: what comes before it is unchanged, so they are the same again."""
        call = self.episode.calls[number]
        return ReferenceStep(tool=call.tool, literals=call.arguments)

    def _entity(self, value: Any) -> Any:
        return entity_holding(self.toolbox.logic_model, self.episode.final_state, value)
