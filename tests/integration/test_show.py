"""Every id of the catalogue and the ledger has a page."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typer.testing import Result

from flows.stories.rows import prefix_of
from schemas.catalog import TABLES
from schemas.reviews import REVIEWS, Review
from schemas.row import Table
from tests.fakes.lending_shed_home import publish_shed
from tests.fakes.lending_shed_scenarios import SKELETON
from tests.integration.conftest import rows
from warehouse.store import Warehouse

WITH_IDS = [table for table in TABLES if prefix_of(table)]
NOW = datetime(2026, 3, 1, tzinfo=UTC)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("home")
    publish_shed(home)
    return home


def _shown(envmill: Callable[..., Result], home: Path, table: Table) -> list[str]:
    """Pages of the rows that the home holds of a table, one of each."""
    found = rows(home, f"select min({table.key[0]}) as id from raw.{table.name}")[0]["id"]  # noqa: S608
    told = [envmill("show", found, "--home", home)] if found else []
    assert all(each.exit_code == 0 and found in each.stdout for each in told), table.name
    return [each.stdout for each in told]


def test_the_first_row_of_every_table_with_ids_is_shown_by_its_id(envmill: Callable[..., Result], home: Path) -> None:
    pages = {table.name: _shown(envmill, home, table) for table in WITH_IDS}

    shown = {name for name, page in pages.items() if page}
    assert shown >= {"logic_models", "skeletons", "tools", "initial_states", "scenarios", "checks"}
    (validation,) = pages["scenario_validations"]
    assert "Row of scenario_validations" in validation and "trial: " in validation


def test_a_row_without_a_story_of_its_own_is_told_column_by_column(envmill: Callable[..., Result], home: Path) -> None:
    review = Review(
        review_id="rev_0000000000000001",
        item_id=SKELETON.skeleton_id,
        kind="environment",
        slug=SKELETON.slug,
        label="the shed",
        domain="community",
        author="scripted",
        verdict="rejected",
        note="The fee is off by one.",
        reviewer="Ada",
        release_id=str(rows(home, "select release_id from raw.releases")[0]["release_id"]),
        is_sampled=True,
        evaluation="accepted",
        at=NOW,
    )
    Warehouse(home).append_ledger(REVIEWS, [review], review.release_id)

    said = envmill("show", review.review_id, "--home", home).stdout

    for words in (
        review.review_id,
        "note: The fee is off by one.",
        "reviewer: Ada",
        f"item id: {SKELETON.skeleton_id}",
    ):
        assert words in said


def test_a_number_stands_for_the_release_of_this_number(envmill: Callable[..., Result], home: Path) -> None:
    (release,) = rows(home, "select release_id from raw.releases where number = 1")

    assert envmill("show", "1", "--home", home).stdout.startswith(f"Release 1  {release['release_id']}")
    assert envmill("show", "2", "--home", home).exit_code == 2


def test_an_unknown_id_is_answered_with_all_kinds_of_ids(envmill: Callable[..., Result], home: Path) -> None:
    refused = envmill("show", "tst_0000000000000000", "--home", home)

    assert refused.exit_code == 2
    for prefix in ("tst_", "svl_", "chk_", "sta_", "top_", "run_", "rev_", "llm_", "env_"):
        assert prefix in refused.stderr
