"""What every sandbox offers. The code inside is untrusted; the host only ever reads JSON from it."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Literal, Protocol

FaultReason = Literal["wall", "cpu", "memory", "crash", "exit", "protocol", "output"]


class CodeRejected(Exception):
    """The code could not be loaded or a state could not be set. `kind` is a reason code, the text is for its author."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


class SessionDied(Exception):
    """The process with the code in it is gone: it hung, crashed, flooded or left. The session can't be used again."""

    def __init__(self, reason: FaultReason, message: str) -> None:
        super().__init__(message)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call."""

    tool: str
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True)
class StepResult:
    """What one call did. Exactly one of `result` and `error` says how it ended."""

    result: Any
    """The returned value, plain JSON; null when the call raised or returned something that is not JSON."""
    error: str | None
    """ "KeyError: 'x' (line 12)" when the method raised, "not_json: ..." when its result was no JSON; else null."""
    digest: str | None
    """Digest of the state after the call; null unless it was asked for."""


@dataclass(frozen=True, slots=True)
class CheckVerdict:
    """What one check said. `error` is null exactly when `passed` is a real answer."""

    passed: bool
    error: str | None
    """The check raised, returned no bool, changed its inputs, or ran out of time."""


class EnvironmentSession(Protocol):
    """One process that holds one environment class and, after `init`, one instance."""

    def init(self, state: dict[str, Any] | None) -> None:
        """Make a fresh instance from a state (null: the class's own default).

        Raises:
            CodeRejected: the constructor raised.
            SessionDied: the process is gone.
        """

    def step(self, tool: str, arguments: dict[str, Any]) -> StepResult:
        """Call one public method by keyword. A method that raises is a result, not an exception here."""

    def steps(self, calls: Sequence[Call], *, watch: bool = False) -> list[StepResult]:
        """Many calls in one message. `watch` adds the digest of the state after each."""

    def snapshot(self) -> dict[str, Any]:
        """The public attributes as plain JSON, freshly decoded.

        Raises:
            CodeRejected: an attribute is not plain JSON (kind "state_not_json").
        """


class CheckSession(Protocol):
    """One process that never saw the environment class."""

    def check(
        self, code: str, initial_state: dict[str, Any], final_state: dict[str, Any], trajectory: dict[str, Any]
    ) -> CheckVerdict:
        """Run `check(initial_state, final_state, trajectory)` from the code. Anything but a bool is an error."""

    def evaluate(self, predicates: Sequence[str], names: dict[str, Any]) -> list[CheckVerdict]:
        """Evaluate Python expressions over the names, each on its own; truthiness counts, an exception is an error."""


class Sandbox(Protocol):
    """Opens sessions. Safe to use from several threads."""

    level: str
    """Isolation level for the records: "process" for the plain separate process."""

    def environment(self, code: str, class_name: str) -> AbstractContextManager[EnvironmentSession]:
        """A session with the class loaded; not yet initialised.

        Raises:
            CodeRejected: the module or the class does not load.
            SandboxUnavailable: the sandbox itself is broken.
        """

    def checks(self) -> AbstractContextManager[CheckSession]:
        """A session for checks and predicates."""
