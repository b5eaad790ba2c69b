"""A session that is not told again what it knows: the search for test cases begins at few states, each many times."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any

from tasks.sandbox.base import Call, EnvironmentSession, Played, Reads, StepResult

State = dict[str, Any]


class SettledSession:
    """An EnvironmentSession for a class without clock and chance of its own. Nobody may change a state of it.

    A fresh instance is made when a call needs one, in one message with the call and with what that leaves; not where
    the instance is in that very state already, as most calls are refused.
    """

    def __init__(self, session: EnvironmentSession) -> None:
        """Speak for a session that nobody else uses any more."""
        self._session = session
        self._begun: State | None = None
        """The state of the last `init`."""
        self._awaited: State | None = None
        """Where the next call begins; null to go on."""
        self._current: State | None = None
        """The state of the instance; null when it is none, or not plain JSON."""

    def init(self, state: State | None, *, seed: int = 0) -> None:
        """See `EnvironmentSession`; there is a state, and no seed."""
        self._begun = state
        self._awaited = state if state is not self._current else None

    def reset(self) -> None:
        """See `EnvironmentSession`."""
        self.init(self._begun)

    def step(self, tool: str, arguments: dict[str, Any]) -> StepResult:
        """See `EnvironmentSession`."""
        return self.steps([Call(tool, arguments)])[0]

    def steps(self, calls: Sequence[Call], *, watch: bool = False) -> list[StepResult]:
        """See `EnvironmentSession`."""
        return self.play(None, calls, watch=watch).results

    def snapshot(self) -> State:
        """See `EnvironmentSession`."""
        if self._awaited is not None:
            self.steps([])
        return self._session.snapshot() if self._current is None else self._current

    def play(
        self, state: State | None, calls: Sequence[Call], *, watch: bool = False, reads: Reads = "after"
    ) -> Played:
        """See `EnvironmentSession`."""
        if state is not None:
            self.init(state)
        start, self._awaited, self._current = self._awaited, None, None
        played = self._session.play(start, calls, watch=watch, reads="both" if reads == "both" else "after")
        self._current = played.after
        return played

    def branch(self, *, seed: int = 0) -> AbstractContextManager[EnvironmentSession]:
        """See `EnvironmentSession`."""
        self.snapshot()
        return self._session.branch(seed=seed)
