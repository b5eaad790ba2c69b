"""The summary of a stage that the Prefect UI shows with its run."""

from collections.abc import Iterable

from prefect.artifacts import create_markdown_artifact

from flows.ledger import StageLedger
from schemas.trajectories import Trajectory
from tasks.probes.rates import PassRate, pass_rates

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


def rates_text(rates: Iterable[PassRate]) -> str:
    """How often each agent passes, as Markdown."""
    lines = [
        "## pass rates",
        "",
        "| agent | attempts | passes | rate | 95 % interval | broken |",
        "|---|--:|--:|--:|---|--:|",
    ]
    for each in rates:
        rate = "" if each.rate is None else f"{each.rate:.2%}"
        interval = "" if each.interval is None else " to ".join(f"{end:.2%}" for end in each.interval)
        lines.append(f"| {each.agent} | {each.attempts} | {each.passes} | {rate} | {interval} | {each.broken} |")
    return "\n".join(lines)


def publish_pass_rates(run_id: str, trajectories: Iterable[Trajectory]) -> None:
    """Attach the pass rates to the flow run in progress; nothing where nobody played."""
    rates = pass_rates(trajectories)
    if rates:
        create_markdown_artifact(key="pass-rates", markdown=rates_text(rates), description=f"Pass rates of {run_id}")
