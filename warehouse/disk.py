"""Writes that are whole or absent, and the one lock."""

import fcntl
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from schemas.errors import HomeNotWritable


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Report what the operating system refuses as a fault of the home folder.

    Raises:
        HomeNotWritable: no space, no permission, a file where a folder should be, a read-only disk.
    """
    try:
        yield
    except OSError as error:
        raise HomeNotWritable(
            f"Could not write {path}: {error.strerror or error}. What was published before is untouched. "
            "Make room or allow writing there, or choose another folder with --home, then run again."
        ) from error


def write_whole(path: Path, content: bytes) -> None:
    """Write a file that appears under its name only when all of it is on disk; replaces a file of that name.

    Raises:
        HomeNotWritable: it could not be written; a file of that name is as it was.
    """
    # Named after its writer: two threads or processes may write the same file at once.
    draft = path.with_name(f".{path.name}.{os.getpid()}-{threading.get_ident()}.tmp")
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            write_synced(draft, content)
            draft.replace(path)
        except OSError:
            draft.unlink(missing_ok=True)
            raise
        sync_folder(path.parent)


def write_synced(path: Path, content: bytes) -> None:
    """Write a file and wait until the disk has it."""
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def sync_folder(path: Path) -> None:
    """Wait until the disk has the names in a folder."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock file; wait for whoever holds it. The lock dies with its process.

    Raises:
        HomeNotWritable: the lock file can't be made.
    """
    with writing(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle = path.open("wb")
    with handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
