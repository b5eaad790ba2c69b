"""All commands. Each imports what it needs when it is called, so that help and queries answer at once."""

from flows.commands import exchanging, looking, making, reviewing, serving, trying
from flows.commands.app import app

__all__ = ["COMMANDS", "app"]

COMMANDS = (making, looking, reviewing, trying, exchanging, serving)
"""Registered by being imported, in this order."""
