"""`envmill verify`: every proof of a release, executed again from the published rows."""

import json
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Set
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from itertools import chain
from pathlib import Path
from typing import TypeVar

from rich.console import Console

from schemas.errors import MachineryError, UsageError
from schemas.logic_models import LOGIC_MODELS, LogicModel, LogicModelRow
from schemas.row import Row, Table
from schemas.runs import GateResult
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
from schemas.skeletons import SKELETONS, TOOLS, Skeleton, Tool
from tasks.proof.identity import proof_digest
from tasks.proof.recheck import Published, PublishedEnvironment, Rechecked, in_portions, recheck
from tasks.sandbox.base import Sandbox
from warehouse.arrow import SAMPLE_SIZE, from_arrow, read_parquet
from warehouse.health import changed_since_publication
from warehouse.layout import Layout, table_file
from warehouse.query import query
from warehouse.store import Warehouse

RowT = TypeVar("RowT", bound=Row)
_PORTION = 8
"""Scenarios that one worker proves in one session."""
CURRENT = "current"
_IDS = "select release_id, number from raw.releases order by number"
"""What was published twice is verified as it lies there last."""


@dataclass(frozen=True)
class Verification:
    """What became of the proofs of one release."""

    release: int
    rechecked: tuple[Rechecked, ...]
    """In the order of the scenarios' ids."""
    seconds: float
    changed: str | None = None
    """How the rows of the release differ from what was published, also where no proof notices; null: not at all."""

    @property
    def holds(self) -> bool:
        """Whether every proof holds, and the rows are what was published."""
        return not self.broken and self.changed is None

    @property
    def broken(self) -> tuple[Rechecked, ...]:
        """The scenarios that no longer hold."""
        return tuple(each for each in self.rechecked if each.troubles)


def verify_release(home: Path, release: str, *, sandbox: Sandbox, at_a_time: int) -> Verification:
    """Prove every published scenario of a release again.

    Args:
        home: The home folder.
        release: "current", or the number or id of a release.
        sandbox: Where the code runs.
        at_a_time: Environments in work at a time.

    Raises:
        UsageError: there is no such release.
        MachineryError: rows of the release refer to rows that are not there, or can't be read.
    """
    number = _numbered(home, release)
    start = time.monotonic()
    rechecked = verify_folder(Layout(home).release(number), sandbox=sandbox, at_a_time=at_a_time)
    return Verification(number, rechecked, time.monotonic() - start, changed_since_publication(home, number))


def proof_gate(
    store: Warehouse, run_id: str, at: datetime, *, sandbox: Sandbox, at_a_time: int
) -> tuple[GateResult, ...]:
    """Prove again, before it is published, what a staged batch brings that the current release does not hold.

    Whatever is the same there, to the digest of what was proven, was gated with that release.

    Raises:
        MachineryError: a row refers to one that is not there.
    """
    current = store.rows(SCENARIOS)
    known = {(each.scenario_id, each.proof_digest) for each in current if isinstance(each, Scenario)}
    rechecked = verify_folder(store.layout.staging(run_id), sandbox=sandbox, at_a_time=at_a_time, known=known)
    broken = [each for each in rechecked if each.troubles]
    named = "; ".join(f"{each.scenario.scenario_id}: {each.troubles[0].reason}" for each in broken[:SAMPLE_SIZE])
    result = GateResult(
        run_id=run_id,
        table_name=SCENARIOS.name,
        gate="proof",
        expectation="every_changed_scenario_is_proven_again",
        has_passed=not broken,
        offending_count=len(broken),
        detail=f"{len(broken)} of {len(rechecked)} no longer hold, such as {named}" if broken else None,
        at=at,
    )
    return (result,)


def verify_folder(
    folder: Path, *, sandbox: Sandbox, at_a_time: int, known: Set[tuple[str, str | None]] = frozenset()
) -> tuple[Rechecked, ...]:
    """Prove every accepted scenario in a folder of catalogue tables again, published or staged.

    Args:
        folder: The folder.
        sandbox: Where the code runs.
        at_a_time: Environments in work at a time.
        known: Scenarios that are left out: id, and digest of what was proven.

    Raises:
        MachineryError: a row refers to one that is not there.
    """
    portions = [each for environment in _published(folder, known) for each in in_portions(environment, _PORTION)]
    with ThreadPoolExecutor(at_a_time, "verify") as workers:
        found = workers.map(lambda portion: tuple(recheck(portion, sandbox)), portions)
        return tuple(sorted(chain.from_iterable(found), key=lambda each: each.scenario.scenario_id))


