"""Environment classes, their tools, and how they were evaluated."""

from types import MappingProxyType
from typing import Literal

from pydantic import Field

from schemas.logic_models import OperationKind
from schemas.row import Row, Status, Table


class Skeleton(Row):
    """A version of an environment class."""

    skeleton_id: str = Field(pattern=r"^skl_[0-9a-f]{16}$", description="Digest of topic and code.")
    environment_id: str = Field(pattern=r"^env_[0-9a-f]{16}$", description="Stable over versions: digest of the slug.")
    slug: str = Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", description="Readable name, stable over versions.")
    version: int = Field(
        default=1, ge=1, description="Counts the versions that one run wrote of it; 2 is the first repair."
    )
    parent_skeleton_id: str | None = Field(default=None, description="The version that this one repairs.")
    repairs: str | None = Field(default=None, description="Reason code that the version before was rejected for.")
    topic_id: str
    logic_model_id: str
    author: str
    title: str
    class_name: str
    code: str = Field(description="Python source of the environment class, a whole module.")
    policy: str = Field(description="The rules as text for the agent, Markdown.")
    tool_count: int = Field(ge=0)
    query_count: int = Field(ge=0)
    state_change_count: int = Field(ge=0)
    entity_count: int = Field(ge=0)
    rule_count: int = Field(ge=0)
    line_count: int = Field(ge=0, description="Lines of code.")
    structure: str = Field(description="Digest of the shape without names: entities, references, operations, rules.")
    status: Status
    reason: str | None = Field(default=None, description="Reason code of the first failed check; null when accepted.")
    detail: str | None = None


class Tool(Row):
    """A public method of a skeleton, as an agent sees it."""

    tool_id: str = Field(pattern=r"^tol_[0-9a-f]{16}$")
    skeleton_id: str
    name: str
    kind: OperationKind
    description: str
    parameters_json: str = Field(description="JSON schema of the arguments, as in an OpenAI function declaration.")
    reads: list[str] = Field(description="State attributes read, by static analysis, helpers included.")
    writes: list[str] = Field(description="State attributes written, by static analysis, helpers included.")
    enforces: list[str] = Field(description="Ids of the rules of the logic model that it enforces.")


class ToolTest(Row):
    """An executed test call, from a fresh copy of a state."""

    tool_test_id: str = Field(pattern=r"^tst_[0-9a-f]{16}$")
    skeleton_id: str
    tool: str
    origin: Literal["plan", "standard"] = Field(
        default="standard", description="'plan': asked for by the test plan. 'standard': made by the evaluation itself."
    )
    case: str = Field(
        description="Kind of case: 'positive', 'negative', 'breaks_rule', 'missing_argument', 'wrong_type', ..."
    )
    rule_id: str | None = Field(default=None, description="The rule that the call would break; null for other cases.")
    state_digest: str | None = Field(
        default=None, description="Digest of the state that the call met; null when no code was reached."
    )
    state_number: int | None = Field(
        default=None,
        ge=1,
        description="Which of the initial states in skeleton_validations that is; null when calls led to it.",
    )
    given_json: str = Field(default="{}", description="Values put into the state first, by path.")
    setup_json: str = Field(default="[]", description="Calls made before it on the same copy: tool and arguments.")
    arguments_json: str
    expected: Literal["success", "refusal"]
    holds: str | None = Field(
        default=None, description="Predicate over before, state, args, result and now that was to hold; null: none."
    )
    outcome: Literal["success", "refusal", "exception", "fault"] = Field(
        description="'fault': its setup could not be brought about."
    )
    verdict: Literal["pass", "warning", "fail", "invalid_case", "unjudged"] | None = Field(
        default=None, description="What the judge said; null where nobody judged."
    )
    is_passed: bool
    detail: str | None = Field(default=None, description="What went wrong; null when passed.")


class SkeletonValidation(Row):
    """A skeleton's evaluation: every metric and the decision. One row per skeleton."""

    skeleton_id: str
    decision: Status
    reason: str | None = Field(default=None, description="Reason code of the first failed check; null when accepted.")
    checks_run: list[str] = Field(description="Deterministic checks, by reason code, in order.")
    checks_failed: list[str]
    evidence_json: str = Field(description="Reason code -> list of findings; empty when all hold.")
    call_count: int = Field(ge=0, description="Tool calls executed.")
    test_count: int = Field(ge=0)
    test_passed_count: int = Field(ge=0)
    tools_covered: int = Field(ge=0, description="Tools with at least one successful call.")
    rules_checked: int = Field(ge=0, description="Rules whose predicate was executed on reached states.")
    failing_sequence_json: str | None = Field(
        default=None,
        description="The shortest random call sequence that broke a promise: reason, detail, number of its initial "
        "state, numbered calls; null when all held.",
    )
    states_json: str = Field(default="[]", description="The initial states it was run on, by number.")
    plan_case_count: int = Field(default=0, ge=0, description="Cases of the test plan that were executed.")
    plan_passed_count: int = Field(default=0, ge=0)
    invalid_case_count: int = Field(
        default=0, ge=0, description="Cases that the judge found wrong; at most a tenth, they count for nothing."
    )
    unjudged_count: int = Field(default=0, ge=0, description="Cases without a usable verdict; they are not passed.")
    strict_pass_rate: float | None = Field(
        default=None, ge=0, le=1, description="Passed cases among those that count; null without a test plan."
    )
    judge_agreement: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="Share of the judged cases that the judge passes exactly when they came out as expected; null "
        "without a judge.",
    )
    rules_untested_json: str = Field(
        default="{}",
        description="Rule -> why no executed case was refused for breaking it; null where nothing excuses that.",
    )
    sandbox: str = Field(description="Isolation level the code ran under, or 'none'.")


SKELETONS = Table(
    "skeletons",
    Skeleton,
    kind="catalogue",
    key=("skeleton_id",),
    references=MappingProxyType({"topic_id": "topics.topic_id", "logic_model_id": "logic_models.logic_model_id"}),
)
TOOLS = Table(
    "tools",
    Tool,
    kind="catalogue",
    key=("tool_id",),
    references=MappingProxyType({"skeleton_id": "skeletons.skeleton_id"}),
)
TOOL_TESTS = Table(
    "tool_tests",
    ToolTest,
    kind="catalogue",
    key=("tool_test_id",),
    references=MappingProxyType({"skeleton_id": "skeletons.skeleton_id"}),
)
SKELETON_VALIDATIONS = Table(
    "skeleton_validations",
    SkeletonValidation,
    kind="catalogue",
    key=("skeleton_id",),
    references=MappingProxyType({"skeleton_id": "skeletons.skeleton_id"}),
)
