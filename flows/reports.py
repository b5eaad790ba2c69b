"""What a command tells at its end: the release that was made, or how things stand."""

from pathlib import Path
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from flows.homes import is_at_work
from flows.stories.page import FATES, Page
from schemas.runs import Release
from warehouse.layout import Layout

LATEST_RUNS = 8
_LEFT_UNDONE = "select detail from raw.runs where run_id = ? and detail is not null"
_RELEASE_BEFORE = """
select number, run_id, environment_count, scenario_count from raw.releases
where number < ? order by number desc limit 1
"""
FIRST_QUERY = "select slug, tool_count, scenario_count from environments"


def tell_release(release: Release, home: Path, console: Console) -> None:
    """What was published, where, three commands to try next, and what is less than before or left undone."""
    option = "" if home == Path(".envmill") else f" --home {home}"
    page = Page(home, console)
    first = page.ask("select slug from main.environments order by scenario_count desc, slug limit 1")
    slug = first[0]["slug"] if first else release.release_id
    lines = [
        f"Release {release.number} ({release.release_id}): "
        f"{_content(release.environment_count, release.scenario_count)}.",
        f"It lies in {home.resolve() / 'warehouse'}.",
        "Try next:",
        f'  envmill sql{option} "{FIRST_QUERY}"',
        f"  envmill show{option} {slug}",
        f"  envmill status{option}",
    ]
    lines += [str(row["detail"]) for row in page.ask(_LEFT_UNDONE, release.run_id)]
    before = page.ask(_RELEASE_BEFORE, release.number)
    lines += [_less_than(row, release, home) for row in before if _is_less(release, row)]
    for line in lines:
        console.print(line, markup=False, highlight=False, soft_wrap=True)


def _is_less(release: Release, before: dict[str, Any]) -> bool:
    pairs = ((release.environment_count, "environment_count"), (release.scenario_count, "scenario_count"))
    return any(count < int(before[name]) for count, name in pairs)


def _less_than(before: dict[str, Any], release: Release, home: Path) -> str:
    held = _content(before["environment_count"], before["scenario_count"])
    return (
        f"This release holds less than the one before: {_content(release.environment_count, release.scenario_count)}; "
        f"release {before['number']} held {held}. Its files stay in {Layout(home).release(before['number'])}; the "
        f"command that made it publishes it again, at little cost (`envmill show {before['run_id']}` tells how)."
    )


def tell_status(home: Path, console: Console) -> None:
    """The current release, and the latest runs with how they ended."""
    page = Page(home, console)
    releases = page.ask("select * from raw.current_release")
    if releases:
        row = releases[0]
        console.print(
            f"Release {row['number']} ({row['release_id']}): "
            f"{_content(row['environment_count'], row['scenario_count'])}, published {row['published_at'][:16]} UTC",
            markup=False,
            highlight=False,
            soft_wrap=True,
        )
    else:
        console.print(
            f"No release yet in {home}. Make one: envmill run --profile tiny --home {home}",
            markup=False,
            highlight=False,
            soft_wrap=True,
        )
    runs = page.ask(
        "select run_id, profile, status, detail, started_at, date_diff('second', started_at, finished_at) as seconds "
        "from raw.runs "
        "order by started_at desc, run_id desc limit ?",
        LATEST_RUNS,
    )
    if not runs:
        return
    table = Table(box=SIMPLE_HEAD, pad_edge=False, title="Latest runs", title_justify="left")
    for column in ("run", "status", "profile", "started (UTC)", "took"):
        table.add_column(column, no_wrap=True)
    dead = not is_at_work(home)
    for run in runs:
        if run["status"] == "running" and dead:
            run["status"], run["detail"] = "killed", "its process is gone; the next run goes on from what it finished"
        took = f"{run['seconds']} s" if run["seconds"] is not None else ""
        cells = (run["run_id"], run["status"], run["profile"], run["started_at"][:16], took)
        table.add_row(*(Text(cell, FATES.get(cell, "")) for cell in cells))
    console.print(table)
    for run in runs:
        if run["detail"]:
            why = run["detail"].splitlines()[0]
            console.print(f"{run['run_id']}: {why}", markup=False, highlight=False, soft_wrap=True)


def _content(environments: int, scenarios: int) -> str:
    """ "1 environment, 5 proven scenarios"."""
    return (
        f"{environments} environment{'' if environments == 1 else 's'}, "
        f"{scenarios} proven scenario{'' if scenarios == 1 else 's'}"
    )
