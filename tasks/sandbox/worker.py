"""The host's end of one session process: asks it, kills it, and finds out why it died."""

import secrets
import signal
import socket
import struct
import time
from collections.abc import Collection
from typing import Any, NoReturn

from schemas.errors import SandboxUnavailable
from tasks.sandbox.base import CodeRejected, FaultReason, SessionDied, Usage
from tasks.sandbox.frames import (
    CONFINED,
    EXIT_NOT_CONFINED,
    EXIT_OUT_OF_MEMORY,
    HEADER,
    body_length,
    decode_body,
    encode_request,
    frame,
)
from tasks.sandbox.spawner import Limits, Process

_GOODBYE_S = 1.0
"""How long a process that closed its connection may take to exit by itself."""
_CHUNK = 1 << 16
_TIMEVAL = struct.Struct("ll")
_SELF_MADE_CRASHES = (signal.SIGSEGV, signal.SIGBUS, signal.SIGABRT, signal.SIGILL, signal.SIGFPE, signal.SIGSYS)


class Worker:
    """One session. Not safe to share between threads. `close` always, also after a SessionDied."""

    def __init__(self, process: Process, limits: Limits) -> None:
        """Take over a process that was just forked."""
        self._process, self._limits = process, limits
        self._socket = process.connection
        self._longest = limits.frame_mib << 20
        self._allowed_s = 0.0
        """For the request that is under way; the connection's own time-out is the same."""
        self._death: SessionDied | None = None
        self._is_confined = False
        """The process has said so, before it was sent anything."""

    def ask(self, op: str, *, refusals: Collection[str] = (), shares: int = 1, **fields: Any) -> Any:
        """Send one request and wait for its answer.

        Args:
            op: The operation.
            refusals: The kinds of refusal that this operation knows; any other one is forged.
            shares: How many times the wall-clock limit it may take: the number of things that it asks for.
            fields: Its arguments.

        Raises:
            CodeRejected: the answer is a refusal.
            SessionDied: the process hung, crashed, flooded, left or broke the protocol. It is dead now.
            SandboxUnavailable: the process could not be confined; it has run no untrusted code.
        """
        if self._death is not None:
            raise SessionDied(self._death.reason, str(self._death))
        request_id = secrets.token_hex(8)
        message = frame(encode_request({"id": request_id, "op": op, **fields}))
        self._allow(self._limits.wall_s * max(1, shares))
        deadline = time.monotonic() + self._allowed_s
        self._send(message)
        if not self._is_confined:
            self._greet()
        reply = self._decode(self._receive(deadline))
        if not isinstance(reply, dict) or reply.get("id") != request_id:
            self._die("protocol", "a reply does not belong to the request")
        if reply.get("ok") is True and reply.keys() == {"id", "ok", "value"}:
            return reply["value"]
        kind, text = reply.get("kind"), reply.get("message")
        if not isinstance(kind, str) or kind not in refusals or not isinstance(text, str):
            self._die("protocol", "a reply has the wrong fields")
        raise CodeRejected(kind, text)

    def refute(self, message: str) -> NoReturn:
        """A reply is none: kill the process.

        Raises:
            SessionDied: always.
        """
        self._die("protocol", message)

    def close(self) -> None:
        """Kill and reap the process. May be called twice; whoever asks afterwards meets a SessionDied."""
        if self._death is None:
            self._death = SessionDied("exit", "the session was closed")
        self._socket.close()
        self._process.kill()

    def kill(self) -> None:
        """End the process; whoever waits for it meets a SessionDied. Any thread may do this."""
        self._process.strike()

    def _allow(self, seconds: float) -> None:
        """Let the kernel time the requests: one system call fewer per message than Python's own time-outs."""
        if seconds != self._allowed_s:
            self._allowed_s = seconds
            whole = int(seconds)
            value = _TIMEVAL.pack(whole, int((seconds - whole) * 1_000_000))
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, value)
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, value)

    def _send(self, message: bytes) -> None:
        try:
            self._socket.sendall(message)
        except BlockingIOError:
            self._run_out()
        except OSError:
            self._bury()

    def _greet(self) -> None:
        """Read what the process says when it is confined, one byte; no untrusted code can have run before that."""
        if self._some(1) != CONFINED:
            self._die("protocol", "the process does not say that it is confined")
        self._is_confined = True

    def _receive(self, deadline: float) -> memoryview:
        """The body of one frame. Nothing may follow it."""
        data = bytearray()
        wanted = HEADER.size
        while len(data) < wanted:
            data += self._some(_CHUNK)
            if wanted == HEADER.size and len(data) >= wanted:
                wanted += self._body_length(data)
            if len(data) < wanted and time.monotonic() > deadline:
                self._run_out()  # whoever drips bytes gains nothing by it
        if len(data) > wanted:
            self._die("protocol", "the process wrote more than its reply")
        return memoryview(data)[HEADER.size :]

    def _some(self, most: int) -> bytes:
        """Whatever has arrived, at least one byte, received without ever accepting a passed file."""
        try:
            part = self._socket.recv(most)
        except BlockingIOError:
            self._run_out()
        except OSError:
            self._bury()
        return part or self._bury()

    def _body_length(self, data: bytearray) -> int:
        length = body_length(bytes(data[: HEADER.size]))
        if length > self._longest:
            self._die("output", f"a reply is longer than {self._limits.frame_mib} MiB")
        return length

    def _run_out(self) -> NoReturn:
        self._die("wall", f"no answer within {self._allowed_s:g} s")

    def _decode(self, body: memoryview) -> Any:
        try:
            return decode_body(body)
        except (ValueError, RecursionError):
            self._die("protocol", "a reply is not plain JSON")

    def _bury(self) -> NoReturn:
        """The connection is closed: report how the process ended."""
        end = self._process.wait(_GOODBYE_S)
        if end is None and self._process.is_lost:
            self.close()
            raise SandboxUnavailable(
                "The sandbox's zygote was lost, and all sessions with it. The next one starts another."
            )
        if end is None:
            self._die("protocol", "the process closed its connection and went on")
        if end.exit_code == EXIT_NOT_CONFINED and not self._is_confined:
            self.close()
            raise SandboxUnavailable(
                "A session could not be confined, so nothing was run. `envmill doctor` shows what this machine offers."
            )
        self._die(*_cause(end.exit_code, end.usage, self._limits))

    def _die(self, reason: FaultReason, message: str) -> NoReturn:
        self._socket.close()
        end = self._process.kill()
        self._death = SessionDied(reason, message, None if end is None else end.usage)
        raise self._death


def _cause(exit_code: int, usage: Usage, limits: Limits) -> tuple[FaultReason, str]:
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
        name = signal.Signals(-exit_code).name
        return "crash", f"the interpreter crashed ({name}) at {usage.peak_mib:.0f} MiB, often by unbounded recursion"
    return "crash", f"the process was ended by signal {-exit_code}"
