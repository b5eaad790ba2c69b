"""What every stage flow does: keep books, tell how it went, pass rows on through the staging area, stop when asked."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

from flows.composition import Kit
from flows.ledger import StageLedger, stage_ledger
from flows.plan import RunPlan
from flows.summaries import publish_summary
from flows.watching import watch
from schemas.errors import BudgetExhausted, MachineryError
from schemas.row import Row, Stage, Table
from warehouse.arrow import from_arrow, read_parquet
from warehouse.store import Warehouse

RowT = TypeVar("RowT", bound=Row)


@contextmanager
def books_of(kit: Kit, plan: RunPlan, stage: Stage) -> Iterator[StageLedger]:
    """Keep the books of a stage and the accounts of its author; tell its balance to whoever watches and to the UI."""

    def tell(books: StageLedger) -> None:
        watch().progress.stage_finished(books.count())
        publish_summary(books)

    with stage_ledger(kit.store, plan.run_id, stage, kit.clock, tell) as books:
        try:
            yield books
        finally:
            kit.end_accounts()


def staged(store: Warehouse, run_id: str, table: Table, row: type[RowT]) -> tuple[RowT, ...]:
    """The rows that an earlier stage of this run left, in key order."""
    rows = from_arrow(table, read_parquet(store.staged(run_id)[table.name]))
    return tuple(each for each in rows if isinstance(each, row))


def stop_if_asked() -> None:
    """End the run here when somebody asked for it. What is finished is kept.

    Raises:
        KeyboardInterrupt: somebody did.
    """
    if watch().stop.is_set():
        raise KeyboardInterrupt


def refuse_total_failure(books: StageLedger) -> None:
    """One broken item is a row; when everything broke, so did the run.

    Where the budget ran out, nothing is broken: the run goes on with what it has.

    Raises:
        MachineryError: items failed, and none was decided on its merits.
    """
    count = books.count()
    if any(attempt.reason == BudgetExhausted.reason for attempt in books.attempts.values()):
        return
    if count.failed and not count.accepted and not count.rejected:
        first = next(attempt for attempt in books.attempts.values() if attempt.status == "failed")
        raise MachineryError(
            f"{books.stage}: {count.failed} of {count.items_in} items failed and none came through. The first, "
            f"{first.label}: {first.reason}: {_sentence(first.detail or '')} Nothing was published. "
            f"`envmill show {books.run_id}` lists them; run again once the cause is mended."
        )


def _sentence(text: str) -> str:
    """With a full stop, unless it ends as a sentence does already."""
    return text if text.endswith((".", "?", "!")) else f"{text}."
