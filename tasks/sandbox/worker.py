"""The host's end of one session process: starts it, asks it, kills it, and finds out why it died."""

import contextlib
import os
import secrets
import signal
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NoReturn

from schemas.errors import SandboxUnavailable
from tasks.sandbox.base import CodeRejected, FaultReason, SessionDied
from tasks.sandbox.frames import EXIT_OUT_OF_MEMORY, HEADER, body_length, decode_body, encode_request, frame

Role = Literal["environment", "checks"]

_ROOT = Path(__file__).resolve().parents[2]
_CHILD = Path(__file__).with_name("child.py")
_START_S = 30.0
_GOODBYE_S = 1.0
"""How long a process that closed its connection may take to exit by itself."""
_CHUNK = 1 << 16
_SELF_MADE_CRASHES = (signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGILL, signal.SIGFPE)


@dataclass(frozen=True)
class WorkerLimits:
    """Limits of one session process."""

    wall_s: float
    """Per request."""
    cpu_s: int
    """Per request."""
    memory_mib: int
    """Address space over the whole life."""
    frame_mib: int
    """Longest reply."""
    check_s: float
    """CPU seconds per check or predicate, by a timer inside the process."""


class Worker:
    """One locked process. Not safe to share between threads. `close` always, also after a SessionDied."""

    def __init__(self, role: Role, limits: WorkerLimits) -> None:
        """Start and lock the process.

        Raises:
            SandboxUnavailable: it can't be started or refuses to be locked; no untrusted code has run.
        """
        self._limits = limits
        self._longest = limits.frame_mib << 20
        self._allowed_s = _START_S
        """For the request that is under way."""
        self._death: SessionDied | None = None
        self._exit: int | None = None
        self._process, self._socket = _spawn()
        try:
            self.ask("lock", role=role, memory_mib=limits.memory_mib, cpu_s=limits.cpu_s, check_s=limits.check_s)
        except (CodeRejected, SessionDied) as error:
            self.close()
            raise SandboxUnavailable(
                f"The sandbox process could not lock itself: {error}. Try as an ordinary user, without other limits "
                f"on processes, files or memory."
            ) from error
        except BaseException:
            self.close()
            raise
        self._allowed_s = limits.wall_s

    def ask(self, op: str, **fields: Any) -> Any:
        """Send one request and wait for its answer.

        Raises:
            CodeRejected: the answer is a refusal.
            SessionDied: the process hung, crashed, flooded, left or broke the protocol. It is dead now.
        """
        if self._death is not None:
            raise SessionDied(self._death.reason, str(self._death))
        deadline = time.monotonic() + self._allowed_s
        self._require_silence()
        request_id = secrets.token_hex(8)
        self._send(frame(encode_request({"id": request_id, "op": op, **fields})), deadline)
        reply = self._decode(self._receive(deadline))
        if not isinstance(reply, dict) or reply.get("id") != request_id:
            self._die("protocol", "a reply does not belong to the request")
        if reply.get("ok") is True and reply.keys() == {"id", "ok", "value"}:
            return reply["value"]
        kind, message = reply.get("kind"), reply.get("message")
        if not isinstance(kind, str) or not isinstance(message, str):
            self._die("protocol", "a reply has the wrong fields")
        raise CodeRejected(kind, message)

    def close(self) -> None:
        """Kill and reap the process. May be called twice; whoever asks afterwards meets a SessionDied."""
        self._death = self._death or SessionDied("exit", "the session was closed")
        self._socket.close()
        self._kill()

    def _require_silence(self) -> None:
        """Nothing may have come since the last reply: whoever speaks unasked is forging."""
        self._socket.setblocking(False)
        try:
            early = self._socket.recv(1)
        except BlockingIOError:
            return
        except OSError:
            self._bury()
        if early:
            self._die("protocol", "the process wrote to the connection unasked")
        self._bury()

    def _send(self, message: bytes, deadline: float) -> None:
        try:
            self._socket.settimeout(self._remaining(deadline))
            self._socket.sendall(message)
        except TimeoutError:
            self._run_out()
        except OSError:
            self._bury()

    def _receive(self, deadline: float) -> bytes:
        length = body_length(self._read(HEADER.size, deadline))
        if length > self._longest:
            self._die("output", f"a reply is longer than {self._limits.frame_mib} MiB")
        return self._read(length, deadline)

    def _read(self, count: int, deadline: float) -> bytes:
        """Exactly so many bytes, received without ever accepting a passed file."""
        data = bytearray()
        while len(data) < count:
            try:
                self._socket.settimeout(self._remaining(deadline))
                part = self._socket.recv(min(count - len(data), _CHUNK))
            except TimeoutError:
                self._run_out()
            except OSError:
                self._bury()
            if not part:
                self._bury()
            data += part
        return bytes(data)

    def _remaining(self, deadline: float) -> float:
        """Seconds until the deadline, more than 0; a process that drips bytes gains nothing by it."""
        remaining = deadline - time.monotonic()
        if remaining <= 0:
            self._run_out()
        return remaining

    def _run_out(self) -> NoReturn:
        self._die("wall", f"no answer within {self._allowed_s:g} s")

    def _decode(self, body: bytes) -> Any:
        try:
            return decode_body(body)
        except (ValueError, RecursionError):
            self._die("protocol", "a reply is not plain JSON")

    def _bury(self) -> NoReturn:
        """The connection is closed: report how the process ended."""
        give_up = time.monotonic() + _GOODBYE_S
        while not self._reap(os.WNOHANG):
            if time.monotonic() > give_up:
                self._die("protocol", "the process closed its connection and went on")
            time.sleep(0.001)
        assert self._exit is not None
        self._die(*_cause(self._exit, self._limits))

    def _die(self, reason: FaultReason, message: str) -> NoReturn:
        self._death = SessionDied(reason, message)
        self.close()
        raise self._death

    def _kill(self) -> None:
        if self._exit is not None:
            return
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)  # the group too; the number is ours until it is reaped
        self._reap(0)

    def _reap(self, options: int) -> bool:
        pid, status = os.waitpid(self._process.pid, options)
        if pid == 0:
            return False
        self._exit = os.waitstatus_to_exitcode(status)
        self._process.returncode = self._exit
        return True


