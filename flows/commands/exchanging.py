"""Commands for other forms of environments: import, export."""

from pathlib import Path
from typing import Annotated

import typer

from flows.commands.app import Concurrency, Home, app, chosen_home, reported
from flows.interruption import NOT_IMPORTED


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

    What is imported is kept in the home once it is published, and included again by every later run.

    Exit codes: as for run.
    """
    with reported(NOT_IMPORTED):
        from flows.importing import ImportOrder, check_import

        place = chosen_home(home)
        order = ImportOrder(
            home=place,
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
        tell_import(run_id, place, console)
        tell_release(release, place, console)


@app.command(name="export")
def export(
    form: Annotated[str, typer.Option("--format", help="envscaler.")] = "envscaler",
    to: Annotated[Path | None, typer.Option(help="Folder to write into; by default one in the home.")] = None,
    home: Home = None,
) -> None:
    """Write the environments and scenarios of the current release as files that others can read."""
    with reported():
        from flows.exporting import check_export, export_release, tell_export

        check_export(form, to)
        from rich.console import Console

        tell_export(export_release(chosen_home(home), to), Console())
