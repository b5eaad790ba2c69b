"""Near-duplicates among scenarios: tasks in nearly the same words that write to the same fields. The better one stays.

How alike two tasks are is the cosine of their counts of character 3-grams, blanks and capitals left aside. It depends
on the two texts alone, so that a pair is one in every run. Names, dates and numbers count like all else: two tasks that
differ in nothing but them are near-duplicates once all else makes up nine tenths of them. (Seed tasks are compared
otherwise, in `tasks.topics.duplicates`: by the share of common 5-grams, which can be hashed, so that it does for
hundreds of thousands of texts, and is stricter at the same number.)
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from sklearn.feature_extraction.text import HashingVectorizer

from schemas.runs import GateResult
from schemas.scenarios import SCENARIOS, Scenario, ScenarioValidation
from warehouse.arrow import SAMPLE_SIZE, from_arrow, read_parquet
from warehouse.store import Warehouse

SIMILAR_TEXT = 0.9
"""Two tasks that are more alike than this, and write to the same fields, are near-duplicates."""
REASON = "similar_scenario"
"""Reason code of the one that does not stay."""
NO_TWO_ALIKE = "no_two_accepted_scenarios_are_near_duplicates"
"""Name of the rule that is gated."""

_BLOCK = 512
"""Texts that are compared with all earlier ones at a time, for the sake of memory."""
_LETTERS = HashingVectorizer(
    analyzer="char", ngram_range=(3, 3), lowercase=False, alternate_sign=False, norm="l2", dtype=np.float64
)


@dataclass(frozen=True, slots=True)
class Similar:
    """A scenario that says what a better one says."""

    scenario_id: str
    kept_id: str
    """Of the better one, which stays."""
    likeness: float
    """More than `SIMILAR_TEXT`, at most 1."""

    @property
    def detail(self) -> str:
        """For a person."""
        return f"{self.likeness:.0%} the same task as {self.kept_id}, and it writes to the same fields"


def find_similar(
    scenarios: Iterable[Scenario], killed: Mapping[str, int], *, standing: Iterable[Scenario] = ()
) -> tuple[Similar, ...]:
    """Every accepted scenario that is a near-duplicate of a better one, by id. No two that are left are.

    Better is the one with more counted mutants that failed, then the longer reference, then more distinct tools, then
    the lower id. One that stays is named, and there is no chain: it is no near-duplicate of a third.

    Args:
        scenarios: In any order; those that are not accepted are left aside.
        killed: Id of a scenario -> counted trials that had to fail and did.
        standing: Others that stay in any case, such as those that are booked already.
    """
    fixed = [each for each in standing if each.status == "accepted"]
    order = sorted((each for each in scenarios if each.status == "accepted"), key=lambda each: _rank(each, killed))
    groups: dict[tuple[str, ...], list[Scenario]] = {}
    for each in [*fixed, *order]:
        groups.setdefault(tuple(each.written_fields), []).append(each)
    stays = {each.scenario_id for each in fixed}
    found = [similar for group in groups.values() for similar in _similar(group, stays)]
    return tuple(sorted(found, key=lambda each: each.scenario_id))


def kills_of(trials: Iterable[ScenarioValidation]) -> dict[str, int]:
    """Id of a scenario -> counted mutants that failed as they had to."""
    killed: dict[str, int] = {}
    for each in trials:
        if each.is_counted and not each.is_expected_to_pass and each.has_passed is False:
            killed[each.scenario_id] = killed.get(each.scenario_id, 0) + 1
    return killed


def gate_similar(store: Warehouse, run_id: str, at: datetime) -> GateResult:
    """Whether a staged batch is free of near-duplicates, compared afresh, whoever made or kept its scenarios."""
    rows = from_arrow(SCENARIOS, read_parquet(store.staged(run_id)[SCENARIOS.name]))
    found = find_similar([each for each in rows if isinstance(each, Scenario)], {})
    named = "; ".join(f"{each.scenario_id}: {each.detail}" for each in found[:SAMPLE_SIZE])
    return GateResult(
        run_id=run_id,
        table_name=SCENARIOS.name,
        gate="across",
        expectation=NO_TWO_ALIKE,
        has_passed=not found,
        offending_count=len(found),
        detail=f"{len(found)} scenarios say what another one says, such as {named}" if found else None,
        at=at,
    )


def near_pairs(texts: Sequence[str]) -> list[tuple[int, int, float]]:
    """Every pair of texts that are more alike than `SIMILAR_TEXT`: the later, the earlier, and how alike they are."""
    # The blanks around them give even the shortest text a 3-gram, and its ends a meaning.
    vectors = _LETTERS.transform([f" {' '.join(text.casefold().split())} " for text in texts])
    pairs: list[tuple[int, int, float]] = []
    for start in range(0, len(texts), _BLOCK):
        likeness = (vectors[start : start + _BLOCK] @ vectors[: start + _BLOCK].T).toarray()
        for row, column in zip(*np.nonzero(likeness > SIMILAR_TEXT), strict=True):
            if column < start + row:
                pairs.append((int(start + row), int(column), min(1.0, float(likeness[row, column]))))
    return pairs


def _similar(group: Sequence[Scenario], standing: set[str]) -> list[Similar]:
    """Those of a group, best first, that come after one that they are like and that stays."""
    nearest: dict[int, tuple[int, float]] = {}
    for later, earlier, likeness in near_pairs([each.task for each in group]) if len(group) > 1 else ():
        is_gone = earlier in nearest or group[later].scenario_id in standing
        if not is_gone and likeness > nearest.get(later, (0, 0.0))[1]:
            nearest[later] = earlier, likeness
    return [
        Similar(group[later].scenario_id, group[earlier].scenario_id, likeness)
        for later, (earlier, likeness) in nearest.items()
    ]


def _rank(scenario: Scenario, killed: Mapping[str, int]) -> tuple[int, int, int, str]:
    """Lower is better."""
    return (
        -killed.get(scenario.scenario_id, 0),
        -scenario.reference_length,
        -len(scenario.tools_used),
        scenario.scenario_id,
    )
