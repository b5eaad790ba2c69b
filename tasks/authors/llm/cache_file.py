"""The SQLite file below the cache of replies: its tables, who may read it, and what can go wrong with it."""

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from schemas.errors import HomeNotWritable, MachineryError
from tasks.authors.llm.locks import NamedLocks

BUSY_S = 60
"""Longest wait, in seconds, for another process that is just writing to the file."""

_LAYOUT = 1
"""Version of the tables below and of what stands in them."""
_TABLES = f"""
CREATE TABLE replies (key TEXT PRIMARY KEY, reply TEXT NOT NULL);
CREATE TABLE refused_modes (endpoint TEXT PRIMARY KEY, modes TEXT NOT NULL);
PRAGMA user_version = {_LAYOUT};
"""
_BESIDE = ("-wal", "-shm", "-journal")
"""Endings of the files that SQLite keeps beside a database."""
_NOT_WRITABLE = {
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_AUTH,
}
_BUSY = {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}
_INHERITED: list[sqlite3.Connection] = []
"""Connections that a forked child got from its parent. SQLite forbids to use them there, and to close them."""


class CacheFile:
    """One file, made on first use, readable by its owner alone. Threads and processes may share it.

    A change is handed to the operating system before `change` returns: a killed process does not lose it. It is not
    forced onto the disk, which would cost milliseconds each time: after a power failure the last changes may be
    missing, but the file stays sound (write-ahead log, forced to disk at every checkpoint).

    Raises, from both methods:
        HomeNotWritable: there is no room, or no permission.
        MachineryError: the file is broken, or another process does not let go of it.
    """

    def __init__(self, path: Path, locks: NamedLocks) -> None:
        self.path = path
        self._locks = locks
        self._local = threading.local()
        # Threads that queue here are served at once; the wait of SQLite between tries would be far longer.
        self._writing = threading.Lock()

    def query(self, statement: str, *values: str) -> str | None:
        """The first column of the first row; null where there is none."""
        with _told(self.path):
            row: tuple[str] | None = self._connection().execute(statement, values).fetchone()
        return None if row is None else row[0]

    def change(self, statement: str, *values: str) -> None:
        """Run one statement that writes."""
        with _told(self.path), self._writing:
            self._connection().execute(statement, values)

    def _connection(self) -> sqlite3.Connection:
        """The connection of this thread."""
        held: _Connection | None = getattr(self._local, "held", None)
        if held is None or held.process != os.getpid():
            if not self.path.exists():
                self._create()
            held = self._local.held = _Connection(self.path)
        return held.sqlite

    def _create(self) -> None:
        """Make the file, whole or not at all."""
        with self._locks.held("creation"):
            if self.path.exists():
                return
            draft = self.path.with_name(f".{self.path.name}.draft")
            # The log of a file that is gone would be read into the new one.
            for leftover in (draft, *_beside(draft), *_beside(self.path)):
                leftover.unlink(missing_ok=True)
            os.close(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))  # SQLite takes over its permissions
            with closing(sqlite3.connect(draft, isolation_level=None)) as sqlite:
                sqlite.executescript(_TABLES)
                sqlite.execute("PRAGMA journal_mode = WAL")
            draft.rename(self.path)


class _Connection:
    """An open connection, closed when its thread or its cache ends."""

    def __init__(self, path: Path) -> None:
        self.process = os.getpid()
        self.sqlite = sqlite3.connect(
            f"{path.as_uri()}?mode=rw", uri=True, timeout=BUSY_S, isolation_level=None, check_same_thread=False
        )
        self.sqlite.execute("PRAGMA synchronous = NORMAL")
        (layout,) = self.sqlite.execute("PRAGMA user_version").fetchone()
        if layout != _LAYOUT:
            raise MachineryError(f"{path} is no cache of replies that this version can read. {remedy(path)}")

    def __del__(self) -> None:
        if "sqlite" not in vars(self):  # it could not be opened
            return
        if self.process == os.getpid():
            self.sqlite.close()
        else:
            _INHERITED.append(self.sqlite)


def _beside(path: Path) -> list[Path]:
    return [path.with_name(path.name + ending) for ending in _BESIDE]


def remedy(path: Path) -> str:
    """What a person can do about a file that is broken."""
    return f"Delete {path} (its replies are then asked for, and paid, again), or choose another --home; then run again."


@contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
        if code in _NOT_WRITABLE:
            raise HomeNotWritable(
                f"The replies of the model can't be kept in {path}: {error}. "
                "Make room or allow writing there, or choose another folder with --home, then run again."
            ) from error
        if code in _BUSY:
            raise MachineryError(
                f"Another process has been writing to {path} for {BUSY_S} s. Wait until it is done, then run again."
            ) from error
        raise MachineryError(f"The cache of replies {path} is broken ({error}). {remedy(path)}") from error
    except OSError as error:
        raise HomeNotWritable(
            f"The replies of the model can't be kept in {path}: {error.strerror or error}. "
            "Make room or allow writing there, or choose another folder with --home, then run again."
        ) from error
