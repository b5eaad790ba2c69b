"""Whether what a run says to a model and hears from it is kept, or comes from what an earlier run kept."""

from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from schemas.errors import UsageError

if TYPE_CHECKING:
    from tasks.authors.llm.taped import Tape


class Taping(BaseModel):
    """At most one of both is set."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    record: Path | None = None
    """Folder that every exchange is written to."""
    replay: Path | None = None
    """Folder that every exchange comes from; no network is used."""

    def resolved(self) -> "Taping":
        """The same for a process in another working folder."""
        return Taping(
            record=self.record.resolve() if self.record is not None else None,
            replay=self.replay.resolve() if self.replay is not None else None,
        )


def check_taping(taping: Taping, author: str) -> None:
    """Refuse what can't work, before anything is started or written.

    Raises:
        UsageError: no model is asked, both are wanted, or there is nothing to replay.
    """
    chosen = [name for name, folder in (("--record", taping.record), ("--replay", taping.replay)) if folder is not None]
    if len(chosen) == 2:
        raise UsageError("--record and --replay contradict each other. Leave one out.")
    if chosen and author != "llm":
        raise UsageError(f"{chosen[0]} is about a model, and --author {author} asks none. Add --author llm.")
    if taping.replay is not None:
        from tasks.authors.llm.recording import exchange_files

        exchange_files(taping.replay)
    if taping.record is not None and taping.record.exists() and not taping.record.is_dir():
        raise UsageError(f"--record {taping.record} is a file. Name a folder; it is made when missing.")


@lru_cache(maxsize=2)
def tape_of(taping: Taping, run_id: str) -> "Tape | None":
    """The tape of a run, shared by all its stages; null where nothing is kept or replayed.

    Args:
        taping: What is wanted.
        run_id: Each run has a tape of its own.

    Raises:
        UsageError: the recording can't be read.
        HomeNotWritable: nothing can be recorded there.
    """
    from tasks.authors.llm.recording import Recorder, Recording

    if taping.replay is not None:
        return Recording(taping.replay)
    return Recorder(taping.record) if taping.record is not None else None
