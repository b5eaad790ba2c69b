"""A session that `init` and `reset` bring back when its process has died."""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any

from tasks.sandbox.base import Call, EnvironmentSession, Played, Reads, Sandbox, SessionDied, StepResult


class LastingSession:
    """An EnvironmentSession over as many processes as it takes. Close it, as it holds one."""

    def __init__(self, sandbox: Sandbox, code: str, class_name: str) -> None:
        """Load the class.

        Raises:
            CodeRejected: the class does not load.
            SessionDied: the class hung or left while it was loaded.
            SandboxUnavailable: no process could be started.
        """
        self._sandbox, self._code, self._class_name = sandbox, code, class_name
        self._opened = ExitStack()
        self._session: EnvironmentSession | None = None
        self._death = SessionDied("exit", "the session was closed")
        self._begun: tuple[dict[str, Any] | None, int] = (None, 0)
        self._living()

    def init(self, state: dict[str, Any] | None, *, seed: int = 0) -> None:
        """See `EnvironmentSession`; in a new process when there is none."""
        self._begun = (state, seed)
        session = self._living()
        with self._watched():
            session.init(state, seed=seed)

    def reset(self) -> None:
        """See `EnvironmentSession`; in a new process when there is none."""
        if self._session is None:
            self.init(self._begun[0], seed=self._begun[1])
            return
        with self._watched():
            self._session.reset()

    def step(self, tool: str, arguments: dict[str, Any]) -> StepResult:
        """See `EnvironmentSession`."""
        with self._watched():
            return self._running().step(tool, arguments)

    def steps(self, calls: Sequence[Call], *, watch: bool = False) -> list[StepResult]:
        """See `EnvironmentSession`."""
        with self._watched():
            return self._running().steps(calls, watch=watch)

    def snapshot(self) -> dict[str, Any]:
        """See `EnvironmentSession`."""
        with self._watched():
            return self._running().snapshot()

    def play(
        self, state: dict[str, Any] | None, calls: Sequence[Call], *, watch: bool = False, reads: Reads = "nothing"
    ) -> Played:
        """See `EnvironmentSession`; with a state, in a new process when there is none."""
        if state is not None:
            self._begun = (state, 0)
        session = self._running() if state is None else self._living()
        with self._watched():
            return session.play(state, calls, watch=watch, reads=reads)

    def branch(self, *, seed: int = 0) -> AbstractContextManager[EnvironmentSession]:
        """See `EnvironmentSession`."""
        return self._running().branch(seed=seed)

    def close(self) -> None:
        """End the process, if there is one. `init` and `reset` would start another."""
        self._session = None
        self._opened.close()

    def _living(self) -> EnvironmentSession:
        if self._session is None:
            opening = self._sandbox.environment(self._code, self._class_name)
            self._session = self._opened.enter_context(opening)
        return self._session

    def _running(self) -> EnvironmentSession:
        if self._session is None:
            raise SessionDied(self._death.reason, str(self._death), self._death.usage)
        return self._session

    @contextmanager
    def _watched(self) -> Iterator[None]:
        try:
            yield
        except SessionDied as death:
            self._death = death
            self.close()
            raise
