"""Landlock, the second layer: the kernel refuses files, network and other processes, whatever system call asks."""

import ctypes
import os

from tasks.sandbox.inside.kernel import system_call

# The same on all processors.
_CREATE_RULESET, _RESTRICT_SELF = 444, 446
_ASK_VERSION = 1

# Rights that the kernel knows from each version of its interface on, as bits.
_FILES = ((1, 0x1FFF), (2, 0x2000), (3, 0x4000), (5, 0x8000), (9, 0x10000))
_NETWORK = ((4, 0x3),)
_SCOPES = ((6, 0x3),)


class _Ruleset(ctypes.Structure):
    _fields_ = [
        ("handled_access_fs", ctypes.c_uint64),
        ("handled_access_net", ctypes.c_uint64),
        ("scoped", ctypes.c_uint64),
    ]


def restrict() -> int:
    """Refuse this process and its children every right that the kernel knows; what is open stays open.

    Not covered: stat, UDP (before version 10), fork. The process must have given up new privileges, or be root.

    Returns:
        The version of the kernel's interface.

    Raises:
        OSError: the kernel has no Landlock, has it switched off, or refused; nothing has changed.
    """
    version = system_call(_CREATE_RULESET, 0, 0, _ASK_VERSION)
    ruleset = _Ruleset(_known(_FILES, version), _known(_NETWORK, version), _known(_SCOPES, version))
    # A longer structure than the kernel knows is fine as long as the rest is zero.
    handle = system_call(_CREATE_RULESET, ctypes.addressof(ruleset), ctypes.sizeof(ruleset))
    try:
        system_call(_RESTRICT_SELF, handle)
    finally:
        os.close(handle)
    return version


def _known(rights: tuple[tuple[int, int], ...], version: int) -> int:
    bits = 0
    for since, added in rights:
        if version >= since:
            bits |= added
    return bits
