"""Gives up what a process does not need. There is no way back.

Twice: `give_up` in the process that all sessions are forked from, `confine` in each of them before it reads any
untrusted code.
"""

import math
import os
import resource
import signal
import sys
from collections.abc import Callable
from dataclasses import dataclass

# The clock of the `time` module is replaced by a simulated one; this is the real one.
from time import monotonic as _monotonic

from tasks.sandbox.inside import landlock, seccomp
from tasks.sandbox.inside.kernel import prctl

_NOBODY = 65534
_OPEN_FILES = 16
_MIB = 1024 * 1024
_PR_SET_PDEATHSIG = 1
_PR_SET_NO_NEW_PRIVS = 38
_NO_ANSWER = 255
_UNCHECKED_S = 0.5


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one session. `cpu_s` counts per request, the address space over the whole life."""

    memory_mib: int
    cpu_s: int


@dataclass(frozen=True, slots=True)
class Layers:
    """What took effect in the process that sessions are forked from, and in a session's process made for trial."""

    root_kept: str | None
    """Why the process is still root; null when it is not."""
    no_new_privs: bool
    """No program that it starts can gain privileges. Landlock and the filter need this."""
    landlock_abi: int | None
    """Version of the kernel's interface; null when Landlock is refused."""
    landlock_refused: str | None
    """The kernel's reason; null when Landlock is in force."""
    seccomp_refused: str | None
    """Why a session can't have its system calls filtered; null when that works."""


def give_up() -> Layers:
    """Drop the privileges of this process and of all that it forks. Everything that is to be imported must be loaded.

    A layer that the host refuses is reported, not raised: who starts sessions decides what is enough.
    """
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    root_kept = _reason(_become_nobody)
    no_new_privs = _reason(lambda: prctl(_PR_SET_NO_NEW_PRIVS, 1)) is None
    landlock_abi, landlock_refused = None, None
    try:
        landlock_abi = landlock.restrict()
    except OSError as error:
        landlock_refused = str(error)
    return Layers(
        root_kept=root_kept,
        no_new_privs=no_new_privs,
        landlock_abi=landlock_abi,
        landlock_refused=landlock_refused,
        seccomp_refused=_filter_refusal(),
    )


def confine(limits: Limits, *, needs_filter: bool) -> bool:
    """Set the limits of this session and filter its system calls.

    Afterwards the process can read and write its standard streams and file 3, use memory, set the timer and the handler
    of SIGPROF, read its usage, set its soft CPU limit, and exit. It ends with the process that forked it.

    Args:
        limits: See there.
        needs_filter: False where code may run without the filter; it is tried all the same.

    Returns:
        Whether the filter is in force.

    Raises:
        OSError, ValueError: the system refused; no untrusted code may run.
    """
    # Both outlive an exec: whoever started us may have had them ignored or blocked.
    signal.signal(signal.SIGXCPU, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    _lower(resource.RLIMIT_CORE, 0)
    _lower(resource.RLIMIT_FSIZE, 0)
    _lower(resource.RLIMIT_NPROC, 0)
    _lower(resource.RLIMIT_NOFILE, _OPEN_FILES)
    if sys.platform == "linux":  # macOS refuses a limit on the address space
        _lower(resource.RLIMIT_AS, limits.memory_mib * _MIB)
        prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    CpuBudget(limits.cpu_s).renew()
    try:
        seccomp.install(os.uname().machine)
    except OSError:
        if needs_filter:
            raise
        return False
    return True


class CpuBudget:
    """Gives each request its own CPU seconds; the system kills the process that uses them up (SIGXCPU)."""

    def __init__(self, cpu_s: int) -> None:
        self._cpu_s = cpu_s
        self._renewed_at = -math.inf

    def renew(self) -> None:
        """Called before each request, which gets `cpu_s` seconds and up to 1.5 more; mostly without a system call.

        Within half a second of time, the one thread of a process can't have used more than that of its CPU time.
        """
        now = _monotonic()
        if now - self._renewed_at < _UNCHECKED_S:
            return
        self._renewed_at = now
        usage = resource.getrusage(resource.RUSAGE_SELF)
        soft = math.ceil(usage.ru_utime + usage.ru_stime + _UNCHECKED_S) + self._cpu_s
        hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
        resource.setrlimit(resource.RLIMIT_CPU, (_least(soft, hard), hard))


def _become_nobody() -> None:
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(_NOBODY)
        os.setuid(_NOBODY)  # of root, these change the real, the effective and the saved id


def _reason(act: Callable[[], object]) -> str | None:
    """Why the system refused; null when it did not."""
    try:
        act()
    except OSError as error:
        return str(error)
    return None


def _lower(limit: int, value: int) -> None:
    lowered = _least(value, resource.getrlimit(limit)[1])
    resource.setrlimit(limit, (lowered, lowered))


def _least(value: int, hard: int) -> int:
    return value if hard == resource.RLIM_INFINITY else min(value, hard)


def _filter_refusal() -> str | None:
    """Why a session can't have the filter, learned by one that takes it; null when it works."""
    machine = os.uname().machine
    try:
        seccomp.prepare(machine)
    except OSError as error:
        return str(error)
    child = os.fork()
    if child == 0:
        code = _NO_ANSWER
        try:
            code = _try_filter(machine)
        finally:
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code < 0:
        return f"a process that took the filter was ended by signal {-code}"
    if code == _NO_ANSWER:
        return "the kernel takes the filter, and refuses nothing"
    return None if code == 0 else os.strerror(code)


def _try_filter(machine: str) -> int:
    """0 when the filter works, else the number of the error."""
    try:
        seccomp.install(machine)
    except OSError as error:
        return error.errno or _NO_ANSWER
    try:
        os.dup(0)  # only the filter refuses this; a file that can't be opened might be the work of Landlock
    except PermissionError:
        return 0
    return _NO_ANSWER
