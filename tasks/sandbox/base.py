"""What every sandbox offers. The code inside is untrusted; the host only ever reads JSON from it."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Literal, Protocol

FaultReason = Literal["wall", "cpu", "memory", "crash", "exit", "protocol", "output"]
Level = Literal["A", "B", "none"]
"""A: system calls and files are refused by the kernel (seccomp and Landlock). B: by seccomp alone. none: by nothing."""


Reads = Literal["nothing", "after", "both"]
"""Snapshots that `play` takes: none, one after the last call, or also one before the first."""


class CodeRejected(Exception):
    """The code could not be loaded or a state could not be set. `kind` is a reason code, the text is for its author."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


@dataclass(frozen=True, slots=True)
class Usage:
    """What a process had used when it ended."""

    cpu_s: float
    """User and system seconds."""
    peak_mib: float
    """Largest resident memory, shared pages included."""


class SessionDied(Exception):
    """The process with the code in it is gone: it hung, crashed, flooded or left. The session can't be used again."""

    def __init__(self, reason: FaultReason, message: str, usage: Usage | None = None) -> None:
        super().__init__(message)
        self.reason = reason
        self.usage = usage
        """Null when the session had been closed, or what it used could not be learned."""


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
class Played:
    """What calls did from a state on."""

    results: list[StepResult]
    before: dict[str, Any] | None
    """The public attributes before the first call; null unless both snapshots were asked for."""
    after: dict[str, Any] | None
    """Those after the last call; null when they are not plain JSON, or were not asked for."""
    flaw: str | None
    """Why they are not plain JSON."""


@dataclass(frozen=True, slots=True)
class CheckVerdict:
    """What one check said. `error` is null exactly when `passed` is a real answer."""

    passed: bool
    error: str | None
    """The check raised, returned no bool, changed its inputs, ran out of time, or ended its process."""


class EnvironmentSession(Protocol):
    """One process that holds one environment class and, after `init`, one instance.

    Clock, `random` and `uuid` are simulated: the clock starts at the state's `now` (2025-01-01T00:00 where it has none)
    and moves a second per call, everything else follows from the seed.
    """

    def init(self, state: dict[str, Any] | None, *, seed: int = 0) -> None:
        """Make a fresh instance from a state (null: the class's own default).

        Raises:
            CodeRejected: the constructor raised.
            SessionDied: the process is gone.
        """

    def reset(self) -> None:
        """Start over from the state and seed of the last `init`, which the process has kept.

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

    def play(
        self, state: dict[str, Any] | None, calls: Sequence[Call], *, watch: bool = False, reads: Reads = "nothing"
    ) -> "Played":
        """A fresh instance, calls and snapshots in one message, which carries only what differs between the states.

        The states are shared: neither those given here nor those returned may be changed by anybody.

        Args:
            state: Where to begin, plain JSON; attributes that are the very objects of the last state given here are not
                sent again. Null goes on with the instance as it is, which must have begun in `play`.
            calls: As for `steps`.
            watch: As for `steps`.
            reads: When to take snapshots; they share what they can with the state where the instance has begun.

        Raises:
            CodeRejected: the constructor raised, or the state before the first call is not plain JSON.
            SessionDied: the process is gone.
        """

    def branch(self, *, seed: int = 0) -> "AbstractContextManager[EnvironmentSession]":
        """A second session that goes on from a copy of the public attributes; neither sees the other's calls.

        Private attributes are made anew by the constructor; the clock starts again at the `now` of the state. Its
        process may have served an earlier branch.
        """


class CheckSession(Protocol):
    """Runs code of checks, in processes that never saw an environment class.

    Whatever a check does is its verdict: one that ends its process gets an error, and the next one a new process.
    """

    def check(
        self,
        codes: Sequence[str],
        initial_state: dict[str, Any],
        final_state: dict[str, Any],
        trajectory: dict[str, Any],
        *,
        group: str = "",
    ) -> list[CheckVerdict]:
        """Run `check(initial_state, final_state, trajectory)` of each code. Anything but a bool is an error.

        Args:
            codes: The checks; all of them see the episode as it is given.
            initial_state: State before the first call.
            final_state: State after the last call.
            trajectory: Calls with results, messages, final message.
            group: Checks of one group share a process, in which hostile ones can spoil the others; those of another
                group are out of their reach.
        """

    def evaluate(
        self, predicates: Sequence[str], names: dict[str, Any], *, own: Sequence[dict[str, Any]] = ()
    ) -> list[CheckVerdict]:
        """Evaluate Python expressions over names, each by itself; truthiness counts, an exception is an error.

        Args:
            predicates: Expressions; equal ones are compiled once.
            names: What all of them may name.
            own: For every predicate, further names that it alone may name; empty when there are none.
        """


class Sandbox(Protocol):
    """Opens sessions. Safe to use from several threads."""

    @property
    def level(self) -> Level:
        """How well the host isolates, for the records.

        Raises:
            SandboxUnavailable: the sandbox itself is broken, or the host offers no isolation and that was not allowed.
        """

    def environment(
        self, code: str, class_name: str, *, hash_seed: int = 0
    ) -> AbstractContextManager[EnvironmentSession]:
        """A session with the class loaded; not yet initialised.

        Args:
            code: Source of the module.
            class_name: The class in it.
            hash_seed: 0 to 4294967295; processes with another one iterate over sets in another order and lie elsewhere
                in memory, which shows code that depends on either.

        Raises:
            CodeRejected: the module or the class does not load.
            SandboxUnavailable: the sandbox itself is broken.
        """

    def checks(self) -> AbstractContextManager[CheckSession]:
        """A session for checks and predicates."""
