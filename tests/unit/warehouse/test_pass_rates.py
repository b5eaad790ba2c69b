"""How often agents pass, as people read it: per scenario, per agent, at k attempts, and as a difficulty."""

from collections.abc import Iterator
from math import comb
from pathlib import Path
from typing import Any

import pytest

from schemas.ids import make_id
from tasks.probes.rates import wilson
from tests.unit.warehouse.test_small_release import published, small_release
from warehouse.query import query

FIRST, SECOND = make_id("scn", "pet-clinic", 1), make_id("scn", "pet-clinic", 2)
UNPLAYED = make_id("scn", "tool-shed", 1)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The small release."""
    home = tmp_path_factory.mktemp("played")
    published(home)
    yield home


def ask(home: Path, sql: str, *parameters: object) -> list[dict[str, Any]]:
    return list(query(home, sql, parameters).to_pylist())


def test_a_scenario_and_agent_have_their_passes_with_wilsons_interval(home: Path) -> None:
    rows = ask(home, "select * from pass_rates where scenario_id = ? and agent = 'random_valid'", FIRST)

    (row,) = rows
    assert (row["slug"], row["attempts"], row["passes"], row["pass_rate"]) == ("pet-clinic", 5, 1, 0.2)
    assert (row["pass_rate_low"], row["pass_rate_high"]) == pytest.approx(wilson(1, 5), abs=1e-6)
    assert (row["mean_reward"], row["mean_calls"], row["broken"]) == (0.2, 1.0, 0)


def test_what_broke_is_counted_apart(home: Path) -> None:
    rows = ask(
        home, "select agent, attempts, passes, pass_rate, pass_rate_low, broken from pass_rates where scenario_id = ?",
        SECOND,
    )  # fmt: skip

    by_agent = {row.pop("agent"): row for row in rows}
    nothing = {"attempts": 0, "passes": 0, "pass_rate": None, "pass_rate_low": None, "broken": 1}
    assert by_agent["greedy"] == nothing
    assert (by_agent["random_valid"]["attempts"], by_agent["random_valid"]["broken"]) == (1, 1)


def test_pass_at_k_is_the_unbiased_estimate(home: Path) -> None:
    rows = ask(
        home, "select k, pass_at_k from pass_at_k where scenario_id = ? and agent = 'language_model' order by k", FIRST
    )

    expected = [1 - comb(4 - 2, k) / comb(4, k) for k in range(1, 5)]
    assert [row["k"] for row in rows] == [1, 2, 3, 4]
    assert [row["pass_at_k"] for row in rows] == pytest.approx(expected)
    assert ask(home, "select max(pass_at_k) as most from pass_at_k where agent = 'no_op'") == [{"most": 0.0}]


def test_an_agent_has_its_passes_over_all_scenarios(home: Path) -> None:
    rows = ask(
        home, "select agent, model, noise, scenario_count, passed_scenario_count, attempts, passes, broken from agents"
    )

    assert [tuple(row.values()) for row in rows] == [
        ("greedy", None, None, 1, 0, 0, 0, 1),
        ("language_model", "m", None, 1, 1, 4, 2, 0),
        ("no_op", None, None, 2, 0, 2, 0, 0),
        ("noisy_reference", None, 0.1, 1, 1, 1, 1, 0),
        ("noisy_reference", None, 0.2, 1, 0, 1, 0, 0),
        ("random_valid", None, None, 2, 1, 6, 1, 1),
    ]


def test_the_difficulty_is_the_mean_of_size_and_resistance(home: Path) -> None:
    rows = ask(home, "select * exclude (skeleton_id) from difficulty")

    by_id = {row.pop("scenario_id"): row for row in rows}
    size = (2 / 15 + 1 / 8 + 1 / 6) / 3  # two calls of one tool that reads one entity
    resistance = ((1 - 2 / 7) + (1 - 2 / 4) + (1 - 3 / 6)) / 3  # random, noisy, model: (passes + 1) / (attempts + 2)
    first = by_id[FIRST]
    assert (first["size"], first["resistance"]) == pytest.approx((size, resistance), abs=1e-4)
    assert first["difficulty"] == pytest.approx((size + resistance) / 2, abs=1e-4)
    assert [first[f"{who}_pass_rate"] for who in ("random", "greedy", "noisy", "model")] == [0.2, None, 0.5, 0.5]
    assert by_id[UNPLAYED]["difficulty"] == pytest.approx(size, abs=1e-4)
    assert by_id[UNPLAYED]["resistance"] is None


def test_only_collections_of_the_logic_model_count_as_entities(home: Path) -> None:
    rows = ask(home, "select distinct tools_used, reads, writes from raw.scenarios join raw.tools using (skeleton_id)")
    counted = ask(home, "select distinct entity_count from scenarios union all select entity_count from difficulty")

    assert all({"visits", "now", "counters"} == {*row["reads"], *row["writes"]} for row in rows)
    assert {row["entity_count"] for row in counted} == {1}


def test_the_views_of_scenarios_and_environments_show_the_difficulty(home: Path) -> None:
    scenarios = ask(home, "select scenario_id, difficulty, random_pass_rate, model_pass_rate from scenarios")
    environments = ask(home, "select slug, mean_difficulty, random_pass_rate from environments order by slug")

    by_id = {row["scenario_id"]: row for row in scenarios}
    assert (by_id[FIRST]["random_pass_rate"], by_id[FIRST]["model_pass_rate"]) == (0.2, 0.5)
    mean = (by_id[FIRST]["difficulty"] + by_id[SECOND]["difficulty"]) / 2
    assert environments[0]["mean_difficulty"] == pytest.approx(mean, abs=1e-4)
    assert environments[0]["random_pass_rate"] == pytest.approx((0.2 + 0.0) / 2)
    assert environments[1] == {
        "slug": "tool-shed", "mean_difficulty": by_id[UNPLAYED]["difficulty"], "random_pass_rate": None
    }  # fmt: skip


def test_a_release_that_nobody_has_played_has_a_difficulty_by_size_alone(tmp_path: Path) -> None:
    batch = small_release()
    batch["trajectories"], batch["trajectory_steps"] = [], []
    published(tmp_path, batch)

    assert ask(tmp_path, "select * from pass_rates union all by name select * from pass_at_k") == []
    assert ask(tmp_path, "select count(*) as n from difficulty where difficulty = size") == [{"n": 3}]
