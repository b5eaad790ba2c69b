"""Numbers of the system calls that the filter names, per processor. Every other call is refused without being named.

The 64-bit ARM processor got Linux late and has none of the calls that a newer one replaced: no open, stat, lstat,
access, creat or readlink (and no fork, vfork, poll, dup2 either, which the filter does not name).
"""

from dataclasses import dataclass
from types import MappingProxyType


@dataclass(frozen=True, slots=True)
class Processor:
    """What a filter must know about a processor. All of them are little-endian with 64-bit registers."""

    audit_arch: int
    """How the kernel names the calling convention of a system call; 32-bit callers on the same machine have another."""
    foreign_from: int | None
    """From this number on calls belong to another convention with the same name (x32); null where there is none."""
    numbers: MappingProxyType[str, int]
    """System call by name."""


# name: (x86_64, aarch64); null where the processor has no such call
_NUMBERS: dict[str, tuple[int, int | None]] = {
    # data on open files
    "read": (0, 63),
    "write": (1, 64),
    "close": (3, 57),
    "fcntl": (72, 25),
    "sendto": (44, 206),
    "recvfrom": (45, 207),
    # memory
    "brk": (12, 214),
    "madvise": (28, 233),
    "mmap": (9, 222),
    "mprotect": (10, 226),
    "mremap": (25, 216),
    "munmap": (11, 215),
    # the process itself
    "clock_gettime": (228, 113),
    "exit": (60, 93),
    "exit_group": (231, 94),
    "futex": (202, 98),
    "getrlimit": (97, 163),
    "getrusage": (98, 165),
    "prlimit64": (302, 261),
    "restart_syscall": (219, 128),
    "rt_sigaction": (13, 134),
    "rt_sigreturn": (15, 139),
    "setitimer": (38, 103),
    "setrlimit": (160, 164),
    # new processes and threads
    "clone3": (435, 435),
    # names of files
    "access": (21, None),
    "creat": (85, None),
    "faccessat": (269, 48),
    "faccessat2": (439, 439),
    "lstat": (6, None),
    "newfstatat": (262, 79),
    "open": (2, None),
    "openat": (257, 56),
    "openat2": (437, 437),
    "readlink": (89, None),
    "readlinkat": (267, 78),
    "stat": (4, None),
    "statx": (332, 291),
}

_X86_64 = Processor(
    audit_arch=0xC000003E,
    foreign_from=0x40000000,
    numbers=MappingProxyType({name: x86_64 for name, (x86_64, _) in _NUMBERS.items()}),
)
_AARCH64 = Processor(
    audit_arch=0xC00000B7,
    foreign_from=None,
    numbers=MappingProxyType({name: aarch64 for name, (_, aarch64) in _NUMBERS.items() if aarch64 is not None}),
)

PROCESSORS = MappingProxyType({"x86_64": _X86_64, "aarch64": _AARCH64})
"""By the name that `os.uname().machine` gives on Linux."""
