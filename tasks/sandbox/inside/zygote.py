"""The process that session processes are forked from. It runs trusted code only, and talks to the host alone.

A request is one packet of JSON: {"op": "fork", ...} with the session's connection attached, answered by {"pid"};
{"op": "reap", "pid", "kills", "waits"}, answered by {"status", "cpu_s", "peak_kib"}, or nulls while the process lives.
Children are reaped on request only, so that no process number is used again while the host may still mean it.
"""

import gc
import json
import os
import signal
import socket
from dataclasses import asdict
from typing import Any, NoReturn

from tasks.sandbox.frames import EXIT_NOT_CONFINED, EXIT_OUT_OF_MEMORY
from tasks.sandbox.inside import copying, lockdown, simulation
from tasks.sandbox.inside.imports import close_imports
from tasks.sandbox.inside.session import handlers_for, serve_session

_LONGEST_REQUEST = 4096
_EXIT_BUG = 70
_FIRST_OTHER_FILE = 4


def serve(connection: int) -> None:
    """Give up what no session needs, say what took effect, then fork and reap until the host hangs up."""
    close_imports()
    copying.install()
    simulation.install()
    layers = lockdown.give_up()
    gc.collect()
    gc.disable()
    gc.freeze()
    host = socket.socket(fileno=connection)
    os.dup2(1, 2)  # errors were told to the host up to here; sessions get no way to write there
    host.send(json.dumps(asdict(layers)).encode())
    living: set[int] = set()
    while True:
        message, files, _, _ = socket.recv_fds(host, _LONGEST_REQUEST, 1)
        if not message:
            break
        request = json.loads(message)
        answer = (
            _reaped(living, **request) if request.pop("op") == "reap" else _forked(living, files[0], host, **request)
        )
        host.send(json.dumps(answer).encode())
    for pid in sorted(living):
        _reaped(living, pid, kills=True, waits=True)


def _forked(living: set[int], connection: int, host: socket.socket, **order: Any) -> dict[str, Any]:
    try:
        pid = os.fork()
    except OSError as error:
        os.close(connection)
        return {"error": str(error)}
    if pid == 0:
        _be_session(connection, host, **order)
    os.close(connection)
    living.add(pid)
    return {"pid": pid}


def _be_session(
    connection: int, host: socket.socket, role: str, memory_mib: int, cpu_s: int, check_s: float, needs_filter: bool
) -> NoReturn:
    """Serve one session and end the process."""
    exit_code = _EXIT_BUG
    try:
        kept = host.detach()
        os.dup2(connection, kept, inheritable=False)
        os.closerange(_FIRST_OTHER_FILE, os.sysconf("SC_OPEN_MAX"))
        budget = lockdown.CpuBudget(cpu_s)
        handlers = handlers_for(role, check_s, budget)
        try:
            lockdown.confine(lockdown.Limits(memory_mib=memory_mib, cpu_s=cpu_s), needs_filter=needs_filter)
        except (OSError, ValueError):
            os._exit(EXIT_NOT_CONFINED)
        gc.enable()
        serve_session(kept, handlers, budget)
        exit_code = 0
    except MemoryError:
        exit_code = EXIT_OUT_OF_MEMORY
    finally:
        os._exit(exit_code)


def _reaped(living: set[int], pid: int, kills: bool, waits: bool) -> dict[str, Any]:
    if kills:
        os.kill(pid, signal.SIGKILL)
    found, status, usage = os.wait4(pid, 0 if waits else os.WNOHANG)
    if found == 0:
        return {"status": None, "cpu_s": None, "peak_kib": None}
    living.discard(pid)
    return {"status": status, "cpu_s": usage.ru_utime + usage.ru_stime, "peak_kib": usage.ru_maxrss}
