"""The sessions that the drafts on one initial state share."""

from contextlib import ExitStack
from types import TracebackType
from typing import Self

from schemas.skeletons import Skeleton
from tasks.sandbox.base import CheckSession, EnvironmentSession, Sandbox


class Bench:
    """Opens a session when it is first needed and again after it was discarded. Close it, as it holds processes."""

    def __init__(self, sandbox: Sandbox, skeleton: Skeleton) -> None:
        self._sandbox, self._skeleton = sandbox, skeleton
        self._sessions = ExitStack()
        self._checks = ExitStack()
        self._environment: EnvironmentSession | None = None

    @property
    def skeleton(self) -> Skeleton:
        """Whose class is on the bench."""
        return self._skeleton

    def environment(self) -> EnvironmentSession:
        """The session with the class; every user starts with `init`.

        Raises:
            CodeRejected: the class does not load.
            SessionDied: the class hung or left while it was loaded.
            SandboxUnavailable: no process could be started.
        """
        if self._environment is None:
            opening = self._sandbox.environment(self._skeleton.code, self._skeleton.class_name)
            self._environment = self._sessions.enter_context(opening)
        return self._environment

    def fresh_checks(self) -> CheckSession:
        """A new session for checks; the one before is closed, so that no scenario's checks meet another's.

        Raises:
            SandboxUnavailable: no process could be started.
        """
        self._checks.close()
        return self._checks.enter_context(self._sandbox.checks())

    def discard(self) -> None:
        """Close all sessions: one of them died."""
        self._environment = None
        self._checks.close()
        self._sessions.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.discard()
