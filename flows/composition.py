"""The only place that chooses concrete clients: who writes, where code runs, where rows land.

They are imported where they are chosen: what one author needs must not slow a run of another, and a mistyped command is
refused before anything heavy is loaded.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from schemas.errors import UsageError
from schemas.ids import digest
from schemas.settings import Settings

if TYPE_CHECKING:
    from flows.accounts import CallLedger
    from flows.limits import Limits
    from flows.plan import RunPlan
    from flows.taping import Taping
    from schemas.row import Stage
    from tasks.authors.base import Author
    from tasks.authors.llm.settings import EndpointSettings
    from tasks.authors.playing import Player
    from tasks.sandbox.base import Sandbox
    from tasks.sandbox.zygote import ZygoteSandbox
    from tasks.topics import Embedder
    from warehouse.store import Warehouse


def _rule_author(sandbox: Sandbox, _plan: RunPlan, _stage: Stage | None) -> Author:
    from tasks.authors.rules.author import RuleAuthor

    return RuleAuthor(sandbox)


def _llm_author(_sandbox: Sandbox, plan: RunPlan, stage: Stage | None) -> Author:
    return _endpoint_author(
        configured_endpoint(), plan.home, plan.run_id, plan.limits, plan.taping, plan.at_a_time, stage
    )


@lru_cache(maxsize=8)
def _endpoint_author(
    endpoint: EndpointSettings,
    home: Path,
    run_id: str,
    limits: Limits,
    taping: Taping,
    at_a_time: int,
    stage: Stage | None,
) -> Author:
    """One author per stage, for its accounts; what they spend, keep and learn of their endpoint is shared."""
    from flows.means import means_of
    from flows.taping import tape_of
    from tasks.authors.llm.author import LlmAuthor

    means = means_of(home, run_id, endpoint.model, limits, at_a_time)
    return LlmAuthor(
        endpoint,
        run_id=run_id,
        stage=stage,
        log=means.accounts.take,
        cache=means.cache,
        budget=means.budget,
        limiter=means.limiter,
        price=means.price,
        clock=utc_now,
        sleep=_no_sleep if taping.replay is not None else time.sleep,
        tape=tape_of(taping, run_id),
    )


def _no_sleep(_wait_s: float) -> None:
    """Nobody has to be spared in a replay."""


def configured_endpoint() -> EndpointSettings:
    """The configured endpoint.

    Raises:
        UsageError: none is configured, or what is can't be one.
    """
    settings = Settings()
    if not settings.llm_base_url or not settings.llm_model:
        raise UsageError(
            "--author llm needs an endpoint: set ENVMILL_LLM_BASE_URL (such as http://127.0.0.1:8000/v1), "
            "ENVMILL_LLM_MODEL and, where the endpoint asks for one, ENVMILL_LLM_API_KEY."
        )
    return _endpoint(settings, settings.llm_base_url, settings.llm_model)


def refuse_unusable_endpoint() -> None:
    """Refuse an address that can't be one, for those who ask for no answer; that none is configured is fine.

    Raises:
        UsageError: what is configured can't be used.
    """
    settings = Settings()
    if settings.llm_base_url:
        _endpoint(settings, settings.llm_base_url, settings.llm_model or "any")


def _endpoint(settings: Settings, base_url: str, model: str) -> EndpointSettings:
    from tasks.authors.llm.settings import EndpointSettings

    return EndpointSettings(
        base_url=base_url,
        model=model,
        api_key=settings.llm_api_key,
        temperature=settings.llm_temperature,
        max_output_tokens=settings.llm_max_output_tokens,
        timeout_s=settings.llm_timeout_s,
    )


AUTHORS: dict[str, Callable[[Sandbox, RunPlan, Stage | None], Author]] = {"rules": _rule_author, "llm": _llm_author}
"""Name on the command line -> what makes the author. Authors may plan on live environments: each gets the sandbox."""

MODEL_ITEMS_AT_A_TIME = 16
"""Items wait for the network most of the time; more would crowd the processor when their code is executed."""


def items_at_a_time(author: str, wanted: int | None = None) -> int:
    """Items in work at a time: what is wanted, else what is configured, else what suits the author."""
    settings = Settings()
    chosen = wanted or settings.concurrency
    return chosen or (MODEL_ITEMS_AT_A_TIME if author == "llm" else settings.workers)


def author_key(author: str) -> str:
    """What decides an author's answers besides question and seed; part of every item key.

    Raises:
        UsageError: the author needs an endpoint and none is configured.
    """
    if author != "llm":
        return author
    endpoint = configured_endpoint()
    return digest(endpoint.address, endpoint.model, endpoint.temperature, endpoint.max_output_tokens)


_RULES_BATCH = 500
"""Small enough that a changed corpus is mostly reused, large enough that a batch is worth a task."""
MODEL_BATCH = 20
"""What a model keeps apart in one reply; a bad reply spoils no more than this."""


@dataclass(frozen=True)
class Kit:
    """Everything a flow works with. Safe to use from several threads."""

    author: Author
    player: Player | None
    """The author as one who plays scenarios; null for one that can't call tools."""
    asks_model: bool
    """Each question takes seconds, and perhaps money."""
    author_key: str
    """See `author_key`."""
    texts_per_question: int
    """Texts that the author judges in one question."""
    sandbox: Sandbox
    embedder: Embedder
    store: Warehouse
    clock: Callable[[], datetime]
    end_accounts: Callable[[], None]
    """Writes down what the author has asked so far; for the end of a stage."""


