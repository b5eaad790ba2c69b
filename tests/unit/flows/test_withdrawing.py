"""What people's verdicts make of rows that are published again as they are."""

from flows.withdrawing import withdraw_rows
from schemas.ids import make_id
from schemas.scenarios import Scenario
from schemas.skeletons import Skeleton
from tests.unit.warehouse.test_small_release import scenario, skeleton

SHED, CLINIC = make_id("skl", "shed", 1), make_id("skl", "clinic", 1)
ROWS = {
    "skeletons": (skeleton("shed"), skeleton("clinic")),
    "scenarios": (
        scenario("shed", 1),
        scenario("shed", 2, status="rejected", reason="no_op_passes"),
        scenario("clinic", 1),
        scenario("clinic", 2),
    ),
    "tools": (),
}


def fates(rows: dict[str, tuple[object, ...]]) -> list[tuple[str | None, str | None]]:
    """Reason and detail of each skeleton and scenario."""
    found = [row for table in ("skeletons", "scenarios") for row in rows[table]]
    return [(row.reason, row.detail) for row in found if isinstance(row, Skeleton | Scenario)]


def test_an_environment_takes_its_accepted_scenarios_with_it_and_a_scenario_goes_alone() -> None:
    task = make_id("scn", "clinic", 2)

    rows = withdraw_rows(ROWS, {SHED: "fees", task: "vague", make_id("scn", "elsewhere"): "x"})

    assert fates(rows) == [
        ("rejected_by_person", "fees"),
        (None, None),
        ("rejected_by_person", "its environment was rejected: fees"),
        ("no_op_passes", None),
        (None, None),
        ("rejected_by_person", "vague"),
    ]
    assert all(row.status == "rejected" for row in rows["scenarios"] if isinstance(row, Scenario) and row.reason)


def test_what_nobody_rejects_any_more_is_as_it_was() -> None:
    withdrawn = withdraw_rows(ROWS, {SHED: "fees", make_id("scn", "clinic", 2): "vague"})

    assert withdraw_rows(withdrawn, {}) == ROWS
    assert withdraw_rows(withdrawn, {CLINIC: "dull"}) == withdraw_rows(ROWS, {CLINIC: "dull"})
