"""Replies that were paid for once: kept across runs and processes, and never asked for twice at the same time."""

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Protocol

from schemas.errors import MachineryError
from schemas.ids import digest
from tasks.authors.llm.cache_file import CacheFile, remedy
from tasks.authors.llm.locks import NamedLocks

MODES_LAST = timedelta(days=7)
"""How long it counts what an endpoint refused; then it is tried again, which costs a refused request or two."""


@dataclass(frozen=True, slots=True)
class StoredReply:
    """One completion as it is kept: what the model said and what it took, nothing of how it was asked."""

    text: str
    finish_reason: str | None
    refusal: str | None
    input_tokens: int | None
    output_tokens: int | None
    cached_tokens: int | None
    reasoning_tokens: int | None
    reply_mode: str
    uses_json: str | None = None
    """Calls of tools that it asks for, as a list of [id, tool, arguments]; null for none."""


class Claim:
    """The right to answer one key, from entering to leaving `claim`."""

    def __init__(self, reply: StoredReply | None, keep: Callable[[StoredReply], None] | None) -> None:
        self.reply = reply
        """What was kept before; null for whoever has to ask."""
        self._keep = keep

    def keep(self, reply: StoredReply) -> None:
        """Keep the reply for everybody; of several, the last. Once this returned, a killed process does not lose it.

        Raises:
            HomeNotWritable: there is no room for it.
            MachineryError: the file is broken, or another process does not let go of it.
            RuntimeError: the claim is over, or was answered from the start.
        """
        if self._keep is None or self.reply is not None:
            raise RuntimeError("only a claim that is held and has no reply can keep one")
        self._keep(reply)

    def end(self) -> None:
        """From here on, nothing can be kept."""
        self._keep = None


class ModeMemory(Protocol):
    """Ways to hold a model to the type of a reply that an endpoint refused, so that they are not tried again."""

    def get(self, base_url: str, model: str, *, now: datetime) -> frozenset[str] | None:
        """What it refused; null where it was not asked in the last `MODES_LAST`: servers are updated."""
        ...

    def remember(self, base_url: str, model: str, refused: frozenset[str], *, now: datetime) -> None:
        """Put this in the place of what was known."""
        ...


class Cache(Protocol):
    """What keeps replies. Safe to use from several threads."""

    @property
    def modes(self) -> ModeMemory:
        """What endpoints refused."""
        ...

    def claim(self, key: str) -> AbstractContextManager[Claim]:
        """The kept reply of this key, or the right to be the only one who asks for it."""
        ...


class NoCache:
    """Keeps no reply and makes nobody wait; what an endpoint refused, it knows as long as it lives."""

    def __init__(self) -> None:
        self.modes: ModeMemory = _ModesInMemory()

    @contextmanager
    def claim(self, key: str) -> Iterator[Claim]:
        """A claim without a reply, whatever the key."""
        claim = Claim(None, _drop)
        yield claim
        claim.end()


class ReplyCache:
    """Replies in one SQLite file, made on first use, readable by its owner alone. Threads and processes may share it.

    It holds replies by the digest of their request: no key of an endpoint, no header, no address, no prompt.

    A reply is kept when `keep` returns: a killed process does not lose it. After a power failure the last ones may be
    missing, and are asked for again.
    """

    def __init__(self, path: Path) -> None:
        self._locks = NamedLocks(path.absolute().with_name(f"{path.name}.claims"))
        self._file = CacheFile(path.absolute(), self._locks)
        self.modes: ModeMemory = _ModesInFile(self._file)

    @contextmanager
    def claim(self, key: str) -> Iterator[Claim]:
        """The kept reply of this key, or the right to be the only one, in all processes, who asks for it.

        Waits while somebody else asks for the same key; if they keep nothing, or die, the next one asks. Nobody waits
        for another key. One thread may hold several claims, but then in an order that all threads follow.

        Raises:
            HomeNotWritable: nothing can be written where the file lies; found out before anything is paid.
            MachineryError: the file is broken, or another process does not let go of it.
            RuntimeError: this thread claims a key that it holds already.
        """
        found = self._find(key)
        if found is not None:
            yield Claim(found, None)
            return
        with self._locks.held(f"reply {key}"):
            claim = Claim(self._find(key), partial(self._store, key))
            try:
                yield claim
            finally:
                claim.end()

    def _find(self, key: str) -> StoredReply | None:
        text = self._file.query("SELECT reply FROM replies WHERE key = ?", key)
        if text is None:
            return None
        try:
            return StoredReply(**json.loads(text))
        except (ValueError, TypeError) as error:
            raise MachineryError(
                f"A reply in {self._file.path} can't be read ({error}). {remedy(self._file.path)}"
            ) from error

    def _store(self, key: str, reply: StoredReply) -> None:
        # As ASCII: a model may say half of a surrogate pair, which no database takes.
        self._file.change("INSERT OR REPLACE INTO replies VALUES (?, ?)", key, json.dumps(asdict(reply)))


class _ModesInMemory:
    def __init__(self) -> None:
        self._refused: dict[tuple[str, str], frozenset[str]] = {}

    def get(self, base_url: str, model: str, *, now: datetime) -> frozenset[str] | None:
        return self._refused.get((base_url, model))

    def remember(self, base_url: str, model: str, refused: frozenset[str], *, now: datetime) -> None:
        self._refused[base_url, model] = refused


class _ModesInFile:
    def __init__(self, file: CacheFile) -> None:
        self._file = file

    def get(self, base_url: str, model: str, *, now: datetime) -> frozenset[str] | None:
        text = self._file.query("SELECT modes FROM refused_modes WHERE endpoint = ?", digest(base_url, model))
        known = json.loads(text) if text is not None else None
        # A bare list was written before dates were: nobody knows how old it is.
        if not isinstance(known, dict) or now - datetime.fromisoformat(known["since"]) > MODES_LAST:
            return None
        return frozenset(known["refused"])

    def remember(self, base_url: str, model: str, refused: frozenset[str], *, now: datetime) -> None:
        known = {"refused": sorted(refused), "since": now.isoformat()}
        # As a digest: an address may hold a password.
        self._file.change(
            "INSERT OR REPLACE INTO refused_modes VALUES (?, ?)", digest(base_url, model), json.dumps(known)
        )


def _drop(reply: StoredReply) -> None:
    """What keeping comes to where nothing is kept."""
