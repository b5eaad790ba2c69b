"""The plan of one environment, and the table of such plans."""

from types import MappingProxyType
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from schemas.row import Row, Status, Table

AttributeType = Literal["string", "integer", "number", "boolean", "date", "datetime", "enum", "list", "reference"]
ItemType = Literal["string", "integer", "number", "enum", "reference", "object"]
RuleKind = Literal["invariant", "precondition", "transition", "uniqueness", "policy"]
OperationKind = Literal["query", "state_change"]


class Plan(BaseModel):
    """Base of everything inside a logic model: immutable, unknown fields refused."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Attribute(Plan):
    """One field of an entity's records."""

    name: str
    type: AttributeType
    description: str
    nullable: bool = False
    values: tuple[str, ...] = ()
    """The allowed values of an enum, or of the items of a list of enums."""
    to: str | None = None
    """The collection that a reference (or a list of references) points into."""
    items: ItemType | None = None
    """The type of a list's items; null for every other type."""
    minimum: float | None = None
    maximum: float | None = None
    max_length: int | None = None
    """Longest text, in characters."""
    unit: str | None = None
    """Unit of a number, such as "euro cent" or "min"."""


class Entity(Plan):
    """One kind of record. State holds it as collection -> id -> record."""

    name: str
    """Singular, snake case: "appointment"."""
    collection: str
    """Name of the state attribute, plural: "appointments"."""
    key: str
    """Attribute that holds the record's own id: "appointment_id". It is listed in `attributes` as a string."""
    id_prefix: str
    """Ids look like "APT-0001"."""
    description: str
    attributes: tuple[Attribute, ...]


class Rule(Plan):
    """One rule of the domain.

    A predicate is a Python expression that is true while the rule holds. It may read `state` and `now` (invariant,
    uniqueness), also `args` (precondition: what must hold before the call), or `before` and `state` (transition).
    `state` and `args` are plain dicts: state["items"], args["item_id"]. A policy rule has no predicate: only the agent
    can obey it.
    """

    id: str
    kind: RuleKind
    text: str
    predicate: str | None = None


class Parameter(Plan):
    """One parameter of an operation."""

    name: str
    type: AttributeType
    description: str
    required: bool = True
    values: tuple[str, ...] = ()
    to: str | None = None
    items: ItemType | None = None


class Operation(Plan):
    """One tool, planned."""

    name: str
    kind: OperationKind
    description: str
    parameters: tuple[Parameter, ...] = ()
    reads: tuple[str, ...] = ()
    """State attributes that the operation reads."""
    writes: tuple[str, ...] = ()
    """State attributes that the operation may change; empty for a query."""
    errors: tuple[str, ...] = ()
    """The cases in which it refuses, one short text each."""
    enforces: tuple[str, ...] = ()
    """Ids of the rules that this operation enforces."""


class LogicModel(Plan):
    """The plan of one environment, written before any code."""

    title: str
    class_name: str
    summary: str
    """One or two sentences on what the environment is for."""
    settings: dict[str, Any] = Field(default_factory=dict)
    """Constants that are part of the state under the attribute `settings` and that no tool changes."""
    entities: tuple[Entity, ...]
    rules: tuple[Rule, ...]
    operations: tuple[Operation, ...]

    def entity_of(self, collection: str) -> Entity | None:
        """The entity stored under this state attribute, or null."""
        return next((each for each in self.entities if each.collection == collection), None)


class LogicModelRow(Row):
    """A logic model draft."""

    logic_model_id: str = Field(pattern=r"^lgm_[0-9a-f]{16}$", description="Digest of the topic and the model.")
    topic_id: str
    author: str = Field(description="Who wrote it: 'rules', or the name of a language model.")
    title: str
    entity_count: int = Field(ge=0)
    operation_count: int = Field(ge=0)
    rule_count: int = Field(ge=0)
    model_json: str = Field(description="The whole logic model as JSON.")
    status: Status
    reason: str | None = Field(default=None, description="Reason code; null when accepted.")
    detail: str | None = Field(default=None, description="What exactly was wrong; null when accepted.")


LOGIC_MODELS = Table(
    "logic_models",
    LogicModelRow,
    kind="catalogue",
    key=("logic_model_id",),
    references=MappingProxyType({"topic_id": "topics.topic_id"}),
)
