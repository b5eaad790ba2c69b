"""Imports beside what a run or a release holds already: nothing is there twice, and no slug names two environments."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from schemas.logic_models import LOGIC_MODELS
from schemas.row import Row, Table
from schemas.scenarios import CHECKS, INITIAL_STATES, SCENARIO_VALIDATIONS, SCENARIOS, InitialState, Scenario
from schemas.skeletons import SKELETON_VALIDATIONS, SKELETONS, TOOL_TESTS, TOOLS, Skeleton
from schemas.topics import TOPICS, Topic
from tasks.imports.judging import AUTHOR, renamed
from tasks.imports.outcome import ImportOutcome, ScenarioFate

Batch = dict[str, tuple[Row, ...]]
"""Table name -> rows."""
_SUFFIX = "-import"


@dataclass
class Merged:
    """A batch that imports have joined."""

    rows: Batch
    outcomes: list[ImportOutcome] = field(default_factory=list)
    """As they were merged: what was there before is a duplicate, and slugs may have changed."""


def without_imports(rows: Mapping[str, tuple[Row, ...]]) -> Batch:
    """A batch without what earlier imports have brought. Rows that hang on a removed one go with it."""
    skeletons = {
        each.skeleton_id
        for each in rows.get(SKELETONS.name, ())
        if isinstance(each, Skeleton) and each.author == AUTHOR
    }
    scenarios = {
        each.scenario_id
        for each in rows.get(SCENARIOS.name, ())
        if isinstance(each, Scenario) and (each.author == AUTHOR or each.skeleton_id in skeletons)
    }
    gone: dict[str, set[str]] = {"skeleton_id": skeletons, "scenario_id": scenarios}
    kept: Batch = {}
    for name, table in rows.items():
        kept[name] = tuple(
            row
            for row in table
            if getattr(row, "author", None) != AUTHOR
            and not any(getattr(row, column, None) in ids for column, ids in gone.items())
        )
    return kept


def merged(rows: Mapping[str, tuple[Row, ...]], outcomes: Iterable[ImportOutcome]) -> Merged:
    """The batch with the outcomes in it, in their order."""
    made = Merged(dict(rows))
    for outcome in outcomes:
        _merge(made, outcome)
    return made


def _merge(made: Merged, outcome: ImportOutcome) -> None:
    skeletons = {each.skeleton_id: each for each in made.rows.get(SKELETONS.name, ()) if isinstance(each, Skeleton)}
    known = skeletons.get(outcome.skeleton.skeleton_id)
    if known is not None:
        _merge_into(made, outcome, known)
        return
    taken = {each.slug for each in skeletons.values() if each.status == "accepted"}
    taken |= {each.slug for each in made.rows.get(TOPICS.name, ()) if isinstance(each, Topic)}
    if outcome.slug in taken:
        outcome = renamed(outcome, _free(outcome.slug, taken))
    for table, new in _rows_of(outcome):
        _add(made.rows, table, new)
    made.outcomes.append(outcome)


def _merge_into(made: Merged, outcome: ImportOutcome, known: Skeleton) -> None:
    """The environment is there already; its scenarios may be new."""
    there = {each.scenario_id for each in made.rows.get(SCENARIOS.name, ()) if isinstance(each, Scenario)}
    states = {
        each.initial_state_id for each in made.rows.get(INITIAL_STATES.name, ()) if isinstance(each, InitialState)
    }
    new = {each.scenario_id for each in outcome.scenarios} - there
    fates = tuple(_again(fate) if fate.scenario_id in there else fate for fate in outcome.fates)
    if known.status == "accepted":
        used = {each.initial_state_id for each in outcome.scenarios if each.scenario_id in new}
        _add(
            made.rows, INITIAL_STATES, [row for row in outcome.initial_states if row.initial_state_id in used - states]
        )
        _add(made.rows, SCENARIOS, [row for row in outcome.scenarios if row.scenario_id in new])
        _add(made.rows, CHECKS, [row for row in outcome.checks if row.scenario_id in new])
        _add(made.rows, SCENARIO_VALIDATIONS, [row for row in outcome.scenario_validations if row.scenario_id in new])
    detail = f"the environment {known.slug} has the same content"
    made.outcomes.append(
        replace(outcome, slug=known.slug, status="duplicate", reason="same_environment", detail=detail, fates=fates)
    )


def _again(fate: ScenarioFate) -> ScenarioFate:
    return replace(fate, status="duplicate", reason="same_scenario", detail="a scenario with the same content is there")


def _rows_of(outcome: ImportOutcome) -> list[tuple[Table, list[Row]]]:
    return [
        (TOPICS, [outcome.topic]),
        (LOGIC_MODELS, [outcome.logic_model]),
        (SKELETONS, [outcome.skeleton]),
        (TOOLS, [*outcome.tools]),
        (TOOL_TESTS, [*outcome.tool_tests]),
        (SKELETON_VALIDATIONS, [outcome.skeleton_validation]),
        (INITIAL_STATES, [*outcome.initial_states]),
        (SCENARIOS, [*outcome.scenarios]),
        (CHECKS, [*outcome.checks]),
        (SCENARIO_VALIDATIONS, [*outcome.scenario_validations]),
    ]


def _add(rows: Batch, table: Table, new: Iterable[Row]) -> None:
    """Append what is not there: a topic or a logic model may be shared by several environments."""
    there = {_key(table, row) for row in rows.get(table.name, ())}
    rows[table.name] = (*rows.get(table.name, ()), *(row for row in new if _key(table, row) not in there))


def _key(table: Table, row: Row) -> tuple[Any, ...]:
    return tuple(getattr(row, column) for column in table.key)


def _free(slug: str, taken: set[str]) -> str:
    wanted, number = f"{slug}{_SUFFIX}", 2
    while wanted in taken:
        wanted, number = f"{slug}{_SUFFIX}-{number}", number + 1
    return wanted
