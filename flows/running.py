"""`envmill run`: a server, the flows, their progress, and what to tell at the end."""

import importlib
import logging
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from rich.console import Console

from flows.composition import UNCONFINED, local_sandbox
from flows.homes import home_lock, prepare_home, refuse_taken
from flows.interruption import GOODBYE, INTERRUPTED, ended_by_either_signal, stopping_on_interrupt, uninterrupted
from flows.order import Order
from flows.plan import BUNDLED_CORPUS
from flows.server import (
    START_TIMEOUT_S,
    Server,
    ServerBusy,
    await_history,
    await_server,
    find_server,
    is_healthy,
    start_server,
    stop_server,
)
from schemas.errors import SandboxUnavailable, ServerUnavailable
from schemas.runs import Release
from schemas.settings import prefect_home

ResultT = TypeVar("ResultT")
ASK_AGAIN_S = 0.2
"""Between two looks at a server that another command is starting."""


def run_factory(order: Order, console: Console) -> Release:
    """Run the main job against a real Prefect server and wait until it is done and recorded.

    Raises:
        EnvmillError: it ended without a release.
        KeyboardInterrupt: a person stopped it; what was finished is kept.
    """
    from warehouse.gate import warm_up

    refuse_taken(order.home)
    _refuse_unreadable(order)
    refuse_without_isolation(console, allow_unsafe=order.unsafe_no_sandbox)
    prepare_home(order.home)
    with home_lock(order.home, "envmill run"), prefect_server(order.home, console) as server:
        # Heavy: the gates, and the flows with everything they stand on. A server of ours starts meanwhile.
        warm_up()
        importlib.import_module("flows.regenerate")
        await_server(server, order.home, say=console.print)
        console.print(f"Prefect UI: {server.ui_url}", highlight=False)
        return _regenerate(order, server, console)


def _refuse_unreadable(order: Order) -> None:
    """The flow reads the files again, and remembers; here a bad one is refused before anything is begun."""
    # The bundled corpus is fine, unless its tasks are said to stand elsewhere; what reads it takes seconds to load.
    is_bundled_read = order.uses_corpus and not order.corpora and order.task_column is not None
    corpora = [BUNDLED_CORPUS] if is_bundled_read else order.corpora
    if not corpora and not order.holdouts.files:
        return
    from tasks.topics import read_corpus, read_holdout

    for path in corpora:
        read_corpus(path, task_column=order.task_column)
    for path in order.holdouts.files:
        read_holdout(path, task_column=order.holdouts.column)


def refuse_without_isolation(console: Console, *, allow_unsafe: bool) -> None:
    """Every flow asks the sandbox again; here a machine that can't confine code is refused before anything is begun."""
    from tasks.sandbox.doctor import advice_on

    sandbox = local_sandbox(allow_unsafe=allow_unsafe)
    layers = sandbox.layers()
    try:
        level = sandbox.level
    except SandboxUnavailable as error:
        raise SandboxUnavailable("\n".join([str(error), *advice_on(layers)])) from error
    if level == "none":
        console.print(f"WARNING: {UNCONFINED}", style="bold red", markup=False, highlight=False, soft_wrap=True)


def _regenerate(order: Order, server: Server, console: Console) -> Release:
    from flows.regenerate import regenerate

    def work() -> Release:
        return regenerate(
            profile=order.profile,
            corpora=list(order.corpora),
            task_column=order.task_column,
            topics=list(order.topics),
            uses_corpus=order.uses_corpus,
            holdouts=list(order.holdouts.files),
            holdout_column=order.holdouts.column,
            author=order.author,
            seed=order.seed,
            home=order.home,
            concurrency=order.at_a_time,
            max_usd=order.limits.max_usd,
            max_tokens=order.limits.max_tokens,
            max_calls=order.limits.max_calls,
            record=order.taping.record,
            replay=order.taping.replay,
            lengths=order.lengths,
            probes=order.probes.attempts,
            probe_attempts=order.probes.model_attempts,
            unsafe_no_sandbox=order.unsafe_no_sandbox,
        )

    return conducted(work, order.home, server, console)


