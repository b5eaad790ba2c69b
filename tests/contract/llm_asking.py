"""An author in front of a scripted endpoint, and the question that most tests ask it."""

from collections.abc import Iterator
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


def author_of(endpoint: FakeEndpoint, *, key: str | None = KEY, **settings: Any) -> LlmAuthor:
    secret = SecretStr(key) if key is not None else None
    return LlmAuthor(EndpointSettings(base_url=endpoint.base_url, model="scripted", api_key=secret, **settings))


@contextmanager
def asking(*replies: Reply, **behaviour: Any) -> Iterator[tuple[FakeEndpoint, LlmAuthor]]:
    with FakeEndpoint(replies, **behaviour) as endpoint:
        yield endpoint, author_of(endpoint)


def told(error: BaseException) -> str:
    """Everything that an exception and those behind it say."""
    texts = []
    seen: BaseException | None = error
    while seen is not None:
        texts += [str(seen), repr(seen), repr(vars(seen))]
        seen = seen.__cause__ or seen.__context__
    return "\n".join(texts)
