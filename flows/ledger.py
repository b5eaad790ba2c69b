"""What a run writes into the ledger: its own row, and the balance and the attempts of each stage."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime

from schemas.row import Stage, Status
from schemas.runs import ATTEMPTS, STAGE_COUNTS, Attempt, StageCount
from warehouse.store import Warehouse


@dataclass(frozen=True, slots=True)
class Entry:
    """An item on its way in, before anything is known of its fate."""

    item_id: str
    """Id of its row; of its place in line where no row exists yet."""
    label: str
    parent_id: str | None = None


@dataclass
class StageLedger:
    """The books of one stage of one run: what came in, and what became of each item."""

    run_id: str
    stage: Stage
    clock: Callable[[], datetime]
    entered: dict[str, Entry] = field(default_factory=dict)
    attempts: dict[str, Attempt] = field(default_factory=dict)
    """Place in line -> what became of the item."""
    reused: int = 0
    seconds: float = 0.0

    def enter(self, entry: Entry) -> None:
        """An item comes in.

        Raises:
            ValueError: it is in already.
        """
        if entry.item_id in self.entered:
            raise ValueError(f"{self.stage}: {entry.item_id} ({entry.label}) enters twice")
        self.entered[entry.item_id] = entry

    def book(
        self,
        place: str,
        status: Status,
        *,
        reason: str | None = None,
        detail: str | None = None,
        item_id: str | None = None,
        label: str | None = None,
        is_reused: bool = False,
    ) -> None:
        """Write down what became of the item that entered at this place.

        Args:
            place: The `item_id` it entered with.
            status: Its fate.
            reason: Reason code; null when accepted.
            detail: For a person.
            item_id: Id of the row that it became, where that was not known before.
            label: What a person calls it, where that was not known before.
            is_reused: It comes from an earlier run's work.

        Raises:
            ValueError: it was booked before; an item has one fate.
        """
        if place in self.attempts:
            raise ValueError(f"{self.stage}: {place} is booked twice")
        entry = self.entered[place]
        self.attempts[place] = Attempt(
            run_id=self.run_id,
            stage=self.stage,
            item_id=item_id or entry.item_id,
            label=label or entry.label,
            parent_id=entry.parent_id,
            status=status,
            reason=reason,
            detail=detail,
            at=self.clock(),
        )
        self.reused += is_reused

    def book_rest(self, reason: str, detail: str) -> None:
        """Whatever entered and has no fate yet failed, for this reason."""
        for place in self.entered:
            if place not in self.attempts:
                self.book(place, "failed", reason=reason, detail=detail)

    def count(self) -> StageCount:
        """The balance by what is booked so far."""
        fates = [attempt.status for attempt in self.attempts.values()]
        return StageCount(
            run_id=self.run_id,
            stage=self.stage,
            items_in=len(self.entered),
            accepted=fates.count("accepted"),
            rejected=fates.count("rejected"),
            duplicate=fates.count("duplicate"),
            failed=fates.count("failed"),
            reused=self.reused,
            duration_s=round(self.seconds, 3),
        )

    def reasons(self) -> dict[tuple[Status, str], int]:
        """How often each reason was given, most frequent first; accepted items have none."""
        counts: dict[tuple[Status, str], int] = {}
        for attempt in self.attempts.values():
            if attempt.status != "accepted":
                of = (attempt.status, attempt.reason or "unknown")
                counts[of] = counts.get(of, 0) + 1
        return dict(sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])))


@contextmanager
def stage_ledger(
    store: Warehouse, run_id: str, stage: Stage, clock: Callable[[], datetime], tell: Callable[[StageLedger], None]
) -> Iterator[StageLedger]:
    """Keep the books of a stage; they are written when it ends, also when it ends with an error or a Ctrl-C.

    Args:
        store: Where the ledger lies.
        run_id: The run.
        stage: The stage.
        clock: Gives the time of each attempt.
        tell: Called with the closed books.
    """
    books = StageLedger(run_id, stage, clock)
    started = time.monotonic()
    try:
        yield books
    finally:
        books.seconds = time.monotonic() - started
        books.book_rest("interrupted", "the run ended before this item was done; the next run tries it again")
        store.append_ledger(ATTEMPTS, list(books.attempts.values()), run_id)
        store.append_ledger(STAGE_COUNTS, [books.count()], run_id)
    tell(books)
