"""The Prefect server of a home: found, started, waited for, stopped. Light to import, so that it starts at once."""

import fcntl
import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from schemas.errors import HomeNotWritable, ServerUnavailable
from schemas.settings import prefect_home, server_environment

START_TIMEOUT_S = 180.0
"""A new home needs 12 s on an idle machine, up to a minute on a busy one."""
SAY_EVERY_S = 30.0
"""A person who waits longer than this is told for what."""
STOP_TIMEOUT_S = 10.0
_FINAL_STATES = ("COMPLETED", "FAILED", "CRASHED", "CANCELLED")


class ServerBusy(ServerUnavailable):
    """A server process of this home lives that does not answer: another command is starting or stopping it."""


@dataclass(frozen=True, slots=True)
class Server:
    """A server and who has to stop it."""

    api_url: str
    pid: int | None = None
    """Process to stop when the work is done; null when it belongs to somebody else."""

    @property
    def ui_url(self) -> str:
        """Where a person looks at it."""
        return self.api_url.removesuffix("/api")


def find_server(home: Path) -> Server | None:
    """The healthy server recorded in this home, or null. One whose starter died without stopping it becomes ours."""
    try:
        record = json.loads(prefect_home(home).server_record.read_text(encoding="utf-8"))
        api_url, pid, owner = str(record["api_url"]), int(record["pid"]), record["owner_pid"]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    if not is_healthy(api_url):
        return None
    is_orphan = owner is not None and not _is_alive(int(owner))
    return Server(api_url, pid if is_orphan else None)


def start_server(home: Path, *, port: int | None = None) -> Server:
    """Start a server for this home and come back at once; `await_server` says when it answers.

    Args:
        home: Its database and log lie under `<home>/prefect`.
        port: Loopback port; null for a free one.

    Raises:
        HomeNotWritable: nothing can be written into the home.
        ServerUnavailable: the port is taken.
        ServerBusy: a server process of this home lives already; two would meet in one database.
    """
    port = _free_port(port)
    folder = prefect_home(home)
    try:
        folder.results.mkdir(parents=True, exist_ok=True)
        # The process inherits the lock, which lasts as long as it lives, whatever becomes of us.
        with (folder.folder / "server.lock").open("a") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise _busy(home) from None
            with folder.server_log.open("wb") as log:
                # A session of its own: Ctrl-C at the terminal is for us, and the server must outlive it to record the
                # end.
                process = subprocess.Popen(
                    [sys.executable, "-m", "prefect", "server", "start", "--host", "127.0.0.1", "--port", str(port)],
                    env=server_environment(home, port),
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    start_new_session=True,
                    pass_fds=[lock.fileno()],
                )
            api_url = f"http://127.0.0.1:{port}/api"
            record = {"api_url": api_url, "pid": process.pid, "owner_pid": os.getpid()}
            _replace(folder.server_record, json.dumps(record))
    except OSError as error:
        raise HomeNotWritable(f"Can't write into {folder.folder}: {error.strerror}. Choose another --home.") from error
    return Server(api_url, process.pid)


def _busy(home: Path) -> ServerBusy:
    folder = prefect_home(home)
    try:
        pid = f" (process {json.loads(folder.server_record.read_text(encoding='utf-8'))['pid']})"
    except (OSError, ValueError, KeyError, TypeError):
        pid = ""  # it was started this moment, and is not written down yet
    return ServerBusy(
        f"Another command is starting or stopping the Prefect server of {home}{pid}; its log: {folder.server_log}."
    )


