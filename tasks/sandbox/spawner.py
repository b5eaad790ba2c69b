"""The host's end of the zygote: starts it, has it fork session processes and reap them, replaces it when it is lost."""

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from schemas.errors import SandboxUnavailable
from tasks.sandbox.base import Usage
from tasks.sandbox.inside.lockdown import Layers

Role = Literal["environment", "checks"]

_ROOT = Path(__file__).resolve().parents[2]
_BOOT = Path(__file__).with_name("boot.py")
_ANSWER_S = 60.0
_GOODBYE_S = 5.0
_ASK_AGAIN_S = 0.005
_LONGEST_ANSWER = 4096


@dataclass(frozen=True)
class Limits:
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


@dataclass(frozen=True)
class End:
    """How a process ended."""

    exit_code: int
    """Minus the signal, when one ended it."""
    usage: Usage


class Process:
    """A session process. Its number is its own until it is reaped, as the zygote reaps on request only."""

    def __init__(self, spawner: "Spawner", generation: int, pid: int, connection: socket.socket) -> None:
        self.connection = connection
        self._spawner, self._generation, self._pid = spawner, generation, pid
        self._handle = _pidfd(pid)
        self._end: End | None = None
        self._lock = threading.Lock()

    def kill(self) -> End | None:
        """Kill and reap it, if that has not happened yet; null when the zygote is gone, which took it along."""
        self.strike()
        return self._reap(kills=True, waits=True)

    def strike(self) -> None:
        """Kill it and leave the rest to its owner. The one thing that another thread than the owner's may do."""
        with self._lock:
            if self._handle is not None:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    signal.pidfd_send_signal(self._handle, signal.SIGKILL)
            elif self._end is None:
                self._end = self._spawner.reap(self._generation, self._pid, kills=True, waits=False)

    def wait(self, seconds: float) -> End | None:
        """How it ended by itself; null when it is still alive after so many seconds."""
        deadline = time.monotonic() + seconds
        if self._handle is not None:
            ended = select.poll()
            ended.register(self._handle)
            ended.poll(seconds * 1000)
        # Without a handle nothing tells when it has ended: it may have closed its files and not be reapable yet.
        while (end := self._reap(kills=False, waits=False)) is None and not self.is_lost:
            if time.monotonic() > deadline:
                break
            time.sleep(_ASK_AGAIN_S)
        return end

    @property
    def is_lost(self) -> bool:
        """Whether its zygote is gone, and it with it."""
        return not self._spawner.has(self._generation)

    def _reap(self, *, kills: bool, waits: bool) -> End | None:
        with self._lock:
            if self._end is None:
                self._end = self._spawner.reap(self._generation, self._pid, kills=kills, waits=waits)
                if (self._end is not None or kills) and self._handle is not None:
                    os.close(self._handle)
                    self._handle = None
            return self._end


