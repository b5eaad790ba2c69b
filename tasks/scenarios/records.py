"""Whether a state can be the beginning or the end of a scenario. Nothing is executed here."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from schemas.logic_models import Entity, LogicModel
from tasks.evaluation.states import contradictions
from tasks.scenarios.plain_json import flaw_of


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong with an item of an author: a reason code, and what exactly."""

    reason: str
    detail: str


def state_finding(state: object, logic_model: LogicModel) -> Finding | None:
    """The first thing that is wrong with a state; null when its records fit the logic model.

    Reason codes, in the order of the search: state_not_json, those of `contradictions`, state_empty, id_pattern.
    """
    if not isinstance(state, Mapping):
        return Finding("state_not_json", "The state is not a JSON object.")
    if (flaw := flaw_of(state)) is not None:
        return Finding("state_not_json", f"The state is not plain JSON: {flaw}.")
    for wrong in contradictions(logic_model, state):
        return Finding(wrong.reason, f"{wrong.text}.")
    if count_records(state, logic_model) == 0:
        return Finding("state_empty", "The state has no record in any collection.")
    return _id_finding(state, logic_model)


def count_records(state: Mapping[str, Any], logic_model: LogicModel) -> int:
    """Records in all collections; a collection that is missing or no object counts as empty."""
    collections = (state.get(entity.collection) for entity in logic_model.entities)
    return sum(len(each) for each in collections if isinstance(each, Mapping))


def id_pattern(entity: Entity) -> re.Pattern[str]:
    """Ids of an entity: its prefix, a hyphen, at least four digits."""
    return re.compile(rf"{re.escape(entity.id_prefix)}-[0-9]{{4,}}")


def _id_finding(state: Mapping[str, Any], logic_model: LogicModel) -> Finding | None:
    for entity in logic_model.entities:
        pattern = id_pattern(entity)
        for key in state[entity.collection]:
            if not pattern.fullmatch(key):
                return Finding("id_pattern", f"{entity.collection}[{key}]: ids look like {entity.id_prefix}-0001.")
    return None
