"""Seed tasks and the topics mined from them."""

from types import MappingProxyType
from typing import Literal

from pydantic import Field

from schemas.row import Row, Status, Table

Split = Literal["train", "validation", "test"]


class SeedTask(Row):
    """A task text of a corpus, with what became of it. Exact and near duplicates are rows too."""

    seed_task_id: str = Field(
        pattern=r"^tsk_[0-9a-f]{16}$", description="Digest of corpus, source, source id and text."
    )
    corpus: str = Field(description="File name of the corpus, without its folder.")
    source: str = Field(description="Value of the corpus column 'source'; the corpus name where there is none.")
    source_id: str = Field(
        description="Value of the corpus column 'source_id' or 'id'; the line number where there is none."
    )
    line: int = Field(ge=1, description="Line (text formats) or row number in the file, from 1.")
    text: str = Field(min_length=1, description="Normalised text: NFC, blanks folded.")
    status: Status
    reason: str | None = Field(default=None, description="Reason code; null when accepted.")
    detail: str | None = Field(default=None, description="Why, in words a person can follow; null when accepted.")
    duplicate_of: str | None = Field(default=None, description="The seed task that stays; null unless a duplicate.")
    keyphrases: list[str] = Field(description="Strongest TF-IDF phrases of the text, at most 5.")
    cluster: int | None = Field(
        default=None, ge=0, description="TF-IDF cluster; null for duplicates and refused texts."
    )
    cluster_label: str | None = Field(default=None, description="Keyphrases of the cluster; null with `cluster`.")
    topic_id: str | None = Field(
        default=None,
        description="Topic that this text supports (a duplicate: its original's topic); null when it supports none.",
    )


class Topic(Row):
    """A candidate topic, with the decision on it."""

    topic_id: str = Field(pattern=r"^top_[0-9a-f]{16}$", description="Digest of title, domain and summary.")
    slug: str = Field(
        pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", description="Readable name; the environment keeps it over versions."
    )
    title: str = Field(min_length=1)
    summary: str = Field(description="One sentence: what the environment is.")
    introduction: str = Field(description="A paragraph: who works in it, what is kept there, what can be done.")
    domain: str = Field(description="Coarse field of life, such as 'health' or 'travel'.")
    usefulness: int = Field(ge=1, le=10)
    modelability: int = Field(ge=1, le=10)
    origin: Literal["corpus", "given"] = Field(description="'given': a person asked for it by name.")
    seed_task_count: int = Field(ge=0, description="Seed tasks that support it, duplicates included.")
    keyphrases: list[str] = Field(description="Phrases of the supporting texts, strongest first, at most 8.")
    author: str
    embedder: str = Field(description="Model that judged which topics mean the same.")
    status: Status
    reason: str | None = Field(default=None, description="Reason code; null when accepted.")
    detail: str | None = None
    duplicate_of: str | None = Field(default=None, description="The topic that stays; null unless a duplicate.")
    split: Split = Field(description="A stable function of the topic's meaning.")


SEED_TASKS = Table(
    "seed_tasks",
    SeedTask,
    kind="catalogue",
    key=("seed_task_id",),
    references=MappingProxyType({"topic_id": "topics.topic_id", "duplicate_of": "seed_tasks.seed_task_id"}),
)
TOPICS = Table(
    "topics",
    Topic,
    kind="catalogue",
    key=("topic_id",),
    references=MappingProxyType({"duplicate_of": "topics.topic_id"}),
    min_rows=1,
)
