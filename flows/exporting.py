"""`envmill export`: the current release, or a part of it, in the form of another project."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from rich.console import Console

from schemas.errors import DamagedWarehouse, HomeNotWritable, UsageError
from schemas.logic_models import LOGIC_MODELS, LogicModel, LogicModelRow
from schemas.row import Row, Table
from schemas.scenarios import (
    CHECKS,
    INITIAL_STATES,
    SCENARIO_VALIDATIONS,
    SCENARIOS,
    Check,
    InitialState,
    Scenario,
    ScenarioValidation,
)
from schemas.skeletons import SKELETON_VALIDATIONS, SKELETONS, TOOLS, Skeleton, SkeletonValidation, Tool
from schemas.topics import TOPICS, Topic
from tasks.exchange.envscaler_writing import environment_entry, scenario_entry
from tasks.runtime.signature import tools_of
from warehouse.health import changed_since_publication
from warehouse.layout import Layout
from warehouse.store import Warehouse

FORMATS = ("envscaler",)
ENVIRONMENTS_FILE = "env_metadata.json"
SCENARIOS_FILE = "rl_scenario_metadata.json"
RowT = TypeVar("RowT", bound=Row)


@dataclass(frozen=True)
class Exported:
    """What was written."""

    folder: Path
    environments: int
    scenarios: int


def check_export(form: str, folder: Path | None) -> None:
    """Refuse what can't be written.

    Raises:
        UsageError: there is no such format, or no folder can be at this place.
    """
    if form not in FORMATS:
        raise UsageError(f"There is no format {form!r} to export to. Choose one of: {', '.join(FORMATS)}.")
    if folder is not None:
        place = next(each for each in (folder.absolute(), *folder.absolute().parents) if each.exists())
        if not place.is_dir():
            raise UsageError(f"Can't write into {folder}: {place} is a file; name a folder with --to.")


def export_release(home: Path, folder: Path | None) -> Exported:
    """Write the accepted environments and scenarios of the current release.

    Args:
        home: The home.
        folder: Where to; null for `exports/envscaler` in the home.

    Raises:
        UsageError: nothing is published yet.
        DamagedWarehouse: the release is not what was published.
        HomeNotWritable: the folder can't be written.
    """
    release = _Release(home)
    number = Layout(home).release_numbers()[-1:]
    if number and (changed := changed_since_publication(home, number[0])) is not None:
        raise DamagedWarehouse(
            f"Release {number[0]} in {home} is not what was published: {changed}. `envmill verify` names what no "
            "longer holds. Restore its files, or make a new release with `envmill run`, then export again."
        )
    skeletons = [each for each in release.rows(SKELETONS, Skeleton) if each.status == "accepted"]
    if not skeletons:
        raise UsageError(f"Nothing is published in {home} that could be exported. `envmill run` makes a release.")
    target = folder or home / "exports" / "envscaler"
    try:
        target.mkdir(parents=True, exist_ok=True)
        environments = _write(target / ENVIRONMENTS_FILE, release.environments(skeletons))
        scenarios = _write(target / SCENARIOS_FILE, release.scenarios(skeletons))
    except OSError as error:
        raise HomeNotWritable(f"Can't write into {target}: {error.strerror or error}.") from error
    return Exported(target, environments, scenarios)


def tell_export(exported: Exported, console: Console) -> None:
    """What was written, and where."""
    console.print(
        f"{exported.environments} environment{'s' * (exported.environments != 1)} and "
        f"{exported.scenarios} scenario{'s' * (exported.scenarios != 1)} written to {exported.folder}: "
        f"{ENVIRONMENTS_FILE} and {SCENARIOS_FILE}.",
        markup=False,
        highlight=False,
        soft_wrap=True,
    )


class _Release:
    def __init__(self, home: Path) -> None:
        self._store = Warehouse(home)
        self._topics = {each.topic_id: each for each in self.rows(TOPICS, Topic)}
        self._states = {each.initial_state_id: each for each in self.rows(INITIAL_STATES, InitialState)}

    def rows(self, table: Table, kind: type[RowT]) -> list[RowT]:
        return [each for each in self._store.rows(table) if isinstance(each, kind)]

    def environments(self, skeletons: Iterable[Skeleton]) -> Iterator[dict[str, Any]]:
        models = {each.logic_model_id: each.model_json for each in self.rows(LOGIC_MODELS, LogicModelRow)}
        validations = {each.skeleton_id: each for each in self.rows(SKELETON_VALIDATIONS, SkeletonValidation)}
        tools = _by(self.rows(TOOLS, Tool), "skeleton_id")
        states = _by([each for each in self._states.values() if each.status == "accepted"], "skeleton_id")
        for skeleton in skeletons:
            model = LogicModel.model_validate_json(models[skeleton.logic_model_id])
            order = {each.name: number for number, each in enumerate(tools_of(skeleton.code, skeleton.class_name))}
            own = sorted(tools.get(skeleton.skeleton_id, []), key=lambda each: order.get(each.name, len(order)))
            kept = sorted(states.get(skeleton.skeleton_id, []), key=lambda each: each.number)
            evaluated_on = json.loads(validations[skeleton.skeleton_id].states_json)
            yield environment_entry(skeleton, self._topics[skeleton.topic_id], model, own, kept, evaluated_on)

    def scenarios(self, skeletons: Iterable[Skeleton]) -> Iterator[dict[str, Any]]:
        known = {each.skeleton_id: each for each in skeletons}
        checks = _by(self.rows(CHECKS, Check), "scenario_id")
        trials = _by(self.rows(SCENARIO_VALIDATIONS, ScenarioValidation), "scenario_id")
        for scenario in self.rows(SCENARIOS, Scenario):
            skeleton = known.get(scenario.skeleton_id)
            if scenario.status != "accepted" or skeleton is None:
                continue
            yield scenario_entry(
                scenario,
                skeleton,
                self._topics[skeleton.topic_id],
                self._states[scenario.initial_state_id],
                sorted(checks.get(scenario.scenario_id, []), key=lambda each: each.number),
                trials.get(scenario.scenario_id, []),
            )


def _by(rows: Iterable[RowT], column: str) -> dict[str, list[RowT]]:
    found: dict[str, list[RowT]] = {}
    for row in rows:
        found.setdefault(getattr(row, column), []).append(row)
    return found


def _write(path: Path, entries: Iterable[dict[str, Any]]) -> int:
    """One JSON list, an entry at a time; how many there were. An earlier file stays until this one is whole."""
    draft, count = path.with_name(f".{path.name}.part"), 0
    with draft.open("w", encoding="utf-8") as file:
        file.write("[")
        for entry in entries:
            file.write(",\n" if count else "\n")
            json.dump(entry, file, ensure_ascii=False)
            count += 1
        file.write("\n]\n")
    draft.replace(path)
    return count
