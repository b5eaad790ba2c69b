"""What a run would take: from past calls where there are any, else from stated assumptions."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from flows.commands.registered import app
from flows.forecast import Amounts, forecast
from flows.habits import STEPS, Habit, Habits, habits_of
from schemas.llm_calls import LLM_CALLS
from schemas.runs import STAGE_COUNTS, StageCount
from tasks.authors.llm.author import QUESTIONS
from tasks.authors.llm.budget import Price
from tests.fakes.llm_calls import cached, call
from warehouse.store import Warehouse

RUN = "run_small"


def estimate(home: Path, *options: object) -> Result:
    order = ["estimate", "--home", home, "--no-corpus", "--topic", "Dog grooming", "--profile", "tiny", *options]
    return CliRunner().invoke(app, [str(each) for each in order], catch_exceptions=False)


def home_with_calls(home: Path) -> Path:
    """A run that built 4 topics of 2 states each in all: code was repaired once and asked again once."""
    warehouse = Warehouse(home)
    rows = [
        StageCount(
            run_id=RUN, stage=stage, items_in=items, accepted=items // 2, rejected=items - items // 2, duplicate=0,
            failed=0, reused=0, duration_s=1,
        )
        for stage, items in (("build_skeletons", 4), ("generate_states", 2), ("generate_scenarios", 8))
    ]  # fmt: skip
    warehouse.append_ledger(STAGE_COUNTS, rows, RUN)
    calls = [call("draft_code") for _ in range(3)] + [cached("draft_code"), call("draft_code", is_repeat=True)]
    calls += [call("repair_code", attempts=3, latency_s=8.0), call("draft_code", outcome="unavailable", attempts=5)]
    warehouse.append_ledger(LLM_CALLS, calls, RUN)
    return home


def test_without_past_calls_it_says_that_it_assumes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENVMILL_LLM_MODEL", "m")

    told = estimate(tmp_path / "home", "--max-calls", 2, "--max-usd", 3)

    assert told.exit_code == 0
    assert "No past calls: default assumptions" in told.stdout
    assert str(tmp_path / "home" / "prices.yaml") in told.stdout
    assert "--max-calls 2 will probably not do" in told.stdout
    assert "--max-usd 3 can't be weighed without it" in told.stdout
    assert not (tmp_path / "home").exists()


def test_past_calls_tell_how_often_a_question_is_asked_and_what_it_takes(tmp_path: Path) -> None:
    habits = habits_of(home_with_calls(tmp_path), "m")

    known = {step.prompt: habit for step, habit in habits.of.items() if step.stage == "build_skeletons"}
    assert known["draft_code"] == Habit(
        questions=1.0,  # four first questions, one of them cached, for four topics
        requests=pytest.approx(4 / 3),
        input_tokens=pytest.approx(400 / 3),
        output_tokens=pytest.approx(40 / 3),
        latency_s=pytest.approx(8 / 3),
        past_calls=4,
    )
    assert known["repair_code"] == Habit(0.25, 3.0, 100.0, 10.0, 8.0, 1)
    assert known["draft_logic_model"].past_calls == 0
    assert (habits.accepted_topics, habits.accepted_scenarios) == (0.5, 0.5)
    assert habits_of(tmp_path, "another").past_calls == 0


def test_every_question_that_a_run_may_ask_is_counted() -> None:
    assert {step.prompt for step in STEPS} == {question.prompt for question in QUESTIONS}


def test_without_a_past_the_plan_of_tests_and_its_judge_are_in_the_estimate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENVMILL_LLM_MODEL", "m")

    told = json.loads(estimate(tmp_path / "home", "--json").stdout)

    questions = {(line["stage"], line["prompt"]): line["questions"] for line in told["lines"]}
    assert questions["build_skeletons", "draft_test_plan"] == 1
    assert questions["build_skeletons", "judge_calls"] == 2
    assert questions["build_skeletons", "repair_code"] == 1
    assert questions["generate_scenarios", "repair_scenario"] > 0


def test_the_past_tells_how_often_a_class_was_judged(tmp_path: Path) -> None:
    warehouse = Warehouse(home_with_calls(tmp_path))
    calls = [call("draft_test_plan"), *(call("judge_calls", input_tokens=900) for _ in range(10))]
    warehouse.append_ledger(LLM_CALLS, calls, RUN)

    habits = habits_of(tmp_path, "m")

    known = {step.prompt: habit for step, habit in habits.of.items() if step.stage == "build_skeletons"}
    assert (known["judge_calls"].questions, known["judge_calls"].input_tokens) == (2.5, 900)
    assert known["draft_test_plan"].questions == 0.25


def test_money_is_shown_where_the_price_is_written_down(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENVMILL_LLM_MODEL", "m")
    home = home_with_calls(tmp_path)
    unknown = json.loads(estimate(home, "--json").stdout)
    (home / "prices.yaml").write_text("m: {input: 1, output: 2}\n")

    known = json.loads(estimate(home, "--json").stdout)

    assert unknown["cost_usd"] is None
    tokens = [(line["input_tokens"], line["output_tokens"]) for line in known["lines"]]
    assert known["cost_usd"] == pytest.approx(sum(given + 2 * taken for given, taken in tokens) / 1e6, rel=1e-3)
    assert known["calls"] == pytest.approx(sum(line["calls"] for line in known["lines"]))


def test_a_run_lasts_as_long_as_its_rounds() -> None:
    habit = Habit(1.0, 1.0, 10.0, 1.0, 2.0, 0)
    habits = Habits({step: habit for step in STEPS}, accepted_topics=1.0, accepted_scenarios=0.5)
    amounts = Amounts(batches=3, given_topics=0, topics=4, states_per_environment=2, scenarios_per_state=5)

    narrow = forecast(amounts, habits, price=Price(1.0, 1.0), at_a_time=1)
    wide = forecast(amounts, habits, price=None, at_a_time=2)

    assert narrow.calls == 3 + 4 * 6 + 4 + 8 + 8
    assert narrow.duration_s == pytest.approx(2.0 * narrow.calls)
    assert wide.duration_s == pytest.approx(2 * 2.0 + 2 * 12.0 + 2 * 10.0)
    assert (narrow.scenarios, wide.cost_usd) == (20.0, None)


def test_a_wrong_order_is_refused(tmp_path: Path) -> None:
    told = estimate(tmp_path, "--topic", "???")

    assert told.exit_code == 2
    assert "says nothing" in told.stderr
