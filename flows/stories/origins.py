"""Where environments come from: seed tasks and topics."""

from flows.stories.page import Page


def tell_seed_task(page: Page, item_id: str) -> bool:
    """A text of a corpus, and what became of it."""
    found = page.ask("select * from raw.seed_tasks where seed_task_id = ?", item_id)
    for row in found:
        page.title("Seed task", item_id)
        page.text(row["text"])
        page.fact("from", f"{row['corpus']}, line {row['line']} (source {row['source']}, {row['source_id']})")
        page.fact("keyphrases", row["keyphrases"])
        page.fact("cluster", row["cluster_label"])
        page.heading("What became of it")
        page.fate(row)
        page.fact("says the same as", row["duplicate_of"])
        topics = page.ask("select topic_id, title, status, reason from raw.topics where topic_id = ?", row["topic_id"])
        page.rows(topics, "topic_id", "title", "status", "reason")
    return bool(found)


def tell_topic(page: Page, item_id: str) -> bool:
    """A theme, the texts behind it, the decision on it, and what was built from it."""
    found = page.ask("select * from raw.topics where topic_id = ?", item_id)
    for row in found:
        page.title(f"Topic: {row['title']}", item_id)
        page.text(row["introduction"])
        page.fact("domain", f"{row['domain']} ({row['split']})")
        page.fact("usefulness, modelability", f"{row['usefulness']}, {row['modelability']} of 10")
        page.fact("asked for by", "a person" if row["origin"] == "given" else f"{row['seed_task_count']} seed tasks")
        page.fact("keyphrases", row["keyphrases"])
        seeds = page.ask(
            "select seed_task_id, text, status from raw.seed_tasks where topic_id = ? order by corpus, line limit 8",
            item_id,
        )
        page.rows(seeds, "seed_task_id", "text", "status")
        page.heading("What became of it")
        page.fate(row)
        page.fact("means the same as", row["duplicate_of"])
        models = page.ask(
            "select logic_model_id, title, status, reason, detail from raw.logic_models where topic_id = ?", item_id
        )
        page.rows(models, "logic_model_id", "title", "status", "reason", "detail")
        skeletons = page.ask(
            "select skeleton_id, slug, status, reason, detail from raw.skeletons where topic_id = ?", item_id
        )
        page.rows(skeletons, "skeleton_id", "slug", "status", "reason", "detail")
    return bool(found)
