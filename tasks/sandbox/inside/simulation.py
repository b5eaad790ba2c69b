"""Clock and chance of the process, simulated: the same for the same start and seed, whatever the machine says.

`install` is called once, when everything that may be imported is loaded and no untrusted code has been; `begin` at each
load and init, `tick` before each call. Code that was loaded under another `begin` keeps the generators that it made.
"""

import ctypes
import gc
import os
import sys
import time
from collections.abc import Callable
from types import ModuleType
from typing import Any

from tasks.sandbox.inside.chance import Chance
from tasks.sandbox.inside.clock import Clock

_OURS = ("tasks", "schemas", "__main__")
"""Trusted packages keep the real clock, which their time limits may need."""

_clock = Clock()
_chance = Chance()

tick = _clock.tick


def begin(start: str | None, seed: int) -> None:
    """Set the clock and start every stream of chance again.

    Args:
        start: ISO date or moment, UTC where it names no zone. Null, and what is neither: 2025-01-01T00:00:00.
        seed: Only its lowest 64 bits count.
    """
    _clock.begin(start)
    _chance.begin(seed)


def install() -> None:
    """Replace clock and chance everywhere in this process, for good. The local time zone becomes UTC."""
    os.putenv("TZ", "UTC0")  # for the C library alone; a name of a zone would be looked up in a file
    time.tzset()
    _chance.install()
    _replace({**_clock.replacements(), **_chance.replacements()})
    for owner, name, function in _clock.class_methods():
        _set_class_method(owner, name, function)
    begin(None, 0)


def _replace(simulated: dict[Callable[..., Any], Callable[..., Any]]) -> None:
    """Rebind every global name that means a real function, also in modules that had copied it."""
    by_identity = {id(real): function for real, function in simulated.items()}
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] not in _OURS and isinstance(module, ModuleType):  # `typing.io` is a class
            names = vars(module)
            names.update({key: by_identity[id(value)] for key, value in names.items() if id(value) in by_identity})


def _set_class_method(owner: type, name: str, function: Callable[..., Any]) -> None:
    """Change a class that is written in C in place: what is no subclass needs no care to look like the real one."""
    (names,) = gc.get_referents(vars(owner))
    names[name] = classmethod(function)
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(owner))  # forget what look-ups have found so far
