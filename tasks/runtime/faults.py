"""What is raised when an environment is at fault, and not whoever calls its tools."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from tasks.sandbox.base import CodeRejected, SessionDied

_LINE = re.compile(r"\(line (\d+)\)\Z")


class EnvironmentFault(Exception):
    """The code of an environment does not load, does not start, broke its contract, or took its process down."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        """syntax_error, import_refused, load_error, class_missing, init_error, state_not_json (it does not load, start,
        or keep a JSON state); tool_raised, result_not_json, result_no_object (a tool broke its contract);
        not_deterministic; or how the process ended: wall, cpu, memory, crash, exit, protocol, output."""

    @property
    def line(self) -> int | None:
        """Line of the environment's code, counted from 1; null where no single line is to blame."""
        return line_in(str(self))


class EnvironmentBroken(EnvironmentFault):
    """The class broke its contract: a tool raised, or returned no JSON object. Not the fault of whoever called it."""

    def __init__(self, tool: str, message: str, reason: str = "tool_raised") -> None:
        super().__init__(reason, f"tool {tool!r}: {message}")
        self.tool = tool
        self.message = message


class StateUnfit(EnvironmentFault):
    """The constructor raised on a state that came from outside. State and class do not fit; either may be wrong."""


@contextmanager
def as_faults(doing: str) -> Iterator[None]:
    """Turn what a session raises into an EnvironmentFault. `doing` begins its message: "The constructor"."""
    try:
        yield
    except CodeRejected as refusal:
        raise EnvironmentFault(refusal.kind, f"{doing}: {refusal}") from refusal
    except SessionDied as death:
        raise EnvironmentFault(death.reason, f"{doing}: {death}") from death


def line_in(message: str) -> int | None:
    """The line that a message from inside a session ends with, as in "KeyError: 'x' (line 12)"; null without one."""
    found = _LINE.search(message)
    return int(found[1]) if found else None
