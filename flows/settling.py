"""What becomes of a scenario beside all else: it may come too close to a hold-out, or say what a better one says.

Like a person's verdict, that is added after an item is made and never to what is kept of it: without the other, a later
run gives it back as it was.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from schemas.row import Row, Status
from schemas.scenarios import SCENARIO_VALIDATIONS, SCENARIOS, Scenario, ScenarioValidation
from tasks.imports.merging import Batch, Merged
from tasks.imports.outcome import ImportOutcome
from tasks.scenarios.generate import ScenarioOutcome
from tasks.scenarios.similar import REASON as SIMILAR
from tasks.scenarios.similar import Similar, find_similar, kills_of
from tasks.topics.holdout import REASON as TOO_CLOSE


@dataclass(frozen=True, slots=True)
class Fate:
    """What becomes of an accepted scenario."""

    status: Status
    reason: str
    detail: str


Fates = Mapping[str, Fate]
"""Id of a scenario -> what becomes of it; those that stay accepted are missing."""


def held_out_fates(too_close: Mapping[str, str]) -> Fates:
    """What becomes of scenarios that come too close to a hold-out: id -> how close."""
    return {scenario_id: Fate("rejected", TOO_CLOSE, detail) for scenario_id, detail in too_close.items()}


def similar_in(outcomes: Iterable[ScenarioOutcome]) -> Fates:
    """What becomes of the near-duplicates among the scenarios of a run, within a skeleton and across them."""
    outcomes = list(outcomes)
    trials = [trial for outcome in outcomes for trial in outcome.scenario_validations]
    return _fates(find_similar([row for outcome in outcomes for row in outcome.scenarios], kills_of(trials)))


def settle(outcome: ScenarioOutcome, fates: Fates) -> ScenarioOutcome:
    """The outcome of a skeleton with what becomes of its scenarios."""
    return replace(outcome, scenarios=tuple(_settled(row, fates) for row in outcome.scenarios))


def reopen_rows(rows: Batch) -> Batch:
    """The rows of a release with every near-duplicate accepted again: what it was like may be gone."""
    return {**rows, SCENARIOS.name: tuple(_given_back(row) for row in _scenarios(rows))}


def settle_rows(rows: Batch) -> Batch:
    """The rows of a release, to be published again, without near-duplicates."""
    fates = _fates(find_similar(_scenarios(rows), kills_of(_trials(rows))))
    return {**rows, SCENARIOS.name: tuple(_settled(row, fates) for row in _scenarios(rows))}


def similar_imports(joined: Merged) -> Fates:
    """What becomes of the near-duplicates among imported scenarios. Those that they have joined stay as they are."""
    own = _own(joined)
    others = [row for row in _scenarios(joined.rows) if row.scenario_id not in own]
    return _fates(find_similar(imported(joined), kills_of(_trials(joined.rows)), standing=others))


def imported(joined: Merged) -> tuple[Scenario, ...]:
    """The accepted scenarios that imports have brought to a batch."""
    own = _own(joined)
    return tuple(row for row in _scenarios(joined.rows) if row.scenario_id in own)


def settle_imports(joined: Merged, fates: Fates) -> Merged:
    """A batch that imports have joined, with what becomes of theirs; the books say what the rows say."""
    rows = tuple(_settled(row, fates) for row in _scenarios(joined.rows))
    return Merged({**joined.rows, SCENARIOS.name: rows}, [_import(outcome, fates) for outcome in joined.outcomes])


def _fates(found: Sequence[Similar]) -> Fates:
    return {each.scenario_id: Fate("duplicate", SIMILAR, each.detail) for each in found}


def _settled(row: Scenario, fates: Fates) -> Scenario:
    fate = fates.get(row.scenario_id)
    return row.model_copy(update=_columns(fate)) if fate is not None and row.status == "accepted" else row


def _given_back(row: Scenario) -> Scenario:
    again: dict[str, Any] = {"status": "accepted", "reason": None, "detail": None}
    return row.model_copy(update=again) if row.reason == SIMILAR else row


def _import(outcome: ImportOutcome, fates: Fates) -> ImportOutcome:
    settled = []
    for told in outcome.fates:
        fate = fates.get(told.scenario_id or "") if told.status == "accepted" else None
        settled.append(replace(told, **_columns(fate)) if fate else told)
    return replace(outcome, fates=tuple(settled))


def _columns(fate: Fate) -> dict[str, Any]:
    return {"status": fate.status, "reason": fate.reason, "detail": fate.detail}


def _own(joined: Merged) -> frozenset[str]:
    """Ids of the accepted scenarios that imports have brought; one that was there already is a duplicate in them."""
    return frozenset(
        fate.scenario_id
        for outcome in joined.outcomes
        for fate in outcome.fates
        if fate.status == "accepted" and fate.scenario_id is not None
    )


def _scenarios(rows: Mapping[str, tuple[Row, ...]]) -> tuple[Scenario, ...]:
    return tuple(row for row in rows.get(SCENARIOS.name, ()) if isinstance(row, Scenario))


def _trials(rows: Mapping[str, tuple[Row, ...]]) -> list[ScenarioValidation]:
    return [row for row in rows.get(SCENARIO_VALIDATIONS.name, ()) if isinstance(row, ScenarioValidation)]
