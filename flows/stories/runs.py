"""Runs and releases, and what the ledger knows of items that no release holds."""

from flows.stories.page import Page

MOST_REASONS = 20


def tell_run(page: Page, item_id: str) -> bool:
    """A run: what it was asked, how each stage balanced, why items were not accepted."""
    found = page.ask("select * from raw.runs where run_id = ?", item_id)
    for row in found:
        page.title(f"Run: {row['status']}", item_id)
        page.fact("asked for", f"profile {row['profile']}, author {row['author']}, seed {row['seed']}")
        page.fact("corpora", row["corpora"])
        page.fact("given topics", row["given_topics"])
        page.fact("hold-outs", row.get("holdouts"))
        page.fact("started", row["started_at"])
        page.fact("finished", row["finished_at"])
        page.fact("sandbox", row["sandbox"])
        page.fact("release", row["release_id"])
        page.fact("why it ended so", row["detail"])
        page.heading("Stages")
        stages = page.ask(
            "select stage, items_in, accepted, rejected, duplicate, failed, reused, round(duration_s, 1) as seconds "
            "from main.yield_by_stage where run_id = ? order by stage_number",
            item_id,
        )
        page.rows(stages, "stage", "items_in", "accepted", "rejected", "duplicate", "failed", "reused", "seconds")
        reasons = page.ask(
            "select stage, status, reason, count(*) as items, min(label) as example from raw.attempts "
            "where run_id = ? and status <> 'accepted' group by all order by items desc, stage, reason limit ?",
            item_id,
            MOST_REASONS,
        )
        page.heading("Why items were not accepted")
        page.rows(reasons, "stage", "status", "reason", "items", "example")
        refused = page.ask(
            "select table_name, column_name, expectation, offending_count, detail from raw.gate_results "
            "where run_id = ? and not has_passed order by table_name, expectation",
            item_id,
        )
        if refused:
            page.heading("Gates that refused")
            page.rows(refused, "table_name", "column_name", "expectation", "offending_count", "detail")
    return bool(found)


def tell_release(page: Page, item_id: str) -> bool:
    """A release: its size and the run that made it."""
    found = page.ask("select * from raw.releases where release_id = ? order by number", item_id)
    if found:
        page.title(f"Release {', '.join(str(row['number']) for row in found)}", item_id)
        page.json(found[0]["row_counts_json"])
        page.rows(found, "number", "run_id", "environment_count", "scenario_count", "published_at")
    return bool(found)


def tell_attempts(page: Page, item_id: str) -> bool:
    """What happened to an item, run by run; also for runs that published nothing."""
    found = page.ask(
        "select run_id, stage, label, status, reason, detail from raw.attempts where item_id = ? "
        'order by attempts."at" desc limit 10',
        item_id,
    )
    if found:
        page.heading(f"In the ledger: {item_id}")
        page.rows(found, "run_id", "stage", "label", "status", "reason", "detail")
    return bool(found)
