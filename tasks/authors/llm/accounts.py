"""The accounts of an author: one row for each request, whatever came of it."""

import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime

from prompts.library import Prompt
from schemas.errors import EnvmillError
from schemas.ids import make_id
from schemas.llm_calls import CallOutcome, LlmCall
from schemas.row import Stage
from tasks.authors.base import BadReply
from tasks.authors.llm.budget import Price
from tasks.authors.llm.modes import ReplyMode
from tasks.authors.llm.outcomes import Usage
from tasks.authors.llm.replies import CutOff, Misfit

_LONGEST_DETAIL = 1000


@dataclass(slots=True)
class Meter:
    """What one request has taken so far; read when it is over."""

    attempts: int = 0
    reply_mode: ReplyMode = "text"
    usages: list[Usage] = field(default_factory=list)
    """One for each reply, also for one that was cut off."""
    is_cached: bool = False

    def total(self) -> Usage:
        """Of all replies; null where one of them is unknown. Without a reply, nothing was taken."""
        columns = ("input_tokens", "output_tokens", "cached_tokens", "reasoning_tokens")
        sums: list[int | None] = []
        for name in columns:
            known = [count for usage in self.usages if (count := getattr(usage, name)) is not None]
            sums.append(sum(known) if len(known) == len(self.usages) else None)
        return Usage(*sums)


@dataclass(frozen=True, slots=True)
class Entry:
    """What a row says of a request before it is answered."""

    prompt: Prompt
    item: str
    key: str
    """Of the request."""
    seed: int
    is_repeat: bool


class Accounts:
    """Writes the rows. Safe to use from several threads.

    Args:
        model: Name of the model that is asked.
        run_id: Of the run that asks.
        stage: In which it asks; null outside a run. Each stage has accounts of its own.
        log: Takes a finished row. What it raises ends the request.
        clock: With a time zone.
        price: Of the model; null where nobody knows.
    """

    def __init__(
        self,
        *,
        model: str,
        run_id: str,
        stage: Stage | None,
        log: Callable[[LlmCall], None],
        clock: Callable[[], datetime],
        price: Price | None,
    ) -> None:
        self._model, self._run_id, self._stage = model, run_id, stage
        self._log, self._clock, self._price = log, clock, price
        self._asked: Counter[str] = Counter()
        self._lock = threading.Lock()

    @contextmanager
    def entry(self, entry: Entry) -> Iterator[Meter]:
        """Around one request and the reading of its reply: a row is written when it ends, and when it breaks."""
        meter = Meter()
        with self._lock:
            self._asked[entry.key] += 1
            number = self._asked[entry.key]
        at = self._clock()
        outcome: CallOutcome = "unavailable"
        detail: str | None = "interrupted before there was a reply"
        try:
            yield meter
            outcome, detail = "answered", None
        except Misfit as misfit:
            outcome, detail = "misfit", str(misfit)
            raise
        except BadReply as bad:
            outcome, detail = "cut_off" if isinstance(bad, CutOff) else "declined", str(bad)
            raise
        except EnvmillError as error:
            detail = str(error)
            raise
        finally:
            self._log(self._row(entry, meter, number, at, outcome, detail))

    def _row(
        self, entry: Entry, meter: Meter, number: int, at: datetime, outcome: CallOutcome, detail: str | None
    ) -> LlmCall:
        total = meter.total()
        return LlmCall(
            llm_call_id=make_id("llm", self._run_id, self._stage or "", entry.key, number),
            run_id=self._run_id,
            stage=self._stage,
            prompt=entry.prompt.name,
            prompt_version=entry.prompt.version,
            prompt_digest=entry.prompt.digest,
            item=entry.item.encode("utf-8", "replace").decode("utf-8"),
            model=self._model,
            request_key=entry.key,
            seed=entry.seed,
            is_repeat=entry.is_repeat,
            reply_mode=meter.reply_mode,
            is_cached=meter.is_cached,
            attempts=meter.attempts,
            outcome=outcome,
            detail=detail[:_LONGEST_DETAIL] if detail is not None else None,
            input_tokens=total.input_tokens,
            output_tokens=total.output_tokens,
            cached_tokens=total.cached_tokens,
            reasoning_tokens=total.reasoning_tokens,
            cost_usd=self._cost(meter, total),
            latency_s=max(0.0, (self._clock() - at).total_seconds()),
            at=at,
        )

    def _cost(self, meter: Meter, total: Usage) -> float | None:
        if meter.is_cached:
            return 0.0
        if self._price is None:
            return None
        return self._price.cost(
            input_tokens=total.input_tokens, output_tokens=total.output_tokens, cached_tokens=total.cached_tokens
        )
