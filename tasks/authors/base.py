"""The one door to whoever writes: a named prompt, typed inputs, a typed reply, a seed."""

from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Literal, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from schemas.ids import slugify
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


class SetupCall(Reply):
    """A call that brings about what a test case needs."""

    tool: str
    arguments: dict[str, Any]


class TestCase(Reply):
    """A call on a fresh copy of a state, with what must come of it, written before it is run."""

    __test__: ClassVar[bool] = False  # its name makes pytest take it for a class of tests
    tool: str
    arguments: dict[str, Any]
    given: dict[str, Any] = Field(
        default_factory=dict,
        description='Values put into the copy of the state first, by path: "now", "loans.LOA-0002.status".',
    )
    setup: tuple[SetupCall, ...] = Field(
        default=(), description="Calls that are made before it on the same copy, in this order; each must succeed."
    )
    expected: Literal["success", "refused"]
    rule_id: str | None = Field(default=None, description="The rule that refuses the call; null for any other reason.")
    holds: str | None = Field(
        default=None,
        description="Predicate over before, state, args, result and now that is true after the success; null: none.",
    )
    why: str = Field(description="One sentence: what the case tries.")


class UntestedRule(Reply):
    """A rule that no case breaks."""

    rule_id: str
    why: str = Field(description="One sentence: why no call can break it.")


class TestPlan(Reply):
    """Cases for every tool and every rule, each on its own copy of the state."""

    __test__: ClassVar[bool] = False
    cases: tuple[TestCase, ...]
    untested: tuple[UntestedRule, ...] = ()


class ExecutedCall(Reply):
    """A test case and what really happened."""

    number: int = Field(ge=1)
    case: TestCase
    result: Any = Field(description="What the tool returned.")
    error: str | None = Field(description="What it raised; null when it returned.")
    changes: tuple[str, ...] = Field(description="What differs in the state afterwards, one sentence each.")


class CallJudgement(Reply):
    """Whether an executed call did what the plan of the environment says."""

    number: int = Field(ge=1)
    verdict: Literal["pass", "warning", "fail", "invalid_case"]
    reason: str = Field(description="One sentence.")
    rule_id: str | None = Field(default=None, description="For 'invalid_case': the rule that the case contradicts.")


class CallJudgements(Reply):
    """One judgement per call, in their order."""

    judgements: tuple[CallJudgement, ...]


class Evidence(Reply):
    """Something that was found by execution."""

    reason: str = Field(description="Reason code.")
    detail: str


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

    @property
    def subject(self) -> str:
        """What it is about, for the accounts: the slug of a topic, a theme, or how the first of its texts begins."""
        raise NotImplementedError


@dataclass(frozen=True)
class TopicQuestion(Question[ReplyT]):
    """Base of everything that is asked about one topic."""

    topic: TopicBrief

    @property
    def subject(self) -> str:
        """The slug of the topic."""
        return self.topic.slug


@dataclass(frozen=True)
class JudgeTasks(Question[TaskJudgements]):
    """Which of these texts need a stateful environment, and which one?"""

    prompt = "judge_tasks"
    reply_type = TaskJudgements
    texts: tuple[str, ...]

    @property
    def subject(self) -> str:
        """How the first text begins."""
        return _beginning(self.texts[0]) if self.texts else ""


@dataclass(frozen=True)
class DescribeTopic(Question[EnvironmentIdea]):
    """Which environment does a person mean by this theme?"""

    prompt = "describe_topic"
    reply_type = EnvironmentIdea
    theme: str

    @property
    def subject(self) -> str:
        """The theme."""
        return _beginning(self.theme)


@dataclass(frozen=True)
class DraftLogicModel(TopicQuestion[LogicModel]):
    """Plan the environment of a topic."""

    prompt = "draft_logic_model"
    reply_type = LogicModel


@dataclass(frozen=True)
class DraftCode(TopicQuestion[CodeDraft]):
    """Write the class that a logic model plans."""

    prompt = "draft_code"
    reply_type = CodeDraft
    logic_model: LogicModel


@dataclass(frozen=True)
class DraftInitialStates(TopicQuestion[StatesDraft]):
    """Write initial states for a class."""

    prompt = "draft_initial_states"
    reply_type = StatesDraft
    logic_model: LogicModel
    code: str
    count: int
    evidence: tuple[Evidence, ...] = ()
    """What was wrong with an earlier answer; empty the first time."""


@dataclass(frozen=True)
class DraftScenarios(TopicQuestion[ScenariosDraft]):
    """Write scenarios on one initial state."""

    prompt = "draft_scenarios"
    reply_type = ScenariosDraft
    logic_model: LogicModel
    code: str
    state: dict[str, Any]
    lengths: tuple[int, ...]
    """One scenario for each, with a reference solution of about that many calls."""


@dataclass(frozen=True)
class RepairCode(TopicQuestion[CodeDraft]):
    """Write the class again, without what was found."""

    prompt = "repair_code"
    reply_type = CodeDraft
    logic_model: LogicModel
    code: str
    evidence: tuple[Evidence, ...]
    round: int
    """Counted from 1; the same evidence twice is not the same question."""


@dataclass(frozen=True)
class DraftTestPlan(TopicQuestion[TestPlan]):
    """Write test cases from the plan of an environment alone; the tester does not see the code."""

    prompt = "draft_test_plan"
    reply_type = TestPlan
    logic_model: LogicModel
    state: dict[str, Any]


@dataclass(frozen=True)
class JudgeCalls(Question[CallJudgements]):
    """Did these calls do what the plan says?"""

    prompt = "judge_calls"
    reply_type = CallJudgements
    logic_model: LogicModel
    code: str
    calls: tuple[ExecutedCall, ...]

    @property
    def subject(self) -> str:
        """The slug of the plan's title; the topic is not told."""
        return slugify(self.logic_model.title)


@dataclass(frozen=True)
class RepairScenario(TopicQuestion[ScenariosDraft]):
    """Write one scenario again, without what was found. The reply holds one scenario, or none to give it up."""

    prompt = "repair_scenario"
    reply_type = ScenariosDraft
    logic_model: LogicModel
    code: str
    state: dict[str, Any]
    scenario: ScenarioDraft
    evidence: tuple[Evidence, ...]
    round: int
    """Counted from 1."""


class BadReply(Exception):
    """The author answered, but not with what was asked for, not even when told what was wrong.

    Bad output is data: a stage makes a rejected item of it, with this reason code and the text as its detail.
    """

    reason: ClassVar[str] = "reply_unusable"


class NotOffered(BadReply):
    """The author does not do this kind of thing; there is no use in asking it again."""


class Author(Protocol):
    """Whoever writes. Safe to use from several threads."""

    name: str
    """For the records: "rules", or the name of a language model."""

    def ask(self, question: Question[ReplyT], *, seed: int) -> ReplyT:
        """Answer one question. The same question and seed give the same reply from the built-in author.

        The reply is a draft: whatever it holds is checked afterwards.

        Raises:
            AuthorUnavailable: no reply could be had; BudgetExhausted where the budget is the reason.
            BadReply: the reply is not of the question's type; NotOffered where the author does no such thing.
        """


def _beginning(text: str) -> str:
    return " ".join(text.split())[:60]
