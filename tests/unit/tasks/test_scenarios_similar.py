"""Which scenarios are near-duplicates, and which of them stays."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from schemas.ids import make_id
from schemas.scenarios import SCENARIOS, Scenario
from tasks.scenarios.similar import find_similar, gate_similar, kills_of, near_pairs
from tests.unit.warehouse.test_small_release import NOON, RUN, scenario, small_release, stage_batch, trial
from warehouse.store import Warehouse

MOVE = "Please move the check-up of Mr Tan's cat Minka from Monday 3 March to Tuesday 4 March at ten in the morning."
SAME = "Please move the check-up of Mr Tan's cat Minka from Monday 3 March to Tuesday 11 March at ten in the morning."
OTHER = "Cancel the vaccination of Rex and tell his owner, Mrs Abara, that the clinic is closed on that day."
WRITES = ["visits.day", "visits.time"]


def told(number: int, task: str, **columns: object) -> Scenario:
    return scenario("clinic", number, **{"task": task, "written_fields": WRITES, **columns})


def gone(found: Sequence[Scenario], *, killed: dict[str, int] | None = None) -> dict[str, str]:
    """Id of each scenario that does not stay -> the one that does."""
    return {each.scenario_id: each.kept_id for each in find_similar(found, killed or {})}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (MOVE, SAME),
        (MOVE, MOVE.upper()),
        (MOVE, MOVE.replace(" ", "\n  ")),
        ("Go", "go"),
        ("早上好", "早上好"),
        (MOVE, MOVE.replace("Mr Tan's cat Minka", "Ms Ong's cat Mog")),
    ],
)
def test_texts_that_differ_in_little_are_near(one: str, other: str) -> None:
    assert [pair[:2] for pair in near_pairs([one, other])] == [(1, 0)]
    assert 0.9 < near_pairs([one, other])[0][2] <= 1


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (MOVE, OTHER),
        (MOVE, "Please move the check-up of Mr Tan's cat Minka."),
        ("Call Ann", "Call Bob"),
        ("Book it", ""),
    ],
)
def test_texts_that_differ_in_much_are_not_near(one: str, other: str) -> None:
    assert near_pairs([one, other]) == []


def test_pairs_are_found_across_the_portions_in_which_texts_are_compared() -> None:
    texts = [f"{number} " * 12 + str(number * 7919) for number in range(1100)]
    texts[3], texts[700], texts[1099] = MOVE, OTHER, SAME

    assert [pair[:2] for pair in near_pairs(texts)] == [(1099, 3)]


def test_a_pair_is_one_whatever_else_is_compared() -> None:
    alone = near_pairs([MOVE, SAME])[0][2]

    assert [pair[2] for pair in near_pairs([OTHER, MOVE, "Good morning!", SAME])] == [alone]


def test_the_same_words_that_write_elsewhere_are_no_near_duplicate() -> None:
    assert gone([told(1, MOVE), told(2, SAME, written_fields=["visits.day"])]) == {}
    assert len(gone([told(1, MOVE), told(2, SAME)])) == 1


def test_two_that_write_nothing_are_compared_too() -> None:
    assert len(gone([told(1, MOVE, written_fields=[]), told(2, SAME, written_fields=[])])) == 1


def test_a_scenario_of_another_environment_is_compared_like_one_of_its_own() -> None:
    one, other = told(1, MOVE), scenario("ward", 1, task=SAME, written_fields=WRITES, reference_length=1)

    assert gone([one, other]) == {other.scenario_id: one.scenario_id}


def test_more_mutants_then_a_longer_reference_then_more_tools_then_the_lower_id_stays() -> None:
    low, high = sorted([told(1, MOVE), told(2, SAME)], key=lambda each: each.scenario_id)

    def stays(*, killed: int = 0, **columns: object) -> str:
        better = high.model_copy(update=columns)
        found = gone([low, better], killed={high.scenario_id: 3 + killed, low.scenario_id: 3})
        return next(iter(found.values()))

    assert stays() == low.scenario_id
    assert stays(tools_used=["find", "move"]) == high.scenario_id
    assert stays(tools_used=["find", "move"], reference_length=1) == low.scenario_id
    assert stays(reference_length=3, tools_used=[]) == high.scenario_id
    assert stays(reference_length=3, killed=-1) == low.scenario_id
    assert stays(reference_length=1, killed=1) == high.scenario_id


def test_of_a_group_one_stays_and_every_other_names_it() -> None:
    group = [
        told(number, MOVE.replace("3 March", f"{number} March"), reference_length=number) for number in range(1, 6)
    ]

    found = gone([*group, told(9, OTHER)])

    assert set(found) == {each.scenario_id for each in group[:4]}
    assert set(found.values()) == {group[4].scenario_id}


def test_one_that_is_like_a_dropped_one_only_stays() -> None:
    """A chain: the ends are alike to the middle, not to each other."""
    middle = MOVE
    start = "Hello there, how is it going? " + MOVE
    end = MOVE + " Thank you all very much!"
    assert [pair[:2] for pair in near_pairs([start, middle, end])] == [(1, 0), (2, 1)]

    rows = [told(1, start, reference_length=9), told(2, middle, reference_length=5), told(3, end)]

    assert gone(rows) == {rows[1].scenario_id: rows[0].scenario_id}


def test_what_is_not_accepted_neither_goes_nor_sends_away() -> None:
    refused = told(1, MOVE, status="rejected", reason="no_op_passes", reference_length=9)

    assert gone([refused, told(2, SAME)]) == {}


def test_a_standing_scenario_stays_however_good_the_new_one_is() -> None:
    standing, new = told(1, MOVE), told(2, SAME, reference_length=9)

    (found,) = find_similar([new], {new.scenario_id: 99}, standing=[standing, told(3, MOVE)])

    assert (found.scenario_id, found.kept_id) == (new.scenario_id, standing.scenario_id)
    assert standing.scenario_id in found.detail


def test_only_counted_mutants_that_failed_count_as_killed() -> None:
    one, other = make_id("scn", "clinic", 1), make_id("scn", "clinic", 2)
    rows = [
        trial(one, "reference", 2, passes=True),
        trial(one, "dropped_write", 0, passes=False),
        trial(one, "extra_write", 0, passes=False),
        trial(one, "extra_write", 1, passes=False).model_copy(update={"is_counted": False}),
        trial(one, "neighbour_entity", 0, passes=False).model_copy(update={"has_passed": True}),
        trial(other, "no_op", 0, passes=False),
    ]

    assert kills_of(rows) == {one: 2, other: 1}


def test_the_gate_names_a_pair_that_was_let_through(tmp_path: Path) -> None:
    warehouse, batch = Warehouse(tmp_path), small_release()
    stage_batch(warehouse, batch)
    assert gate_similar(warehouse, RUN, NOON).has_passed

    accepted = scenario("pet-clinic", 1)
    twin = accepted.model_copy(update={"scenario_id": make_id("scn", "twin"), "reference_length": 1})
    warehouse.stage(RUN, SCENARIOS, [*batch["scenarios"], twin])
    refused = gate_similar(warehouse, RUN, NOON)

    assert (refused.has_passed, refused.offending_count, refused.table_name) == (False, 1, "scenarios")
    assert f"{twin.scenario_id}: 100% the same task as {accepted.scenario_id}" in str(refused.detail)
