"""What people say of environments and scenarios."""

from types import MappingProxyType
from typing import Literal

from pydantic import AwareDatetime, Field

from schemas.row import Row, Status, Table

ReviewedKind = Literal["environment", "scenario"]
Verdict = Literal["accepted", "rejected"]

REJECTED_BY_PERSON = "rejected_by_person"
"""Reason code of an item that the evaluation accepted and a person withdrew."""


class Review(Row):
    """A person's verdict on a version of an environment or on a scenario. The last one of each person stands."""

    review_id: str = Field(pattern=r"^rev_[0-9a-f]{16}$", description="Digest of item, reviewer, verdict, note, time.")
    item_id: str = Field(
        pattern=r"^(skl|scn)_[0-9a-f]{16}$", description="Id of the skeleton or scenario; a changed one has another id."
    )
    kind: ReviewedKind
    slug: str = Field(description="The environment, or that of the scenario.")
    label: str = Field(description="Title of the environment, or start of the task.")
    domain: str | None = Field(default=None, description="Of the topic; null when the environment has none.")
    author: str = Field(description="Who wrote the item.")
    verdict: Verdict
    note: str | None = Field(default=None, description="Why; never null when rejected.")
    reviewer: str
    release_id: str = Field(description="The release that the item was seen in.")
    is_sampled: bool = Field(description="Whether the random sample of that release held the item.")
    evaluation: Status = Field(description="What the evaluation, or the proof, had said.")
    evaluation_reason: str | None = Field(default=None, description="Its reason code; null when it had accepted.")
    at: AwareDatetime


REVIEWS = Table(
    "reviews",
    Review,
    kind="ledger",
    key=("review_id",),
    references=MappingProxyType({"release_id": "releases.release_id"}),
    volatile=("at",),
)
