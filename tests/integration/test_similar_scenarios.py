"""Scenarios that say what a better one says: rows of their own, for as long as that one is there."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import Result

from schemas.scenarios import ScenarioDraft
from tasks.authors.base import DraftScenarios, Question, ScenariosDraft
from tests.fakes.lending_shed_scenarios import EXTEND, REGISTER
from tests.integration.conftest import rows
from tests.integration.town import CELLAR, CLINIC, SHED, TownAuthor, same_as_the_shed, write_corpus

pytestmark = pytest.mark.usefixtures("prefect_server")
Envmill = Callable[..., Result]

SCENARIOS = """
select scenario_id, skeletons.slug, scenarios.status, scenarios.reason, scenarios.detail, task, written_fields
from raw.scenarios inner join raw.skeletons using (skeleton_id)
order by skeletons.slug, scenario_id
"""
BALANCE = """
select items_in, accepted, rejected, duplicate, failed from raw.stage_counts
inner join raw.latest_run using (run_id) where stage = 'generate_scenarios'
"""


def _run(envmill: Envmill, home: Path, *options: object) -> None:
    done = envmill("run", "--home", home, "--author", "town", "--profile", "tiny", *options)
    assert done.exit_code == 0, done.output


def _twice(question: Question[Any]) -> ScenariosDraft | None:
    """A mood: one scenario is told twice, the second time with a polite word more."""
    again: ScenarioDraft = EXTEND.model_copy(update={"task": f"{EXTEND.task} Thanks!"})
    return ScenariosDraft(scenarios=(EXTEND, again, REGISTER)) if isinstance(question, DraftScenarios) else None


def test_of_two_places_that_tell_the_same_one_is_published_until_the_other_is_gone(
    envmill: Envmill, town: TownAuthor, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    corpus = write_corpus(tmp_path / "c.jsonl", f"{SHED}: extend the loan", f"{CLINIC}: move Rex to Tuesday")
    town.moods = {CLINIC: same_as_the_shed}

    _run(envmill, home, "--corpus", corpus)

    found = rows(home, SCENARIOS)
    stay = {row["scenario_id"]: row for row in found if row["status"] == "accepted"}
    go = [row for row in found if row["status"] == "duplicate"]
    assert (len(found), len(stay), len(go)) == (4, 2, 2)
    for row in go:
        kept = next(each for each in stay.values() if each["task"] == row["task"])
        assert row["reason"] == "similar_scenario"
        assert row["detail"].startswith(f"100% the same task as {kept['scenario_id']}")
        assert row["slug"] != kept["slug"]
        assert row["written_fields"] == kept["written_fields"]
    assert {tuple(row["written_fields"]) for row in found} == {
        ("loans.due_on", "loans.is_extended"),
        ("loans.<new>", "members.<new>"),
    }
    assert rows(home, BALANCE) == [{"items_in": 10, "accepted": 2, "rejected": 6, "duplicate": 2, "failed": 0}]
    gates = rows(home, "select has_passed from raw.gate_results where expectation like '%near_duplicates'")
    assert gates == [{"has_passed": True}]

    town.asked = []
    loser = {"lending-shed": SHED}.get(go[0]["slug"].removeprefix("neighbourhood-"), CLINIC)
    _run(envmill, home, "--no-corpus", "--topic", loser)

    assert town.asked == [("describe_topic", loser)], "the scenarios are those of the run before"
    alone = {row["scenario_id"]: row["status"] for row in rows(home, SCENARIOS)}
    assert {alone[row["scenario_id"]] for row in go if row["slug"] == go[0]["slug"]} == {"accepted"}
    assert set(alone.values()) == {"accepted"}


def test_a_scenario_told_twice_in_one_place_is_published_once(
    envmill: Envmill, town: TownAuthor, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    town.moods = {CELLAR: _twice}

    _run(envmill, home, "--no-corpus", "--topic", CELLAR)

    assert rows(home, BALANCE) == [{"items_in": 5, "accepted": 2, "rejected": 2, "duplicate": 1, "failed": 0}]
    (gone,) = [row for row in rows(home, SCENARIOS) if row["status"] == "duplicate"]
    assert gone["task"].startswith(EXTEND.task)
    assert rows(home, "select stage, status, reason, item_count from rejections where status = 'duplicate'") == [
        {"stage": "generate_scenarios", "status": "duplicate", "reason": "similar_scenario", "item_count": 1}
    ]
