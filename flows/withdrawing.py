"""What a person rejected is published as rejected, whatever the evaluation says, and whoever made it when.

That is added after an item is made and never to what is kept of it: a second thought gives the item back as it was.
"""

from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from schemas.reviews import REJECTED_BY_PERSON
from schemas.row import Row
from schemas.scenarios import SCENARIOS, Scenario
from schemas.skeletons import SKELETONS, Skeleton
from tasks.imports.merging import Batch, Merged
from tasks.imports.outcome import ImportOutcome, ScenarioFate
from tasks.scenarios.generate import ScenarioOutcome
from tasks.skeletons.outcome import SkeletonOutcome
from warehouse.query import query

_STANDING = """
select item_id, string_agg(note, '; ' order by "at", review_id) as note
from raw.standing_reviews
where verdict = 'rejected'
group by item_id
order by item_id
"""


def rejections(home: Path) -> dict[str, str]:
    """Id of each item that somebody rejects -> why. Of each person the last verdict counts; one rejection is enough."""
    return {row["item_id"]: row["note"] for row in query(home, _STANDING).to_pylist()}


def withdraw_skeleton(outcome: SkeletonOutcome, rejected: Mapping[str, str]) -> SkeletonOutcome:
    """The outcome of a topic without the environment that a person rejected. A version with another id is another one.

    Args:
        outcome: Of this run, or kept from an earlier one.
        rejected: See `rejections`.
    """
    rows = tuple(_skeleton(row, rejected) for row in outcome.skeletons)
    withdrawn = next((row for row in rows if row.reason == REJECTED_BY_PERSON), None)
    return replace(outcome, skeletons=rows, **_fate(withdrawn.detail)) if withdrawn else outcome


def withdraw_scenarios(outcome: ScenarioOutcome, skeleton: Skeleton, rejected: Mapping[str, str]) -> ScenarioOutcome:
    """The outcome of a skeleton without the scenarios that a person rejected, or without any where it is rejected.

    Args:
        outcome: Of this run, or kept from an earlier one.
        skeleton: As this run publishes it: rejected since then, it goes with all its scenarios from the next release.
        rejected: See `rejections`.
    """
    return replace(outcome, scenarios=tuple(_scenario(row, skeleton, rejected) for row in outcome.scenarios))


def withdraw_rows(rows: Batch, rejected: Mapping[str, str]) -> Batch:
    """The rows of a release, to be published again as they are, by what people say now.

    What was withdrawn, and nobody rejects any more, is accepted again.
    """
    before = {name: tuple(_given_back(row) for row in rows.get(name, ())) for name in (SKELETONS.name, SCENARIOS.name)}
    return _withdrawn({**rows, **before}, rejected, None)


def withdraw_imports(joined: Merged, rejected: Mapping[str, str]) -> Merged:
    """Imports that have joined the rows of a run, without those that a person rejected. Other rows stay as they are."""
    brought = {each.skeleton.skeleton_id for each in joined.outcomes if each.status != "duplicate"}
    brought |= {row.scenario_id for each in joined.outcomes for row in each.scenarios}
    rows = _withdrawn(joined.rows, rejected, brought)
    skeletons = _skeletons(rows)
    scenarios = {row.scenario_id: row for row in rows.get(SCENARIOS.name, ()) if isinstance(row, Scenario)}
    outcomes = [_import(each, skeletons[each.skeleton.skeleton_id], scenarios) for each in joined.outcomes]
    return Merged(rows, outcomes)


def _withdrawn(rows: Batch, rejected: Mapping[str, str], among: Collection[str] | None) -> Batch:
    """The batch with people's verdicts on the items of these ids; null for all."""
    skeletons = tuple(
        _skeleton(row, rejected) if isinstance(row, Skeleton) and (among is None or row.skeleton_id in among) else row
        for row in rows.get(SKELETONS.name, ())
    )
    judged = {**rows, SKELETONS.name: skeletons}
    by_id = _skeletons(judged)
    scenarios = tuple(
        _scenario(row, by_id.get(row.skeleton_id), rejected)
        if isinstance(row, Scenario) and (among is None or row.scenario_id in among)
        else row
        for row in rows.get(SCENARIOS.name, ())
    )
    return {**judged, SCENARIOS.name: scenarios}


def _skeletons(rows: Batch) -> dict[str, Skeleton]:
    return {row.skeleton_id: row for row in rows.get(SKELETONS.name, ()) if isinstance(row, Skeleton)}


def _import(outcome: ImportOutcome, skeleton: Skeleton, scenarios: Mapping[str, Scenario]) -> ImportOutcome:
    """The books say what the rows say; of a scenario that no row was made of, what its environment says."""
    fates: list[ScenarioFate] = []
    for fate in outcome.fates:
        row = scenarios.get(fate.scenario_id or "", skeleton)
        is_withdrawn = fate.status == "accepted" and row.reason == REJECTED_BY_PERSON
        fates.append(replace(fate, **_fate(row.detail)) if is_withdrawn else fate)
    is_withdrawn = outcome.status == "accepted" and skeleton.reason == REJECTED_BY_PERSON
    fate_of_it = _fate(skeleton.detail) if is_withdrawn else {}
    return replace(outcome, fates=tuple(fates), **fate_of_it)


def _skeleton(row: Skeleton, rejected: Mapping[str, str]) -> Skeleton:
    if row.status != "accepted" or row.skeleton_id not in rejected:
        return row
    return row.model_copy(update=_fate(rejected[row.skeleton_id]))


def _scenario(row: Scenario, skeleton: Skeleton | None, rejected: Mapping[str, str]) -> Scenario:
    if row.status != "accepted":
        return row
    if row.scenario_id in rejected:
        return row.model_copy(update=_fate(rejected[row.scenario_id]))
    if skeleton is not None and skeleton.reason == REJECTED_BY_PERSON:
        return row.model_copy(update=_fate(f"its environment was rejected: {skeleton.detail}"))
    return row


def _given_back(row: Row) -> Row:
    is_withdrawn = isinstance(row, Skeleton | Scenario) and row.reason == REJECTED_BY_PERSON
    return row.model_copy(update={"status": "accepted", "reason": None, "detail": None}) if is_withdrawn else row


def _fate(note: str | None) -> dict[str, Any]:
    return {"status": "rejected", "reason": REJECTED_BY_PERSON, "detail": note}
