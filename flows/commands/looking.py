"""Commands that look at what is there: status, sql, show."""

import sys
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

from flows.commands.app import Home, app, chosen_home, reported
from flows.homes import existing_home
from schemas.errors import UsageError


@app.command()
def status(home: Home = None) -> None:
    """Show the latest runs and the current release."""
    with reported():
        from rich.console import Console

        from flows.reports import tell_status

        tell_status(chosen_home(home), Console())


class _Query(TyperCommand):
    """A query may begin with a comment, which looks like an unknown option; a misspelt option has no blank."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """What is typed."""
        ctx.ignore_unknown_options = any(each.startswith("--") and len(each.split()) > 1 for each in args)
        return super().parse_args(ctx, args)


@app.command(cls=_Query)
def sql(
    query: Annotated[str, typer.Argument(help="One SELECT, or - to read it from standard input. Try `show tables`.")],
    form: Annotated[str, typer.Option("--format", help="table, csv or json (NaN and infinity become null).")] = "table",
    home: Home = None,
) -> None:
    """Query the catalogue and the ledger, read-only."""
    with reported():
        from flows.tabular import FORMATS, write_answer

        if form not in FORMATS:
            raise UsageError(f"There is no format {form!r}. Choose one of: {', '.join(FORMATS)}.")
        from warehouse.query import query as ask

        text = sys.stdin.read() if query == "-" else query
        write_answer(ask(existing_home(chosen_home(home)), text), form, sys.stdout)
        sys.stdout.flush()


@app.command()
def show(
    item: Annotated[
        str,
        typer.Argument(help="Any id (scn_..., run_..., ...), the slug of an environment, or the number of a release."),
    ],
    home: Home = None,
) -> None:
    """Tell an item's story: what it came from, what was tried, why it was accepted or not."""
    with reported():
        from rich.console import Console

        from flows.stories.story import tell

        tell(chosen_home(home), item, Console())
