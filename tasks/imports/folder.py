"""Where the imports of a home are kept, so that every later run includes them again.

One folder per environment, named after its slug: `environment.json`, and `scenarios.jsonl` with one scenario per line.
To drop an import, delete its folder, or `envmill import --forget SLUG`. What a run takes in and forgets counts once it
has published (`drafted`).
"""

import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from schemas.errors import HomeNotWritable, UsageError
from schemas.ids import digest
from tasks.exchange.kept import KeptEnvironment, KeptScenario
from tasks.topics.candidates import slug_of

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_ENVIRONMENT, _SCENARIOS = "environment.json", "scenarios.jsonl"


@dataclass(frozen=True)
class KeptFolder:
    """One kept environment on disk."""

    path: Path

    @property
    def slug(self) -> str:
        """Its name."""
        return self.path.name

    def environment(self) -> KeptEnvironment:
        """The environment."""
        return KeptEnvironment.model_validate_json((self.path / _ENVIRONMENT).read_text(encoding="utf-8"))

    def scenarios(self) -> Iterator[KeptScenario]:
        """Its scenarios, in the order of their file."""
        file = self.path / _SCENARIOS
        if file.exists():
            with file.open(encoding="utf-8") as lines:
                for line in lines:
                    yield KeptScenario.model_validate_json(line)

    def content_digest(self) -> str:
        """Digest of everything that is kept of it."""
        files = [self.path / _ENVIRONMENT, self.path / _SCENARIOS]
        return digest(self.slug, *(file.read_text(encoding="utf-8") for file in files if file.exists()))


@dataclass(frozen=True)
class ImportsFolder:
    """All imports of a home."""

    home: Path
    name: str = "imports"

    @property
    def path(self) -> Path:
        """The folder; need not exist."""
        return self.home.resolve() / self.name

    @contextmanager
    def drafted(self) -> Iterator["ImportsFolder"]:
        """A copy to change, which takes the place of the folder at the end of the block.

        If the block is left early, nothing has changed. For whoever holds the home.

        Raises:
            HomeNotWritable: it can't be copied.
        """
        draft = ImportsFolder(self.home, f"{self.name}.draft")
        former = ImportsFolder(self.home, f"{self.name}.former").path
        try:
            if former.is_dir() and not self.path.exists():
                former.rename(self.path)  # a process was killed between the two renames below
            for leftover in (draft.path, former):
                shutil.rmtree(leftover, ignore_errors=True)
            if self.path.is_dir():
                shutil.copytree(self.path, draft.path)
        except OSError as error:
            raise HomeNotWritable(f"Can't copy {self.path}: {error.strerror or error}.") from error
        try:
            yield draft
            if self.path.is_dir():
                self.path.rename(former)
            if draft.path.is_dir():
                draft.path.rename(self.path)
            shutil.rmtree(former, ignore_errors=True)
        finally:
            shutil.rmtree(draft.path, ignore_errors=True)

    def kept(self) -> list[KeptFolder]:
        """Every kept environment, by slug."""
        if not self.path.is_dir():
            return []
        return [KeptFolder(each) for each in sorted(self.path.iterdir()) if (each / _ENVIRONMENT).is_file()]

    def keep(self, environment: KeptEnvironment) -> KeptFolder:
        """Keep an environment; what was kept of it before, scenarios included, is gone.

        Raises:
            HomeNotWritable: it can't be written.
        """
        folder = KeptFolder(self.path / self._slug(environment))
        text = environment.model_dump_json(indent=1).encode("utf-8", "backslashreplace").decode("utf-8")
        try:
            folder.path.mkdir(parents=True, exist_ok=True)
            (folder.path / _SCENARIOS).unlink(missing_ok=True)
            (folder.path / _ENVIRONMENT).write_text(text, encoding="utf-8")
        except OSError as error:
            raise HomeNotWritable(f"Can't write {folder.path}: {error.strerror or error}.") from error
        return folder

    def add(self, folder: KeptFolder, scenario: KeptScenario) -> None:
        """Keep one more scenario.

        Raises:
            HomeNotWritable: it can't be written.
        """
        try:
            with (folder.path / _SCENARIOS).open("a", encoding="utf-8") as file:
                file.write(scenario.model_dump_json() + "\n")
        except OSError as error:
            raise HomeNotWritable(f"Can't write {folder.path}: {error.strerror or error}.") from error

    def named(self, slug: str) -> KeptFolder:
        """The kept environment of this name.

        Raises:
            UsageError: there is none; the message lists those that there are.
        """
        folder = self.path / slug
        if not _NAME.fullmatch(slug) or not folder.is_dir():
            known = ", ".join(each.slug for each in self.kept()) or "none"
            raise UsageError(f"No import is called {slug!r}. There are: {known}.")
        return KeptFolder(folder)

    def forget(self, slug: str) -> None:
        """Drop an import.

        Raises:
            UsageError: there is none of this name.
        """
        shutil.rmtree(self.named(slug).path)

    def _slug(self, environment: KeptEnvironment) -> str:
        """A name that no other environment has; the same environment gets the same again."""
        wanted = environment.own.slug if environment.own else slug_of(environment.about.title)
        other = self.path / wanted / _ENVIRONMENT
        if not other.is_file():
            return wanted
        known = KeptEnvironment.model_validate_json(other.read_text(encoding="utf-8"))
        if (known.form, known.name) == (environment.form, environment.name):
            return wanted
        return f"{wanted}-{digest(environment.form, environment.name)[:6]}"
