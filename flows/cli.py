"""The entry of `envmill`. Nothing heavy is imported here, so that a signal is heard from the first moment on."""

import sys

from flows.interruption import INTERRUPTED, STOPPED, ended_by_either_signal


def main() -> None:
    """Run the command that was typed. Ctrl-C and SIGTERM end it with a sentence, also while it is still importing."""
    try:
        with ended_by_either_signal():
            from flows.commands.registered import app

            app()
    except KeyboardInterrupt:
        print(STOPPED, file=sys.stderr)
        sys.exit(INTERRUPTED)
