"""A source of chance that follows a seed; it stands in for the kernel's, which the process can't reach."""

import operator
import os
import random
import uuid
from collections.abc import Callable
from typing import Any

_PID = 1 << 22
"""No process can have it, so none is hit by code that sends itself a signal."""
_SEED_BITS = 64
_SEED_MASK = (1 << _SEED_BITS) - 1
_SYSTEM = 1 << _SEED_BITS
"""Tells the stream of the stand-in for the kernel from that of the module `random`."""
_NODE_FACTOR = 0x9E3779B97F4A7C15
_NODE_MASK = (1 << 48) - 1
_NO_HARDWARE = 1 << 40
"""The bit of a node number that says it was drawn."""
_UUID_MEMORY = ("_last_timestamp", "_last_timestamp_v6", "_last_timestamp_v7", "_last_counter_v7")
_UUID_NATIVE = ("_generate_time_safe", "_UuidCreate")
"""They ask the C library for a time-based id: for the real clock and the real network card."""

_seed_of_random = random.Random.seed


class Chance:
    """What the kernel would answer, and seeds for generators that are made without one."""

    __slots__ = ("_source", "_bits")

    def __init__(self) -> None:
        self._source = random.Random(0)
        self._bits = self._source.getrandbits

    def begin(self, seed: int) -> None:
        """Start every stream again: of `random`, `secrets`, `uuid`, `os.urandom` and unseeded generators."""
        seed &= _SEED_MASK
        _seed_of_random(self._source, seed | _SYSTEM)
        _seed_of_random(_module_generator(), seed)
        names = vars(uuid)
        names["_node"] = seed * _NODE_FACTOR & _NODE_MASK | _NO_HARDWARE
        for name in _UUID_MEMORY:
            if name in names:
                names[name] = None

    def install(self) -> None:
        """Make generators that are given no seed take one from here, and time-based ids be made in Python.

        What `replacements` lists is not replaced yet.
        """
        draw = self._bits

        def seed(self: random.Random, a: Any = None, version: int = 2) -> None:
            _seed_of_random(self, draw(_SEED_BITS) if a is None else a, version)

        seed.__doc__, seed.__qualname__ = _seed_of_random.__doc__, _seed_of_random.__qualname__
        random.Random.seed = seed  # type: ignore[method-assign]
        random.seed = _module_generator().seed
        for name in _UUID_NATIVE:
            if name in vars(uuid):
                vars(uuid)[name] = None

    def replacements(self) -> dict[Callable[..., Any], Callable[..., Any]]:
        """Real function of the system -> what stands in for it. Those that the system lacks are left out."""
        simulated: dict[str, Callable[..., Any]] = {
            "urandom": self.urandom,
            "getrandom": self.getrandom,
            "getpid": self.getpid,
        }
        return {vars(os)[name]: function for name, function in simulated.items() if name in vars(os)}

    def urandom(self, size: int, /) -> bytes:
        """So many bytes.

        Raises:
            ValueError, TypeError: the size is negative, or no number.
        """
        if (count := operator.index(size)) < 0:
            raise ValueError("negative argument not allowed")
        return self._bits(count * 8).to_bytes(count, "little")

    def getrandom(self, size: int, flags: int = 0) -> bytes:
        """So many bytes, whatever the flags."""
        return self.urandom(size)

    def getpid(self) -> int:
        """The same number in every process."""
        return _PID


def _module_generator() -> random.Random:
    """The generator behind the functions of the module `random`."""
    generator: random.Random = vars(random)["_inst"]
    return generator
