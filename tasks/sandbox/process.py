"""The plain separate process: one fresh, limited, unprivileged process per session.

It keeps secrets of the host out of reach (empty environment, no inherited file, another user when the host is root) and
survives whatever the code does to its process. It does not keep the code from reading world-readable files or from
opening network connections; the level says so.
"""

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from typing import Any

from tasks.sandbox.base import (
    Call,
    CheckSession,
    CheckVerdict,
    EnvironmentSession,
    SessionDied,
    StepResult,
)
from tasks.sandbox.worker import Worker, WorkerLimits

_CALLS_PER_REQUEST = 256
_STEP_FIELDS = {"result", "error", "digest"}
_VERDICT_FIELDS = {"passed", "error"}


class ProcessSandbox:
    """Opens sessions in separate processes. Holds no state of its own, so threads may share it."""

    level = "process"

    def __init__(
        self,
        wall_s: float = 10.0,
        cpu_s: int = 10,
        memory_mib: int = 512,
        frame_mib: int = 4,
        *,
        check_s: float = 2.0,
    ) -> None:
        """Set the limits.

        Args:
            wall_s: Seconds that one request may take; a batch of calls is one request.
            cpu_s: Seconds of CPU that one request may take, to about one second.
            memory_mib: Address space of the process.
            frame_mib: Longest reply.
            check_s: Seconds of CPU for one check or predicate; taking longer is an error, and the session goes on.
        """
        self._limits = WorkerLimits(
            wall_s=wall_s, cpu_s=cpu_s, memory_mib=memory_mib, frame_mib=frame_mib, check_s=check_s
        )

    def environment(self, code: str, class_name: str) -> AbstractContextManager[EnvironmentSession]:
        """A session with the class loaded; not yet initialised.

        Raises:
            CodeRejected: "syntax_error", "import_refused", "load_error" or "class_missing".
            SessionDied: the module hung or ended the process while it was loaded.
            SandboxUnavailable: the process can't be started or locked.
        """
        return self._environment(code, class_name)

    def checks(self) -> AbstractContextManager[CheckSession]:
        """A session for checks and predicates.

        Raises:
            SandboxUnavailable: the process can't be started or locked.
        """
        return self._checks()

    @contextmanager
    def _environment(self, code: str, class_name: str) -> Iterator[EnvironmentSession]:
        with closing(Worker("environment", self._limits)) as worker:
            worker.ask("load", code=code, class_name=class_name)
            yield _ProcessEnvironment(worker)

    @contextmanager
    def _checks(self) -> Iterator[CheckSession]:
        with closing(Worker("checks", self._limits)) as worker:
            yield _ProcessChecks(worker)


class _ProcessEnvironment:
    def __init__(self, worker: Worker) -> None:
        self._worker = worker

    def init(self, state: dict[str, Any] | None) -> None:
        self._worker.ask("init", state=state)

    def step(self, tool: str, arguments: dict[str, Any]) -> StepResult:
        return self.steps([Call(tool, arguments)])[0]

    def steps(self, calls: Sequence[Call], *, watch: bool = False) -> list[StepResult]:
        results: list[StepResult] = []
        while len(results) < len(calls):
            batch = calls[len(results) : len(results) + _CALLS_PER_REQUEST]
            encoded = [{"tool": call.tool, "arguments": call.arguments} for call in batch]
            answer = self._worker.ask("steps", calls=encoded, watch=watch)
            if not isinstance(answer, list) or not 0 < len(answer) <= len(batch):
                raise SessionDied("protocol", "a reply has the wrong number of results")
            results += map(_step_result, answer)
        return results

    def snapshot(self) -> dict[str, Any]:
        state = self._worker.ask("snapshot")
        if not isinstance(state, dict):
            raise SessionDied("protocol", "a snapshot is no object")
        return state


class _ProcessChecks:
    def __init__(self, worker: Worker) -> None:
        self._worker = worker

    def check(
        self, code: str, initial_state: dict[str, Any], final_state: dict[str, Any], trajectory: dict[str, Any]
    ) -> CheckVerdict:
        return _verdict(
            self._worker.ask(
                "check", code=code, initial_state=initial_state, final_state=final_state, trajectory=trajectory
            )
        )

    def evaluate(self, predicates: Sequence[str], names: dict[str, Any]) -> list[CheckVerdict]:
        answer = self._worker.ask("evaluate", predicates=list(predicates), names=names)
        if not isinstance(answer, list) or len(answer) != len(predicates):
            raise SessionDied("protocol", "a reply has the wrong number of verdicts")
        return [_verdict(each) for each in answer]


def _step_result(answer: Any) -> StepResult:
    """The process decides what a call did, but not of which type the record's fields are."""
    if not isinstance(answer, dict) or answer.keys() != _STEP_FIELDS:
        raise SessionDied("protocol", "a result has the wrong fields")
    error, digest = answer["error"], answer["digest"]
    if not isinstance(error, str | None) or not isinstance(digest, str | None):
        raise SessionDied("protocol", "a result has the wrong fields")
    return StepResult(result=answer["result"], error=error, digest=digest)


def _verdict(answer: Any) -> CheckVerdict:
    if not isinstance(answer, dict) or answer.keys() != _VERDICT_FIELDS:
        raise SessionDied("protocol", "a verdict has the wrong fields")
    passed, error = answer["passed"], answer["error"]
    if not isinstance(passed, bool) or not isinstance(error, str | None):
        raise SessionDied("protocol", "a verdict has the wrong fields")
    return CheckVerdict(passed=passed, error=error)
