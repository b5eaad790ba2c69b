"""An author in front of a scripted endpoint, and the question that most tests ask it."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from pydantic import SecretStr

from tasks.authors.base import DescribeTopic
from tasks.authors.llm.author import LlmAuthor
from tasks.authors.llm.settings import EndpointSettings
from tests.fakes.endpoint import FakeEndpoint, Reply
from tests.unit.prompts.examples import example_of

KEY = "sk-Tq81-not-for-anyones-eyes"
THEME = DescribeTopic("bike shop repairs")
IDEA = example_of("describe_topic")
Asking = tuple[FakeEndpoint, LlmAuthor]


PARTS = ("run_id", "stage", "log", "cache", "budget", "limiter", "price", "clock", "sleep", "tape")


def author_of(endpoint: FakeEndpoint, *, key: str | None = KEY, **given: Any) -> LlmAuthor:
    """An author of this endpoint that waits for nothing; parts of the author and settings of the endpoint by name."""
    parts = {"sleep": lambda _wait_s: None, **{name: given.pop(name) for name in PARTS if name in given}}
    secret = SecretStr(key) if key is not None else None
    settings = {"base_url": endpoint.base_url, "model": "scripted", "api_key": secret, **given}
    return LlmAuthor(EndpointSettings(**settings), **parts)


@contextmanager
def asking(*replies: Reply, author: Mapping[str, Any] | None = None, **behaviour: Any) -> Iterator[Asking]:
    """An endpoint that behaves so and an author who asks it, with these parts and settings."""
    with FakeEndpoint(replies, **behaviour) as endpoint:
        yield endpoint, author_of(endpoint, **author or {})


def told(error: BaseException) -> str:
    """Everything that an exception and those behind it say."""
    texts = []
    seen: BaseException | None = error
    while seen is not None:
        texts += [str(seen), repr(seen), repr(vars(seen))]
        seen = seen.__cause__ or seen.__context__
    return "\n".join(texts)
