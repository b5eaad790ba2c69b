"""A stage in which everything broke ends its run with one readable message."""

from datetime import UTC, datetime

import pytest

from flows.ledger import Entry, StageLedger
from flows.stages import refuse_total_failure
from schemas.errors import MachineryError


@pytest.mark.parametrize(
    ("detail", "told"),
    [
        ("no reply", "no reply. Nothing"),
        ("It timed out.", "It timed out. Nothing"),
        ("Is the base URL right?", "Is the base URL right? Nothing"),
    ],
)
def test_what_the_first_item_failed_of_is_told_as_one_sentence(detail: str, told: str) -> None:
    books = StageLedger("run_x", "build_skeletons", lambda: datetime(2026, 3, 1, tzinfo=UTC))
    books.enter(Entry("a", "A"))
    books.book("a", "failed", reason="author_unavailable", detail=detail)

    with pytest.raises(MachineryError) as failure:
        refuse_total_failure(books)

    assert f"The first, A: author_unavailable: {told} was published." in str(failure.value)
