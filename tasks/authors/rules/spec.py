"""An environment as the built-in author plans it: the logic model, the source of its methods, and how to live in it.

A mechanic adds to a `Draft`; `render.py` turns the finished draft into a class, `populate.py` fills it with records,
`plan.py` asks for deeds in it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any, Literal

from schemas.logic_models import Attribute, Rule, RuleKind
from tasks.authors.rules.nouns import Noun

State = dict[str, Any]
Record = dict[str, Any]


@dataclass(frozen=True)
class Told:
    """A value, and how a person says it in a task."""

    value: Any
    words: str


@dataclass
class World:
    """What a value maker may look at: the state, the clock, and what was chosen so far for this deed."""

    rng: Random
    state: State
    chosen: dict[str, Any]
    """Parameter -> value, in the order of the slots."""
    records: dict[str, Record]
    """Parameter -> record, for the parameters that pick one."""

    @property
    def now(self) -> str:
        """The clock of the environment, "YYYY-MM-DDTHH:MM"."""
        return str(self.state["now"])


@dataclass(frozen=True)
class Pick:
    """An existing record; the agent has to find it.

    A slot whose param the tool does not have serves the other slots only.
    """

    param: str
    collection: str
    where: Callable[[Record, World], bool] | None = None
    """Which records make sense; null means all."""


@dataclass(frozen=True)
class Value:
    """A value that the task says."""

    param: str
    make: Callable[[World], Told | None]
    """Null when no sensible value exists for what was chosen so far; the deed is then given up."""


@dataclass(frozen=True)
class FromQuery:
    """A value that a query of the environment offers, such as the first free slot of a day."""

    param: str
    tool: str
    arguments: tuple[tuple[str, str], ...]
    """Parameter of the query -> earlier slot of this deed whose value it takes."""
    path: tuple[str | int, ...]
    """Where the value is in the result: ("data", 0)."""
    words: str
    """How the task asks for it: "the first free slot"."""


Slot = Pick | Value | FromQuery


@dataclass(frozen=True)
class Deed:
    """Something that a person may ask for: one state-changing call, and the words for it."""

    tool: str
    slots: tuple[Slot, ...]
    asks: tuple[str, ...]
    """Imperative clauses with slots in braces: "book {patient_id} in with {dentist_id} on {start}"."""
    reports: str
    """What is said when it is done: "{patient_id} is booked in on {start}." Braces as in `asks`."""
    creates: str | None = None
    """Collection that gets a new record; its key is in the result under data.<key>."""
    follows: tuple[str, ...] = ()
    """Tools whose new record this deed may go on with in the same task ("open an order, then add ... to it")."""
    in_tasks: bool = True
    """False: it only happens in the past of an initial state, nobody asks for it."""
    weight: int = 1
    """How often it happens in the past of an initial state, relative to the others; 0 keeps it out."""


@dataclass(frozen=True)
class Forbidden:
    """Something that the tools allow and a policy forbids; a task asks for it, and the right answer is no."""

    rule: str
    """Id of the policy."""
    slots: tuple[Pick, ...]
    """The records that the wish is about; the first is the one that must be looked up."""
    asks: tuple[str, ...]
    """The wish, slots in braces, as in a deed."""
    vague: str
    """The same without any detail, said of the person: "tell you the phone number of a patient"."""
    because: Callable[[World], str]
    """The true reason, without names: "This is the only dentist on duty for fillings."."""
    reasons: tuple[str, ...]
    """Patterns, one of which every true reason holds, in lower case."""
    tool: str | None = None
    """The call that must not be made; null where nothing is to be called."""
    evidence: Callable[[World], tuple[str, dict[str, Any]]] | None = None
    """A query without which the reason can't be seen, and its arguments; null where the records show it."""
    secret: str | None = None
    """Attribute of the first record whose value the answer must not hold."""


FilterForm = Literal["same", "day", "reference"]


@dataclass(frozen=True)
class Filter:
    """One argument of a look-up, taken from the record that is looked for."""

    param: str
    attribute: str
    form: FilterForm = "same"
    """ "day": the first ten characters of a moment. "reference": the id of another record, to be looked up first."""


@dataclass(frozen=True)
class Finder:
    """A way to find one record: a query whose `data` is a list of records, and the words that describe the record."""

    collection: str
    tool: str
    filters: tuple[Filter, ...]
    says: tuple[str, ...]
    """Descriptions with the filters' params in braces: "{patient_id}'s appointment on {day}"."""


@dataclass(frozen=True)
class EntitySpec:
    """An entity, and how many records of it an initial state has before anything happens in it."""

    noun: Noun
    description: str
    attributes: tuple[Attribute, ...]
    count: tuple[int, int] = (0, 0)
    """Fewest and most records made directly; (0, 0) when records only come from deeds."""
    make: Callable[[Random, State, str], Record | None] | None = None
    """(rng, state so far, new id) -> record; null when none more makes sense. Null together with count (0, 0)."""


@dataclass
class Draft:
    """What the mechanics of one environment have put together so far."""

    title: str
    class_name: str
    summary: str
    nouns: Mapping[str, Noun]
    rng: Random
    """Decides structural options; drawn from the topic and the seed."""
    settings: dict[str, Any] = field(default_factory=dict)
    aliases: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Type alias -> values of the Literal."""
    constants: dict[str, str] = field(default_factory=dict)
    """Module constant -> source of its value."""
    entities: dict[str, EntitySpec] = field(default_factory=dict)
    """By collection."""
    rules: list[Rule] = field(default_factory=list)
    enforced_by: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Rule id -> tools that enforce it."""
    templates: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    """Template name and its context, rendered when all mechanics have spoken."""
    hooks: dict[str, list[str]] = field(default_factory=dict)
    """Hook name -> lines of code that other mechanics want at that place."""
    deeds: list[Deed] = field(default_factory=list)
    finders: list[Finder] = field(default_factory=list)
    forbidden: list[Forbidden] = field(default_factory=list)
    asks_before: tuple[str, ...] = ()
    """Tools that a policy lets the agent call only after the person has agreed or confirmed something; some of them may
    not be there, because an optional mechanic brings them."""

    def noun(self, role: str) -> Noun:
        """The noun that plays a role.

        Raises:
            KeyError: the theme does not declare it.
        """
        return self.nouns[role]

    def entity(self, spec: EntitySpec) -> None:
        """Add an entity; its key attribute is added by itself."""
        self.entities[spec.noun.many] = spec

    def rule(self, id: str, kind: RuleKind, text: str, predicate: str | None = None, by: tuple[str, ...] = ()) -> None:
        """Add a rule and the tools that enforce it."""
        self.rules.append(Rule(id=id, kind=kind, text=text, predicate=predicate))
        self.enforced_by[id] = by

    def hook(self, name: str, *lines: str) -> None:
        """Ask for lines of code at a place of another mechanic's method, such as "appointments.book"."""
        self.hooks.setdefault(name, []).extend(lines)

    def alias(self, name: str, values: tuple[str, ...]) -> str:
        """Declare a Literal type under a name; the name comes back for use in templates."""
        self.aliases[name] = values
        return name
