"""From files to what is kept: every entry is kept, or is one trouble with one reason."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from schemas.errors import UsageError
from tasks.exchange.envscaler_reading import ENTRY_FIELDS, Unusable, read_entry
from tasks.exchange.flaws import Trouble
from tasks.exchange.json_stream import NotReadable, read_entries
from tasks.exchange.kept import KeptEnvironment, KeptScenario
from tasks.imports.folder import ImportsFolder, KeptFolder


@dataclass
class Intake:
    """What came in."""

    taken: list[tuple[str, str]] = field(default_factory=list)
    """(File, what a person calls the entry) of everything that is kept, in order."""
    troubles: list[Trouble] = field(default_factory=list)
    """Entries that are of no use, and parts of kept ones that are not."""
    folders: dict[str, KeptFolder] = field(default_factory=dict)
    """What a file calls an environment -> where it is kept."""

    def keep_environment(self, imports: ImportsFolder, environment: KeptEnvironment) -> None:
        """Keep one environment."""
        self.folders[environment.name] = imports.keep(environment)
        self.taken.append((environment.source, environment.name))


def require_entry(file: Path) -> None:
    """Read a file of EnvScaler's form as far as its first environment or scenario.

    Raises:
        UsageError: it can't be read, or there is none in it.
    """
    said, others = "it has no entry", -1
    try:
        for entry in read_entries(file, ENTRY_FIELDS):
            try:
                read_entry(entry, file.name)
            except Unusable as error:
                others += 1
                said = f"entry {entry.number}: {error}" if not others else said
            else:
                return
    except NotReadable as error:
        said = str(error) if others < 0 else f"{said}; then it can't be read any further: {error}"
    if others > 0:
        said += f"; nor is any of the other {others:,} entries" if others > 1 else "; nor is the other entry"
    raise UsageError(f"Nothing in {file} is of use as an environment or a scenario of EnvScaler's form: {said}.")


def take_in(files: Sequence[Path], imports: ImportsFolder) -> Intake:
    """Read files of EnvScaler's form, whatever is in them, and keep it.

    They are read twice, as scenarios may come before their environments; one entry at a time is in memory. Scenarios
    of an environment that is not in these files join the one of that name which an earlier import has kept.

    Raises:
        HomeNotWritable: nothing can be kept.
    """
    intake = Intake()
    for file in files:
        _pass(file, imports, intake, wanted=KeptEnvironment)
    known = {each.environment().name: each for each in imports.kept()}
    intake.folders = {**known, **intake.folders}
    for file in files:
        _pass(file, imports, intake, wanted=KeptScenario)
    return intake


def _pass(
    file: Path, imports: ImportsFolder, intake: Intake, *, wanted: type[KeptEnvironment] | type[KeptScenario]
) -> None:
    """Read a file and keep what is wanted now. What is wrong with the file itself is told the first time."""
    is_first = wanted is KeptEnvironment
    try:
        for entry in read_entries(file, ENTRY_FIELDS):
            item = f"{file.name}: entry {entry.number}"
            try:
                value, troubles = read_entry(entry, file.name)
            except Unusable as error:
                if is_first:
                    intake.troubles.append(Trouble(file.name, item, error.reason, str(error)))
                continue
            if not isinstance(value, wanted):
                continue
            if isinstance(value, KeptEnvironment):
                intake.troubles += troubles
                if value.name in intake.folders:
                    detail = f"an environment called {value.name} came before; this one is left out"
                    intake.troubles.append(Trouble(file.name, item, "environment_twice", detail))
                    continue
                intake.keep_environment(imports, value)
            else:
                _keep_scenario(imports, intake, value, file.name, item)
    except NotReadable as error:
        if is_first:
            intake.troubles.append(Trouble(file.name, file.name, "file_not_readable", str(error)))


def _keep_scenario(imports: ImportsFolder, intake: Intake, scenario: KeptScenario, source: str, item: str) -> None:
    folder = intake.folders.get(scenario.environment)
    if folder is None:
        detail = f"{scenario.name}: no environment is called {scenario.environment}, here or in an earlier import"
        intake.troubles.append(Trouble(source, item, "environment_unknown", detail))
        return
    imports.add(folder, scenario)
    intake.taken.append((source, scenario.name))
