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
from tasks.sandbox.base import Call, SessionDied

SEQUENCES = 8
SEQUENCE_CALLS = 25
"""Together 200 random calls where nothing fails."""
_SHRINK_CALLS = 250
"""Calls that Hypothesis may spend on shrinking what fails; the shortest sequence found by then is thinned out."""


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


class _Found(BaseException):
    """A finished sequence breaks a promise: enough of looking, time to shrink."""


@dataclass
class SequenceSearch:
    """One search. What passed, and the shortest of what failed, goes into the record; what was tried on the way not.

    While looking, a sequence is judged at its end, which is cheap. When one fails, the search begins anew with the same
    seed, thus with the same sequences, and judges after every call: what fails then ends there, and is shrunk.
    """

    explorer: Explorer
    strategies: CallStrategies | ForeignStrategies
    judge: Callable[[Record], tuple[Finding, ...]]
    """Everything that is wrong with the calls of one sequence."""
    seed: int
    _shortest: tuple[Record, tuple[Finding, ...]] | None = None
    _is_shrinking: bool = False
    _spent: int = 0
    _died: SessionDied | None = None

    def run(self) -> FailingSequence | None:
        """Draw and execute the sequences; the shortest failing one, null when all hold.

        Raises:
            SessionDied: a call took the process down; the calls up to it are in the record.
        """
        with suppress(_Stop):
            self._drive()
            if self._is_shrinking:
                self._drive()
        with suppress(_Stop):
            self._thin_out()
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

    def _drive(self) -> None:
        machine = seeded(self.seed)(_machine(self))
        # Flaky (the same calls went another way) is among these: replaying in a second process says so, with evidence.
        with suppress(_Found, _Failure, HypothesisException):
            run_state_machine_as_test(machine, settings=seeded_settings(examples=SEQUENCES, steps=SEQUENCE_CALLS))

    def start(self, number: int) -> Explorer:
        """A fresh instance in an initial state, with a record of its own."""
        return self.explorer.apart(self.explorer.record.starts[number % len(self.explorer.record.starts)])

    def step(self, explorer: Explorer, data: st.DataObject) -> None:
        """One more call of a sequence.

        Raises:
            _Stop: the process is gone, or shrinking has come to its end.
            _Failure: while shrinking, the sequence breaks a promise with this call.
        """
        call = data.draw(self.strategies.calls(explorer.state))
        if self._is_shrinking:
            self._spent += 1
            if self._spent > _SHRINK_CALLS:
                raise _Stop
        self._call(explorer, call)
        if self._is_shrinking:
            self._judge(explorer.record)

    def end(self, explorer: Explorer) -> None:
        """Judge a finished sequence.

        Raises:
            _Found: it breaks a promise.
        """
        record = explorer.record
        if self._is_shrinking or self._died is not None or not record.observed:
            return
        if findings := self.judge(record):
            self._shortest = (record, findings)
            self._is_shrinking = True
            raise _Found
        record.traces.append(Trace(record.instances[0][0], tuple(record.observed)))
        self.explorer.record.merge(record)

    def _thin_out(self) -> None:
        """Leave out, one after the other, the calls without which the same promise is still broken."""
        if self._shortest is None or self._died is not None:
            return
        for number in reversed(range(len(self._shortest[0].observed) - 1)):
            record, findings = self._shortest
            explorer = self.explorer.apart(record.instances[0][0])
            for at, seen in enumerate(record.observed):
                if at != number:
                    self._call(explorer, seen.call)
            found = self.judge(explorer.record)
            if found and found[0].reason == findings[0].reason:
                self._shortest = (explorer.record, found)

    def _call(self, explorer: Explorer, call: Call) -> None:
        try:
            explorer.call("sequence", call)
        except SessionDied as error:
            self._died = error
            self.explorer.record.merge(explorer.record)
            raise _Stop from error

    def _judge(self, record: Record) -> None:
        findings = self.judge(record)
        if findings:
            if self._shortest is None or len(record.observed) <= len(self._shortest[0].observed):
                self._shortest = (record, findings)
            if len(record.observed) == 1:
                raise _Stop  # it can't get shorter
            raise _Failure(findings[0].reason)


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
