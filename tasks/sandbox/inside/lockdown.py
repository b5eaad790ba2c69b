"""Gives up what the process does not need. After `lock` there is no way back."""

import ctypes
import os
import resource
import sys
from dataclasses import dataclass

_NOBODY = 65534
_OPEN_FILES = 16
_PR_SET_NO_NEW_PRIVS = 38


@dataclass(frozen=True)
class Limits:
    """Limits of one process. `cpu_s` counts per request, the address space over the whole life."""

    memory_mib: int
    cpu_s: int


def lock(limits: Limits) -> None:
    """Set the limits and drop all privileges.

    Raises:
        OSError, ValueError: the system refused; no untrusted code may run.
    """
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (_OPEN_FILES, _OPEN_FILES))
    resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))
    if sys.platform == "linux":  # macOS refuses a limit on the address space
        memory = limits.memory_mib * 1024 * 1024
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        if ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "prctl(PR_SET_NO_NEW_PRIVS) was refused")
    if os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(_NOBODY, _NOBODY, _NOBODY)
        os.setresuid(_NOBODY, _NOBODY, _NOBODY)


def renew_cpu(limits: Limits) -> None:
    """Give the next request its own CPU seconds; the system kills the process that uses them up."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    spent = int(usage.ru_utime + usage.ru_stime)
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    # The kernel counts whole seconds, so the request gets up to one second less than a full extra one.
    soft = spent + limits.cpu_s + 1
    resource.setrlimit(resource.RLIMIT_CPU, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard))
