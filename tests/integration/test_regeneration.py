"""The whole job on a small town: what comes out, what is told, and what a second run does again."""

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

from tests.integration.conftest import rows
from tests.integration.town import CELLAR, CLINIC, SHED, TownAuthor, bad_code, crash, write_corpus

pytestmark = pytest.mark.usefixtures("prefect_server")
Envmill = Callable[..., Result]


def test_every_item_has_a_fate_and_a_second_run_does_only_what_failed(
    envmill: Envmill, town: TownAuthor, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    corpus = write_corpus(
        tmp_path / "wishes.jsonl",
        f"{SHED}: extend the loan of the welding set",
        f"{SHED}: extend the loan of the welding set",
        f"{CLINIC}: move Rex to Tuesday",
        f"{CELLAR}: take two bottles out of rack nine",
        "How are you today?",
        broken=1,
    )
    order = ("run", "--home", home, "--author", "town", "--profile", "tiny", "--corpus", corpus)
    town.moods = {CLINIC: bad_code, CELLAR: crash}

    first = envmill(*order)

    assert first.exit_code == 0, first.output
    assert rows(home, "select * exclude (run_id, duration_s) from raw.stage_counts order by items_in desc, stage") == [
        _balance("read_corpora", 6, accepted=5, rejected=1),
        _balance("generate_scenarios", 5, accepted=2, rejected=3),
        _balance("mine_topics", 5, accepted=3, rejected=1, duplicate=1),
        _balance("build_skeletons", 3, accepted=1, rejected=1, failed=1),
        _balance("select_topics", 3, accepted=3),
        _balance("probe_scenarios", 2, accepted=2),
        _balance("generate_states", 1, accepted=1),
    ]
    reasons = rows(home, "select stage, status, reason from main.rejections order by all")
    assert reasons == [
        {"stage": "build_skeletons", "status": "failed", "reason": "machinery"},
        {"stage": "build_skeletons", "status": "rejected", "reason": "does_not_parse"},
        {"stage": "generate_scenarios", "status": "rejected", "reason": "not_written"},
        {"stage": "mine_topics", "status": "duplicate", "reason": "exact_duplicate"},
        {"stage": "mine_topics", "status": "rejected", "reason": "chit_chat"},
        {"stage": "read_corpora", "status": "rejected", "reason": "invalid_json"},
    ]
    assert rows(home, "select number, environment_count, scenario_count from raw.releases") == [
        {"number": 1, "environment_count": 1, "scenario_count": 2}
    ]
    assert "Release 1" in first.output
    assert "envmill show" in first.output

    town.moods, town.asked = {CLINIC: bad_code}, []
    second = envmill(*order)

    assert second.exit_code == 0, second.output
    named = {title for _, title in town.asked} - {""}  # calls to judge name no topic
    assert named == {CELLAR}, "only the topic that failed is asked about again"
    counts = rows(
        home, "select stage, accepted, reused from main.yield_by_stage where is_latest_run order by stage_number"
    )
    assert [(row["stage"], row["accepted"], row["reused"]) for row in counts] == [
        ("read_corpora", 5, 6),
        ("mine_topics", 3, 5),
        ("select_topics", 3, 3),
        ("build_skeletons", 2, 2),
        ("generate_states", 2, 1),
        ("generate_scenarios", 4, 5),
        ("probe_scenarios", 4, 2),
    ]
    assert (
        rows(home, "select status, release_id is not null as has_release from raw.runs")
        == [{"status": "published", "has_release": True}] * 2
    )


def _balance(
    stage: str, items_in: int, *, accepted: int = 0, rejected: int = 0, duplicate: int = 0, failed: int = 0
) -> dict[str, object]:
    return {
        "stage": stage,
        "items_in": items_in,
        "accepted": accepted,
        "rejected": rejected,
        "duplicate": duplicate,
        "failed": failed,
        "reused": 0,
    }
