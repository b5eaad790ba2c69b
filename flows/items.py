"""Work through the items of a step: one Prefect task each, a few at a time, every one answered for."""

import queue
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from prefect.futures import PrefectFuture
from prefect.tasks import Task
from prefect.utilities.annotations import quote
from pydantic import TypeAdapter

from flows.watching import watch
from schemas.errors import EnvmillError, HomeNotWritable, MachineryError, UsageError
from schemas.row import Status
from tasks.authors.base import BadReply
from tasks.policies import Unfinished

OutcomeT = TypeVar("OutcomeT")
GRACE_S = 3.0
"""How long a run that is asked to stop waits for the items in work."""


@dataclass(frozen=True)
class Item:
    """One unit of work, for one Prefect task."""

    place: str
    """Where it stands in the books of its stage."""
    label: str
    """What a person calls it."""
    key: str
    """What decides its outcome, see `tasks.fingerprint`."""
    arguments: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Done(Generic[OutcomeT]):
    """How one item ended. Exactly one of `outcome` and `error` is set."""

    item: Item
    outcome: OutcomeT | None
    is_reused: bool = False
    """The outcome comes from an earlier run."""
    error: str | None = None
    """Why there is no outcome, for the ledger."""
    status: Status = "failed"
    """Without an outcome: `failed`, or `rejected` where the author's answer was of no use."""
    reason: str = EnvmillError.reason
    """Reason code that goes with it: machinery, sandbox_unavailable, author_unavailable, budget_exhausted or
    reply_unusable."""

    def note(self, words: str) -> str:
        """How it went, for whoever watches: these words about the outcome, or what broke."""
        if self.error is not None:
            return f"{self.status}: {self.error}"
        return f"{words} (reused)" if self.is_reused else words


def work_through(
    task: Task[..., str], items: Sequence[Item], *, read: Callable[[str], OutcomeT], at_a_time: int
) -> Iterator[Done[OutcomeT]]:
    """Yield every item as it finishes, in that order. Ends early, without the rest, when the run is asked to stop.

    Only as many items are handed to Prefect as may be in work, so that a stop leaves nothing queued.

    Args:
        task: Takes `key`, `label` and the arguments of the item, returns the outcome as JSON.
        items: With distinct keys, or with equal outcomes for equal keys.
        read: Makes the outcome from its JSON.
        at_a_time: Items in work at a time, at least 1.

    Raises:
        UsageError: an item can't be done as asked; no other item would help.
        HomeNotWritable: the disk is full or read-only.
    """
    waiting = deque(items)
    in_work: dict[PrefectFuture[str], Item] = {}
    finished: queue.SimpleQueue[PrefectFuture[str]] = queue.SimpleQueue()
    current = watch()
    deadline: float | None = None
    while waiting or in_work:
        if current.stop.is_set():
            waiting.clear()
            deadline = deadline or time.monotonic() + GRACE_S
            if time.monotonic() > deadline:
                return
        while waiting and len(in_work) < at_a_time:
            item = waiting.popleft()
            future = task.submit(item.key, label=item.label, **{k: quote(v) for k, v in item.arguments.items()})
            current.count_task_run()
            in_work[future] = item
            future.add_done_callback(finished.put)
        try:
            future = finished.get(timeout=0.2)
        except queue.Empty:
            continue
        yield _done(future, in_work.pop(future), read)


def only_result(task: Task[..., str], item: Item, *, read: Callable[[str], OutcomeT]) -> tuple[OutcomeT, bool]:
    """Do the one item of a step that everything after it needs.

    Returns:
        The outcome, and whether it comes from an earlier run.

    Raises:
        MachineryError: it broke.
        KeyboardInterrupt: the run was asked to stop before it was done.
    """
    for done in work_through(task, [item], read=read, at_a_time=1):
        if done.outcome is None:
            raise MachineryError(f"{task.name} ({item.label}) broke: {done.error}. Nothing was published.")
        watch().progress.item_finished(task.name, item.label, done.note("done"))
        return done.outcome, done.is_reused
    raise KeyboardInterrupt


def kept(outcome_type: TypeAdapter[OutcomeT], outcome: OutcomeT, *, failure: str | None = None) -> str:
    """The outcome as a task returns it: as JSON, to be kept.

    Args:
        outcome_type: Writes it.
        outcome: What became of the item.
        failure: Reason code of what broke on the way; null when the outcome is final.

    Raises:
        Unfinished: something broke. Prefect shows the task as failed and keeps nothing; `work_through` still reads it.
    """
    text = outcome_type.dump_json(outcome).decode()
    if failure is not None:
        raise Unfinished(text, failure)
    return text


def _done(future: PrefectFuture[str], item: Item, read: Callable[[str], OutcomeT]) -> Done[OutcomeT]:
    future.wait()
    answer: Any = future.state.result(raise_on_failure=False)
    match answer:
        case str():
            return Done(item, read(answer), is_reused=future.state.name == "Cached")
        case Unfinished():
            return Done(item, read(answer.outcome))
        case UsageError() | HomeNotWritable():
            raise answer
        case BadReply():
            return Done(item, None, error=str(answer), status="rejected", reason=answer.reason)
        case EnvmillError():
            return Done(item, None, error=str(answer), reason=answer.reason)
        case BaseException():
            return Done(item, None, error=f"{type(answer).__name__}: {answer}")
        case _:
            return Done(item, None, error=f"the task ended as {future.state.name}")
