"""What the accounts of a model add up to."""

from datetime import timedelta
from pathlib import Path

import pytest

from schemas.llm_calls import LLM_CALLS, LlmCall
from schemas.runs import STAGE_COUNTS, StageCount
from tests.fakes.llm_calls import cached, call
from tests.unit.warehouse.test_small_release import NOON, RUN, run_row
from warehouse.query import query
from warehouse.store import Warehouse


def home_with(home: Path, *calls: LlmCall) -> Path:
    """A run with 2 environments of 4 topics and 5 scenarios of 8, and these calls."""
    warehouse = Warehouse(home)
    warehouse.replace_run(run_row())
    counts = {"build_skeletons": (4, 2), "generate_states": (2, 2), "generate_scenarios": (8, 5)}
    rows = [
        StageCount(
            run_id=RUN, stage=stage, items_in=items, accepted=accepted, rejected=items - accepted, duplicate=0,
            failed=0, reused=0, duration_s=1,
        )
        for stage, (items, accepted) in counts.items()
    ]  # fmt: skip
    warehouse.append_ledger(STAGE_COUNTS, rows, RUN)
    warehouse.append_ledger(LLM_CALLS, calls, RUN)
    return home


def ask(home: Path, sql: str) -> list[tuple[object, ...]]:
    """Rows as tuples."""
    return [tuple(row.values()) for row in query(home, sql).to_pylist()]


PER_ACCEPTED = (
    "select product, accepted, calls, cached, calls_per_accepted, tokens_per_accepted, cost_usd_per_accepted "
    "from cost_per_accepted"
)


def test_an_environment_costs_what_led_to_it_and_a_scenario_the_rest(tmp_path: Path) -> None:
    home = home_with(
        tmp_path,
        call("judge_tasks", "mine_topics", cost_usd=0.5),
        call("draft_initial_states", "build_skeletons", cost_usd=0.25, attempts=3),
        cached("draft_code", "build_skeletons"),
        call("draft_initial_states", "generate_scenarios", cost_usd=1.0),
    )

    assert ask(home, PER_ACCEPTED) == [
        ("environment", 2, 4, 1, 2.0, 110.0, 0.375),
        ("scenario", 5, 1, 0, 0.2, 22.0, 0.2),
    ]


def test_one_unknown_price_makes_the_sum_unknown_and_no_call_costs_nothing(tmp_path: Path) -> None:
    home = home_with(
        tmp_path, call("draft_code", cost_usd=0.5), call("repair_code", cost_usd=None), cached("draft_code")
    )

    assert ask(home, PER_ACCEPTED) == [
        ("environment", 2, 2, 1, 1.0, 110.0, None),
        ("scenario", 5, 0, 0, 0.0, 0.0, 0.0),
    ]
    assert ask(home, "select stage, calls, cost_usd, items_accepted from llm_cost_by_stage") == [
        ("build_skeletons", 2, None, 2)
    ]
    assert ask(home, "select prompt, cost_usd from llm_cost_by_prompt") == [("draft_code", 0.5), ("repair_code", None)]


def test_an_endpoint_that_tells_no_tokens_leaves_them_unknown(tmp_path: Path) -> None:
    home = home_with(tmp_path, call("draft_code"), call("draft_code", input_tokens=None, output_tokens=None))

    assert ask(home, f"{PER_ACCEPTED} where product = 'environment'") == [("environment", 2, 2, 0, 1.0, None, None)]
    assert ask(home, "select input_tokens, questions_of_unknown_tokens from llm_cost_by_prompt") == [(100, 1)]


def test_a_run_that_is_still_at_work_shows_its_calls_without_a_rate(tmp_path: Path) -> None:
    warehouse = Warehouse(tmp_path)
    warehouse.replace_run(run_row("run_later", started_at=NOON + timedelta(hours=1)))
    warehouse.append_ledger(LLM_CALLS, [call("draft_code", run_id="run_later")], "run_later")

    assert ask(tmp_path, "select is_latest_run, calls, calls_per_accepted from cost_per_accepted") == [
        (True, 1, None),
        (True, 0, None),
    ]


def test_a_prompt_tells_how_often_it_was_of_use(tmp_path: Path) -> None:
    home = home_with(
        tmp_path,
        call("draft_code", outcome="misfit", detail="no fence", attempts=2),
        call("draft_code", is_repeat=True, latency_s=4.0),
        call("draft_code", outcome="declined", detail="no"),
        cached("draft_code"),
    )

    assert ask(
        home,
        "select questions, cached, calls, repeats, answered, misfits, unanswered, input_tokens, mean_latency_s "
        "from llm_cost_by_prompt",
    ) == [(4, 1, 4, 1, 2, 1, 1, 300, pytest.approx(8 / 3))]


def test_a_part_that_grows_replaces_what_it_held_before(tmp_path: Path) -> None:
    warehouse, calls = Warehouse(tmp_path), [call("draft_code") for _ in range(3)]

    warehouse.replace_ledger_part(LLM_CALLS, calls[:1], RUN, "calls-1")
    warehouse.replace_ledger_part(LLM_CALLS, calls, RUN, "calls-1")

    assert ask(tmp_path, "select count(*) from llm_calls") == [(3,)]
