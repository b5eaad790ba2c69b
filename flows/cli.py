"""The command line. Every command imports what it needs when it is called, so that help and queries answer at once."""

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from flows.interruption import GOODBYE, INTERRUPTED
from schemas.errors import EnvmillError, HomeNotWritable, UsageError
from schemas.reviews import Verdict
from schemas.settings import PROFILES, Settings

DISK_TROUBLE = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM}

app = typer.Typer(
    name="envmill",
    help="Turn plain task texts into executable, verified tool-use environments.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

Home = Annotated[
    Path | None, typer.Option("--home", help="Folder for everything envmill writes. [ENVMILL_HOME or .envmill]")
]

Corpora = Annotated[
    list[Path] | None,
    typer.Option("--corpus", help="File of task texts; may be repeated. Default: the bundled corpus."),
]
Concurrency = Annotated[
    int | None,
    typer.Option(min=1, max=64, help="Items in work, and questions asked, at a time. Default: cores + 1; llm: 16."),
]
MaxUsd = Annotated[float | None, typer.Option(min=0, help="Most money that --author llm may spend, in USD.")]
MaxTokens = Annotated[int | None, typer.Option(min=0, help="Most tokens of --author llm, input and output together.")]
MaxCalls = Annotated[int | None, typer.Option(min=0, help="Most requests of --author llm, retries included.")]
Record = Annotated[Path | None, typer.Option(help="Folder to keep all exchanges of --author llm with its model in.")]
Replay = Annotated[Path | None, typer.Option(help="Folder that --record wrote: the answers come from there, offline.")]
Unsafe = Annotated[
    bool, typer.Option("--unsafe-no-sandbox", help="Run generated code even where this machine can't confine it.")
]


def main() -> None:
    """Run the command that was typed."""
    app()


@contextmanager
def reported(goodbye: str = "Stopped.") -> Iterator[None]:
    """Turn what a person can understand into one message and its exit code; anything else is a bug and stays one."""
    try:
        yield
    except EnvmillError as error:
        typer.echo(f"envmill: {error}", err=True)
        raise typer.Exit(error.exit_code) from error
    except KeyboardInterrupt:
        typer.echo(goodbye, err=True)
        raise typer.Exit(INTERRUPTED) from None
    except BrokenPipeError:
        # Whoever read our output has seen enough. Nothing may be flushed into the closed pipe at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(0) from None
    except OSError as error:
        if error.errno not in DISK_TROUBLE:
            raise
        typer.echo(f"envmill: Can't write {error.filename or 'to disk'}: {error.strerror}.", err=True)
        raise typer.Exit(HomeNotWritable.exit_code) from error


@app.command()
def run(
    profile: Annotated[str, typer.Option(help=f"How much to make: {', '.join(PROFILES)}.")] = "default",
    corpus: Corpora = None,
    task_column: Annotated[str | None, typer.Option(help="Column that holds the task text. Default: guessed.")] = None,
    topic: Annotated[list[str] | None, typer.Option(help="A theme you want; may be repeated.")] = None,
    no_corpus: Annotated[bool, typer.Option("--no-corpus", help="Work on the --topic themes alone.")] = False,
    author: Annotated[str, typer.Option(help="Who writes.")] = "rules",
    seed: Annotated[int, typer.Option(help="Decides every choice; same seed and inputs, same release.")] = 0,
    home: Home = None,
    concurrency: Concurrency = None,
    max_usd: MaxUsd = None,
    max_tokens: MaxTokens = None,
    max_calls: MaxCalls = None,
    record: Record = None,
    replay: Replay = None,
    unsafe_no_sandbox: Unsafe = False,
) -> None:
    """Make a release: mine topics, build environments, generate and prove scenarios, publish.

    Where a budget runs out, what is finished by then is published, and what is left is told.

    Exit codes: 0 published, 1 failed, 2 wrong usage, 3 a gate refused publication, 130 stopped by Ctrl-C.
    """
    with reported(GOODBYE):
        from flows.composition import items_at_a_time
        from flows.limits import Limits
        from flows.plan import check_order
        from flows.taping import Taping

        chosen_home = home or Settings().home
        at_a_time = items_at_a_time(author, concurrency)
        limits = Limits(max_usd=max_usd, max_tokens=max_tokens, max_calls=max_calls)
        taping = Taping(record=record, replay=replay)
        check_order(profile, corpus or [], not no_corpus, topic or [], author, at_a_time, limits, chosen_home, taping)
        from rich.console import Console

        from flows.running import Order, run_factory

        console = Console()
        release = run_factory(
            Order(
                home=chosen_home,
                profile=profile,
                corpora=corpus or [],
                task_column=task_column,
                topics=topic or [],
                uses_corpus=not no_corpus,
                author=author,
                seed=seed,
                concurrency=at_a_time,
                limits=limits,
                taping=taping,
                unsafe_no_sandbox=unsafe_no_sandbox,
            ),
            console,
        )
        from flows.reports import tell_release

        tell_release(release, chosen_home, console)


@app.command()
def estimate(
    profile: Annotated[str, typer.Option(help=f"How much to make: {', '.join(PROFILES)}.")] = "default",
    corpus: Corpora = None,
    task_column: Annotated[str | None, typer.Option(help="Column that holds the task text. Default: guessed.")] = None,
    topic: Annotated[list[str] | None, typer.Option(help="A theme you want; may be repeated.")] = None,
    no_corpus: Annotated[bool, typer.Option("--no-corpus", help="Work on the --topic themes alone.")] = False,
    home: Home = None,
    concurrency: Concurrency = None,
    max_usd: MaxUsd = None,
    max_tokens: MaxTokens = None,
    max_calls: MaxCalls = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object, for programs.")] = False,
) -> None:
    """Say what `envmill run --author llm` would take: calls, tokens, time, and money where the price is known."""
    with reported():
        from rich.console import Console

        from flows.composition import items_at_a_time
        from flows.estimate import estimate as foresee
        from flows.estimate import tell, to_json
        from flows.limits import Limits
        from flows.plan import check_request

        chosen_home = home or Settings().home
        at_a_time = items_at_a_time("llm", concurrency)
        check_request(profile, corpus or [], not no_corpus, topic or [], at_a_time)
        found = foresee(
            chosen_home,
            profile=profile,
            corpora=corpus or [],
            uses_corpus=not no_corpus,
            task_column=task_column,
            topics=topic or [],
            at_a_time=at_a_time,
            limits=Limits(max_usd=max_usd, max_tokens=max_tokens, max_calls=max_calls),
        )
        if as_json:
            typer.echo(to_json(found))
        else:
            tell(found, Console())


@app.command()
def status(home: Home = None) -> None:
    """Show the latest runs and the current release."""
    with reported():
        from rich.console import Console

        from flows.reports import tell_status

        tell_status(home or Settings().home, Console())


@app.command()
def sql(
    query: Annotated[str, typer.Argument(help="One SELECT, or - to read it from standard input. Try `show tables`.")],
    form: Annotated[str, typer.Option("--format", help="table, csv or json.")] = "table",
    home: Home = None,
) -> None:
    """Query the catalogue and the ledger, read-only."""
    with reported():
        from flows.tabular import FORMATS, write_answer

        if form not in FORMATS:
            raise UsageError(f"There is no format {form!r}. Choose one of: {', '.join(FORMATS)}.")
        from warehouse.query import query as ask

        text = sys.stdin.read() if query == "-" else query
        write_answer(ask(home or Settings().home, text), form, sys.stdout)
        sys.stdout.flush()


@app.command()
def show(
    item: Annotated[str, typer.Argument(help="Any id (scn_..., skl_..., run_...) or the slug of an environment.")],
    home: Home = None,
) -> None:
    """Tell an item's story: what it came from, what was tried, why it was accepted or not."""
    with reported():
        from rich.console import Console

        from flows.stories.story import tell

        tell(home or Settings().home, item, Console())


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

        tell_items(home or Settings().home, Console(), everything=everything)


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
        record(home or Settings().home, item, said, at=utc_now(), console=Console())


@app.command()
def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object, for programs.")] = False,
    home: Home = None,
) -> None:
    """Say what works on this machine: sandbox, endpoint, warehouse, Prefect server. Exit code 1 if any does not."""
    with reported():
        from rich.console import Console

        from flows.doctor import diagnose, tell, to_json

        diagnosis = diagnose(home or Settings().home)
        if as_json:
            typer.echo(to_json(diagnosis))
        else:
            tell(diagnosis, Console())
        raise typer.Exit(0 if diagnosis.works else 1)


