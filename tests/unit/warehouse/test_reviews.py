"""What is drawn for people, and how their verdicts add up."""

from datetime import timedelta
from pathlib import Path

import pytest

from schemas.ids import make_id
from schemas.reviews import REVIEWS, Review
from tests.unit.warehouse.test_small_release import NOON, Batch, published, scenario, skeleton, small_release
from warehouse.query import query
from warehouse.store import Warehouse

CLINIC, SHED = make_id("skl", "pet-clinic", 1), make_id("skl", "tool-shed", 1)
TASK = make_id("scn", "pet-clinic", 1)


def ask(home: Path, sql: str) -> list[tuple[object, ...]]:
    """Rows as tuples."""
    return [tuple(row.values()) for row in query(home, sql).to_pylist()]


def review(item_id: str, verdict: str, reviewer: str = "ada", *, minute: int = 0, **columns: object) -> Review:
    """A verdict on something that the evaluation had accepted."""
    values: dict[str, object] = {
        "review_id": make_id("rev", item_id, verdict, reviewer, minute), "item_id": item_id,
        "kind": "environment" if item_id.startswith("skl") else "scenario", "slug": "pet-clinic", "label": "l",
        "author": "rules", "verdict": verdict, "note": "odd" if verdict == "rejected" else None,
        "reviewer": reviewer, "release_id": "rel_1", "is_sampled": True, "evaluation": "accepted",
        "at": NOON + timedelta(minutes=minute),
    }  # fmt: skip
    return Review.model_validate({**values, **columns})


def reviewed(home: Path, *reviews: Review) -> Path:
    """Verdicts in the ledger, one command each."""
    for each in reviews:
        Warehouse(home).append_ledger(REVIEWS, [each], each.release_id)
    return home


def large_release(*, mark: str = "") -> Batch:
    """The small release with 41 more scenarios in the clinic, 3 of them rejected by the proof and 1 by a person."""
    batch = small_release()
    for number in range(100, 141):
        fate: dict[str, object] = {}
        if number < 103:
            fate = {"status": "rejected", "reason": "no_op_passes"}
        elif number == 103:
            fate = {"status": "rejected", "reason": "rejected_by_person", "detail": "odd"}
        batch["scenarios"].append(scenario("pet-clinic", number, final_message=f"Done{mark}.", **fate))
    return batch


def test_every_kind_domain_author_and_fate_is_drawn_from(tmp_path: Path) -> None:
    published(tmp_path, large_release())

    strata = ask(
        tmp_path,
        "select kind, domain, evaluation, any_value(stratum_size), count(*) from review_sample "
        "group by all order by all",
    )

    assert strata == [
        ("environment", "health", "accepted", 1, 1),
        ("environment", "health", "rejected", 1, 1),
        ("environment", "leisure", "accepted", 1, 1),
        ("scenario", "health", "accepted", 39, 2),
        ("scenario", "health", "rejected", 4, 1),
        ("scenario", "leisure", "accepted", 1, 1),
    ]


def test_what_a_person_withdrew_is_not_drawn_and_counts_as_accepted_by_the_evaluation(tmp_path: Path) -> None:
    published(tmp_path, large_release())
    withdrawn = make_id("scn", "pet-clinic", 103)

    assert ask(
        tmp_path,
        "select evaluation, evaluation_reason, is_withdrawn, is_sampled from review_items "
        f"where item_id = '{withdrawn}'",
    ) == [("accepted", None, True, False)]


def test_the_draw_follows_from_the_release_alone(tmp_path: Path) -> None:
    drawn = []
    for home, mark in (("one", ""), ("same", ""), ("other", "!")):
        published(tmp_path / home, large_release(mark=mark))
        drawn.append(ask(tmp_path / home, "select item_id from review_sample where kind = 'scenario'"))

    assert drawn[0] == drawn[1]
    assert drawn[0] != drawn[2], "another release, another draw"


def test_the_last_verdict_of_each_person_stands(tmp_path: Path) -> None:
    published(tmp_path)
    reviewed(
        tmp_path,
        review(CLINIC, "rejected", minute=1),
        review(CLINIC, "accepted", minute=2),
        review(CLINIC, "rejected", "bob", minute=1),
        review(TASK, "accepted", minute=1),
        review(TASK, "rejected", minute=2),
    )

    assert ask(
        tmp_path,
        f"select item_id, accepted_by, rejected_by, is_open from review_items "
        f"where item_id in ('{CLINIC}', '{SHED}', '{TASK}') order by kind, slug",
    ) == [(CLINIC, ["ada"], ["bob"], False), (SHED, [], [], True), (TASK, [], ["ada"], False)]


def test_agreement_is_counted_by_kind_and_author_and_kappa_takes_chance_off(tmp_path: Path) -> None:
    scenarios = [make_id("scn", "s", number) for number in range(10)]
    by_proof = {"evaluation": "rejected", "evaluation_reason": "no_op_passes", "author": "llm"}
    reviewed(
        tmp_path,
        review(CLINIC, "accepted"),
        *(review(each, "accepted", author="llm") for each in scenarios[:5]),
        *(review(each, "rejected", author="llm", is_sampled=False) for each in scenarios[5:7]),
        *(review(each, "rejected", **by_proof) for each in scenarios[7:9]),
        review(scenarios[9], "accepted", **by_proof),
        review(make_id("scn", "late"), "rejected", evaluation="failed"),
    )

    rows = ask(
        tmp_path,
        "select kind, author, reviews, both_accept, both_reject, only_person_rejects, only_evaluation_rejects, "
        "agreement, kappa, sampled_reviews, sampled_agreement from review_agreement",
    )

    # By chance: 0.7 * 0.6 accept both, 0.3 * 0.4 reject both.
    llm = (10, 5, 2, 2, 1, 0.7, pytest.approx((0.7 - 0.54) / (1 - 0.54)), 8, 7 / 8)
    everything = (11, 6, 2, 2, 1, 8 / 11, pytest.approx((88 - 68) / (121 - 68)), 9, 8 / 9)
    environments = (1, 1, 0, 0, 0, 1.0, None, 1, 1.0)
    assert rows == [
        (None, None, *everything),
        (None, "llm", *llm),
        (None, "rules", *environments),
        ("environment", None, *environments),
        ("environment", "rules", *environments),
        ("scenario", None, *llm),
        ("scenario", "llm", *llm),
    ]


def test_without_reviews_there_is_no_agreement(tmp_path: Path) -> None:
    published(tmp_path)

    assert ask(tmp_path, "select * from review_agreement") == []


def test_a_version_that_failed_is_not_for_people(tmp_path: Path) -> None:
    batch = small_release()
    batch["skeletons"].append(skeleton("pet-clinic", 2, status="failed", reason="out_of_time"))
    published(tmp_path, batch)

    assert ask(tmp_path, f"select 1 from review_items where item_id = '{make_id('skl', 'pet-clinic', 2)}'") == []
