"""Environments: their plans, classes and tools."""

import json
from typing import Any

from flows.stories.page import Page
from flows.stories.reviews import tell_reviews


def tell_logic_model(page: Page, item_id: str) -> bool:
    """The plan of an environment."""
    found = page.ask("select * from raw.logic_models where logic_model_id = ?", item_id)
    for row in found:
        model = json.loads(row["model_json"])
        page.title(f"Logic model: {row['title']}", item_id)
        page.text(model["summary"])
        page.fact("written by", row["author"])
        page.heading("Entities")
        for entity in model["entities"]:
            attributes = [f"{each['name']} {each['type']}" for each in entity["attributes"]]
            page.fact(entity["collection"], attributes)
        page.heading("Rules")
        page.rows(model["rules"], "id", "kind", "text")
        page.heading("Operations")
        page.rows(model["operations"], "name", "kind", "description")
        page.heading("What became of it")
        page.fate(row)
        page.fact("topic", row["topic_id"])
        made = page.ask("select skeleton_id, slug, status, reason from raw.skeletons where logic_model_id = ?", item_id)
        page.rows(made, "skeleton_id", "slug", "status", "reason")
    return bool(found)


def tell_skeleton(page: Page, item_id: str) -> bool:
    """An environment class, whatever its fate. Also found by its environment id or its slug."""
    found = page.ask(
        "select * from raw.skeletons where ? in (skeleton_id, environment_id, slug) order by skeleton_id", item_id
    )
    for row in found:
        page.title(f"Environment: {row['title']} ({row['slug']})", row["skeleton_id"])
        page.fact("class", f"{row['class_name']}, {row['line_count']} lines, written by {row['author']}")
        page.fact("environment", row["environment_id"])
        page.fact("logic model", row["logic_model_id"])
        _origin(page, row["topic_id"])
        page.heading(f"Tools ({row['query_count']} queries, {row['state_change_count']} state changes)")
        tools = page.ask(
            "select tool_id, name, kind, description from raw.tools where skeleton_id = ? order by kind, name",
            row["skeleton_id"],
        )
        page.rows(tools, "name", "kind", "description", "tool_id")
        page.heading("Policy for the agent")
        page.text(row["policy"])
        _evaluation(page, row)
        tell_reviews(page, row["skeleton_id"])
        _scenarios(page, row["skeleton_id"])
    return bool(found)


def tell_tool(page: Page, item_id: str) -> bool:
    """A tool, its arguments and its tests."""
    found = page.ask(
        "select tools.*, slug from raw.tools left join raw.skeletons using (skeleton_id) where tool_id = ?", item_id
    )
    for row in found:
        page.title(f"Tool: {row['name']} of {row['slug']}", item_id)
        page.text(row["description"])
        page.fact("kind", row["kind"])
        page.fact("reads", row["reads"])
        page.fact("writes", row["writes"])
        page.fact("enforces", row["enforces"])
        page.heading("Arguments")
        page.json(row["parameters_json"])
        page.heading("Executed tests")
        tests = page.ask(
            'select "case", arguments_json as arguments, expected, outcome, is_passed as passed, detail '
            "from raw.tool_tests where skeleton_id = ? and tool = ? order by is_passed, tool_test_id",
            row["skeleton_id"],
            row["name"],
        )
        page.rows(tests, "case", "arguments", "expected", "outcome", "passed", "detail")
    return bool(found)


def _origin(page: Page, topic_id: str) -> None:
    for topic in page.ask("select * from raw.topics where topic_id = ?", topic_id):
        is_given = topic["origin"] == "given"
        asked = "asked for by a person" if is_given else f"mined from {topic['seed_task_count']} seed tasks"
        page.fact("topic", f"{topic['title']} ({topic_id}), {asked}")


def _evaluation(page: Page, skeleton: dict[str, Any]) -> None:
    page.heading("Evaluation")
    page.fate(skeleton)
    for row in page.ask("select * from raw.skeleton_validations where skeleton_id = ?", skeleton["skeleton_id"]):
        page.fact("checks run", f"{len(row['checks_run'])}, failed: {', '.join(row['checks_failed']) or 'none'}")
        page.fact("tool calls executed", f"{row['call_count']} (sandbox: {row['sandbox']})")
        page.fact("tests passed", f"{row['test_passed_count']} of {row['test_count']}")
        page.fact("tools covered", f"{row['tools_covered']} of {skeleton['tool_count']}")
        page.fact("rules checked on reached states", row["rules_checked"])
        if row["checks_failed"]:
            page.json(row["evidence_json"])


def _scenarios(page: Page, skeleton_id: str) -> None:
    page.heading("Initial states")
    states = page.ask(
        "select initial_state_id, number, record_count as records, status, reason from raw.initial_states "
        "where skeleton_id = ? order by number",
        skeleton_id,
    )
    page.rows(states, "number", "initial_state_id", "records", "status", "reason")
    page.heading("Scenarios")
    scenarios = page.ask(
        "select scenario_id, task, reference_length as calls, status, reason from raw.scenarios "
        "where skeleton_id = ? order by status, scenario_id",
        skeleton_id,
    )
    page.rows(scenarios, "scenario_id", "task", "calls", "status", "reason")
