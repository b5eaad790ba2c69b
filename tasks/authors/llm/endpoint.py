"""One chat-completions endpoint: asks what was not asked before, learns what it does not take, gives more room."""

import json
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import astuple, dataclass, replace
from datetime import datetime
from typing import Any, NoReturn, cast

from pydantic import BaseModel

from schemas.ids import digest, seed_for
from tasks.authors.llm.accounts import Meter
from tasks.authors.llm.attempts import Attempts
from tasks.authors.llm.budget import Budget
from tasks.authors.llm.cache import Cache, StoredReply
from tasks.authors.llm.dialect import Dialect
from tasks.authors.llm.limiter import Limiter
from tasks.authors.llm.modes import Order, ReplyMode, schema_of
from tasks.authors.llm.outcomes import Answer, Failure, Usage
from tasks.authors.llm.refusals import is_filtered, is_too_long, to_blame
from tasks.authors.llm.replies import TooLong
from tasks.authors.llm.settings import EndpointSettings
from tasks.authors.llm.taped import Tape
from tasks.authors.llm.troubles import Troubles
from tasks.authors.llm.wire import Wire
from tasks.authors.playing import ToolUse

MORE_ROOM = 16_384
"""Tokens that a reply may have at least when the first one was cut off."""
_NO_SUCH_ROOM = (400, 413, 422)
"""How an endpoint may say that it has less."""


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: str
    """ "system", "user", "assistant", or "tool" for the result of a call."""
    content: str
    uses: tuple[ToolUse, ...] = ()
    """Calls that the assistant asked for."""
    answers: str | None = None
    """Of a result: the id of its call."""

    def sent(self) -> dict[str, Any]:
        """As the protocol has it."""
        told: dict[str, Any] = {"role": self.role, "content": self.content}
        if self.uses:
            told["tool_calls"] = [
                {"id": use.use_id, "type": "function", "function": {"name": use.tool, "arguments": use.arguments}}
                for use in self.uses
            ]
        if self.answers is not None:
            told["tool_call_id"] = self.answers
        return told


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked, with everything that decides the reply."""

    messages: tuple[Message, ...]
    """The conversation so far."""
    prompt_digest: str
    reply_type: type[BaseModel] | None
    """Asks for JSON of this type; null for text."""
    seed: int
    """Passed on, for endpoints that know what to do with it."""
    tools: tuple[Mapping[str, Any], ...] = ()
    """Declarations of functions that the model may call; only where no type is asked for."""


class Endpoint:
    """Safe to use from several threads. The key is in no message, and in no error that is raised.

    Args:
        settings: Where it is and what it serves.
        cache: Of replies, and of what the endpoint refuses.
        budget: Asked before every request over HTTP.
        limiter: Of requests at a time.
        clock: With a time zone.
        sleep: Waits this many seconds between two attempts.
        tape: See `Wire`.
    """

    def __init__(
        self,
        settings: EndpointSettings,
        *,
        cache: Cache,
        budget: Budget,
        limiter: Limiter,
        clock: Callable[[], datetime],
        sleep: Callable[[float], None] = time.sleep,
        tape: Tape | None = None,
    ) -> None:
        wire = Wire(settings, clock, tape)
        self._settings, self._cache = settings, cache
        self._attempts = Attempts(settings, wire, budget=budget, limiter=limiter, sleep=sleep)
        self._dialect = Dialect(cache.modes, settings.address, settings.model, clock)
        self._troubles = Troubles(settings, wire)

    def key_of(self, request: Request) -> str:
        """What decides the reply, for the cache."""
        settings = self._settings
        schema = schema_of(request.reply_type) if request.reply_type is not None else None
        return digest(
            request.prompt_digest,
            schema,
            [_told(each) for each in request.messages],
            settings.address,
            settings.model,
            settings.temperature,
            settings.max_output_tokens,
            request.seed,
            *([list(map(dict, request.tools))] if request.tools else []),
        )

    def complete(self, request: Request, key: str, meter: Meter) -> StoredReply:
        """The model's next turn. One that was cut off is asked for once more, with more room.

        Args:
            request: What is asked.
            key: Of the request.
            meter: Counts what it takes.

        Raises:
            AuthorUnavailable: the endpoint did not answer, or refuses the request; BudgetExhausted where it may not be
                asked.
            TooLong: the request does not fit into the model's context.
        """
        with self._cache.claim(key) as claim:
            if claim.reply is not None:
                meter.is_cached = True
                meter.reply_mode = cast(ReplyMode, claim.reply.reply_mode)
                meter.usages.append(_usage(claim.reply))
                return claim.reply
            answer = self._asked(request, key, meter)
            reply = StoredReply(
                text=answer.text,
                finish_reason=answer.finish_reason,
                refusal=answer.refusal,
                input_tokens=answer.usage.input_tokens,
                output_tokens=answer.usage.output_tokens,
                cached_tokens=answer.usage.cached_tokens,
                reasoning_tokens=answer.usage.reasoning_tokens,
                reply_mode=meter.reply_mode,
                uses_json=json.dumps([astuple(use) for use in answer.uses]) if answer.uses else None,
            )
            claim.keep(reply)
        return reply

    def _asked(self, request: Request, key: str, meter: Meter) -> Answer:
        limit = self._settings.max_output_tokens
        order = Order(
            model=self._settings.model,
            messages=tuple(each.sent() for each in request.messages),
            seed=request.seed,
            temperature=self._settings.temperature,
            max_tokens=limit,
            reply_type=request.reply_type,
            tools=request.tools,
        )
        chance = random.Random(seed_for("wait", key))
        first = self._negotiated(order, meter, chance)
        if isinstance(first, Failure):
            return self._declined(first)
        if first.finish_reason != "length":
            return first
        room = max(MORE_ROOM, 2 * (limit or 0), 2 * (first.usage.output_tokens or 0))
        second = self._negotiated(replace(order, max_tokens=room), meter, chance)
        if isinstance(second, Failure):
            if second.status not in _NO_SUCH_ROOM:
                raise self._troubles.of(second)
            return first
        return second

    def _negotiated(self, order: Order, meter: Meter, chance: random.Random) -> Answer | Failure:
        """What comes back once the endpoint gets nothing any more that it refuses."""
        with self._dialect.learning():
            refused = self._dialect.refused
            while True:
                sent = order.shaped(refused)
                meter.reply_mode = order.mode(refused)
                outcome = self._attempts.send(sent, meter, chance=chance)
                if isinstance(outcome, Answer):
                    self._dialect.learn(refused, meter.reply_mode)
                    return outcome
                blamed = to_blame(outcome, sent, is_known=self._dialect.is_known)
                if blamed is None or (blamed == "tools" and order.tools):  # without them, there is nothing to ask
                    return outcome
                refused |= {blamed}

    def _declined(self, failure: Failure) -> Answer:
        """A failure that is an answer after all, because a filter declined.

        Raises:
            TooLong: the request does not fit.
            AuthorUnavailable: it is nothing else.
        """
        if is_filtered(failure):
            return Answer("", "content_filter", failure.said or "a content filter stepped in", Usage())
        if is_too_long(failure):
            raise TooLong(str(self._troubles.of(failure)))
        raise self._troubles.of(failure)

    def __reduce__(self) -> NoReturn:
        raise TypeError("An endpoint holds its key and is never written down. Build it anew from its settings.")


def _told(message: Message) -> list[Any]:
    """What decides the reply; of a message in words alone its role and content."""
    extras = [[astuple(use) for use in message.uses], message.answers]
    return [message.role, message.content, *(extras if message.uses or message.answers is not None else [])]


def _usage(reply: StoredReply) -> Usage:
    return Usage(reply.input_tokens, reply.output_tokens, reply.cached_tokens, reply.reasoning_tokens)