def _spawn() -> tuple[subprocess.Popen[bytes], socket.socket]:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        process = subprocess.Popen(
            [sys.executable, "-S", "-s", "-P", "-B", str(_CHILD), str(_ROOT), str(theirs.fileno())],
            env={"PYTHONHASHSEED": "0", "LC_ALL": "C.UTF-8"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=(theirs.fileno(),),
            start_new_session=True,
            cwd="/",
        )
    except OSError as error:
        ours.close()
        raise SandboxUnavailable(f"The sandbox process could not be started: {error}.") from error
    finally:
        theirs.close()
    return process, ours


def _cause(exit_code: int, limits: WorkerLimits) -> tuple[FaultReason, str]:
    """Reason and message for an end that the host did not ask for. A negative code is minus the signal."""
    if exit_code == EXIT_OUT_OF_MEMORY:
        return "memory", f"more than {limits.memory_mib} MiB were needed"
    if exit_code >= 0:
        return "exit", f"the code ended the process with exit code {exit_code}"
    if -exit_code == signal.SIGXCPU:
        return "cpu", f"more than {limits.cpu_s} s of CPU time were used"
    if -exit_code == signal.SIGKILL:
        return "memory", "the system killed the process, most likely because memory ran out"
    if -exit_code in _SELF_MADE_CRASHES:
        return "crash", f"the interpreter crashed ({signal.Signals(-exit_code).name}), often by unbounded recursion"
    return "crash", f"the process was ended by signal {-exit_code}"
