"""Calls of the Linux kernel that the standard library offers no function for."""

import ctypes
import errno
import functools
import os
import sys

_PRCTL_ARGUMENTS = 4
_CALL_ARGUMENTS = 6


def prctl(option: int, *arguments: int) -> int:
    """Change or ask an attribute of this process; pointers are given as addresses.

    Raises:
        OSError: the kernel refused, or this is no Linux.
    """
    padded = arguments + (0,) * (_PRCTL_ARGUMENTS - len(arguments))
    return _checked(_library().prctl(option, *padded), f"prctl({option})")


def system_call(number: int, *arguments: int) -> int:
    """Make a system call by its number; pointers are given as addresses.

    Raises:
        OSError: the kernel refused or does not know the call, or this is no Linux.
    """
    padded = arguments + (0,) * (_CALL_ARGUMENTS - len(arguments))
    return _checked(_library().syscall(number, *padded), f"system call {number}")


@functools.cache
def _library() -> ctypes.CDLL:
    if sys.platform != "linux":
        raise OSError(errno.ENOSYS, "only Linux has these calls")
    library = ctypes.CDLL(None, use_errno=True)
    # Full registers: the kernel refuses some calls when the upper half of an unused argument is not zero.
    library.prctl.argtypes = [ctypes.c_int] + [ctypes.c_ulong] * _PRCTL_ARGUMENTS
    library.syscall.argtypes = [ctypes.c_long] + [ctypes.c_ulong] * _CALL_ARGUMENTS
    library.syscall.restype = ctypes.c_long
    return library


def _checked(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what} was refused: {os.strerror(number)}")
    return result
