"""Whether a drafted scenario is well formed: everything that can be said without executing it."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from schemas.logic_models import LogicModel
from schemas.scenarios import Binding, ReferenceStep, ScenarioDraft
from schemas.skeletons import Tool
from tasks.proof.trials import WITHOUT_CHANGE
from tasks.runtime.arguments import problem_with
from tasks.runtime.environment import parameters_of
from tasks.scenarios.records import Finding, id_pattern
from tasks.scenarios.said import Meaning, TaskText

MOST_CALLS = 15
"""A longer reference is several tasks in one: its prefixes and mutants are too many to prove, and for a person to read.

The lower bound is one call. A scenario with a change has two at least, as the change must be bound to a look-up.
"""


class DraftRules:
    """The rules for drafts on one initial state."""

    def __init__(self, logic_model: LogicModel, tools: tuple[Tool, ...], state: Mapping[str, Any]) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self._schemas = parameters_of(tools)
        self._now = str(state.get("now", ""))
        ids = "|".join(id_pattern(entity).pattern for entity in logic_model.entities)
        self._id = re.compile(rf"(?<![\w-])(?:{ids})" if ids else "(?!)", re.IGNORECASE)

    def is_write(self, step: ReferenceStep) -> bool:
        """Whether the tool of a step changes the state."""
        return self._tools[step.tool].kind == "state_change"

    def trimmed(self, reference: tuple[ReferenceStep, ...]) -> tuple[ReferenceStep, ...]:
        """The reference without the reads that nothing binds to; the bindings count the steps that are left."""
        needed: set[int] = set()
        for number in range(len(reference) - 1, -1, -1):
            if number in needed or self.is_write(reference[number]):
                needed |= {number, *(binding.step for binding in reference[number].bindings.values())}
        place = {old: new for new, old in enumerate(sorted(needed))}
        return tuple(_renumbered(reference[number], place) for number in sorted(needed))

    def shape_finding(self, draft: ScenarioDraft) -> Finding | None:
        """What makes the draft unreadable, before it is trimmed.

        Reason codes: task_empty, final_message_empty, unknown_tool, argument_twice, binding_not_backwards.
        """
        if not draft.task.strip():
            return Finding("task_empty", "The task has no text.")
        if not draft.final_message.strip():
            return Finding("final_message_empty", "The reference solution says nothing at its end.")
        for number, step in enumerate(draft.reference):
            if step.tool not in self._tools:
                return Finding("unknown_tool", f'Step {number} calls "{step.tool}", which is no tool of the skeleton.')
            if twice := sorted(set(step.literals) & set(step.bindings)):
                return Finding("argument_twice", f'Step {number} gives "{twice[0]}" as a literal and as a binding.')
            late = [name for name, binding in step.bindings.items() if binding.step >= number]
            if late:
                return Finding("binding_not_backwards", f'Step {number} binds "{late[0]}" to no earlier step.')
        return None

    def finding(self, task: str, reference: tuple[ReferenceStep, ...], *, kind: str) -> Finding | None:
        """What is wrong with a trimmed reference or its task; null when nothing is.

        Reason codes: reference_too_short, reference_too_long, no_write, write_not_asked_for, no_lookup_before_write,
        write_not_bound, argument_invalid, id_leaked, id_in_literal, value_not_in_task.
        """
        return next(self._findings(task, reference, kind), None)

    def _findings(self, task: str, reference: tuple[ReferenceStep, ...], kind: str) -> Iterator[Finding]:
        if len(reference) > MOST_CALLS:
            counted = f"{len(reference)} calls without the unused reads"
            yield Finding("reference_too_long", f"{counted}; more than {MOST_CALLS} are several tasks in one.")
        if kind in WITHOUT_CHANGE:
            yield from self._findings_without_change(reference, kind)
        else:
            yield from self._structure_findings(reference)
        for number, step in enumerate(reference):
            if wrong := self._argument_fault(step):
                yield Finding("argument_invalid", f"Step {number}, {step.tool}: {wrong}")
        if leaked := self._id.search(task):
            yield Finding("id_leaked", f'The task names the id "{leaked[0]}".')
        yield from self._value_findings(task, reference)

    def _findings_without_change(self, reference: tuple[ReferenceStep, ...], kind: str) -> Iterator[Finding]:
        """A refusal and a question have nothing but look-ups."""
        write = next((step.tool for step in reference if self.is_write(step)), None)
        if write is not None:
            yield Finding("write_not_asked_for", f"The scenario is a {kind}, and its reference calls {write}.")
        if not reference:
            yield Finding("reference_too_short", "No call at all; what is answered has to be looked up.")

    def _structure_findings(self, reference: tuple[ReferenceStep, ...]) -> Iterator[Finding]:
        writes = [number for number, step in enumerate(reference) if self.is_write(step)]
        if not writes:
            yield Finding("no_write", "No step changes the state.")
        if writes and writes[0] == 0:
            yield Finding("no_lookup_before_write", f"The first step, {reference[0].tool}, already changes the state.")
        if writes and not any(reference[number].bindings for number in writes):
            yield Finding("write_not_bound", "No argument of a state-changing call comes from an earlier result.")

    def _argument_fault(self, step: ReferenceStep) -> str | None:
        schema = self._schemas[step.tool]
        unknown = [name for name in step.bindings if name not in schema.get("properties", {})]
        if unknown:
            return f"{unknown[0]!r} is no argument of it."
        # What a bound argument holds is known only when the reference is played.
        required = [name for name in schema.get("required", []) if name not in step.bindings]
        return problem_with(step.literals, {**schema, "required": required})

    def _value_findings(self, task: str, reference: tuple[ReferenceStep, ...]) -> Iterator[Finding]:
        text = TaskText(task, self._now)
        for number, step in enumerate(reference):
            for name, value in step.literals.items():
                if (known := next((each for each in _texts(value) if self._id.fullmatch(each)), None)) is not None:
                    yield Finding("id_in_literal", f'Step {number} gives "{known}" for "{name}" without looking it up.')
                if self.is_write(step) and (unsaid := text.unsaid(value, self._meaning(step.tool, name))) is not None:
                    yield Finding(
                        "value_not_in_task", f"Step {number} writes {name} = {unsaid!r}, which is never said."
                    )

    def _meaning(self, tool: str, name: str) -> Meaning:
        schema = self._schemas[tool].get("properties", {}).get(name, {})
        return Meaning(name, str(schema.get("description", "")), is_enum='"enum"' in json.dumps(schema))


def _renumbered(step: ReferenceStep, place: Mapping[int, int]) -> ReferenceStep:
    bindings = {name: Binding(step=place[each.step], path=each.path) for name, each in step.bindings.items()}
    return step.model_copy(update={"bindings": bindings})


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list | tuple):
        for each in value:
            yield from _texts(each)
