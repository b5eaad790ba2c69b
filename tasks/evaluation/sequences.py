"""Random call sequences: Hypothesis draws them, and shrinks the ones that break a promise."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from hypothesis import seed as seeded
from hypothesis import strategies as st
from hypothesis.errors import HypothesisException
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from tasks.evaluation.chance import seeded_settings
from tasks.evaluation.explore import Explorer, Record, Trace
from tasks.evaluation.findings import Finding
from tasks.evaluation.foreign_arguments import ForeignStrategies
from tasks.evaluation.strategies import CallStrategies
from tasks.sandbox.base import SessionDied

SEQUENCES = 8
SEQUENCE_CALLS = 25
"""Together 200 random calls where nothing fails."""
_SHRINK_CALLS = 1500
"""Calls that may be spent on shrinking what fails; the shortest sequence found by then is the evidence."""


@dataclass(frozen=True)
class FailingSequence:
    """The shortest sequence that was found to break a promise."""

    finding: Finding
    """The first promise that it breaks."""
    state_number: int
    """The initial state that it starts from, counted from 1."""
    calls: tuple[str, ...]
    """Calls with their arguments, in order: "1. lend_item({...})"."""


class _Stop(BaseException):
    """Ends the search from inside: no budget is left, or the process is gone. Hypothesis lets it pass."""


class _Failure(Exception):
    """The sequence breaks a promise; what Hypothesis shrinks for."""


@dataclass
class SequenceSearch:
    """One search. What passed, and the shortest of what failed, goes into the record; what was tried on the way not."""

    explorer: Explorer
    strategies: CallStrategies | ForeignStrategies
    judge: Callable[[Record], tuple[Finding, ...]]
    """Everything that is wrong with the calls of one sequence."""
    seed: int
    _shortest: tuple[Record, tuple[Finding, ...]] | None = None
    _spent: int = 0
    _died: SessionDied | None = None

    def run(self) -> FailingSequence | None:
        """Draw and execute the sequences; the shortest failing one, null when all hold.

        Raises:
            SessionDied: a call took the process down; the calls up to it are in the record.
        """
        machine = seeded(self.seed)(_machine(self))
        # Flaky (the same calls went another way) is among these: replaying in a second process says so, with evidence.
        with suppress(_Stop, _Failure, HypothesisException):
            run_state_machine_as_test(machine, settings=seeded_settings(examples=SEQUENCES, steps=SEQUENCE_CALLS))
        if self._died is not None:
            raise self._died
        if self._shortest is None:
            return None
        record, findings = self._shortest
        self.explorer.record.merge(record)
        return FailingSequence(
            finding=findings[0],
            state_number=record.starts.index(record.instances[0][0]) + 1,
            calls=tuple(f"{number}. {each}" for number, each in enumerate(record.observed, start=1)),
        )

    def start(self, number: int) -> Explorer:
        """A fresh instance in an initial state, with a record of its own."""
        return self.explorer.apart(self.explorer.record.starts[number % len(self.explorer.record.starts)])

    def step(self, explorer: Explorer, data: st.DataObject) -> None:
        """One more call of a sequence.

        Raises:
            _Stop: the process is gone, or the budget for shrinking is spent.
        """
        call = data.draw(self.strategies.calls(explorer.state))
        if self._shortest is not None:
            self._spent += 1
            if self._spent > _SHRINK_CALLS:
                raise _Stop
        try:
            explorer.call("sequence", call)
        except SessionDied as error:
            self._died = error
            self.explorer.record.merge(explorer.record)
            raise _Stop from error

    def end(self, explorer: Explorer) -> None:
        """Judge a finished sequence.

        Raises:
            _Failure: it breaks a promise.
        """
        record = explorer.record
        if self._died is not None or not record.observed:
            return
        findings = self.judge(record)
        if findings:
            if self._shortest is None or len(record.observed) <= len(self._shortest[0].observed):
                self._shortest = (record, findings)
            raise _Failure(findings[0].reason)
        if self._shortest is None:
            record.traces.append(Trace(record.instances[0][0], tuple(record.observed)))
            self.explorer.record.merge(record)


def _machine(search: SequenceSearch) -> type[RuleBasedStateMachine]:
    """The state machine that Hypothesis drives: any call may follow any other."""
    class Sequence(RuleBasedStateMachine):
        def __init__(self) -> None:
            super().__init__()
            self.explorer: Explorer | None = None

        @rule(data=st.data())
        def call(self, data: st.DataObject) -> None:
            if self.explorer is None:
                self.explorer = search.start(data.draw(st.integers(0, len(search.explorer.record.starts) - 1)))
            search.step(self.explorer, data)

        def teardown(self) -> None:
            if self.explorer is not None:
                search.end(self.explorer)

    return Sequence
