"""The only place that chooses concrete clients: who writes, where code runs, where rows land.

They are imported where they are chosen: what one author needs must not slow a run of another, and a mistyped command is
refused before anything heavy is loaded.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from schemas.errors import UsageError
from schemas.ids import digest
from schemas.settings import Settings

if TYPE_CHECKING:
    from tasks.authors.base import Author
    from tasks.authors.llm.settings import EndpointSettings
    from tasks.sandbox.base import Sandbox
    from tasks.topics import Embedder
    from warehouse.store import Warehouse


def _rule_author(sandbox: Sandbox) -> Author:
    from tasks.authors.rules.author import RuleAuthor

    return RuleAuthor(sandbox)


def _llm_author(_sandbox: Sandbox) -> Author:
    return _endpoint_author(_endpoint())


@cache
def _endpoint_author(endpoint: EndpointSettings) -> Author:
    """One client per process: what it has learned of its endpoint serves every stage."""
    from tasks.authors.llm.author import LlmAuthor

    return LlmAuthor(endpoint)


def _endpoint() -> EndpointSettings:
    """The configured endpoint.

    Raises:
        UsageError: none is configured.
    """
    from tasks.authors.llm.settings import EndpointSettings

    settings = Settings()
    if not settings.llm_base_url or not settings.llm_model:
        raise UsageError(
            "--author llm needs an endpoint: set ENVMILL_LLM_BASE_URL (such as http://127.0.0.1:8000/v1), "
            "ENVMILL_LLM_MODEL and, where the endpoint asks for one, ENVMILL_LLM_API_KEY."
        )
    return EndpointSettings(
        base_url=settings.llm_base_url,
        model=settings.llm_model,
        api_key=settings.llm_api_key,
        temperature=settings.llm_temperature,
        max_output_tokens=settings.llm_max_output_tokens,
        timeout_s=settings.llm_timeout_s,
    )


AUTHORS: dict[str, Callable[[Sandbox], Author]] = {"rules": _rule_author, "llm": _llm_author}
"""Name on the command line -> what makes the author. Authors may plan on live environments: each gets the sandbox."""


def author_key(author: str) -> str:
    """What decides an author's answers besides question and seed; part of every item key.

    Raises:
        UsageError: the author needs an endpoint and none is configured.
    """
    if author != "llm":
        return author
    endpoint = _endpoint()
    return digest(endpoint.base_url, endpoint.model, endpoint.temperature, endpoint.max_output_tokens)


_RULES_BATCH = 500
"""Small enough that a changed corpus is mostly reused, large enough that a batch is worth a task."""
_MODEL_BATCH = 20
"""What a model keeps apart in one reply; a bad reply spoils no more than this."""


@dataclass(frozen=True)
class Kit:
    """Everything a flow works with. Safe to use from several threads."""

    author: Author
    author_key: str
    """See `author_key`."""
    texts_per_question: int
    """Texts that the author judges in one question."""
    sandbox: Sandbox
    embedder: Embedder
    store: Warehouse
    clock: Callable[[], datetime]


def utc_now() -> datetime:
    """The one clock of a run."""
    return datetime.now(UTC)


def compose(author: str, home: Path) -> Kit:
    """The kit of a run.

    Args:
        author: A name in `AUTHORS`.
        home: Where everything lies.
    """
    from tasks.sandbox.process import ProcessSandbox
    from tasks.topics import MiniLmEmbedder
    from warehouse.store import Warehouse

    sandbox = ProcessSandbox()
    return Kit(
        author=AUTHORS[author](sandbox),
        author_key=author_key(author),
        texts_per_question=_MODEL_BATCH if author == "llm" else _RULES_BATCH,
        sandbox=sandbox,
        embedder=MiniLmEmbedder(),
        store=Warehouse(home),
        clock=utc_now,
    )
