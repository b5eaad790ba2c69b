"""What is wrong with a part of a file, for whoever wrote it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Trouble:
    """One thing in a file that could not be used. The rest is."""

    source: str
    """Name of the file."""
    item: str
    """What a person calls the thing: "entry 12", "env_3: tool cancel_order"."""
    reason: str
    """Reason code."""
    detail: str
