"""`envmill review`: what people are asked to look at, and what they say of it."""

import getpass
import re
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from rich.console import Console

from flows.homes import is_at_work
from flows.stories.page import Page
from schemas.errors import UsageError
from schemas.ids import make_id
from schemas.reviews import REVIEWS, Review, Verdict
from warehouse.store import Warehouse

LONGEST_NOTE = 2_000
LONGEST_NAME = 80
LABEL_CHARACTERS = 80
_ID = re.compile(r"[a-z]{3}_[0-9a-f]{16}")
_HALF_CHARACTER = re.compile("[\ud800-\udfff]")
_CURRENT_VERSION = """
select skeleton_id from raw.skeletons
where ? in (environment_id, slug) and status in ('accepted', 'rejected')
order by status = 'accepted' desc, reason is not distinct from 'rejected_by_person' desc, version desc, skeleton_id
limit 1
"""


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a person says."""

    verdict: Verdict
    note: str | None
    reviewer: str


def opinion(verdict: Verdict, note: str | None, reviewer: str | None) -> Opinion:
    """Check what was typed.

    Args:
        verdict: What the person decides.
        note: Why; needed to reject.
        reviewer: Who says it; null for the account name.

    Raises:
        UsageError: a rejection without a note, a text that is too long or no text, or nobody knows who speaks.
    """
    said = (note or "").strip() or None
    if verdict == "rejected" and said is None:
        raise UsageError("A rejection needs a reason that its author could act on: --note 'what is wrong with it'.")
    who = _account_name() if reviewer is None else reviewer.strip()
    if not who:
        raise UsageError("--reviewer is empty. Give the name that your verdict should stand under.")
    for option, text, limit in (("--note", said or "", LONGEST_NOTE), ("--reviewer", who, LONGEST_NAME)):
        if len(text) > limit:
            raise UsageError(f"{option} has {len(text)} characters. Keep it to {limit}.")
        if _HALF_CHARACTER.search(text):
            raise UsageError(f"{option} holds bytes that are no UTF-8. Type it again, or set a UTF-8 locale.")
    return Opinion(verdict, said, who)


def record(home: Path, item: str, said: Opinion, *, at: datetime, console: Console) -> Review:
    """Write a verdict into the ledger and tell what follows from it.

    Args:
        home: The home folder.
        item: Id of an environment version or scenario, or slug or id of an environment: its current version.
        said: See `opinion`.
        at: Now.
        console: For what follows from it.

    Raises:
        UsageError: nothing of this name can be reviewed.
        HomeNotWritable: nothing was recorded.
    """
    review = _review(Page(home, console), home, item, said, at)
    Warehouse(home).append_ledger(REVIEWS, [review], review.release_id)
    for line in _consequences(Page(home, console), home, review):
        _say(console, line)
    return review


def tell_items(home: Path, console: Console, *, everything: bool) -> None:
    """The sample of the current release, what is open first; how many are done, and how often people agree.

    Args:
        home: The home folder.
        console: Where to.
        everything: Not the sample alone, but all that can be reviewed.

    Raises:
        UsageError: there is no release.
    """
    page = Page(home, console)
    release = _current_release(page, home)
    found = page.ask(
        f"select * from main.{'review_items' if everything else 'review_sample'} "  # noqa: S608 one of two names
        "order by is_open desc, kind, slug, item_id"
    )
    page.title(f"For review in release {release['number']}", release["release_id"])
    shown = [{**row, "people": _verdicts(row), "label": _first_words(row["label"])} for row in found]
    page.rows(shown, "item_id", "kind", "slug", "domain", "author", "evaluation", "people", "label")
    done = sum(not row["is_open"] for row in found)
    _say(console, f"{done} of {len(found)} {'items' if everything else 'sampled items'} reviewed.")
    for row in page.ask("select * from main.review_agreement where kind is null and author is null"):
        kappa = "not defined" if row["kappa"] is None else f"{row['kappa']:.2f}"
        _say(
            console,
            f"People and the evaluation agree in {row['agreement']:.0%} of {row['reviews']} verdicts "
            f"(kappa {kappa}); by kind and author: review_agreement.",
        )


def _review(page: Page, home: Path, item: str, said: Opinion, at: datetime) -> Review:
    facts = _facts(page, home, item)
    return Review(
        review_id=make_id("rev", facts["item_id"], said.reviewer, said.verdict, said.note, at.isoformat()),
        item_id=facts["item_id"],
        kind=facts["kind"],
        slug=facts["slug"],
        label=_first_words(facts["label"]),
        domain=facts["domain"],
        author=facts["author"],
        verdict=said.verdict,
        note=said.note,
        reviewer=said.reviewer,
        release_id=facts["release_id"],
        is_sampled=facts["is_sampled"],
        evaluation=facts["evaluation"],
        evaluation_reason=facts["evaluation_reason"],
        at=at,
    )


def _facts(page: Page, home: Path, item: str) -> dict[str, Any]:
    """What is known of the item: by the current release, else by the review that somebody gave before."""
    _current_release(page, home)
    item_id = item
    if not _ID.fullmatch(item) or item.startswith("env_"):
        current = page.ask(_CURRENT_VERSION, item)
        item_id = current[0]["skeleton_id"] if current else item
    found = page.ask("select * from main.review_items where item_id = ?", item_id) or page.ask(
        'select * from raw.reviews where item_id = ? order by "at" desc, review_id desc limit 1', item_id
    )
    if not found:
        raise UsageError(
            f"{item!r} can't be reviewed: the current release has no environment or scenario of this name that was "
            "accepted or rejected. `envmill review list --all` lists those that can."
        )
    return found[0]


def _current_release(page: Page, home: Path) -> dict[str, Any]:
    releases = page.ask("select * from raw.current_release")
    if not releases:
        raise UsageError(f"There is nothing to review: no release yet in {home}. Make one: envmill run --profile tiny")
    return releases[0]


def _consequences(page: Page, home: Path, review: Review) -> list[str]:
    lines = [f"{review.verdict}: {review.item_id} ({review.slug}: {review.label}), says {review.reviewer}."]
    others = page.ask(
        "select reviewer, note from raw.standing_reviews "
        "where item_id = ? and verdict = 'rejected' and reviewer <> ? order by reviewer",
        review.item_id,
        review.reviewer,
    )
    if review.evaluation != "accepted":
        lines.append("The evaluation had rejected it, so it is in no release; your verdict counts for the agreement.")
    elif review.verdict == "rejected":
        scope = ", nor any scenario of it" if review.kind == "environment" else ""
        lines.append(f"The next release will not hold it{scope}.")
    elif others:
        held = "; ".join(f"{row['reviewer']}: {row['note']}" for row in others)
        lines.append(f"It stays withdrawn, because others reject it ({held}).")
    elif page.ask("select 1 as one from raw.reviews where item_id = ? and verdict = 'rejected'", review.item_id):
        lines.append("Nobody rejects it any more: the next release may hold it again.")
    if review.evaluation == "accepted" and is_at_work(home):
        lines.append("A run is at work now. What it has decided already stands; the release after it will know.")
    return lines


def _verdicts(row: dict[str, Any]) -> str:
    accepted, rejected = ", ".join(row["accepted_by"]), ", ".join(row["rejected_by"])
    parts = [f"accepted by {accepted}"] * bool(accepted) + [f"rejected by {rejected}"] * bool(rejected)
    return "; ".join(parts) or "open"


def _first_words(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LABEL_CHARACTERS else f"{line[: LABEL_CHARACTERS - 3]}..."


def _say(console: Console, text: str) -> None:
    console.print(text, markup=False, highlight=False, soft_wrap=True)


def _account_name() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):
        # A container may run under a number that has no name.
        raise UsageError("This account has no name. Say who you are: --reviewer NAME.") from None
