"""Each rule across tables is broken once, and names exactly the rows that break it."""

from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType

import duckdb
import pytest

from schemas.ids import make_id
from schemas.row import Row, Table
from schemas.runs import ATTEMPTS, STAGE_COUNTS, GateResult
from tests.unit.warehouse.test_small_release import (
    NOON,
    RUN,
    Batch,
    attempts,
    skeleton,
    small_release,
    stage_batch,
    stage_counts,
    trajectory,
    trial,
)
from warehouse.across import gate_across, promises_of
from warehouse.store import Warehouse

Breaking = Callable[[Batch], None]

SHED = make_id("scn", "tool-shed", 1)
CLINIC, REJECTED = make_id("scn", "pet-clinic", 1), make_id("scn", "pet-clinic", 3)
SHED_SKELETON = make_id("skl", "tool-shed", 1)


def ask(home: Path, batch: Batch) -> dict[tuple[str, str], GateResult]:
    """Stage a batch with its attempts and stage counts; (table, rule) -> result."""
    warehouse = Warehouse(home)
    warehouse.append_ledger(ATTEMPTS, batch.pop("attempts", attempts()), RUN)
    warehouse.append_ledger(STAGE_COUNTS, batch.pop("stage_counts", stage_counts()), RUN)
    stage_batch(warehouse, batch)
    results = gate_across(warehouse.layout, RUN, warehouse.staged(RUN), at=NOON)
    return {(each.table_name, each.expectation): each for each in results}


def change(name: str, column: str, value: object, **where: object) -> Breaking:
    """Set one column of the rows that have these values."""

    def matches(row: Row) -> bool:
        return all(getattr(row, key) == wanted for key, wanted in where.items())

    def break_it(batch: Batch) -> None:
        before = batch.get(name) or {"attempts": attempts, "stage_counts": stage_counts}[name]()
        batch[name] = [row.model_copy(update={column: value}) if matches(row) else row for row in before]
        assert batch[name] != before

    return break_it


def drop(name: str, **where: object) -> Breaking:
    """Leave out the rows that have these values."""

    def break_it(batch: Batch) -> None:
        kept = [row for row in batch[name] if any(getattr(row, key) != value for key, value in where.items())]
        assert len(kept) < len(batch[name])
        batch[name] = kept

    return break_it


def add(name: str, row: Row) -> Breaking:
    """One more row."""
    return lambda batch: batch[name].append(row)


def both(*breakings: Breaking) -> Breaking:
    """One after the other."""

    def break_it(batch: Batch) -> None:
        for each in breakings:
            each(batch)

    return break_it