def await_server(
    server: Server,
    home: Path,
    *,
    timeout_s: float = START_TIMEOUT_S,
    say: Callable[[str], object] = lambda _words: None,
) -> None:
    """Wait until the server answers.

    Args:
        server: The server.
        home: Its home.
        timeout_s: Longest wait.
        say: Told every half minute what is waited for.

    Raises:
        ServerUnavailable: it ended or did not answer in time; the message holds the end of its log.
    """
    log = prefect_home(home).server_log
    start = told = time.monotonic()
    outcome = f"did not answer within {timeout_s:g} s"
    while time.monotonic() < start + timeout_s:
        # First of all: a server that found its port taken has ended, and what answers there is another home's.
        if server.pid is not None and not _is_alive(server.pid):
            outcome = "ended before it answered"
            break
        if is_healthy(server.api_url):
            return
        if time.monotonic() > told + SAY_EVERY_S:
            told = time.monotonic()
            say(f"Still waiting for the Prefect server: {told - start:.0f} of at most {timeout_s:g} s. Its log: {log}")
        time.sleep(0.1)
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines() if log.exists() else []
    end = "\n".join(line for line in lines[-8:] if line.strip())
    raise ServerUnavailable(
        f"The Prefect server at {server.api_url} {outcome}. The end of {log}:\n{end}\n"
        "Try again, or set PREFECT_API_URL to a server that runs."
    )


def stop_server(server: Server, home: Path, *, timeout_s: float = STOP_TIMEOUT_S) -> None:
    """Stop a server that is ours, by force when it takes longer than this; do nothing to any other."""
    if server.pid is None:
        return
    _signal_group(server.pid, signal.SIGTERM)
    deadline = time.monotonic() + timeout_s
    try:
        while _is_alive(server.pid) and time.monotonic() < deadline:
            time.sleep(0.05)
    finally:
        # Also when a second Ctrl-C comes: nobody would stop it later.
        _signal_group(server.pid, signal.SIGKILL)
        prefect_home(home).server_record.unlink(missing_ok=True)


def is_healthy(api_url: str) -> bool:
    """Whether a Prefect server answers at this address within two seconds."""
    try:
        with urllib.request.urlopen(f"{api_url}/health", timeout=2) as reply:
            return bool(reply.status == 200)
    except (OSError, ValueError):
        return False


def await_history(api_url: str, task_runs: Mapping[str, int], *, timeout_s: float = 10.0) -> bool:
    """Wait until the server has recorded the end of this many task runs per flow run; false when time ran out.

    The server writes its history behind the runs. Best effort: what envmill knows of a run is in its own ledger.
    """
    expected = sum(task_runs.values())
    query = {
        "flow_runs": {"id": {"any_": list(task_runs)}},
        "task_runs": {"state": {"type": {"any_": list(_FINAL_STATES)}}},
    }
    deadline = time.monotonic() + timeout_s
    while expected:
        try:
            if int(_post(f"{api_url}/task_runs/count", query)) >= expected:
                return True
        except (OSError, ValueError):
            return False
        if time.monotonic() > deadline:
            return False
        time.sleep(0.2)
    return True


def _post(url: str, body: dict[str, Any]) -> Any:
    request = urllib.request.Request(
        url, data=json.dumps(body).encode(), headers={"Content-Type": "application/json"}, method="POST"
    )
    with urllib.request.urlopen(request, timeout=5) as reply:
        return json.load(reply)


def _free_port(wanted: int | None) -> int:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", wanted or 0))
        except OSError as error:
            raise ServerUnavailable(f"Port {wanted} is taken. Choose another with --port.") from error
        return int(probe.getsockname()[1])


def _is_alive(pid: int) -> bool:
    try:
        # A child of ours that ended stays visible until it is waited for.
        if os.waitpid(pid, os.WNOHANG)[0] == pid:
            return False
    except ChildProcessError:
        pass
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _signal_group(pid: int, number: signal.Signals) -> None:
    try:
        os.killpg(pid, number)
    except (ProcessLookupError, PermissionError):
        return


def _replace(path: Path, text: str) -> None:
    fresh = path.with_suffix(f".{os.getpid()}.tmp")
    fresh.write_text(text, encoding="utf-8")
    fresh.replace(path)
