"""What a run may spend on a model: reserved before each request, settled after it."""

import math
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from schemas.errors import BudgetExhausted, UsageError

_PICO = 10**12
"""Money is added up in whole picodollars: sums of fractions would miss a limit that they just reach."""
_TOKENS_PRICED = 1_000_000

Limit = Literal["calls", "tokens", "usd"]
_LIMITS: tuple[Limit, ...] = ("calls", "tokens", "usd")


@dataclass(frozen=True, slots=True)
class Price:
    """What a model costs, in USD per million tokens."""

    input_usd: float
    output_usd: float
    """Reasoning included."""
    cached_input_usd: float | None = None
    """For input that the endpoint had cached; null: as other input."""

    def cost(
        self, *, input_tokens: int | None, output_tokens: int | None, cached_tokens: int | None = None
    ) -> float | None:
        """USD for one request; null where the endpoint does not tell input or output.

        Args:
            input_tokens: All of the input, what was cached included.
            output_tokens: All of the output, reasoning included.
            cached_tokens: Of the input, what the endpoint had cached; null is as 0.
        """
        if input_tokens is None or output_tokens is None:
            return None
        cached = min(cached_tokens or 0, input_tokens)
        cached_usd = self.input_usd if self.cached_input_usd is None else self.cached_input_usd
        usd = (input_tokens - cached) * self.input_usd + cached * cached_usd + output_tokens * self.output_usd
        return usd / _TOKENS_PRICED


@dataclass(frozen=True, slots=True)
class Spent:
    """What the requests of a run took so far. Where an endpoint did not tell, what was reserved for the request."""

    calls: int
    tokens: int
    usd: float | None
    """Null where the price is unknown."""
    overrun_tokens: int
    """Of the tokens, those beyond what was reserved for their request."""
    overrun_usd: float | None
    """The same, in money."""


@dataclass(frozen=True, slots=True)
class _Amount:
    calls: int = 0
    tokens: int = 0
    usd: int = 0
    """In picodollars."""

    def __add__(self, other: "_Amount") -> "_Amount":
        return _Amount(self.calls + other.calls, self.tokens + other.tokens, self.usd + other.usd)

    def __sub__(self, other: "_Amount") -> "_Amount":
        return _Amount(self.calls - other.calls, self.tokens - other.tokens, self.usd - other.usd)

    def beyond(self, other: "_Amount") -> "_Amount":
        """How much this is more, and 0 where it is less."""
        return _Amount(*(max(0, getattr(self, name) - getattr(other, name)) for name in _LIMITS))


