"""The application that commands register with, the options they share, and how they report trouble."""

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from flows.homes import IMPOSSIBLE_PATH
from flows.interruption import INTERRUPTED, STOPPED
from schemas.errors import EnvmillError, HomeNotWritable, UsageError
from schemas.settings import Settings

DISK_TROUBLE = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM})

ORDER = (
    *("run", "estimate", "status", "sql", "show", "play", "verify", "review", "import", "export"),
    *("doctor", "ui", "deploy", "worker"),
)
"""Of the commands in the help."""


class _Ordered(TyperGroup):
    def list_commands(self, ctx: Any) -> list[str]:
        """All commands, those that are asked for most first."""
        return sorted(super().list_commands(ctx), key=ORDER.index)


app = typer.Typer(
    cls=_Ordered,
    name="envmill",
    help="Turn plain task texts into executable, verified tool-use environments.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

Home = Annotated[
    Path | None, typer.Option("--home", help="Folder for everything envmill writes. [ENVMILL_HOME or .envmill]")
]

Corpora = Annotated[
    list[Path] | None,
    typer.Option("--corpus", help="File of task texts; may be repeated. Default: the bundled corpus."),
]
Concurrency = Annotated[
    int | None,
    typer.Option(min=1, max=64, help="Items in work, and questions asked, at a time. Default: cores + 1; llm: 16."),
]
MaxUsd = Annotated[float | None, typer.Option(min=0, help="Most money that --author llm may spend, in USD.")]
MaxTokens = Annotated[int | None, typer.Option(min=0, help="Most tokens of --author llm, input and output together.")]
MaxCalls = Annotated[int | None, typer.Option(min=0, help="Most requests of --author llm, retries included.")]
Record = Annotated[Path | None, typer.Option(help="Folder to keep all exchanges of --author llm with its model in.")]
Replay = Annotated[Path | None, typer.Option(help="Folder that --record wrote: the answers come from there, offline.")]
Unsafe = Annotated[
    bool, typer.Option("--unsafe-no-sandbox", help="Run generated code even where this machine can't confine it.")
]


def chosen_home(home: Path | None) -> Path:
    """The home that was typed, else the configured one.

    Raises:
        UsageError: it is no folder.
        HomeNotWritable: it can't be read or made.
    """
    from flows.homes import usable_home

    return usable_home(home or Settings().home)


@contextmanager
def reported(goodbye: str = STOPPED) -> Iterator[None]:
    """Turn what a person can understand into one message and its exit code; anything else is a bug and stays one."""
    try:
        yield
    except EnvmillError as error:
        typer.echo(f"envmill: {error}", err=True)
        raise typer.Exit(error.exit_code) from error
    except KeyboardInterrupt:
        typer.echo(goodbye, err=True)
        raise typer.Exit(INTERRUPTED) from None
    except BrokenPipeError:
        # Whoever read our output has seen enough. Nothing may be flushed into the closed pipe at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(0) from None
    except OSError as error:
        if error.errno not in DISK_TROUBLE | IMPOSSIBLE_PATH:
            raise
        place = error.filename or "the disk"
        typer.echo(f"envmill: Can't use {place}: {error.strerror}. Mend that, or name another place.", err=True)
        kind = UsageError if error.errno in IMPOSSIBLE_PATH else HomeNotWritable
        raise typer.Exit(kind.exit_code) from error