def utc_now() -> datetime:
    """The one clock of a run."""
    return datetime.now(UTC)


UNCONFINED = (
    "nothing confines generated code on this machine: it can read, change and send whatever this user can. "
    "Every row that comes of it says sandbox = 'none'. `envmill doctor` says what is missing."
)


@cache
def local_sandbox(*, allow_unsafe: bool = False) -> ZygoteSandbox:
    """Where code runs on this machine. One per process: all flows of a run share its zygote, which starts when needed.

    Args:
        allow_unsafe: Run code also where the system isolates nothing.
    """
    from tasks.sandbox.zygote import ZygoteSandbox

    return ZygoteSandbox(allow_unsafe=allow_unsafe)


@cache
def sandbox_for_play(*, allow_unsafe: bool) -> ZygoteSandbox:
    """A sandbox for a person at the keyboard, who waits for every answer."""
    from tasks.sandbox.zygote import ZygoteSandbox

    return ZygoteSandbox(wall_s=10, cpu_s=3, allow_unsafe=allow_unsafe)


def sandbox_for_trial(*, memory_mib: int, cpu_s: int) -> ZygoteSandbox:
    """A sandbox of one's own with tight limits, to find out what this machine offers. The caller closes it."""
    from tasks.sandbox.zygote import ZygoteSandbox

    return ZygoteSandbox(wall_s=15.0, cpu_s=cpu_s, memory_mib=memory_mib, allow_unsafe=True)


def compose(plan: RunPlan, stage: Stage | None = None) -> Kit:
    """The kit of a run.

    Args:
        plan: What the run was asked to do.
        stage: For which stage; null when nothing will be asked of the author.

    Raises:
        UsageError: the author can't be asked as configured, or its budget can't be kept.
    """
    from tasks.authors.playing import Player
    from tasks.topics import MiniLmEmbedder
    from warehouse.store import Warehouse

    sandbox = local_sandbox(allow_unsafe=plan.unsafe_no_sandbox)
    asks_model = plan.author == "llm"
    author = AUTHORS[plan.author](sandbox, plan, stage)
    return Kit(
        author=author,
        player=author if isinstance(author, Player) else None,
        asks_model=asks_model,
        author_key=author_key(plan.author),
        texts_per_question=MODEL_BATCH if asks_model else _RULES_BATCH,
        sandbox=sandbox,
        embedder=MiniLmEmbedder(),
        store=Warehouse(plan.home),
        clock=utc_now,
        end_accounts=_accounts(plan).flush if asks_model else _no_accounts,
    )


def _accounts(plan: RunPlan) -> CallLedger:
    from flows.means import means_of

    return means_of(plan.home, plan.run_id, configured_endpoint().model, plan.limits, plan.at_a_time).accounts


def _no_accounts() -> None:
    """The built-in author costs nothing."""
