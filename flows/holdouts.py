"""Which benchmarks a run keeps its texts away from, and with what content."""

import hashlib
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from schemas.errors import UnreadableCorpus, UsageError


class Holdouts(BaseModel):
    """Files of texts that somebody wants to evaluate on."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    files: tuple[Path, ...] = ()
    column: str | None = None
    """Column that holds the text; null to guess."""
    contents: tuple[str, ...] = ()
    """Digest of each file's bytes, in their order; empty until `resolved`."""

    def resolved(self) -> "Holdouts":
        """The same for a process in another working folder: each file once, with what is in it now.

        Raises:
            UnreadableCorpus: a file can't be read.
        """
        files = tuple(dict.fromkeys(path.resolve() for path in self.files))
        return Holdouts(files=files, column=self.column, contents=tuple(map(_content, files)))

    def named(self) -> list[str]:
        """Name and content of each file and the column that is read, for keys and the row of the run.

        Only where `resolved`.
        """
        column = "" if self.column is None else f" column {self.column}"
        return [f"{path.name} {content}{column}" for path, content in zip(self.files, self.contents, strict=True)]


NOTHING_HELD_OUT = Holdouts()


def check_holdouts(holdouts: Holdouts) -> None:
    """Refuse what can't be held out, before anything is started or written.

    Raises:
        UsageError: a file is none or does not exist, or a column is named and no file.
    """
    if holdouts.column is not None and not holdouts.files:
        raise UsageError("--holdout-column is about a hold-out, and there is none. Add --holdout FILE.")
    for path in holdouts.files:
        if misfit := no_file(path):
            raise UnreadableCorpus(f"The hold-out {path} {misfit}. Name a file of benchmark texts.")


def no_file(path: Path) -> str | None:
    """What keeps a path from being a file that can be read several times, in words; null when nothing does."""
    if path.is_file():
        return None
    if path.is_dir():
        return "is a folder"
    # A pipe can be read once, and a run reads its files again: for their digests, and when it goes on later.
    return "is no regular file, and it is read more than once" if path.exists() else "does not exist"


def _content(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "blake2b").hexdigest()[:32]
    except OSError as error:
        raise UnreadableCorpus(f"The hold-out {path} can't be read: {error.strerror}.") from error