@app.command()
def play(
    environment: Annotated[
        str, typer.Argument(help="Slug or id of a published environment, or a file: clinic.py, clinic.py:Clinic.")
    ],
    scenario: Annotated[str | None, typer.Option(help="Id of a published scenario to play, or its number.")] = None,
    state: Annotated[Path | None, typer.Option(help="JSON file with the state to start from.")] = None,
    home: Home = None,
    unsafe_no_sandbox: Unsafe = False,
) -> None:
    """Call an environment's tools by hand, line by line; `help` lists what can be typed. Reads pipes as well."""
    with reported():
        from rich.console import Console

        from flows.composition import local_sandbox
        from flows.playing import play_environment

        play_environment(
            environment,
            scenario=scenario,
            state=state,
            home=home or Settings().home,
            sandbox=local_sandbox(allow_unsafe=unsafe_no_sandbox),
            console=Console(),
            lines=sys.stdin,
        )


@app.command(name="import")
def import_(
    sources: Annotated[
        list[str] | None, typer.Argument(help="Files of the envscaler form, or classes: clinic.py, clinic.py:Clinic.")
    ] = None,
    form: Annotated[str | None, typer.Option("--format", help="envscaler or python-class.")] = None,
    options: Annotated[
        Path | None, typer.Option(help="YAML on how a class is used. Default: the file's name with .yaml, if there.")
    ] = None,
    state: Annotated[list[Path] | None, typer.Option(help="JSON file with an initial state; may be repeated.")] = None,
    forget: Annotated[list[str] | None, typer.Option(help="Slug of an import to drop; may be repeated.")] = None,
    home: Home = None,
    concurrency: Concurrency = None,
    unsafe_no_sandbox: Annotated[
        bool,
        typer.Option("--unsafe-no-sandbox", help="Run imported code even where this machine can't confine it."),
    ] = False,
) -> None:
    """Judge environments and scenarios of others like one's own, and publish them beside the current release.

    What is imported is kept in the home, and included again by every later run.

    Exit codes: as for run.
    """
    with reported(GOODBYE):
        from flows.importing import ImportOrder, check_import

        chosen_home = home or Settings().home
        order = ImportOrder(
            home=chosen_home,
            form=form,
            sources=tuple(sources or ()),
            options=options,
            states=tuple(state or ()),
            forgotten=tuple(forget or ()),
            concurrency=concurrency,
            unsafe_no_sandbox=unsafe_no_sandbox,
        )
        check_import(order)
        from rich.console import Console

        from flows.importing import run_import, tell_import
        from flows.reports import tell_release

        console = Console()
        release, run_id = run_import(order, console)
        tell_import(run_id, chosen_home, console)
        tell_release(release, chosen_home, console)