class Spawner:
    """One zygote, started when it is first needed. Safe to use from several threads."""

    def __init__(self, hash_seed: int) -> None:
        """Prepare a zygote whose Python hashes texts with this seed."""
        self._hash_seed = hash_seed
        self._lock = threading.RLock()
        self._host = 0
        """Number of the process that started the zygote; another one, forked since, must not use it."""
        self._control: socket.socket | None = None
        self._stop: Callable[[], object] | None = None
        self._layers: Layers | None = None
        self._generation = 0
        """Counts the zygotes: a process of an earlier one can't be reaped any more."""

    def layers(self) -> Layers:
        """What the zygote could set up.

        Raises:
            SandboxUnavailable: it can't be started.
        """
        with self._lock:
            if self._control is None or self._host != os.getpid():
                self._start()
            assert self._layers is not None
            return self._layers

    def spawn(self, role: Role, limits: Limits, *, needs_filter: bool) -> Process:
        """Fork a session process. A zygote that was lost since the last time is replaced.

        Raises:
            SandboxUnavailable: the zygote can't be started or can't fork.
        """
        order = {
            "op": "fork",
            "role": role,
            "memory_mib": limits.memory_mib,
            "cpu_s": limits.cpu_s,
            "check_s": limits.check_s,
            "needs_filter": needs_filter,
        }
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        with theirs:
            try:
                with self._lock:
                    self.layers()
                    answer = self._ask(order, theirs)
                    if answer is None:
                        self._start()
                        answer = self._ask(order, theirs)
                if answer is None:
                    raise SandboxUnavailable("The sandbox's zygote ends when it is asked to fork.")
                if "pid" not in answer:
                    raise SandboxUnavailable(f"The sandbox can't fork a session: {answer.get('error')}.")
                return Process(self, self._generation, answer["pid"], ours)
            except BaseException:
                ours.close()
                raise

    def reap(self, generation: int, pid: int, *, kills: bool, waits: bool) -> End | None:
        """How a process of a certain zygote ended; null while it lives, and when that zygote is gone."""
        with self._lock:
            if generation != self._generation:
                return None
            answer = self._ask({"op": "reap", "pid": pid, "kills": kills, "waits": waits})
        if answer is None or answer.get("status") is None:
            return None
        usage = Usage(cpu_s=answer["cpu_s"], peak_mib=answer["peak_kib"] / 1024)
        return End(os.waitstatus_to_exitcode(answer["status"]), usage)

    def has(self, generation: int) -> bool:
        """Whether the zygote that is running is this one."""
        return generation == self._generation and self._control is not None

    def close(self) -> None:
        """End the zygote and all its sessions. The next `spawn` starts another."""
        with self._lock:
            self._lose()

    def _start(self) -> None:
        self._lose()
        control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        control.settimeout(_ANSWER_S)
        with theirs:
            process = _booted(theirs, self._hash_seed)
        self._stop = weakref.finalize(self, _stopped, control, process, os.getpid())
        self._control, self._host = control, os.getpid()
        self._generation += 1
        found = self._received()
        assert process.stderr is not None
        with process.stderr as errors:
            if found is None:
                self._lose()
                why = errors.read().decode("utf-8", "replace").strip().rpartition("\n")[2]
                raise SandboxUnavailable(f"The sandbox's zygote did not start ({why or process.returncode}).")
        self._layers = Layers(**found)

    def _lose(self) -> None:
        if self._stop is not None:
            self._stop()
        self._stop = self._control = None

    def _ask(self, request: dict[str, Any], passed: socket.socket | None = None) -> dict[str, Any] | None:
        """The answer; null when the zygote is lost."""
        if self._control is None or self._host != os.getpid():
            return None
        files = [] if passed is None else [passed.fileno()]
        try:
            socket.send_fds(self._control, [json.dumps(request).encode()], files)
        except OSError:
            self._lose()
            return None
        return self._received()

    def _received(self) -> dict[str, Any] | None:
        assert self._control is not None
        try:
            message = self._control.recv(_LONGEST_ANSWER)
        except OSError:
            message = b""
        if not message:
            self._lose()
            return None
        answer: dict[str, Any] = json.loads(message)
        return answer


def _booted(connection: socket.socket, hash_seed: int) -> "subprocess.Popen[bytes]":
    try:
        return subprocess.Popen(
            [sys.executable, "-S", "-s", "-P", "-B", str(_BOOT), str(_ROOT), str(connection.fileno())],
            env={"PYTHONHASHSEED": str(hash_seed), "LC_ALL": "C.UTF-8"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            pass_fds=(connection.fileno(),),
            start_new_session=True,
            cwd="/",
        )
    except OSError as error:
        raise SandboxUnavailable(f"The sandbox's zygote could not be started: {error}.") from error


def _stopped(control: socket.socket, process: "subprocess.Popen[bytes]", host: int) -> None:
    """Hang up, upon which the zygote ends its sessions and itself. A forked copy of the host only hangs up."""
    control.close()
    if host != os.getpid():
        process.returncode = 0  # not our child: nobody must wait for it
        return
    try:
        process.wait(_GOODBYE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _pidfd(pid: int) -> int | None:
    """A handle of the process; null where the system offers none, and the zygote has to do what it would do."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return None
