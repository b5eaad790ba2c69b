"""The summary of a stage that the Prefect UI shows with its run."""

from prefect.artifacts import create_markdown_artifact

from flows.ledger import StageLedger

MAX_REASONS = 12


def summary_text(books: StageLedger) -> str:
    """The balance of a stage and its most frequent reasons, as Markdown."""
    count = books.count()
    lines = [
        f"## {books.stage.replace('_', ' ')}",
        "",
        "| in | accepted | rejected | duplicate | failed | reused | time |",
        "|---:|---:|---:|---:|---:|---:|---:|",
        f"| {count.items_in} | {count.accepted} | {count.rejected} | {count.duplicate} | {count.failed} "
        f"| {count.reused} | {count.duration_s:.1f} s |",
    ]
    reasons = list(books.reasons().items())
    if reasons:
        lines += ["", "| fate | reason | items |", "|---|---|---:|"]
        lines += [f"| {status} | {reason} | {number} |" for (status, reason), number in reasons[:MAX_REASONS]]
        rest = sum(number for _, number in reasons[MAX_REASONS:])
        if rest:
            lines += [f"| | other reasons | {rest} |"]
    return "\n".join(lines)


def publish_summary(books: StageLedger) -> None:
    """Attach the summary to the flow run in progress."""
    create_markdown_artifact(
        key=books.stage.replace("_", "-"), markdown=summary_text(books), description=f"Balance of {books.run_id}"
    )
