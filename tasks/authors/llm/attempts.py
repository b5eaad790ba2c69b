"""One request, sent until it is answered or no waiting helps: within its slot, its budget and its patience."""

import json
import random
from collections.abc import Callable, Mapping
from typing import Any

from tasks.authors.llm.accounts import Meter
from tasks.authors.llm.budget import Budget, Reservation
from tasks.authors.llm.limiter import Limiter
from tasks.authors.llm.outcomes import Answer, Failure
from tasks.authors.llm.retries import wait_s
from tasks.authors.llm.settings import EndpointSettings
from tasks.authors.llm.wire import Wire

EXPECTED_OUTPUT_TOKENS = 4096
"""What a reply is expected to take at most where no limit is set."""
_BYTES_PER_TOKEN = 3
"""On the safe side: English has about 4, and a letter of other scripts, of 2 or 3 bytes, is often a token."""
_GARBLED_TRIES = 2


class Attempts:
    """Sends requests. Safe to use from several threads.

    Args:
        settings: Time-out and tries.
        wire: What sends.
        budget: Asked before every attempt.
        limiter: Grants the slots; told how it went.
        sleep: Waits this many seconds.
    """

    def __init__(
        self,
        settings: EndpointSettings,
        wire: Wire,
        *,
        budget: Budget,
        limiter: Limiter,
        sleep: Callable[[float], None],
    ) -> None:
        self._settings, self._wire, self._budget, self._limiter = settings, wire, budget, limiter
        self._sleep = sleep

    def send(self, request: Mapping[str, Any], meter: Meter, *, chance: random.Random) -> Answer | Failure:
        """The answer, or the failure that ended it.

        Args:
            request: As it is sent.
            meter: Counts attempts and tokens.
            chance: Spreads the waits.

        Raises:
            BudgetExhausted: the budget allows no further attempt.
        """
        garbled = 0
        attempt = 1
        while True:
            outcome = self._attempt(request, meter)
            if isinstance(outcome, Answer) or not outcome.is_passing or attempt >= self._settings.tries:
                return outcome
            garbled += outcome.kind == "garbled"
            if garbled == _GARBLED_TRIES:  # more of the same is no passing trouble
                return outcome
            self._sleep(wait_s(attempt, outcome.wait_s, chance))
            attempt += 1

    def _attempt(self, request: Mapping[str, Any], meter: Meter) -> Answer | Failure:
        expected_output = request.get("max_tokens") or request.get("max_completion_tokens") or EXPECTED_OUTPUT_TOKENS
        with self._limiter.slot():
            reservation = self._budget.reserve(
                input_tokens=_expected_input(request),
                output_tokens=expected_output,
                patience_s=self._settings.timeout_s,  # as long as the requests under way may take
            )
            outcome: Answer | Failure | None = None
            meter.attempts += 1
            try:
                outcome = self._wire.post(request)
            finally:
                _settle(reservation, outcome)
            if isinstance(outcome, Answer):
                meter.usages.append(outcome.usage)
                self._limiter.succeeded()
            elif outcome.is_overload:
                self._limiter.backed_off()
        return outcome


def _settle(reservation: Reservation, outcome: Answer | Failure | None) -> None:
    """A request that broke on its way may have been answered, and paid, all the same."""
    if isinstance(outcome, Answer):
        usage = outcome.usage
        reservation.settle(
            input_tokens=usage.input_tokens, output_tokens=usage.output_tokens, cached_tokens=usage.cached_tokens
        )
    elif outcome is None or not outcome.is_unbilled:
        reservation.settle(input_tokens=None, output_tokens=None)
    elif outcome.is_unsent:
        reservation.release()
    else:
        reservation.settle(input_tokens=0, output_tokens=0)


def _expected_input(request: Mapping[str, Any]) -> int:
    said = sum(len(message["content"].encode()) for message in request["messages"])
    said += sum(len(json.dumps(message["tool_calls"])) for message in request["messages"] if "tool_calls" in message)
    schemas = [request[name] for name in ("response_format", "tools") if name in request]
    return -(-(said + len(json.dumps(schemas))) // _BYTES_PER_TOKEN)
