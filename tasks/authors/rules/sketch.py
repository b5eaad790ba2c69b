"""A scenario in the making: a plan, and what its kind adds to the goals that were carried out."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any

from schemas.logic_models import LogicModel, Operation
from schemas.scenarios import CheckDraft
from tasks.authors.rules.answers import Fact
from tasks.authors.rules.plan import Plan
from tasks.authors.rules.spec import Deed, Draft, Pick, Record, Value


@dataclass(frozen=True)
class Known:
    """What the author knows of an environment that it has written, as far as its scenarios need it."""

    draft: Draft
    logic_model: LogicModel
    length: int = 6
    """Calls that a reference should have."""

    def query(self, tool: str) -> Operation:
        """The operation of a look-up tool.

        Raises:
            KeyError: there is no such tool.
        """
        for each in self.logic_model.operations:
            if each.name == tool:
                return each
        raise KeyError(tool)


@dataclass
class Sketch:
    """A plan with what its kind adds. `asks` and `final` stay empty where the goals of the plan say it all."""

    plan: Plan
    facts: list[Fact] = field(default_factory=list)
    """What the task asks to be told at the end."""
    checks: list[CheckDraft] = field(default_factory=list)
    """Beside goals and facts."""
    asks: list[str] = field(default_factory=list)
    vague: list[str] = field(default_factory=list)
    knows: list[str] = field(default_factory=list)
    final: str = ""


Special = Callable[[Known, Plan, Random], Sketch | None]
"""Adds what a kind is about to a plan. Null when the state offers no occasion; the plan is then thrown away."""


def open_deeds(draft: Draft, plan: Plan) -> list[Deed]:
    """The deeds that a task may ask for and that the plan has not asked for yet."""
    told = {each.deed.tool for each in plan.done}
    return [deed for deed in draft.deeds if deed.in_tasks and not deed.follows and deed.tool not in told]


def shuffled(rng: Random, items: list[Any]) -> list[Any]:
    """A copy in random order."""
    return rng.sample(items, len(items))


def single_pick(deed: Deed) -> Pick | None:
    """The record that a deed is about, where it is about one only and takes nothing else but values."""
    picks = [slot for slot in deed.slots if isinstance(slot, Pick)]
    others = [slot for slot in deed.slots if not isinstance(slot, Pick | Value)]
    return picks[0] if len(picks) == 1 and not others and deed.slots[0] is picks[0] else None


def untouched(plan: Plan, collection: str) -> Iterator[tuple[str, Record]]:
    """The records that the plan has not changed."""
    for key, record in plan.state[collection].items():
        if not plan.is_touched(key):
            yield key, record