def tell(verification: Verification, console: Console) -> None:
    """Say what holds, and of all else what is wrong and what to do."""

    def say(text: str, style: str = "") -> None:
        console.print(text, style=style, markup=False, highlight=False, soft_wrap=True)

    count, broken = len(verification.rechecked), verification.broken
    trials = sum(each.trial_count for each in verification.rechecked)
    told = f"release {verification.release}: {count - len(broken)} of {count} scenarios hold"
    say(f"{told} ({trials} trials, {verification.seconds:.1f} s).")
    for each in broken:
        say(f"{each.scenario.scenario_id} in {each.slug}: {each.scenario.task[:80]}", style="bold red")
        for trouble in each.troubles:
            say(f"    {trouble.reason}: {trouble.detail}")
    if verification.changed is not None:
        say(f"Its rows are not those that were published: {verification.changed}.", style="bold red")
        say("Restore its files from a backup, or make a new release with `envmill run`.")
    if broken:
        say("`envmill show ID` tells how one was made; the next `envmill run` proves again what it makes anew.")


def to_json(verification: Verification) -> str:
    """One JSON object."""
    report = {
        "release": verification.release,
        "scenarios": len(verification.rechecked),
        "holding": len(verification.rechecked) - len(verification.broken),
        "trials": sum(each.trial_count for each in verification.rechecked),
        "changed_since_publication": verification.changed,
        "seconds": round(verification.seconds, 3),
        "broken": [
            {
                "scenario_id": each.scenario.scenario_id,
                "environment": each.slug,
                "task": each.scenario.task,
                "troubles": [{"reason": trouble.reason, "detail": trouble.detail} for trouble in each.troubles],
            }
            for each in verification.broken
        ],
    }
    return json.dumps(report, indent=2, ensure_ascii=False)


def _numbered(home: Path, release: str) -> int:
    numbers = Layout(home).release_numbers()
    if not numbers:
        raise UsageError(f"There is no release in {home} yet. `envmill run` makes one.")
    if release == CURRENT:
        return numbers[-1]
    named = {row["release_id"]: row["number"] for row in query(home, _IDS).to_pylist() if row["number"] in numbers}
    if release in named:
        return int(named[release])
    if not release.isdecimal() or int(release) not in numbers:
        known = ", ".join(map(str, numbers))
        raise UsageError(f'There is no release "{release}" in {home}. Known: {CURRENT}, {known}.')
    return int(release)


def _published(folder: Path, known: Set[tuple[str, str | None]]) -> list[PublishedEnvironment]:
    skeletons = {each.skeleton_id: each for each in _rows(folder, SKELETONS, Skeleton)}
    models = {each.logic_model_id: each for each in _rows(folder, LOGIC_MODELS, LogicModelRow)}
    states = {each.initial_state_id: each for each in _rows(folder, INITIAL_STATES, InitialState)}
    checks = _by_scenario(_rows(folder, CHECKS, Check))
    trials = _rows(folder, SCENARIO_VALIDATIONS, ScenarioValidation)
    finals = {each.scenario_id: each.final_digest for each in trials if each.trial == "reference"}
    tools: dict[str, list[Tool]] = defaultdict(list)
    for tool in _rows(folder, TOOLS, Tool):
        tools[tool.skeleton_id].append(tool)
    grouped: dict[str, list[Published]] = defaultdict(list)
    for row in _rows(folder, SCENARIOS, Scenario):
        if row.status != "accepted":
            continue
        state = _found(states, row.initial_state_id, row)
        own = tuple(sorted(checks.get(row.scenario_id, []), key=lambda each: each.number))
        # Not what the row says: what its texts are now.
        if (row.scenario_id, proof_digest(_found(skeletons, row.skeleton_id, row), state, row, own)) in known:
            continue
        grouped[row.skeleton_id].append(Published(row, state, own, finals.get(row.scenario_id)))
    return [
        _environment(_found(skeletons, skeleton_id, scenarios[0].scenario), models, tools[skeleton_id], scenarios)
        for skeleton_id, scenarios in sorted(grouped.items())
    ]


def _environment(
    skeleton: Skeleton, models: Mapping[str, LogicModelRow], tools: Iterable[Tool], scenarios: Iterable[Published]
) -> PublishedEnvironment:
    model = LogicModel.model_validate_json(_found(models, skeleton.logic_model_id, skeleton).model_json)
    return PublishedEnvironment(skeleton, model, tuple(tools), tuple(scenarios))


def _found(known: Mapping[str, RowT], key: str, wanted_by: Row) -> RowT:
    if key not in known:
        raise MachineryError(f"{wanted_by!r:.90}... refers to {key}, which the release lacks. Publish it again.")
    return known[key]


def _by_scenario(rows: Iterable[Check]) -> dict[str, list[Check]]:
    grouped: dict[str, list[Check]] = defaultdict(list)
    for row in rows:
        grouped[row.scenario_id].append(row)
    return grouped


def _rows(folder: Path, table: Table, row_type: type[RowT]) -> list[RowT]:
    path = table_file(folder, table)
    rows = from_arrow(table, read_parquet(path)) if path.is_file() else ()
    return [each for each in rows if isinstance(each, row_type)]
