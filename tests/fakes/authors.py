"""An author that says what a test wrote down for it."""

from collections import deque
from collections.abc import Mapping, Sequence
from threading import Lock
from typing import Any, cast

from pydantic import BaseModel

from schemas.errors import AuthorUnavailable, EnvmillError
from tasks.authors.base import BadReply, NotOffered, Question, ReplyT


class ScriptedAuthor:
    """Answers each prompt from its own queue, in order; an error in a queue is raised.

    A question whose queue is empty raises `AuthorUnavailable`, as an endpoint that is gone would. A repair that nothing
    was written down for is declined, and test plans and judgements then are nothing that this author does.
    """

    def __init__(
        self,
        replies: Mapping[str, Sequence[BaseModel | EnvmillError | BadReply]] | None = None,
        *,
        name: str = "scripted",
    ) -> None:
        self.name = name
        self.asked: list[tuple[Question[Any], int]] = []
        """Every question with its seed, in the order of asking."""
        self._queues = {prompt: deque(queue) for prompt, queue in (replies or {}).items()}
        self._lock = Lock()

    def enqueue(self, prompt: str, *replies: BaseModel | EnvmillError | BadReply) -> None:
        """Append replies to the queue of a prompt, such as "draft_code"."""
        with self._lock:
            self._queues.setdefault(prompt, deque()).extend(replies)

    def clear(self, prompt: str) -> None:
        """Forget what is left in the queue of a prompt."""
        with self._lock:
            self._queues.pop(prompt, None)

    def ask(self, question: Question[ReplyT], *, seed: int) -> ReplyT:
        """The next reply of the question's queue.

        Raises:
            AuthorUnavailable: the queue is empty.
            EnvmillError: the queue held this error.
            BadReply: the queue held this.
            TypeError: the queued reply is of another type than the question's; the test is wrong.
        """
        with self._lock:
            self.asked.append((question, seed))
            queue = self._queues.get(question.prompt)
            reply = queue.popleft() if queue else self._nothing(question.prompt)
        if isinstance(reply, EnvmillError | BadReply):
            raise reply
        if not isinstance(reply, question.reply_type):
            raise TypeError(f"'{question.prompt}' wants {question.reply_type.__name__}, got {type(reply).__name__}")
        return cast(ReplyT, reply)

    def _nothing(self, prompt: str) -> EnvmillError | BadReply:
        if prompt.startswith("repair_") and prompt not in self._queues:
            return BadReply(f"nothing was written down for '{prompt}'")
        if prompt in ("draft_test_plan", "judge_calls") and prompt not in self._queues:
            return NotOffered(f"nothing was written down for '{prompt}'")
        return AuthorUnavailable(f"no reply is left for '{prompt}'")
