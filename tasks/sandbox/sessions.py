"""The host's side of sessions: what a worker answers, read as the records of the contract."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from typing import Any

from tasks.sandbox.base import Call, CheckVerdict, EnvironmentSession, Played, Reads, SessionDied, StepResult
from tasks.sandbox.worker import Worker

_CALLS_PER_REQUEST = 256
_PLAYED_FIELDS = {"before", "results", "after"}
_STEP_FIELDS = {"result", "error", "digest"}
_VERDICT_FIELDS = {"passed", "error"}
_DEFAULT_GROUP = ""


class WorkerEnvironment:
    """See `EnvironmentSession`."""

    def __init__(self, worker: Worker, another: Callable[[], AbstractContextManager[EnvironmentSession]]) -> None:
        """Speak for a worker in which the class is loaded; `another` opens a second one."""
        self._worker, self._another = worker, another
        self._opened = ExitStack()
        """The sessions of all branches."""
        self._idle: list[EnvironmentSession] = []
        """Those of branches that have ended: to load the class takes longer than most of what a branch is used for."""
        self._begun: dict[str, Any] = {}
        """The last state that was given to `play`; empty after an `init`, whose state may change."""

    def init(self, state: dict[str, Any] | None, *, seed: int = 0) -> None:
        """Make a fresh instance from a state."""
        self._begun = {}
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
            answer = self._worker.ask("steps", calls=_encoded(batch), watch=watch)
            results += _step_results(answer, batch, self._worker)
        return results

    def play(
        self, state: dict[str, Any] | None, calls: Sequence[Call], *, watch: bool = False, reads: Reads = "nothing"
    ) -> Played:
        """All in one message, unless there are many calls or long results."""
        start, begun = self._start(state)
        batch = calls[:_CALLS_PER_REQUEST]
        is_all = len(batch) == len(calls)
        answer = self._worker.ask(
            "play",
            refusals=("init_error", "state_not_json"),
            start=start,
            calls=_encoded(batch),
            watch=watch,
            reads_before=reads == "both",
            reads_after=reads != "nothing" and is_all,
        )
        if not isinstance(answer, dict) or answer.keys() != _PLAYED_FIELDS:
            self._worker.refute("a reply has the wrong fields")
        self._begun = begun
        results = _step_results(answer["results"], batch, self._worker) if batch else []
        before = self._merged(answer["before"]) if reads == "both" else None
        if len(results) < len(calls):
            results += self.steps(calls[len(results) :], watch=watch)
            if reads != "nothing":
                rest = self.play(None, (), reads="after")
                return Played(results, before, rest.after, rest.flaw)
        if reads == "nothing":
            return Played(results, None, None, None)
        if isinstance(answer["after"], str):
            return Played(results, before, None, answer["after"])
        return Played(results, before, self._merged(answer["after"]), None)

    def _start(self, state: dict[str, Any] | None) -> tuple[dict[str, Any] | None, dict[str, Any]]:
        """What the process must know of a state, and the state that it then has; it has none until it says so."""
        begun, self._begun = self._begun, {}
        if state is None:
            return None, begun
        changed = {name: value for name, value in state.items() if name not in begun or begun[name] is not value}
        return {"names": list(state), "changed": changed, "shares": bool(begun)}, state

    def _merged(self, told: Any) -> dict[str, Any]:
        """A state from what differs in it from the one where the instance has begun; that very one when nothing does.

        Of an attribute that it says nothing about, the process can only claim that it is as it was.
        """
        begun = self._begun
        if not isinstance(told, dict) or told.keys() != {"names", "changed"}:
            self._worker.refute("a state has the wrong fields")
        names, changed = told["names"], told["changed"]
        if not isinstance(names, list) or not isinstance(changed, dict):
            self._worker.refute("a state has the wrong fields")
        if not all(isinstance(name, str) and (name in changed or name in begun) for name in names):
            self._worker.refute("a state lacks an attribute")
        if not changed and names == list(begun):
            return begun
        return {name: changed[name] if name in changed else begun[name] for name in names}

    def snapshot(self) -> dict[str, Any]:
        """The public attributes."""
        state = self._worker.ask("snapshot", refusals=("state_not_json",))
        if not isinstance(state, dict):
            self._worker.refute("a snapshot is no object")
        return state

    def kill(self) -> None:
        """End the process; a call that is under way raises SessionDied. Any thread may do this."""
        self._worker.kill()

    def close(self) -> None:
        """End the branches; who has spawned the worker ends that."""
        self._opened.close()

    @contextmanager
    def branch(self, *, seed: int = 0) -> Iterator[EnvironmentSession]:
        """A second session that goes on from a copy."""
        state = self.snapshot()
        session = self._idle.pop() if self._idle else self._opened.enter_context(self._another())
        session.init(state, seed=seed)
        yield session
        self._idle.append(session)  # unless something was raised: it may be gone


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
        return self._verdicts("check", {"codes": codes}, inputs, group)

    def evaluate(
        self, predicates: Sequence[str], names: dict[str, Any], *, own: Sequence[dict[str, Any]] = ()
    ) -> list[CheckVerdict]:
        """Evaluate predicates."""
        items = {"predicates": predicates, "own": own or [{}] * len(predicates)}
        return self._verdicts("evaluate", items, {"names": names}, _DEFAULT_GROUP)

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
        self, op: str, items: Mapping[str, Sequence[Any]], inputs: dict[str, Any], group: str
    ) -> list[CheckVerdict]:
        """One verdict for each place in the lists of items, which are equally long."""
        count = len(next(iter(items.values())))
        if not count:
            return []
        worker = self._workers.get(group) or self._workers.setdefault(group, self._spawn())
        if self._is_killed:
            raise SessionDied("exit", "the session was killed")
        try:
            answer = worker.ask(op, shares=count, **{name: list(each) for name, each in items.items()}, **inputs)
            if not isinstance(answer, list) or len(answer) != count:
                worker.refute("a reply has the wrong number of verdicts")
            return [_verdict(each, worker) for each in answer]
        except SessionDied as death:
            self._workers.pop(group).close()
            if self._is_killed:
                raise
            if count == 1:
                return [CheckVerdict(False, f"{death.reason}: {death}")]
        alone = ({name: [each[number]] for name, each in items.items()} for number in range(count))
        return [self._verdicts(op, each, inputs, group)[0] for each in alone]


def _encoded(calls: Sequence[Call]) -> list[dict[str, Any]]:
    return [{"tool": call.tool, "arguments": call.arguments} for call in calls]


def _step_results(answer: Any, calls: Sequence[Call], worker: Worker) -> list[StepResult]:
    """Of the first of these calls: a process may stop early, after at least one."""
    if not isinstance(answer, list) or not 0 < len(answer) <= len(calls):
        worker.refute("a reply has the wrong number of results")
    return [_step_result(each, worker) for each in answer]


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
