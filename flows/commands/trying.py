"""Commands that try things out: doctor, play, verify."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from flows.commands.app import Home, Unsafe, app, chosen_home, reported
from schemas.settings import Settings


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

        from flows.composition import sandbox_for_play
        from flows.playing import play_environment
        from tasks.runtime.source_files import is_path

        # A file needs no home, and is played wherever it lies.
        home_of_source = home or Settings().home if is_path(environment) else chosen_home(home)
        play_environment(
            environment,
            scenario=scenario,
            state=state,
            home=home_of_source,
            sandbox=sandbox_for_play(allow_unsafe=unsafe_no_sandbox),
            console=Console(),
            lines=sys.stdin,
        )


@app.command()
def verify(
    release: Annotated[str, typer.Option(help="Number or id of the release, or current.")] = "current",
    concurrency: Annotated[
        int | None, typer.Option(min=1, max=64, help="Environments in work at a time. Default: one per core.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object, for programs.")] = False,
    home: Home = None,
    unsafe_no_sandbox: Unsafe = False,
) -> None:
    """Execute all proofs of a release again, from its rows alone. Exit code 1 if a scenario no longer holds.

    The rows must also be those that were published, to the last one.
    """
    with reported():
        from rich.console import Console

        from flows.composition import local_sandbox
        from flows.verifying import tell, to_json, verify_release

        found = verify_release(
            chosen_home(home),
            release,
            sandbox=local_sandbox(allow_unsafe=unsafe_no_sandbox),
            at_a_time=concurrency or os.cpu_count() or 1,
        )
        if as_json:
            typer.echo(to_json(found))
        else:
            tell(found, Console())
        raise typer.Exit(0 if found.holds else 1)