def conducted(
    work: Callable[[], ResultT], home: Path, server: Server, console: Console, *, goodbye: str = GOODBYE
) -> ResultT:
    """Call a flow: its progress on the console, Ctrl-C heard, and its history written when it ends.

    Args:
        work: Calls the flow.
        home: Its home.
        server: The server that it works with, which must answer.
        console: Where the person looks.
        goodbye: What is said where it is left at once.

    Raises:
        KeyboardInterrupt: a person stopped it.
    """
    from prefect.exceptions import TerminationSignal
    from prefect.settings import temporary_settings

    from flows.console import progress_on
    from flows.watching import Watch, watched_by

    def say() -> None:
        console.print(
            "Stopping: items in work get a few seconds to finish. Ctrl-C again to leave at once.", soft_wrap=True
        )

    def leave() -> NoReturn:
        console.print(goodbye, soft_wrap=True)
        stop_server(server, home, timeout_s=1.0)
        os._exit(INTERRUPTED)

    hush_prefect()
    with progress_on(console) as progress:
        seen = Watch(progress)
        watched_by(seen)
        try:
            with (
                stopping_on_interrupt(seen.stop, say=say, leave=leave),
                temporary_settings(prefect_settings(server, home)),
            ):
                return work()
        except TerminationSignal:
            raise KeyboardInterrupt from None
        finally:
            # The log goes to the server from a thread of its own, and must be there before the server goes.
            for handler in logging.getLogger("prefect.flow_runs").handlers:
                handler.flush()
            await_history(server.api_url, seen.task_runs, timeout_s=1.0 if seen.stop.is_set() else 10.0)


@contextmanager
def prefect_server(home: Path, console: Console) -> Iterator[Server]:
    """The configured server, the one that runs for this home, or a new one that is stopped at the end.

    It may still be starting: `await_server` before it is used. One that another command is starting is waited for, and
    the console says so. SIGTERM ends the block like Ctrl-C. Main thread only.

    Raises:
        KeyboardInterrupt: a person or a service manager stopped it, at whatever moment.
        ServerUnavailable: the configured server does not answer, or the one that another command started never does.
        HomeNotWritable: a server would have to be started, and the home can't be written.
    """
    prepare_home(home)
    configured = configured_api_url()
    if configured:
        if not is_healthy(configured):
            raise ServerUnavailable(
                f"PREFECT_API_URL is {configured}, but no Prefect server answers there. "
                "Start that server, or unset PREFECT_API_URL to have one started."
            )
        with ended_by_either_signal():
            yield Server(configured)
        return
    server, told = None, False
    deadline = time.monotonic() + START_TIMEOUT_S
    with ended_by_either_signal():
        try:
            while server is None:
                with uninterrupted():
                    try:
                        server = find_server(home) or _started(home, console)
                    except ServerBusy as busy:
                        if time.monotonic() > deadline:
                            raise
                        if not told:
                            console.print(f"{busy} Waiting for it.", highlight=False, markup=False, soft_wrap=True)
                        told = True
                if server is None:
                    time.sleep(ASK_AGAIN_S)
            yield server
        finally:
            if server is not None:
                stop_server(server, home)


def _started(home: Path, console: Console) -> Server:
    server = start_server(home)
    log = prefect_home(home).server_log
    console.print(f"Starting a Prefect server ... (its log: {log})", highlight=False, markup=False, soft_wrap=True)
    return server


def configured_api_url() -> str | None:
    """The address that the user gave Prefect, in the environment, a profile or a project file; null without one."""
    from prefect.settings import get_current_settings

    return get_current_settings().api.url


def prefect_settings(server: Server, home: Path) -> dict[Any, Any]:
    """How Prefect works for a run in this process."""
    from prefect.settings import (
        PREFECT_API_URL,
        PREFECT_FLOWS_HEARTBEAT_FREQUENCY,
        PREFECT_RESULTS_LOCAL_STORAGE_PATH,
    )

    return {
        PREFECT_API_URL: server.api_url,
        PREFECT_RESULTS_LOCAL_STORAGE_PATH: prefect_home(home).results,
        # Each flow would end half a second later for a sign of life that nobody waits for.
        PREFECT_FLOWS_HEARTBEAT_FREQUENCY: None,
    }


class _NotOfRuns(logging.Filter):
    """Drops what Prefect says of single flow and task runs: the progress lines say it, and the UI keeps it."""

    def filter(self, record: logging.LogRecord) -> bool:
        is_of_runs = record.name.startswith(("prefect.flow_runs", "prefect.task_runs"))
        return record.levelno >= logging.WARNING and not is_of_runs


def hush_prefect() -> None:
    """Leave only Prefect's own warnings on the console; the log in the Prefect UI stays whole."""
    for handler in logging.getLogger().handlers:
        handler.addFilter(_NotOfRuns())
