"""Which records a deed may be about, by their status."""

from collections.abc import Callable

from tasks.authors.rules.spec import Record, World

Where = Callable[[Record, World], bool]
"""Chooses records, as things stand when the deed is done."""


def in_status(*statuses: str) -> Where:
    """Chooses records in one of these statuses."""
    return lambda record, world: record["status"] in statuses