BREAKINGS: list[tuple[str, str, Breaking, str]] = [
    (
        "scenarios", "every_accepted_scenario_has_an_accepted_skeleton",
        change("skeletons", "status", "rejected", skeleton_id=SHED_SKELETON), SHED,
    ),
    (
        "scenarios", "every_accepted_scenario_has_an_accepted_initial_state",
        change("initial_states", "status", "failed", skeleton_id=SHED_SKELETON), SHED,
    ),
    (
        "scenarios", "every_accepted_scenario_has_an_accepted_initial_state",
        change("scenarios", "initial_state_id", make_id("sta", "pet-clinic"), scenario_id=SHED), SHED,
    ),
    (
        "scenarios", "every_accepted_scenario_has_a_passing_reference_trial",
        drop("scenario_validations", scenario_id=SHED, trial="reference"), SHED,
    ),
    (
        "scenarios", "every_accepted_scenario_has_a_passing_reference_trial",
        change("scenario_validations", "has_passed", None, scenario_id=SHED, trial="reference"), SHED,
    ),
    (
        "scenarios", "every_accepted_scenario_has_a_no_op_trial",
        drop("scenario_validations", scenario_id=SHED, trial="no_op"), SHED,
    ),
    (
        "scenario_validations", "every_accepted_scenario_fails_without_its_last_write",
        change("scenario_validations", "has_passed", True, scenario_id=SHED, trial="prefix"), SHED,
    ),
    (
        "scenario_validations", "every_accepted_scenario_fails_without_its_last_write",
        add("scenario_validations", trial(SHED, "no_op", 7, passes=True)), SHED,
    ),
    (
        "scenarios", "every_accepted_scenario_has_a_goal_and_a_guard_check",
        change("checks", "kind", "answer", scenario_id=SHED, kind="guard"), SHED,
    ),
    (
        "scenarios", "every_accepted_scenario_has_a_goal_and_a_guard_check",
        change("scenarios", "check_count", 3, scenario_id=SHED), SHED,
    ),
    (
        "scenarios", "every_accepted_scenario_has_a_goal_and_a_guard_check",
        change("scenarios", "kind", "refusal", scenario_id=SHED), SHED,
    ),
    (
        "scenario_validations", "every_accepted_scenario_fails_when_it_is_solved_wrongly",
        change("scenario_validations", "reward", 0.5, scenario_id=SHED, trial="no_op"), SHED,
    ),
    (
        "scenario_validations", "every_accepted_scenario_fails_when_it_is_solved_wrongly",
        change("scenario_validations", "reward", 1.0, scenario_id=SHED, trial="prefix"), SHED,
    ),
    (
        "scenario_validations", "every_accepted_scenario_fails_when_it_is_solved_wrongly",
        add("scenario_validations", trial(SHED, "extra_write", 0, passes=False).model_copy(
            update={"has_passed": True}
        )), SHED,
    ),
    (
        "scenario_validations", "every_accepted_scenario_passes_when_it_is_solved_rightly",
        change("scenario_validations", "final_digest", None, scenario_id=SHED, trial="reference"), SHED,
    ),
    (
        "scenario_validations", "every_accepted_scenario_passes_when_it_is_solved_rightly",
        add("scenario_validations", trial(SHED, "reorder", 0, passes=True).model_copy(
            update={"has_passed": False}
        )), SHED,
    ),
    (
        "trajectories", "the_no_op_agent_passes_nothing",
        change("trajectories", "reward", 0.5, scenario_id=CLINIC, agent="no_op"), CLINIC,
    ),
    (
        "trajectories", "the_no_op_agent_passes_nothing",
        change("trajectories", "success", True, scenario_id=CLINIC, agent="no_op"), CLINIC,
    ),
    (
        "trajectories", "every_trajectory_is_of_an_accepted_scenario",
        add("trajectories", trajectory(REJECTED, "no_op")), REJECTED,
    ),
    (
        "trajectories", "every_trajectory_has_a_reward_or_says_what_broke",
        change("trajectories", "reward", None, scenario_id=CLINIC, agent="no_op"), CLINIC,
    ),
    (
        "trajectories", "every_trajectory_has_a_reward_or_says_what_broke",
        change("trajectories", "problem", "odd", scenario_id=CLINIC, agent="no_op"), CLINIC,
    ),
    (
        "trajectories", "every_trajectory_has_a_reward_or_says_what_broke",
        add("trajectories", trajectory(CLINIC, "greedy", ended="broken")), CLINIC,
    ),
    (
        "trajectories", "every_kept_step_belongs_to_its_call",
        change("trajectories", "has_steps", True, scenario_id=CLINIC, agent="random_valid"), "step_count=0",
    ),
    (
        "trajectories", "every_kept_step_belongs_to_its_call",
        change("trajectories", "has_steps", False, agent="greedy"), "step_count=1",
    ),
    ("skeletons", "every_accepted_skeleton_has_its_tools", drop("tools", skeleton_id=SHED_SKELETON), SHED_SKELETON),
    (
        "skeletons", "every_accepted_skeleton_has_its_tools",
        change("tools", "kind", "query", skeleton_id=SHED_SKELETON), SHED_SKELETON,
    ),
    (
        "tools", "every_tool_of_an_accepted_skeleton_has_executed_cases",
        change("tool_tests", "is_passed", False, skeleton_id=SHED_SKELETON, tool="find", case="positive"), "find",
    ),
    (
        "tools", "every_tool_of_an_accepted_skeleton_has_executed_cases",
        drop("tool_tests", skeleton_id=SHED_SKELETON, tool="book", rule_id="one_visit_a_day"), "book",
    ),
    (  # an imported environment is not exempt
        "tools", "every_tool_of_an_accepted_skeleton_has_executed_cases",
        both(
            change("skeletons", "author", "import", skeleton_id=SHED_SKELETON),
            change("tool_tests", "outcome", "refusal", skeleton_id=SHED_SKELETON, tool="book", case="positive"),
        ),
        "book",
    ),
    (  # what the version before a repair was put through says nothing of the repaired one
        "tools", "every_tool_of_an_accepted_skeleton_has_executed_cases",
        change(
            "tool_tests", "skeleton_id", make_id("skl", "pet-clinic", 0), skeleton_id=make_id("skl", "pet-clinic", 1),
            tool="find", case="positive",
        ),
        "find",
    ),
    (
        "tools", "every_enforced_rule_has_a_refused_case_that_breaks_it",
        change("tool_tests", "outcome", "success", skeleton_id=SHED_SKELETON, rule_id="one_visit_a_day"),
        "one_visit_a_day",
    ),
    (
        "tools", "every_enforced_rule_has_a_refused_case_that_breaks_it",
        change("tool_tests", "is_passed", False, skeleton_id=SHED_SKELETON, rule_id="one_visit_a_day"),
        "one_visit_a_day",
    ),
    (  # a tool that does not enforce the rule refuses for something else
        "tools", "every_enforced_rule_has_a_refused_case_that_breaks_it",
        change("tool_tests", "tool", "find", skeleton_id=SHED_SKELETON, rule_id="one_visit_a_day"), "one_visit_a_day",
    ),
    (
        "tools", "every_enforced_rule_has_a_refused_case_that_breaks_it",
        change(
            "tool_tests", "skeleton_id", make_id("skl", "pet-clinic", 0), skeleton_id=make_id("skl", "pet-clinic", 1),
            rule_id="one_visit_a_day",
        ),
        "one_visit_a_day",
    ),
    (  # a precondition is never excused
        "tools", "every_enforced_rule_has_a_refused_case_that_breaks_it",
        both(
            drop("tool_tests", skeleton_id=SHED_SKELETON, rule_id="one_visit_a_day"),
            change(
                "skeleton_validations", "rules_untested_json", '{"one_visit_a_day": "hard", "visits_add_up": "kept"}',
                skeleton_id=SHED_SKELETON,
            ),
        ),
        "one_visit_a_day",
    ),
    (  # nobody says why
        "tools", "every_enforced_rule_has_a_refused_case_that_breaks_it",
        change("skeleton_validations", "rules_untested_json", '{"visits_add_up": null}', skeleton_id=SHED_SKELETON),
        "visits_add_up",
    ),
    (
        "tools", "every_enforced_rule_has_a_refused_case_that_breaks_it",
        change("skeleton_validations", "rules_untested_json", "{}", skeleton_id=SHED_SKELETON), "visits_add_up",
    ),
    (
        "skeletons", "every_accepted_skeleton_has_an_accepting_validation",
        change("skeleton_validations", "decision", "failed", skeleton_id=SHED_SKELETON), SHED_SKELETON,
    ),
    (
        "skeletons", "every_environment_has_one_accepted_skeleton_at_most",
        add("skeletons", skeleton("tool-shed", 2)), "tool-shed",
    ),
    ("stage_counts", "every_stage_balances", change("stage_counts", "items_in", 4, stage="generate_scenarios"), "scen"),
    (
        "stage_counts", "every_stage_count_equals_its_attempts",
        change("attempts", "status", "failed", item_id="item_2"), "mine_topics",
    ),
    (
        "stage_counts", "every_stage_count_equals_its_attempts",
        change("attempts", "stage", "generate_states", item_id="item_8"), "generate_states",
    ),
    ("attempts", "every_key_occurs_once", change("attempts", "item_id", "item_0", item_id="item_1"), "item_0"),
    ("scenarios", "only_accepted_rows_lack_a_reason", change("scenarios", "reason", "odd", scenario_id=SHED), SHED),
    ("attempts", "only_accepted_rows_lack_a_reason", change("attempts", "reason", None, item_id="item_8"), "item_8"),
    (
        "skeleton_validations", "only_accepted_rows_lack_a_reason",
        change("skeleton_validations", "decision", "rejected", skeleton_id=SHED_SKELETON), SHED_SKELETON,
    ),
    (
        "topics", "only_duplicates_name_what_stays",
        change("topics", "duplicate_of", None, status="duplicate"), make_id("top", "vet-office"),
    ),
    (
        "seed_tasks", "every_value_is_in_topics_topic_id",
        change("seed_tasks", "topic_id", make_id("top", "gone"), line=1), make_id("top", "gone"),
    ),
]  # fmt: skip


