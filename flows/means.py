"""What a run may use to ask a language model, shared by all its stages: budget, kept replies, requests at a time."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from flows.accounts import CallLedger
from flows.homes import replies_file
from flows.limits import Limits, budget_of
from tasks.authors.llm.budget import Budget, Price
from tasks.authors.llm.cache import ReplyCache
from tasks.authors.llm.limiter import Limiter
from warehouse.store import Warehouse


@dataclass(frozen=True)
class Means:
    """One of each per run and process. Safe to use from several threads."""

    budget: Budget
    price: Price | None
    """Null where nobody knows."""
    cache: ReplyCache
    limiter: Limiter
    accounts: CallLedger


@lru_cache(maxsize=2)
def means_of(home: Path, run_id: str, model: str, limits: Limits, at_a_time: int) -> Means:
    """The means of a run.

    Args:
        home: Where replies are kept and prices are written down.
        run_id: The run.
        model: Name of the model that is asked.
        limits: What may be spent.
        at_a_time: Requests under way at a time, at most.

    Raises:
        UsageError: see `budget_of`.
    """
    budget, price = budget_of(home, model, limits)
    return Means(
        budget=budget,
        price=price,
        cache=ReplyCache(replies_file(home)),
        limiter=Limiter(at_a_time),
        accounts=CallLedger(Warehouse(home), run_id),
    )
