"""Mistakes that are made on purpose, at known rates, and remembered, so that a test can compare.

Whether a reply gets a fault follows from the request alone: the same request gets the same reply, in any order and in
any process.
"""

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any, Literal

from pydantic import BaseModel

from schemas.ids import seed_for
from schemas.scenarios import Binding, CheckDraft, ScenarioDraft
from tasks.authors.base import (
    CodeDraft,
    DraftCode,
    DraftScenarios,
    Question,
    RepairCode,
    RepairScenario,
    ScenariosDraft,
)
from tests.fakes.model_server.bugs import BUG_KINDS, BugKind, with_bug

ScenarioFault = Literal["wrong_expectation", "unsolvable_task", "true_at_start"]
FaultKind = BugKind | ScenarioFault
_NOWHERE = 404
"""A place in a list that no list is long enough for."""


@dataclass(frozen=True)
class FaultRates:
    """Chances, 0 to 1. Those of scenarios are for each scenario, and add up to at most 1."""

    code: float = 0.0
    """A bug in a class; each kind of bug is as likely as the others."""
    repaired_code: float = 0.0
    """A bug in a class that was asked for again."""
    wrong_expectation: float = 0.0
    """A check that is false of the solution."""
    unsolvable_task: float = 0.0
    """A solution that uses a record which is not there."""
    true_at_start: float = 0.0
    """A check that nothing has to be done for."""
    repaired_scenario: float = 0.0
    """Any of these in a scenario that was asked for again."""

    @classmethod
    def everywhere(cls, rate: float) -> "FaultRates":
        """This share of all classes and of all scenarios, and half of it in what was asked for again."""
        each = rate / 3
        return cls(rate, rate / 2, each, each, each, rate / 2)


@dataclass(frozen=True)
class Fault:
    """One fault that was put into a reply."""

    kind: FaultKind
    subject: str
    """What the question was about."""
    is_repair: bool
    """It is in a reply to a repair."""
    detail: str
    """Where it is."""


@dataclass(frozen=True)
class Spoiled:
    """A reply, with what is wrong with it."""

    reply: BaseModel
    faults: tuple[Fault, ...]


def spoiled(question: Question[Any], reply: BaseModel, rates: FaultRates, conversation: Any) -> Spoiled:
    """The reply with the faults that this request gets.

    Args:
        question: What was asked.
        reply: A good answer.
        rates: How likely each fault is.
        conversation: All that was said, as JSON; decides together with the rates.
    """
    rng = Random(seed_for("fault", conversation))
    if isinstance(question, DraftCode | RepairCode) and isinstance(reply, CodeDraft):
        is_repair = isinstance(question, RepairCode)
        if rng.random() >= (rates.repaired_code if is_repair else rates.code):
            return Spoiled(reply, ())
        bug = with_bug(reply.code, question.logic_model.class_name, rng.choice(BUG_KINDS), rng)
        if bug is None:
            return Spoiled(reply, ())
        return Spoiled(CodeDraft(code=bug.code), (Fault(bug.kind, question.subject, is_repair, bug.where),))
    if isinstance(question, DraftScenarios | RepairScenario) and isinstance(reply, ScenariosDraft):
        return _spoiled_scenarios(question, reply, rates, rng)
    return Spoiled(reply, ())


def _spoiled_scenarios(
    question: DraftScenarios | RepairScenario, reply: ScenariosDraft, rates: FaultRates, rng: Random
) -> Spoiled:
    is_repair = isinstance(question, RepairScenario)
    drafts: list[ScenarioDraft] = []
    faults: list[Fault] = []
    for draft in reply.scenarios:
        kind = _drawn(rates, rng, is_repair=is_repair)
        drafts.append(draft if kind is None else with_fault(draft, kind, question.state, rng))
        if kind is not None:
            faults.append(Fault(kind, question.subject, is_repair, draft.task))
    return Spoiled(ScenariosDraft(scenarios=tuple(drafts)), tuple(faults))


def _drawn(rates: FaultRates, rng: Random, *, is_repair: bool) -> ScenarioFault | None:
    kinds: tuple[ScenarioFault, ...] = ("wrong_expectation", "unsolvable_task", "true_at_start")
    each = rates.repaired_scenario / len(kinds)
    shares = (each,) * 3 if is_repair else (rates.wrong_expectation, rates.unsolvable_task, rates.true_at_start)
    roll = rng.random()
    for kind, share in zip(kinds, shares, strict=True):
        if roll < share:
            return kind
        roll -= share
    return None


def with_fault(draft: ScenarioDraft, kind: ScenarioFault, state: dict[str, Any], rng: Random) -> ScenarioDraft:
    """The scenario with this fault; its task stays as it is.

    Args:
        draft: A good one.
        kind: What goes wrong.
        state: The state that it is on.
        rng: Draws the place.
    """
    return _SPOILERS[kind](draft, state, rng)


def _expecting_too_much(draft: ScenarioDraft, state: dict[str, Any], rng: Random) -> ScenarioDraft:
    """A collection that nothing is taken from is to be empty in the end."""
    collection = rng.choice([name for name, value in state.items() if _is_collection(value)])
    check = CheckDraft(
        kind="goal",
        text=f"Nothing is left in {collection}.",
        code=f"def check(initial_state, final_state, trajectory) -> bool:\n"
        f"    return len(final_state[{collection!r}]) == 0\n",
    )
    return draft.model_copy(update={"checks": (*draft.checks, check)})


def _without_its_record(draft: ScenarioDraft, state: dict[str, Any], rng: Random) -> ScenarioDraft:
    """The solution takes an element that the list does not have; where it takes none, it calls no tool of the class."""
    places = [
        (number, name)
        for number, step in enumerate(draft.reference)
        for name, binding in step.bindings.items()
        if any(isinstance(part, int) for part in binding.path)
    ]
    if not places:
        first, *rest = draft.reference
        return draft.model_copy(update={"reference": (first.model_copy(update={"tool": "find_nothing"}), *rest)})
    number, name = rng.choice(places)
    step = draft.reference[number]
    binding = step.bindings[name]
    path = tuple(_NOWHERE if isinstance(part, int) else part for part in binding.path)
    lost = step.model_copy(update={"bindings": {**step.bindings, name: Binding(step=binding.step, path=path)}})
    return draft.model_copy(update={"reference": (*draft.reference[:number], lost, *draft.reference[number + 1 :])})


def _asking_for_nothing(draft: ScenarioDraft, state: dict[str, Any], rng: Random) -> ScenarioDraft:
    """All that is asked for is that records are there, which they were before."""
    collection = rng.choice([name for name, value in state.items() if _is_collection(value)])
    check = CheckDraft(
        kind="goal",
        text=f"The {collection} are in order.",
        code=f"def check(initial_state, final_state, trajectory) -> bool:\n"
        f"    return len(final_state[{collection!r}]) >= len(initial_state[{collection!r}])\n",
    )
    return draft.model_copy(update={"checks": (check,)})


_SPOILERS: dict[ScenarioFault, Callable[[ScenarioDraft, dict[str, Any], Random], ScenarioDraft]] = {
    "wrong_expectation": _expecting_too_much,
    "unsolvable_task": _without_its_record,
    "true_at_start": _asking_for_nothing,
}


def _is_collection(value: Any) -> bool:
    """Records by id."""
    return isinstance(value, dict) and bool(value) and all(isinstance(each, dict) for each in value.values())