class Budget:
    """Limits of one process. Safe to use from several threads: what they reserved together never exceeds a limit.

    A request that takes more than was reserved for it is counted as it is, and may so lead beyond a limit; `spent` and
    the message of the next refusal tell by how much.

    Args:
        max_calls: Most requests that go out, retries included; null for any number. 0 allows only kept replies.
        max_tokens: Most tokens, input and output together; null for any number.
        max_usd: Most money; null for any amount.
        price: What the model costs; null where nobody knows.
        price_file: Where its price would be written down; for the message about a missing one.

    Raises:
        UsageError: a limit is negative or no number, or money is limited and the price unknown.
    """

    def __init__(
        self,
        *,
        max_calls: int | None = None,
        max_tokens: int | None = None,
        max_usd: float | None = None,
        price: Price | None = None,
        price_file: Path | None = None,
    ) -> None:
        for option, value in (("--max-calls", max_calls), ("--max-tokens", max_tokens), ("--max-usd", max_usd)):
            if value is not None and not (math.isfinite(value) and value >= 0):
                raise UsageError(f"{option} {value} is no amount. Give 0 or more.")
        if max_usd is not None and price is None:
            raise UsageError(
                "--max-usd can't be kept: the price of the model is unknown. Write it, in USD per million tokens, into "
                f"{price_file or 'prices.yaml in the home folder'}, such as `my-model: {{input: 1.5, output: 6}}`; "
                "or limit tokens with --max-tokens."
            )
        money = None if max_usd is None else round(max_usd * _PICO)
        self._limits: dict[Limit, int | None] = {"calls": max_calls, "tokens": max_tokens, "usd": money}
        self._price = price
        self._spent = self._reserved = self._overrun = _Amount()
        self._changed = threading.Condition()

    @property
    def spent(self) -> Spent:
        """What is settled; nothing of what is reserved."""
        with self._changed:
            spent, overrun = self._spent, self._overrun
        priced = self._price is not None
        return Spent(
            calls=spent.calls,
            tokens=spent.tokens,
            usd=spent.usd / _PICO if priced else None,
            overrun_tokens=overrun.tokens,
            overrun_usd=overrun.usd / _PICO if priced else None,
        )

    def reserve(self, *, input_tokens: int, output_tokens: int, patience_s: float = 0) -> "Reservation":
        """Set aside one request and the most that it is expected to take.

        Args:
            input_tokens: Expected input.
            output_tokens: Expected output, at most.
            patience_s: Longest wait, in seconds, for requests under way to take less than they reserved, where that
                could make room. Only for a thread that holds no reservation.

        Raises:
            BudgetExhausted: it would exceed a limit; nothing is set aside.
        """
        amount = _amount(self._price, input_tokens, output_tokens)
        with self._changed:
            self._changed.wait_for(lambda: self._lacking(amount) is None or self._is_hopeless(amount), patience_s)
            lacking = self._lacking(amount)
            if lacking is not None:
                raise BudgetExhausted(self._refusal(lacking, amount))
            self._reserved += amount
        return Reservation(amount, (input_tokens, output_tokens), self._price, self._settle)

    def _settle(self, reserved: _Amount, taken: _Amount) -> None:
        with self._changed:
            self._reserved -= reserved
            self._spent += taken
            self._overrun += taken.beyond(reserved)
            self._changed.notify_all()

    def _lacking(self, amount: _Amount) -> Limit | None:
        return self._exceeded(self._spent + self._reserved + amount)

    def _is_hopeless(self, amount: _Amount) -> bool:
        """Requests under way can't make room, not even if they took nothing."""
        return self._exceeded(self._spent + amount) is not None

    def _exceeded(self, total: _Amount) -> Limit | None:
        for name in _LIMITS:
            limit = self._limits[name]
            if limit is not None and getattr(total, name) > limit:
                return name
        return None

    def _refusal(self, name: Limit, amount: _Amount) -> str:
        limit = self._limits[name] or 0
        spent, reserved, wanted = (getattr(each, name) for each in (self._spent, self._reserved, amount))
        over = f", {_shown(name, spent - limit)} too many: replies were longer than expected" if spent > limit else ""
        held = f", {_shown(name, reserved)} are set aside for requests under way" if reserved else ""
        return (
            f"The budget of --max-{name} {_shown(name, limit)} allows no further request: "
            f"{_shown(name, spent)} are spent{over}{held}, and the next one may take {_shown(name, wanted)}. "
            f"Run the same command again with a larger --max-{name}: what is finished is not paid for again."
        )


class Reservation:
    """Room for one request, to be settled or released, once."""

    def __init__(
        self,
        amount: _Amount,
        expected: tuple[int, int],
        price: Price | None,
        settle: Callable[[_Amount, _Amount], None],
    ) -> None:
        self._amount, self._expected, self._price, self._settle = amount, expected, price, settle
        self._is_open = True
        self._closing = threading.Lock()

    def settle(self, *, input_tokens: int | None, output_tokens: int | None, cached_tokens: int | None = None) -> None:
        """The request was sent and took this much. What is null counts as it was reserved, cached tokens as 0.

        Raises:
            RuntimeError: the reservation was settled or released before.
        """
        self._close()
        expected_input, expected_output = self._expected
        taken = _amount(
            self._price,
            expected_input if input_tokens is None else input_tokens,
            expected_output if output_tokens is None else output_tokens,
            cached_tokens,
        )
        self._settle(self._amount, taken)

    def release(self) -> None:
        """The request was not sent, or cost nothing: not even a call is counted.

        Raises:
            RuntimeError: the reservation was settled or released before.
        """
        self._close()
        self._settle(self._amount, _Amount())

    def _close(self) -> None:
        with self._closing:
            if not self._is_open:
                raise RuntimeError("a reservation is settled or released once")
            self._is_open = False


def _amount(price: Price | None, input_tokens: int, output_tokens: int, cached_tokens: int | None = None) -> _Amount:
    usd = price and price.cost(input_tokens=input_tokens, output_tokens=output_tokens, cached_tokens=cached_tokens)
    return _Amount(1, input_tokens + output_tokens, round((usd or 0.0) * _PICO))


def _shown(name: Limit, amount: int) -> str:
    return f"{amount / _PICO:.6f}".rstrip("0").rstrip(".") + " USD" if name == "usd" else f"{amount:,} {name}"
