"""A machine that offers less: runs a program after having the kernel refuse it certain calls, for good.

    python tests/fakes/lesser_host.py landlock,pidfd -- python -m flows doctor

landlock: the kernel does not know it. seccomp: a profile forbids further filters. namespaces: no new user namespaces.
pidfd: the kernel does not know them. users: root's processes can't change their user. limits: the system says that
it set a limit and does not. no_new_privs: the kernel does not know it. processor: it calls itself i686.
"""

import ctypes
import errno
import os
import platform
import struct
import sys
from collections.abc import Sequence

_ERRNO = 0x00050000
_ALLOW = 0x7FFF0000
_LOAD, _EQUAL, _ANY_BIT, _RETURN = 0x20, 0x15, 0x45, 0x06
_SET_SECCOMP, _MODE_FILTER, _SET_NO_NEW_PRIVS = 22, 2, 38
_NEW_USER = 0x10000000
_LINUX_32 = 0x0008

# name: (x86_64, aarch64)
_NUMBERS = {
    "clone": (56, 220),
    "clone3": (435, 435),
    "landlock_create_ruleset": (444, 444),
    "landlock_add_rule": (445, 445),
    "landlock_restrict_self": (446, 446),
    "pidfd_open": (434, 434),
    "prctl": (157, 167),
    "prlimit64": (302, 261),
    "seccomp": (317, 277),
    "setgid": (106, 144),
    "setgroups": (116, 159),
    "setresgid": (119, 149),
    "setresuid": (117, 147),
    "setrlimit": (160, 164),
    "setuid": (105, 146),
    "unshare": (272, 97),
}
_Condition = tuple[int, int, int]
"""Comparison, argument, operand."""

# what is refused: (call, error, condition or null for always)
_REFUSALS: dict[str, tuple[tuple[str, int, _Condition | None], ...]] = {
    "landlock": tuple(
        (name, errno.ENOSYS, None)
        for name in ("landlock_create_ruleset", "landlock_add_rule", "landlock_restrict_self")
    ),
    "seccomp": (("seccomp", errno.EINVAL, None), ("prctl", errno.EINVAL, (_EQUAL, 0, _SET_SECCOMP))),
    "namespaces": (
        ("unshare", errno.EPERM, (_ANY_BIT, 0, _NEW_USER)),
        ("clone", errno.EPERM, (_ANY_BIT, 0, _NEW_USER)),
        ("clone3", errno.ENOSYS, None),
    ),
    "pidfd": (("pidfd_open", errno.ENOSYS, None),),
    "users": tuple((name, errno.EPERM, None) for name in ("setgroups", "setgid", "setresgid", "setuid", "setresuid")),
    # An error of zero is a success that does nothing; a question (no new limit) is answered.
    "limits": (("setrlimit", 0, None), ("prlimit64", 0, (_ANY_BIT, 2, 0xFFFFFFFF))),
    "no_new_privs": (("prctl", errno.EINVAL, (_EQUAL, 0, _SET_NO_NEW_PRIVS)),),
    "processor": (),
}


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p)]


def refuse(names: Sequence[str]) -> None:
    """Install a filter on this process and all that it becomes and starts."""
    code = [struct.pack("HBBI", _LOAD, 0, 0, 0)]  # the number of the call
    column = ("x86_64", "aarch64").index(platform.machine())
    for name in names:
        for call, error, condition in _REFUSALS[name]:
            answer = [struct.pack("HBBI", _RETURN, 0, 0, _ERRNO | error)]
            if condition is not None:
                comparison, argument, operand = condition
                answer = [
                    struct.pack("HBBI", _LOAD, 0, 0, 16 + 8 * argument),
                    struct.pack("HBBI", comparison, 0, 1, operand),
                    *answer,
                    struct.pack("HBBI", _LOAD, 0, 0, 0),
                ]
            code += [struct.pack("HBBI", _EQUAL, 0, len(answer), _NUMBERS[call][column]), *answer]
    code.append(struct.pack("HBBI", _RETURN, 0, 0, _ALLOW))
    instructions = ctypes.create_string_buffer(b"".join(code))
    program = _Program(len(code), ctypes.addressof(instructions))
    library = ctypes.CDLL(None, use_errno=True)
    if "processor" in names:
        library.personality(_LINUX_32)
    prctl = library.prctl
    if "no_new_privs" not in names or os.geteuid() != 0:
        prctl(_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    if prctl(_SET_SECCOMP, _MODE_FILTER, ctypes.byref(program), 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "no filter can be had here")


def command(refused: str, *arguments: str) -> list[str]:
    """The command that runs Python with these arguments on a machine that lacks these things (comma-separated)."""
    return [sys.executable, __file__, refused, "--", sys.executable, *arguments]


if __name__ == "__main__":
    _refused, _dashes, *_program = sys.argv[1:]
    refuse([name for name in _refused.split(",") if name])
    os.execv(_program[0], _program)
