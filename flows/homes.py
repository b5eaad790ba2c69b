"""The home folder: made, proven writable, and held by one run at a time."""

import errno
import fcntl
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from pathlib import Path

from schemas.errors import HomeNotWritable, MachineryError, UsageError

LEAST_FREE_BYTES = 32 * 2**20
"""A small run writes about 10 MB, a default run about 25 MB."""
IMPOSSIBLE_PATH = frozenset({errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG, errno.ELOOP})
"""Troubles of a path that no free space and no permission mends: another one has to be named."""

_held: ContextVar[frozenset[Path]] = ContextVar("envmill_held_homes", default=frozenset())
"""Homes that whoever asks holds already."""


def usable_home(home: Path) -> Path:
    """The same path, where it is a folder that can be read, or could be made. Nothing is made.

    Raises:
        UsageError: something else is in its place; the message says what.
        HomeNotWritable: it may not be read or made.
    """
    place = home.absolute()
    while not os.path.lexists(place):  # noqa: PTH110 also true for a link that leads nowhere, and never raises
        place = place.parent
    if not place.is_dir():
        raise UsageError(f"Can't use {home} as home: {place} is no folder. Choose another --home.")
    is_there = place == home.absolute()
    if not os.access(place, os.R_OK | os.X_OK if is_there else os.W_OK | os.X_OK):
        barrier = "it may not be read" if is_there else f"nothing may be made in {place}"
        raise HomeNotWritable(f"Can't use {home} as home: {barrier}. Allow it, or choose another --home.")
    return home


def existing_home(home: Path) -> Path:
    """The same path, where a folder is.

    Raises:
        UsageError: there is none.
        HomeNotWritable: it may not be read.
    """
    if not usable_home(home).is_dir():
        raise UsageError(f"There is no home at {home}. `envmill run` makes one; --home names another.")
    return home


def prepare_home(home: Path) -> None:
    """Make the folder and prove, by writing, that it can hold a run.

    Raises:
        UsageError: no folder can have this path.
        HomeNotWritable: it can't, or there is hardly any space left.
    """
    probe = usable_home(home) / ".writable"
    try:
        home.mkdir(parents=True, exist_ok=True)
        probe.write_bytes(b"\0" * 4096)
        probe.unlink()
    except OSError as error:
        if error.errno in IMPOSSIBLE_PATH:
            raise UsageError(f"Can't use {home} as home: {error.strerror}. Choose another --home.") from error
        raise HomeNotWritable(
            f"Can't write into {home}: {error.strerror or error}. "
            "Make room or allow writing there, or choose another --home."
        ) from error
    free = shutil.disk_usage(home).free
    if free < LEAST_FREE_BYTES:
        raise HomeNotWritable(
            f"Only {free // 2**20} MiB are free for {home}, and a run needs {LEAST_FREE_BYTES // 2**20}. "
            "Make room or choose another --home."
        )


def replies_file(home: Path) -> Path:
    """Where the replies of models are kept, for all runs of this home."""
    return home.resolve() / "replies.sqlite"


def prices_file(home: Path) -> Path:
    """Where a person writes down what models cost; need not exist."""
    return home.resolve() / "prices.yaml"


@contextmanager
def home_lock(home: Path, holder: str = "a run") -> Iterator[None]:
    """One run at a time per home: they would share the server and the order of releases. Dies with the process.

    A command holds it from before its server is started; the flow that it calls holds it already.

    Args:
        home: The folder, which must exist.
        holder: What is told to whoever is refused meanwhile: "envmill import".

    Raises:
        MachineryError: another run holds it.
    """
    place = home.resolve()
    if place in _held.get():
        yield
        return
    with (home / "run.lock").open("a") as handle:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise _taken(home) from None
        handle.truncate(0)
        handle.write(f"{holder}, process {os.getpid()}")
        handle.flush()
        token = _held.set(_held.get() | {place})
        try:
            yield
        finally:
            _held.reset(token)


def refuse_taken(home: Path) -> None:
    """Refuse a home that a run holds now, before anything is started; `home_lock` is what keeps two runs apart.

    Raises:
        MachineryError: another run holds it.
    """
    if is_at_work(home):
        raise _taken(home)


def _taken(home: Path) -> MachineryError:
    lock = home / "run.lock"
    holder = lock.read_text(encoding="utf-8").strip()
    since = datetime.fromtimestamp(lock.stat().st_mtime, UTC)
    who = f" ({holder}, since {since:%Y-%m-%d %H:%M} UTC)" if holder else ""
    return MachineryError(
        f"Another run is at work in {home}{who}. Wait for it (envmill status), or choose another --home."
    )


def is_at_work(home: Path) -> bool:
    """Whether a run holds this home now."""
    try:
        with (home / "run.lock").open("r") as handle:
            fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False
