"""The long-running commands: the UI, the deployments and the worker, all on the server of one home."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

from rich.console import Console

from flows.homes import prepare_home
from flows.interruption import ended_by_either_signal, uninterrupted
from flows.running import prefect_server
from flows.server import await_server, find_server, is_healthy, start_server, stop_server
from schemas.errors import MachineryError, ServerUnavailable
from schemas.settings import client_environment

PROJECT = Path(__file__).resolve().parent.parent
WORK_POOL = "envmill"
WATCH_EVERY_S = 2.0
WORKER_GOODBYE_S = 15.0
"""For the worker to end the runs that it has in work."""


def serve_ui(home: Path, port: int, *, say: Callable[[str], object]) -> None:
    """Start the server of a home in the foreground; when one runs already, only say where.

    Raises:
        ServerUnavailable: the port is taken, or the server ended.
        KeyboardInterrupt: a person ended it; it is stopped.
    """
    prepare_home(home)
    running = find_server(home)
    if running is not None and running.pid is None:
        say(f"A Prefect server runs already: {running.ui_url}")
        return
    if running is not None:
        stop_server(running, home)
    server = None
    with ended_by_either_signal():
        try:
            with uninterrupted():
                server = start_server(home, port=port)
            await_server(server, home, say=say)
            say(f"Prefect UI: {server.ui_url}  (Ctrl-C stops it)")
            while is_healthy(server.api_url):
                time.sleep(WATCH_EVERY_S)
            raise ServerUnavailable(f"The Prefect server at {server.api_url} ended. Start it again.")
        finally:
            if server is not None:
                stop_server(server, home)


def register_deployments(home: Path, *, say: Callable[[str], object]) -> None:
    """Create the work pool if it is missing, and register what prefect.yaml declares.

    Raises:
        MachineryError: Prefect refused.
        ServerUnavailable: no server could be had.
    """
    with prefect_server(home, Console(stderr=True)) as server:
        await_server(server, home, say=say)
        if not _has_work_pool(server.api_url):
            _prefect(home, server.api_url, "work-pool", "create", WORK_POOL, "--type", "process")
        _prefect(home, server.api_url, "--no-prompt", "deploy", "--all")
        say("The deployments of prefect.yaml are registered. `make worker` (envmill worker) runs them.")


def run_worker(home: Path, *, say: Callable[[str], object]) -> None:
    """Run deployments as they become due, until Ctrl-C. A server of ours runs as long.

    Raises:
        MachineryError: the worker ended with an error.
        ServerUnavailable: no server could be had.
    """
    with prefect_server(home, Console(stderr=True)) as server:
        await_server(server, home, say=say)
        say(f"Prefect UI: {server.ui_url}  (Ctrl-C stops the worker)")
        _prefect(home, server.api_url, "worker", "start", "--pool", WORK_POOL, "--type", "process")


def _has_work_pool(api_url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{api_url}/work_pools/{WORK_POOL}", timeout=10) as reply:
            return bool(json.load(reply))
    except urllib.error.HTTPError as error:
        if error.code == 404:
            return False
        raise


def _prefect(home: Path, api_url: str, *arguments: str) -> None:
    """Run a command of Prefect in the project folder, where prefect.yaml is."""
    process = None
    try:
        # In its own session, so that one Ctrl-C reaches it once: it takes the second for an order to drop everything.
        with uninterrupted():
            process = subprocess.Popen(
                [sys.executable, "-m", "prefect", *arguments],
                cwd=PROJECT,
                env=client_environment(home, api_url),
                start_new_session=True,
            )
        code = process.wait()
    except KeyboardInterrupt:
        if process is None:
            raise
        process.send_signal(signal.SIGINT)
        try:
            process.wait(timeout=WORKER_GOODBYE_S)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
        raise
    if code:
        raise MachineryError(f"`prefect {' '.join(arguments)}` ended with code {code}; see above.")
