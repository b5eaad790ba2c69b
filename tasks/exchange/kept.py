"""What is kept of an import: environments and scenarios as they came, in one form for all formats."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from schemas.logic_models import LogicModel, OperationKind
from schemas.scenarios import CheckDraft, ReferenceStep
from schemas.topics import Split
from tasks.exchange.adapter_options import AdapterOptions

Format = Literal["envscaler", "python-class"]
FORMATS: tuple[Format, ...] = ("envscaler", "python-class")


class Kept(BaseModel):
    """Base: immutable, unknown fields refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class About(Kept):
    """What an environment is, for people."""

    title: str = Field(min_length=1)
    summary: str = ""
    introduction: str = ""
    domain: str = "general"
    rules: tuple[str, ...] = ()
    """Rules as texts: nothing executes them, the agent is told them."""


class OwnEnvironment(Kept):
    """What only this project's own files say of an environment. Everything is judged anew all the same."""

    slug: str = Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")
    logic_model: LogicModel
    topic_title: str
    topic_summary: str
    usefulness: int = Field(ge=1, le=10)
    modelability: int = Field(ge=1, le=10)
    keyphrases: tuple[str, ...] = ()
    split: Split
    evaluation_states: tuple[dict[str, Any], ...] = ()
    """States that it was evaluated on: on the same ones it shows the same."""


class KeptEnvironment(Kept):
    """One environment class."""

    form: Format
    source: str
    """Name of the file."""
    name: str
    """What the file calls it."""
    about: About
    code: str
    class_name: str
    options: AdapterOptions = AdapterOptions()
    declared: dict[str, dict[str, dict[str, Any]]] = Field(default_factory=dict)
    """Tool -> parameter -> JSON schema, as declared beside the code."""
    kinds: dict[str, OperationKind] = Field(default_factory=dict)
    """Operation -> kind, as declared beside the code."""
    examples: dict[str, tuple[dict[str, Any], ...]] = Field(default_factory=dict)
    """Tool -> arguments that are accepted in some state."""
    states: tuple[dict[str, Any], ...] = ()
    """Initial states beside those of the scenarios."""
    own: OwnEnvironment | None = None


class ForeignCheck(Kept):
    """A check of a final state: `check_func(final_state)`, with a global `initial_state`."""

    text: str
    code: str


class OwnScenario(Kept):
    """What only this project's own files say of a scenario."""

    kind: str
    reference: tuple[ReferenceStep, ...]
    final_message: str
    checks: tuple[CheckDraft, ...]
    user_goal: str | None = None


class KeptScenario(Kept):
    """One task on one initial state."""

    name: str
    """What the file calls it."""
    environment: str
    """What the file calls its environment."""
    task: str
    state: dict[str, Any]
    checks: tuple[ForeignCheck, ...]
    own: OwnScenario | None = None
