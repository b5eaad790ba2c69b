"""The one door to whoever writes: a named prompt, typed inputs, a typed reply, a seed."""

from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from schemas.logic_models import LogicModel
from schemas.scenarios import ScenarioDraft

ReplyT = TypeVar("ReplyT", bound=BaseModel)


class Reply(BaseModel):
    """Base of all replies: immutable, unknown fields refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class EnvironmentIdea(Reply):
    """The environment that a task lives in."""

    title: str = Field(description="2 to 6 words, such as 'Veterinary clinic front desk'.")
    summary: str = Field(description="One sentence.")
    introduction: str = Field(description="Who works in it, what is kept there, what can be done: 2 to 4 sentences.")
    domain: str = Field(description="Coarse field of life, one lower-case word or two.")
    usefulness: int = Field(ge=1, le=10)
    modelability: int = Field(ge=1, le=10, description="How well it can be modelled as records and rules.")


class TaskJudgement(Reply):
    """Whether a task needs a stateful, domain-specific environment, and which."""

    is_stateful: bool
    reason: str = Field(description="Reason code: 'stateful', or why not ('general_knowledge', 'chit_chat', ...).")
    explanation: str = Field(description="One sentence for a person.")
    environment: EnvironmentIdea | None = Field(description="Null exactly when the task is not stateful.")


class TaskJudgements(Reply):
    """One judgement per text, in their order."""

    judgements: tuple[TaskJudgement, ...]


class CodeDraft(Reply):
    """A whole Python module with one environment class."""

    code: str


class StatesDraft(Reply):
    """Initial states, different from one another."""

    states: tuple[dict[str, Any], ...]


class ScenariosDraft(Reply):
    """Scenarios on one initial state; fewer than asked for when no more could be written."""

    scenarios: tuple[ScenarioDraft, ...]


class TopicBrief(Reply):
    """What an author is told of a topic. Nothing in it depends on other topics of the corpus."""

    slug: str
    title: str
    summary: str
    introduction: str
    domain: str


@dataclass(frozen=True)
class Question(Generic[ReplyT]):
    """Base of everything that an author may be asked."""

    prompt: ClassVar[str]
    """Name of the prompt; `prompts/<name>.md` is its text."""
    reply_type: ClassVar[type[BaseModel]]


@dataclass(frozen=True)
class JudgeTasks(Question[TaskJudgements]):
    """Which of these texts need a stateful environment, and which one?"""

    prompt = "judge_tasks"
    reply_type = TaskJudgements
    texts: tuple[str, ...]


@dataclass(frozen=True)
class DescribeTopic(Question[EnvironmentIdea]):
    """Which environment does a person mean by this theme?"""

    prompt = "describe_topic"
    reply_type = EnvironmentIdea
    theme: str


@dataclass(frozen=True)
class DraftLogicModel(Question[LogicModel]):
    """Plan the environment of a topic."""

    prompt = "draft_logic_model"
    reply_type = LogicModel
    topic: TopicBrief


@dataclass(frozen=True)
class DraftCode(Question[CodeDraft]):
    """Write the class that a logic model plans."""

    prompt = "draft_code"
    reply_type = CodeDraft
    topic: TopicBrief
    logic_model: LogicModel


@dataclass(frozen=True)
class DraftInitialStates(Question[StatesDraft]):
    """Write initial states for a class."""

    prompt = "draft_initial_states"
    reply_type = StatesDraft
    topic: TopicBrief
    logic_model: LogicModel
    code: str
    count: int


@dataclass(frozen=True)
class DraftScenarios(Question[ScenariosDraft]):
    """Write scenarios on one initial state."""

    prompt = "draft_scenarios"
    reply_type = ScenariosDraft
    topic: TopicBrief
    logic_model: LogicModel
    code: str
    state: dict[str, Any]
    count: int


class BadReply(Exception):
    """The author answered, but not with what was asked for, not even when told what was wrong.

    Bad output is data: a stage makes a rejected item of it, with this reason code and the text as its detail.
    """

    reason: ClassVar[str] = "reply_unusable"


class Author(Protocol):
    """Whoever writes. Safe to use from several threads."""

    name: str
    """For the records: "rules", or the name of a language model."""

    def ask(self, question: Question[ReplyT], *, seed: int) -> ReplyT:
        """Answer one question. The same question and seed give the same reply from the built-in author.

        The reply is a draft: whatever it holds is checked afterwards.

        Raises:
            AuthorUnavailable: no reply could be had.
            BadReply: the reply is not of the question's type.
        """
