"""Commands around the Prefect server: ui, deploy, worker."""

from typing import Annotated

import typer

from flows.commands.app import Home, app, chosen_home, reported


@app.command()
def ui(
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port on this machine.")] = 4200, home: Home = None
) -> None:
    """Start the Prefect server of this home and keep it until Ctrl-C."""
    with reported():
        from flows.serving import serve_ui

        serve_ui(chosen_home(home), port, say=typer.echo)


@app.command()
def deploy(home: Home = None) -> None:
    """Register the deployments of prefect.yaml, and the work pool they run in."""
    with reported():
        from flows.serving import register_deployments

        register_deployments(chosen_home(home), say=typer.echo)


@app.command()
def worker(home: Home = None) -> None:
    """Run scheduled and requested deployments until Ctrl-C."""
    with reported():
        from flows.serving import run_worker

        run_worker(chosen_home(home), say=typer.echo)
