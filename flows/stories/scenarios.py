"""Scenarios: their initial states, checks and proofs."""

import json
from typing import Any

from flows.stories.page import Page
from flows.stories.reviews import tell_reviews


def tell_initial_state(page: Page, item_id: str) -> bool:
    """An initial state and the scenarios on it."""
    found = page.ask(
        "select initial_states.*, slug from raw.initial_states left join raw.skeletons using (skeleton_id) "
        "where initial_state_id = ?",
        item_id,
    )
    for row in found:
        page.title(f"Initial state {row['number']} of {row['slug']}", item_id)
        page.fact("records", row["record_count"])
        page.fact("written by", row["author"])
        page.fact("sandbox", row["sandbox"])
        page.fate(row)
        page.heading("State")
        page.json(row["state_json"])
        page.heading("Scenarios on it")
        scenarios = page.ask(
            "select scenario_id, task, status, reason from raw.scenarios where initial_state_id = ? "
            "order by scenario_id",
            item_id,
        )
        page.rows(scenarios, "scenario_id", "task", "status", "reason")
    return bool(found)


def tell_scenario(page: Page, item_id: str) -> bool:
    """A task, its reference solution, its checks, and the trials that prove it."""
    found = page.ask(
        "select scenarios.*, slug, topic_id from raw.scenarios left join raw.skeletons using (skeleton_id) "
        "where scenario_id = ?",
        item_id,
    )
    for row in found:
        page.title(f"Scenario in {row['slug']}", item_id)
        page.text(row["task"])
        page.fact("kind", f"{row['kind']}, written by {row['author']}")
        page.fact("made from", f"{row['initial_state_id']}, {row['skeleton_id']}, {row['topic_id']}")
        page.fact("sandbox", row["sandbox"])
        page.fate(row)
        tell_reviews(page, item_id)
        page.heading("Reference solution")
        for number, step in enumerate(json.loads(row["reference_json"])):
            page.text(f"{number}. {_call(step)}")
        page.fact("final message", row["final_message"])
        page.heading("Checks")
        checks = page.ask("select * from raw.checks where scenario_id = ? order by number", item_id)
        page.rows(checks, "number", "kind", "text", "check_id")
        page.heading("Trials")
        trials = page.ask(
            "select trial, number, what, is_expected_to_pass as should_pass, has_passed as passed, "
            "round(reward, 2) as reward, is_counted as counted, checks_failed, detail "
            "from raw.scenario_validations where scenario_id = ? order by trial desc, number",
            item_id,
        )
        columns = ("trial", "number", "what", "should_pass", "passed", "reward", "counted", "checks_failed", "detail")
        page.rows(trials, *columns)
        _tell_episodes(page, item_id)
    return bool(found)


def _tell_episodes(page: Page, scenario_id: str) -> None:
    """How often each agent passed; nothing where nobody played."""
    rates = page.ask(
        "select coalesce(model, agent) as agent, attempts, passes, round(pass_rate_low, 2) as at_least, "
        "round(pass_rate_high, 2) as at_most, round(mean_reward, 2) as mean_reward, broken "
        "from main.pass_rates where scenario_id = ? order by all",
        scenario_id,
    )
    if rates:
        page.heading("Played by")
        page.rows(rates, "agent", "attempts", "passes", "at_least", "at_most", "mean_reward", "broken")


def tell_check(page: Page, item_id: str) -> bool:
    """A validation function."""
    found = page.ask(
        "select checks.*, task from raw.checks left join raw.scenarios using (scenario_id) where check_id = ?", item_id
    )
    for row in found:
        page.title(f"Check {row['number']}: {row['kind']}", item_id)
        page.text(row["text"])
        page.fact("of the scenario", f"{row['scenario_id']}: {row['task']}")
        page.fact("may differ freely", row["exempt"])
        page.code(row["code"])
    return bool(found)


def _call(step: dict[str, Any]) -> str:
    """Literals as they are, bindings by step and path: book(day='2026-05-01', slot_id=<0: data[2].slot_id>)."""
    arguments = [f"{name}={value!r}" for name, value in step["literals"].items()]
    for name, binding in step["bindings"].items():
        path = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in binding["path"]).lstrip(".")
        arguments.append(f"{name}=<{binding['step']}: {path}>")
    return f"{step['tool']}({', '.join(arguments)})"
