"""Changes that nobody asked for: what could be written besides the reference, or instead of refusing."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import Any

from schemas.logic_models import Entity, LogicModel
from schemas.scenarios import ReferenceStep
from schemas.skeletons import Tool
from tasks.proof.neighbours import entity_holding
from tasks.runtime.arguments import Schema, problem_with
from tasks.runtime.changes import State
from tasks.runtime.environment import parameters_of
from tasks.runtime.episode import PlayedCall

_RECORDS_PER_TOOL = 3


@dataclass(frozen=True, slots=True)
class Toolbox:
    """The tools of an environment, and what is known of their arguments."""

    logic_model: LogicModel
    tools: tuple[Tool, ...]
    schemas: Mapping[str, Schema]

    def named(self, kind: str) -> list[str]:
        """Names of the tools that are a "query" or a "state_change", sorted: trials are drawn from them."""
        return sorted(each.name for each in self.tools if each.kind == kind)

    def schema_of(self, tool: str, argument: str) -> Schema:
        """The schema of one argument; empty where there is none."""
        schema: Schema = self.schemas.get(tool, {}).get("properties", {}).get(argument, {})
        return schema

    def target_of(self, tool: str, argument: str) -> Entity | None:
        """The entity whose id an argument takes; null when it takes none."""
        operation = next((each for each in self.logic_model.operations if each.name == tool), None)
        parameters = operation.parameters if operation else ()
        to = next((each.to for each in parameters if each.name == argument), None)
        by_name = (
            each for each in self.logic_model.entities if argument == each.key or argument.endswith(f"_{each.key}")
        )
        return (self.logic_model.entity_of(to) if to else None) or next(by_name, None)


def toolbox_of(logic_model: LogicModel, tools: Iterable[Tool]) -> Toolbox:
    """The toolbox of an environment, from its rows."""
    known = tuple(tools)
    return Toolbox(logic_model, known, parameters_of(known))


def concerned_ids(logic_model: LogicModel, state: State, calls: Sequence[PlayedCall]) -> list[str]:
    """Ids of the records that the calls were about, first come first, then of those that their results show."""
    ids: dict[str, None] = {}
    for call in calls:
        ids |= dict.fromkeys(v for v in call.arguments.values() if entity_holding(logic_model, state, v))
    for call in calls:
        rows = call.result.get("data")
        for row in rows[:3] if isinstance(rows, list) else [rows]:
            values = row.values() if isinstance(row, Mapping) else ()
            ids |= dict.fromkeys(v for v in values if entity_holding(logic_model, state, v))
    return list(ids)


def filled_calls(
    toolbox: Toolbox, tool: str, state: State, preferred: Sequence[str], rng: Random
) -> Iterator[ReferenceStep]:
    """Calls of a tool with arguments that fit its schema: the required ones, records from the state.

    Args:
        toolbox: Knows the schema.
        tool: The tool.
        state: Has the records.
        preferred: Ids that are tried before others.
        rng: Chooses among the others.
    """
    schema = toolbox.schemas[tool]
    required: Sequence[str] = schema.get("required", ())
    choices: dict[str, list[Any]] = {}
    for name in required:
        target = toolbox.target_of(tool, name)
        if target is not None:
            records = state.get(target.collection, {})
            known = [each for each in preferred if each in records]
            rest = sorted(each for each in records if each not in known)
            choices[name] = [*known, *rng.sample(rest, min(len(rest), _RECORDS_PER_TOOL))]
        else:
            choices[name] = list(_plain_values(name, schema["properties"][name], state))
        if not choices[name]:
            return
    rounds = min(_RECORDS_PER_TOOL, max((len(each) for each in choices.values()), default=1))
    for number in range(rounds):
        literals = {name: values[number % len(values)] for name, values in choices.items()}
        if problem_with(literals, schema) is None:
            yield ReferenceStep(tool=tool, literals=literals)


def _plain_values(name: str, schema: Schema, state: State) -> Iterator[Any]:
    for option in schema.get("anyOf", [schema]):
        if "enum" in option:
            yield from (each for each in option["enum"] if each is not None)
        kind = option.get("type")
        if kind == "boolean":
            yield from (True, False)
        elif kind == "integer":
            yield from (1, 2, 10)
        elif kind == "number":
            yield from (1.0, 2.5)
        elif kind == "array":
            items = option.get("items", {})
            yield from ([each] for each in _plain_values(name, items, state))
        elif kind == "string" and "enum" not in option:
            yield from _texts(name, state)


def _texts(name: str, state: State) -> Iterator[str]:
    now = str(state.get("now", ""))
    try:
        moment = datetime.fromisoformat(now)
    except ValueError:
        moment = datetime(2025, 1, 6, 9, 0)
    later = (moment + timedelta(days=9)).replace(hour=10, minute=0, second=0)
    if "email" in name:
        yield "somebody.else@example.org"
    elif "phone" in name:
        yield "+4915550987"
    elif name.endswith(("_at", "start", "end")) or "time" in name:
        yield from (later.isoformat(timespec="minutes"), later.date().isoformat())
    elif name.endswith(("_on", "day", "date", "until", "from")):
        yield from (later.date().isoformat(), later.isoformat(timespec="minutes"))
    else:
        yield from ("Something else", later.date().isoformat(), later.isoformat(timespec="minutes"))
