"""What one run was asked to do, checked before any work starts."""

import re
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from flows.composition import AUTHORS, author_key, configured_endpoint
from flows.holdouts import NOTHING_HELD_OUT, Holdouts, check_holdouts, no_file
from flows.homes import prepare_home
from flows.limits import Limits, budget_of
from flows.probing import USUAL_PROBES, Probes, check_probes
from flows.taping import Taping, check_taping
from schemas.errors import UnreadableCorpus, UsageError
from schemas.lengths import USUAL_LENGTHS, Lengths, lengths_of
from schemas.settings import find_profile

BUNDLED_CORPUS = Path(__file__).resolve().parent.parent / "warehouse" / "seeds" / "seeds.jsonl"
MAX_TOPIC_CHARACTERS = 200
NO_TAPE = Taping()


class RunPlan(BaseModel):
    """Small enough to be a parameter of every flow; rows never travel in it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    run_id: str
    home: Path
    profile: str
    topic_limit: int | None
    state_count: int
    scenarios_per_state: int
    lengths: Lengths = USUAL_LENGTHS
    """Wished for calls of reference solutions."""
    author: str
    seed: int
    at_a_time: int
    corpora: tuple[Path, ...]
    task_column: str | None
    given_topics: tuple[str, ...]
    holdouts: Holdouts = NOTHING_HELD_OUT
    limits: Limits = Limits()
    taping: Taping = Taping()
    probes: Probes = USUAL_PROBES
    unsafe_no_sandbox: bool = False
    """Run code also where the system isolates nothing."""


def new_run_id(at: datetime) -> str:
    """Readable, and in the order of time: "run_20260731-101500-123". No two runs of a home start in the same ms."""
    return f"run_{at:%Y%m%d-%H%M%S}-{at.microsecond // 1000:03d}"


def check_order(
    profile: str,
    corpora: Sequence[Path],
    uses_corpus: bool,
    topics: Sequence[str],
    author: str,
    at_a_time: int,
    limits: Limits,
    home: Path,
    taping: Taping = NO_TAPE,
    task_column: str | None = None,
    holdouts: Holdouts = NOTHING_HELD_OUT,
) -> None:
    """Refuse what can't work, before anything is started or written. `plan_run` says what the parts mean.

    Raises:
        UsageError: something asked for does not exist or contradicts itself.
    """
    check_request(profile, corpora, uses_corpus, topics, at_a_time, task_column)
    if author not in AUTHORS:
        raise UsageError(f"There is no author {author!r}. Choose one of: {', '.join(AUTHORS)}.")
    if author != "llm" and limits.options():
        raise UsageError(
            f"{limits.options()} is about a model, and --author {author} asks none. Leave it out, or add --author llm."
        )
    check_holdouts(holdouts)
    check_taping(taping, author)
    author_key(author)
    if author == "llm":
        budget_of(home, configured_endpoint().model, limits)


def check_request(
    profile: str,
    corpora: Sequence[Path],
    uses_corpus: bool,
    topics: Sequence[str],
    at_a_time: int,
    task_column: str | None = None,
) -> None:
    """The part of an order that says what is wanted, whoever writes it.

    Raises:
        UsageError: something asked for does not exist or contradicts itself.
    """
    find_profile(profile)
    if corpora and not uses_corpus:
        raise UsageError("--corpus and --no-corpus contradict each other. Leave one out.")
    if task_column is not None and not uses_corpus:
        raise UsageError("--task-column is about a corpus, and --no-corpus reads none. Leave one out.")
    if not uses_corpus and not topics:
        raise UsageError("--no-corpus leaves nothing to work on. Name at least one --topic.")
    if at_a_time < 1:
        raise UsageError(f"--concurrency {at_a_time} is too low. Take 1 or more.")
    for topic in topics:
        if not re.search(r"\w", topic):
            raise UsageError(f"The topic {topic!r} says nothing. Give a theme such as 'veterinary clinic front desk'.")
        if len(topic) > MAX_TOPIC_CHARACTERS:
            raise UsageError(
                f"The topic {topic[:40]!r}... has more than {MAX_TOPIC_CHARACTERS} characters. Shorten it."
            )
    for path in corpora:
        if misfit := no_file(path):
            raise UnreadableCorpus(f"The corpus {path} {misfit}. Name a file of task texts.")


def plan_run(
    run_id: str,
    *,
    home: Path,
    profile: str,
    corpora: Sequence[Path],
    uses_corpus: bool,
    task_column: str | None,
    topics: Sequence[str],
    author: str,
    seed: int,
    at_a_time: int,
    limits: Limits,
    taping: Taping = NO_TAPE,
    holdouts: Holdouts = NOTHING_HELD_OUT,
    lengths: str | None = None,
    probes: Probes = USUAL_PROBES,
    unsafe_no_sandbox: bool = False,
) -> RunPlan:
    """Check what was asked for and fill in the rest.

    Args:
        run_id: See `new_run_id`.
        home: Folder for everything the run writes; made when missing.
        profile: Name of a profile.
        corpora: Corpus files; the bundled one when none is named.
        uses_corpus: False to work on the given topics alone.
        task_column: Column that holds the task text; null to guess.
        topics: Themes asked for by hand.
        author: Name of an author.
        seed: Decides every choice of the run.
        at_a_time: Items in work at a time, and requests to a model.
        limits: What may be spent on a model.
        taping: Whether what is said to a model is kept, or replayed.
        holdouts: Benchmarks that the texts of the run are kept away from.
        lengths: Calls that reference solutions should have, such as "3-5:2,6-10:5"; null for the usual ones.
        probes: How often the scenarios are played by probe agents.
        unsafe_no_sandbox: Run code also where the system isolates nothing.

    Raises:
        UsageError: something asked for does not exist or contradicts itself.
        HomeNotWritable: nothing can be written into the home.
    """
    check_order(profile, corpora, uses_corpus, topics, author, at_a_time, limits, home, taping, task_column, holdouts)
    check_probes(probes, author)
    chosen = find_profile(profile)
    prepare_home(home)
    files = (tuple(corpora) or (BUNDLED_CORPUS,)) if uses_corpus else ()
    return RunPlan(
        run_id=run_id,
        home=home.resolve(),
        profile=profile,
        topic_limit=chosen.topic_limit,
        state_count=chosen.state_count,
        scenarios_per_state=chosen.scenarios_per_state,
        lengths=USUAL_LENGTHS if lengths is None else lengths_of(lengths),
        author=author,
        seed=seed,
        at_a_time=at_a_time,
        corpora=tuple(dict.fromkeys(path.resolve() for path in files)),
        task_column=task_column,
        given_topics=tuple(dict.fromkeys(topic.strip() for topic in topics)),
        holdouts=holdouts.resolved(),
        limits=limits,
        taping=taping.resolved(),
        probes=probes,
        unsafe_no_sandbox=unsafe_no_sandbox,
    )
