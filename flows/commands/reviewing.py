"""Commands for what people say of environments and scenarios: review list, show, accept, reject."""

from pathlib import Path
from typing import Annotated

import typer

from flows.commands.app import Home, app, chosen_home, reported
from flows.commands.looking import show
from schemas.reviews import Verdict

review = typer.Typer(
    help="Let people judge environments and scenarios; what a person rejects is withdrawn from the next release.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
app.add_typer(review, name="review")

Reviewed = Annotated[
    str, typer.Argument(help="Id of a scenario (scn_...) or environment (skl_..., env_...), or its slug.")
]
Reviewer = Annotated[str | None, typer.Option(help="Who says it. Default: the name of this account.")]


@review.command("list")
def review_list(
    everything: Annotated[bool, typer.Option("--all", help="All that can be reviewed, not the random sample.")] = False,
    home: Home = None,
) -> None:
    """List the random sample of the current release, what is open first."""
    with reported():
        from rich.console import Console

        from flows.reviewing import tell_items

        tell_items(chosen_home(home), Console(), everything=everything)


@review.command("show")
def review_show(item: Reviewed, home: Home = None) -> None:
    """Tell an item's story, reviews included: the same as `envmill show`."""
    show(item, home)


@review.command("accept")
def review_accept(
    item: Reviewed,
    note: Annotated[str | None, typer.Option(help="What you want to add.")] = None,
    reviewer: Reviewer = None,
    home: Home = None,
) -> None:
    """Say that an item is right; takes back your own rejection of it."""
    _record(item, "accepted", note, reviewer, home)


@review.command("reject")
def review_reject(
    item: Reviewed,
    note: Annotated[str | None, typer.Option(help="What is wrong with it, in words its author could act on.")] = None,
    reviewer: Reviewer = None,
    home: Home = None,
) -> None:
    """Withdraw an item from the next release: an environment with all its scenarios. Needs a --note."""
    _record(item, "rejected", note, reviewer, home)


def _record(item: str, verdict: Verdict, note: str | None, reviewer: str | None, home: Path | None) -> None:
    with reported():
        from rich.console import Console

        from flows.composition import utc_now
        from flows.reviewing import opinion, record

        said = opinion(verdict, note, reviewer)
        record(chosen_home(home), item, said, at=utc_now(), console=Console())
