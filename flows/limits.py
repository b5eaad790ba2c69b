"""What a run may spend on a model. Light to import, so that an order that can't be kept is refused at once."""

from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from flows.homes import prices_file

if TYPE_CHECKING:
    from tasks.authors.llm.budget import Budget, Price


class Limits(BaseModel):
    """What one run may spend on a model; null for any amount."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    max_usd: float | None = None
    max_tokens: int | None = None
    """Input and output together."""
    max_calls: int | None = None
    """Requests that go out, retries included."""

    def options(self) -> str:
        """As they are typed, such as "--max-calls 40"; empty where nothing is limited."""
        named = (("--max-usd", self.max_usd), ("--max-tokens", self.max_tokens), ("--max-calls", self.max_calls))
        return " ".join(f"{option} {amount:g}" for option, amount in named if amount is not None)


def budget_of(home: Path, model: str, limits: Limits) -> "tuple[Budget, Price | None]":
    """A fresh budget, and the price of the model.

    Raises:
        UsageError: a limit is no amount, money is limited and the price unknown, or the file of prices is malformed.
    """
    from tasks.authors.llm.budget import Budget
    from tasks.authors.llm.prices import price_of

    price = price_of(model, prices_file(home))
    budget = Budget(
        max_calls=limits.max_calls,
        max_tokens=limits.max_tokens,
        max_usd=limits.max_usd,
        price=price,
        price_file=prices_file(home),
    )
    return budget, price
