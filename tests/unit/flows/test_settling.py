"""Imported and republished scenarios beside others: near-duplicates go, and come back without what they were like."""

from flows.settling import (
    held_out_fates,
    imported,
    reopen_rows,
    settle_imports,
    settle_rows,
    similar_imports,
)
from schemas.logic_models import LogicModelRow
from schemas.row import Row
from schemas.scenarios import Scenario
from schemas.skeletons import SkeletonValidation
from tasks.imports.merging import Merged
from tasks.imports.outcome import ImportOutcome, ScenarioFate
from tests.unit.warehouse.test_small_release import scenario, skeleton, small_release, topic

TASK = "Please move the check-up of Mr Tan's cat Minka from Monday 3 March to Tuesday 4 March at ten in the morning."
WRITES = ["visits.day"]


def told(slug: str, number: int, task: str = TASK, **columns: object) -> Scenario:
    return scenario(slug, number, **{"task": task, "written_fields": WRITES, **columns})


def statuses(rows: dict[str, tuple[Row, ...]]) -> list[str]:
    return [row.status for row in rows["scenarios"] if isinstance(row, Scenario)]


def outcome(*scenarios: Scenario, fates: tuple[ScenarioFate, ...] | None = None) -> ImportOutcome:
    """An import of the environment "vet" with these scenarios."""
    batch = small_release()
    model = next(row for row in batch["logic_models"] if isinstance(row, LogicModelRow))
    validation = next(row for row in batch["skeleton_validations"] if isinstance(row, SkeletonValidation))
    own = tuple(ScenarioFate(row.task[:9], row.scenario_id, row.status, row.reason, row.detail) for row in scenarios)
    return ImportOutcome(
        slug="vet", name="Vet", source="vet.py", status="accepted", reason=None, detail=None, topic=topic("vet"),
        logic_model=model, skeleton=skeleton("vet"), tools=(), tool_tests=(), skeleton_validation=validation,
        scenarios=scenarios, fates=own if fates is None else fates,
    )  # fmt: skip


def joined(standing: tuple[Scenario, ...], *outcomes: ImportOutcome) -> Merged:
    brought = tuple(row for each in outcomes for row in each.scenarios)
    return Merged({"scenarios": (*standing, *brought)}, list(outcomes))


def test_an_import_that_says_what_is_there_is_a_duplicate_in_row_and_books_however_good_it_is() -> None:
    there, new = told("clinic", 1), told("vet", 1, reference_length=9)
    other = told("vet", 2, task="Cancel the vaccination of Rex and tell his owner that the clinic is closed.")
    before = joined((there,), outcome(new, other))

    after = settle_imports(before, similar_imports(before))

    assert statuses(after.rows) == ["accepted", "duplicate", "accepted"]
    assert [fate.reason for fate in after.outcomes[0].fates] == ["similar_scenario", None]
    assert there.scenario_id in str(after.outcomes[0].fates[0].detail)


def test_of_two_imports_that_say_the_same_the_better_one_stays() -> None:
    short, long = told("vet", 1), told("vet", 2, reference_length=9)
    before = joined((), outcome(short, long))

    after = settle_imports(before, similar_imports(before))

    assert statuses(after.rows) == ["duplicate", "accepted"]
    assert [fate.status for fate in after.outcomes[0].fates] == ["duplicate", "accepted"]


def test_a_scenario_that_was_there_already_is_not_the_imports() -> None:
    there = told("clinic", 1)
    again = ScenarioFate("a", there.scenario_id, "duplicate", "same_scenario", "there")
    before = Merged({"scenarios": (there,)}, [outcome(there, fates=(again,))])

    assert imported(before) == ()
    assert settle_imports(before, held_out_fates({there.scenario_id: "near"})).outcomes[0].fates == (again,)


def test_an_import_too_close_to_a_holdout_is_refused_in_row_and_books() -> None:
    new = told("vet", 1)

    after = settle_imports(joined((), outcome(new)), held_out_fates({new.scenario_id: "bench.jsonl:3"}))

    assert [(row.status, row.reason, row.detail) for row in after.rows["scenarios"] if isinstance(row, Scenario)] == [
        ("rejected", "too_close_to_holdout", "bench.jsonl:3")
    ]
    assert after.outcomes[0].fates[0].reason == "too_close_to_holdout"


def test_a_republished_near_duplicate_is_accepted_when_the_better_one_is_gone() -> None:
    better, worse = told("clinic", 1, reference_length=9), told("ward", 1)
    rows = settle_rows({"scenarios": (better, worse)})
    assert statuses(rows) == ["accepted", "duplicate"]

    withdrawn = rows["scenarios"][0].model_copy(update={"status": "rejected", "reason": "rejected_by_person"})
    again = settle_rows(reopen_rows({"scenarios": (withdrawn, *rows["scenarios"][1:])}))

    assert statuses(again) == ["rejected", "accepted"]
    assert again["scenarios"][1] == worse
