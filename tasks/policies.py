"""How Prefect treats our tasks: retries, caches and tags, named once."""

from typing import Any

from prefect.cache_policies import NO_CACHE, CacheKeyFnPolicy
from prefect.client.schemas.objects import State, TaskRun
from prefect.context import TaskRunContext
from prefect.tasks import Task

from schemas.errors import SandboxUnavailable, ServerUnavailable

TRANSIENT = (SandboxUnavailable, ServerUnavailable)
"""What waiting can fix. A broken disk, a bug and bad output are not in it.

Nor is an author who is unavailable: the one that asks a model has by then sent its request several times, with waits
that the endpoint named, and it knows what waiting can't fix (a wrong key, a spent budget). Tries on top would multiply
its own, just when the endpoint has too much to do. The next run tries the item again.
"""
TRANSIENT_REASONS = frozenset({"sandbox_unavailable"})
"""The same, where a stage turned the error into a failed row."""


class Unfinished(Exception):
    """An item broke or ran out of time: its outcome is told but never kept, so that the next run tries again."""

    def __init__(self, outcome: str, reason: str) -> None:
        super().__init__(f"{reason}: the item did not finish; the next run tries it again")
        self.outcome = outcome
        """The outcome as JSON, for the ledger."""
        self.reason = reason
        """Reason code of what broke."""


def is_transient(_task: Task[..., Any], _task_run: TaskRun, state: State[Any]) -> bool:
    """Retry only what waiting can fix."""
    answer = state.result(raise_on_failure=False)
    return isinstance(answer, TRANSIENT) or (isinstance(answer, Unfinished) and answer.reason in TRANSIENT_REASONS)


def _key_of(_context: TaskRunContext, parameters: dict[str, Any]) -> str:
    return str(parameters["key"])


ITEM_KEY = CacheKeyFnPolicy(cache_key_fn=_key_of)
"""A finished item is found again by its parameter `key`, in any later run."""


ITEM: dict[str, Any] = {
    "task_run_name": "{label}",
    "cache_policy": ITEM_KEY,
    "persist_result": True,
    "result_serializer": "json",
    "retries": 2,
    "retry_delay_seconds": [1, 4],
    "retry_condition_fn": is_transient,
}
"""A task that makes one item. It takes `key` (see `tasks.fingerprint`) and `label`, which names the task run, and
returns the outcome as JSON text. What it returned once, accepted or not, is not made again; what it raised is."""

QUESTION: dict[str, Any] = {
    "task_run_name": "{label}",
    "cache_policy": NO_CACHE,
    "persist_result": False,
    "retries": 0,
    "tags": ["llm"],
}
"""A task that asks a language model one question, re-ask included, inside the task of its item. It takes `label`, which
names the task run. Replies are kept, and tries repeated, by the author itself, who knows what was sent and paid."""

ONCE: dict[str, Any] = {"task_run_name": "{label}", "cache_policy": NO_CACHE, "persist_result": False, "retries": 0}
"""A task whose effect is the point, such as a publication: done each time, never repeated by itself."""
