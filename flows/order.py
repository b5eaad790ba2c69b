"""What somebody asks a run to do, checked before any work starts."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from flows.composition import AUTHORS, author_key, configured_endpoint
from flows.holdouts import NOTHING_HELD_OUT, Holdouts, check_holdouts, no_file
from flows.limits import Limits, budget_of
from flows.probing import USUAL_PROBES, Probes, check_probes
from flows.taping import Taping, check_taping
from schemas.errors import UnreadableCorpus, UsageError
from schemas.lengths import lengths_of
from schemas.settings import find_profile

MAX_TOPIC_CHARACTERS = 200


@dataclass(frozen=True)
class Order:
    """What was typed, or what a deployment says."""

    home: Path
    """Folder for everything that the run writes; made when missing."""
    profile: str
    corpora: Sequence[Path]
    """Corpus files; the bundled one when none is named."""
    task_column: str | None
    """Column that holds the task text; null to guess."""
    topics: Sequence[str]
    """Themes asked for by hand."""
    uses_corpus: bool
    """False to work on the given topics alone."""
    author: str
    seed: int
    """Decides every choice of the run."""
    at_a_time: int
    """Items in work at a time, and requests to a model."""
    limits: Limits = Limits()
    taping: Taping = Taping()
    holdouts: Holdouts = NOTHING_HELD_OUT
    lengths: str | None = None
    """Calls that reference solutions should have, such as "3-5:2,6-10:5"; null for the usual ones."""
    probes: Probes = USUAL_PROBES
    unsafe_no_sandbox: bool = False
    """Run code also where the system isolates nothing."""


def check_order(order: Order) -> None:
    """Refuse what can't work, before anything is started or written.

    Raises:
        UsageError: something asked for does not exist or contradicts itself.
    """
    check_request(order)
    author = order.author
    if author not in AUTHORS:
        raise UsageError(f"There is no author {author!r}. Choose one of: {', '.join(AUTHORS)}.")
    if author != "llm" and order.limits.options():
        raise UsageError(
            f"{order.limits.options()} is about a model, and --author {author} asks none. Leave it out, or add "
            "--author llm."
        )
    check_holdouts(order.holdouts)
    check_taping(order.taping, author)
    check_probes(order.probes, author)
    if order.lengths is not None:
        lengths_of(order.lengths)
    author_key(author)
    if author == "llm":
        budget_of(order.home, configured_endpoint().model, order.limits)


def check_request(order: Order) -> None:
    """The part of an order that says what is wanted, whoever writes it.

    Raises:
        UsageError: something asked for does not exist or contradicts itself.
    """
    find_profile(order.profile)
    if order.corpora and not order.uses_corpus:
        raise UsageError("--corpus and --no-corpus contradict each other. Leave one out.")
    if order.task_column is not None and not order.uses_corpus:
        raise UsageError("--task-column is about a corpus, and --no-corpus reads none. Leave one out.")
    if not order.uses_corpus and not order.topics:
        raise UsageError("--no-corpus leaves nothing to work on. Name at least one --topic.")
    if order.at_a_time < 1:
        raise UsageError(f"--concurrency {order.at_a_time} is too low. Take 1 or more.")
    for topic in order.topics:
        if not re.search(r"\w", topic):
            raise UsageError(f"The topic {topic!r} says nothing. Give a theme such as 'veterinary clinic front desk'.")
        if len(topic) > MAX_TOPIC_CHARACTERS:
            raise UsageError(
                f"The topic {topic[:40]!r}... has more than {MAX_TOPIC_CHARACTERS} characters. Shorten it."
            )
    for path in order.corpora:
        if misfit := no_file(path):
            raise UnreadableCorpus(f"The corpus {path} {misfit}. Name a file of task texts.")