def test_a_good_batch_keeps_every_promise(tmp_path: Path) -> None:
    assert [each.detail for each in ask(tmp_path, small_release()).values() if not each.has_passed] == []


@pytest.mark.parametrize(("table", "rule", "break_it", "culprit"), BREAKINGS)
def test_a_broken_promise_names_the_rows(
    tmp_path: Path, table: str, rule: str, break_it: Breaking, culprit: str
) -> None:
    batch = small_release()
    break_it(batch)

    result = ask(tmp_path, batch)[table, rule]

    assert not result.has_passed
    assert result.offending_count >= 1
    assert culprit in (result.detail or "")
    assert "could not be evaluated" not in (result.detail or "")


def test_rules_of_an_imported_environment_need_no_cases(tmp_path: Path) -> None:
    batch = small_release()
    both(
        change("skeletons", "author", "import", skeleton_id=SHED_SKELETON),
        change("tool_tests", "rule_id", None, skeleton_id=SHED_SKELETON, rule_id="one_visit_a_day"),
    )(batch)

    assert ask(tmp_path, batch)["tools", "every_enforced_rule_has_a_refused_case_that_breaks_it"].has_passed


def test_every_written_rule_is_broken_above() -> None:
    written = {each.name.removesuffix(".sql") for each in (files("warehouse") / "checks").iterdir()}

    assert written <= {rule for _, rule, _, _ in BREAKINGS}


def test_a_reference_of_a_list_column_holds_for_each_element() -> None:
    class Team(Row):
        """A team and its members."""

        team_id: str
        member_ids: list[str]

    teams = Table(
        "teams",
        Team,
        kind="catalogue",
        key=("team_id",),
        references=MappingProxyType({"member_ids": "people.person_id"}),
    )
    (promise,) = promises_of(teams)
    with duckdb.connect() as connection:
        connection.execute("create table people as select 'ann' as person_id")
        connection.execute("create table teams (team_id varchar, member_ids varchar[])")
        connection.execute(
            "insert into teams values ('a', ['ann', 'bob']), ('b', []), ('c', null), ('d', ['ann', null])"
        )

        assert connection.execute(promise.sql).fetchall() == [("a", "bob")]
