"""The command line. Every command imports what it needs when it is called, so that help and queries answer at once."""

from flows.commands import exchanging, looking, making, reviewing, serving, trying
from flows.commands.app import app

__all__ = ["app", "main"]

COMMANDS = (making, looking, reviewing, trying, exchanging, serving)
"""Registered by being imported, in this order."""


def main() -> None:
    """Run the command that was typed."""
    app()
