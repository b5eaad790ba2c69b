"""Locks by name, between threads and between processes, that die with whoever holds them."""

import errno
import fcntl
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from schemas.errors import HomeNotWritable, MachineryError
from schemas.ids import digest

_TOO_MANY = {errno.EMFILE, errno.ENFILE}


class NamedLocks:
    """A folder with one empty file per name that is locked just now.

    Why `flock` on a file of its own, and no byte range of one file: it belongs to the opened file, so it separates
    threads as well as processes, the system drops it when the process ends in any way, and names never share a lock.
    Whoever lets go removes the file first: a waiter that then gets the lock of a removed file opens the new one.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._handles: set[int] = set()
        self._owners: dict[str, int] = {}
        # A forked child shares what its parent has opened, and would keep the lock of a killed parent.
        handles, owners = self._handles, self._owners
        os.register_at_fork(after_in_child=lambda: _forget(handles, owners))

    @contextmanager
    def held(self, name: str) -> Iterator[None]:
        """Wait until nobody else holds the name, for as long as that takes. Other names are not affected.

        Raises:
            HomeNotWritable: the lock file can't be made.
            MachineryError: the process has no more room for open files.
            RuntimeError: this thread holds the name already, and would wait for itself.
        """
        if self._owners.get(name) == threading.get_ident():
            raise RuntimeError(f"{name!r} is held by this very thread")
        path = self._folder / digest(name)
        with _told(path):
            handle = self._locked(path)
        self._owners[name] = threading.get_ident()
        try:
            yield
        finally:
            if handle in self._handles:  # else this is a forked child, and the lock is its parent's
                del self._owners[name]
                with suppress(OSError):  # a file that stays is in nobody's way: the next holder uses it
                    path.unlink()
                # Not only by closing: a child that was forked just now may share the opened file.
                fcntl.flock(handle, fcntl.LOCK_UN)
                self._close(handle)

    def _locked(self, path: Path) -> int:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        while True:
            handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
            self._handles.add(handle)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX)
                if _is_file_of(handle, path):
                    return handle
            except BaseException:
                self._close(handle)
                raise
            self._close(handle)

    def _close(self, handle: int) -> None:
        self._handles.discard(handle)
        os.close(handle)


def _is_file_of(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False


def _forget(handles: set[int], owners: dict[str, int]) -> None:
    for handle in handles:
        os.close(handle)
    handles.clear()
    owners.clear()


@contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno in _TOO_MANY:
            raise MachineryError(
                "Too many files are open at once. Lower --concurrency, or allow more with `ulimit -n`, then run again."
            ) from error
        raise HomeNotWritable(
            f"Could not write {path.parent}: {error.strerror or error}. "
            "Make room or allow writing there, or choose another folder with --home, then run again."
        ) from error