@app.command(name="export")
def export(
    form: Annotated[str, typer.Option("--format", help="envscaler.")] = "envscaler",
    to: Annotated[Path | None, typer.Option(help="Folder to write into; by default one in the home.")] = None,
    home: Home = None,
) -> None:
    """Write the environments and scenarios of the current release as files that others can read."""
    with reported():
        from flows.exporting import check_export, export_release, tell_export

        check_export(form)
        from rich.console import Console

        tell_export(export_release(home or Settings().home, to), Console())


@app.command()
def verify(
    release: Annotated[str, typer.Option(help="Number of the release, or current.")] = "current",
    concurrency: Annotated[
        int | None, typer.Option(min=1, max=64, help="Environments in work at a time. Default: one per core.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object, for programs.")] = False,
    home: Home = None,
    unsafe_no_sandbox: Unsafe = False,
) -> None:
    """Execute all proofs of a release again, from its rows alone. Exit code 1 if a scenario no longer holds."""
    with reported():
        from rich.console import Console

        from flows.composition import local_sandbox
        from flows.verifying import tell, to_json, verify_release

        found = verify_release(
            home or Settings().home,
            release,
            sandbox=local_sandbox(allow_unsafe=unsafe_no_sandbox),
            at_a_time=concurrency or os.cpu_count() or 1,
        )
        if as_json:
            typer.echo(to_json(found))
        else:
            tell(found, Console())
        raise typer.Exit(1 if found.broken else 0)


@app.command()
def ui(
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port on this machine.")] = 4200, home: Home = None
) -> None:
    """Start the Prefect server of this home and keep it until Ctrl-C."""
    with reported():
        from flows.serving import serve_ui

        serve_ui(home or Settings().home, port, say=typer.echo)


@app.command()
def deploy(home: Home = None) -> None:
    """Register the deployments of prefect.yaml, and the work pool they run in."""
    with reported():
        from flows.serving import register_deployments

        register_deployments(home or Settings().home, say=typer.echo)


@app.command()
def worker(home: Home = None) -> None:
    """Run scheduled and requested deployments until Ctrl-C."""
    with reported():
        from flows.serving import run_worker

        run_worker(home or Settings().home, say=typer.echo)
