"""The host's side of sessions: what a worker answers, read as the records of the contract."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from tasks.sandbox.base import Call, CheckVerdict, EnvironmentSession, SessionDied, StepResult
from tasks.sandbox.worker import Worker

_CALLS_PER_REQUEST = 256
_STEP_FIELDS = {"result", "error", "digest"}
_VERDICT_FIELDS = {"passed", "error"}
_DEFAULT_GROUP = ""


class WorkerEnvironment:
    """See `EnvironmentSession`."""

    def __init__(self, worker: Worker, another: Callable[[], AbstractContextManager[EnvironmentSession]]) -> None:
        """Speak for a worker in which the class is loaded; `another` opens a second one."""
        self._worker, self._another = worker, another

    def init(self, state: dict[str, Any] | None, *, seed: int = 0) -> None:
        """Make a fresh instance from a state."""
        self._worker.ask("init", refusals=("init_error",), state=state, seed=seed)

    def reset(self) -> None:
        """Start over from the state and seed of the last `init`."""
        self._worker.ask("reset", refusals=("init_error",))

    def step(self, tool: str, arguments: dict[str, Any]) -> StepResult:
        """Call one public method."""
        return self.steps([Call(tool, arguments)])[0]

    def steps(self, calls: Sequence[Call], *, watch: bool = False) -> list[StepResult]:
        """Make many calls in as few messages as their number and results allow."""
        results: list[StepResult] = []
        while len(results) < len(calls):
            batch = calls[len(results) : len(results) + _CALLS_PER_REQUEST]
            encoded = [{"tool": call.tool, "arguments": call.arguments} for call in batch]
            answer = self._worker.ask("steps", calls=encoded, watch=watch)
            if not isinstance(answer, list) or not 0 < len(answer) <= len(batch):
                self._worker.refute("a reply has the wrong number of results")
            results += [_step_result(each, self._worker) for each in answer]
        return results

    def snapshot(self) -> dict[str, Any]:
        """The public attributes."""
        state = self._worker.ask("snapshot", refusals=("state_not_json",))
        if not isinstance(state, dict):
            self._worker.refute("a snapshot is no object")
        return state

    def kill(self) -> None:
        """End the process; a call that is under way raises SessionDied. Any thread may do this."""
        self._worker.kill()

    @contextmanager
    def branch(self, *, seed: int = 0) -> Iterator[EnvironmentSession]:
        """A second session that goes on from a copy."""
        state = self.snapshot()
        with self._another() as session:
            session.init(state, seed=seed)
            yield session


class WorkerChecks:
    """See `CheckSession`. One process for each group.

    It asks for all items at once; when that ends the process, for one after the other to find out which did it.
    """

    def __init__(self, spawn: Callable[[], Worker]) -> None:
        """Spawn processes as they are needed, the first one now."""
        self._spawn = spawn
        self._workers = {_DEFAULT_GROUP: spawn()}
        self._is_killed = False

    def check(
        self,
        codes: Sequence[str],
        initial_state: dict[str, Any],
        final_state: dict[str, Any],
        trajectory: dict[str, Any],
        *,
        group: str = _DEFAULT_GROUP,
    ) -> list[CheckVerdict]:
        """Run checks in the process of their group."""
        inputs = {"initial_state": initial_state, "final_state": final_state, "trajectory": trajectory}
        return self._verdicts("check", "codes", codes, inputs, group)

    def evaluate(self, predicates: Sequence[str], names: dict[str, Any]) -> list[CheckVerdict]:
        """Evaluate predicates."""
        return self._verdicts("evaluate", "predicates", predicates, {"names": names}, _DEFAULT_GROUP)

    def kill(self) -> None:
        """End all processes; a call that is under way raises SessionDied. Any thread may do this."""
        self._is_killed = True  # before they are, or their end would be taken for the doing of a check
        for worker in list(self._workers.values()):
            worker.kill()

    def close(self) -> None:
        """End all processes."""
        for group in list(self._workers):
            self._workers.pop(group).close()

    def _verdicts(
        self, op: str, name: str, items: Sequence[str], inputs: dict[str, Any], group: str
    ) -> list[CheckVerdict]:
        if not items:
            return []
        worker = self._workers.get(group) or self._workers.setdefault(group, self._spawn())
        if self._is_killed:
            raise SessionDied("exit", "the session was killed")
        try:
            answer = worker.ask(op, shares=len(items), **{name: list(items)}, **inputs)
            if not isinstance(answer, list) or len(answer) != len(items):
                worker.refute("a reply has the wrong number of verdicts")
            return [_verdict(each, worker) for each in answer]
        except SessionDied as death:
            self._workers.pop(group).close()
            if self._is_killed:
                raise
            if len(items) == 1:
                return [CheckVerdict(False, f"{death.reason}: {death}")]
        return [self._verdicts(op, name, [item], inputs, group)[0] for item in items]


def _step_result(answer: Any, worker: Worker) -> StepResult:
    """The process decides what a call did, but not of which type the record's fields are."""
    if not isinstance(answer, dict) or answer.keys() != _STEP_FIELDS:
        worker.refute("a result has the wrong fields")
    error, digest = answer["error"], answer["digest"]
    if not isinstance(error, str | None) or not isinstance(digest, str | None):
        worker.refute("a result has the wrong fields")
    return StepResult(result=answer["result"], error=error, digest=digest)


def _verdict(answer: Any, worker: Worker) -> CheckVerdict:
    if not isinstance(answer, dict) or answer.keys() != _VERDICT_FIELDS:
        worker.refute("a verdict has the wrong fields")
    passed, error = answer["passed"], answer["error"]
    if not isinstance(passed, bool) or not isinstance(error, str | None):
        worker.refute("a verdict has the wrong fields")
    return CheckVerdict(passed=passed, error=error)
