"""What the current release of a home holds of one environment."""

import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from schemas.errors import UsageError
from schemas.row import Row
from schemas.scenarios import Check, InitialState, Scenario
from schemas.skeletons import Skeleton, Tool

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_SHOWN = 12
"""Names in an error message."""
_SHORTEST_PART = 3
"""Less of a name points at nothing."""
_SKELETONS = """
    select * from raw.skeletons where status = 'accepted' and ? in (slug, environment_id, skeleton_id)
    order by slug, skeleton_id
"""
_SLUGS = "select distinct slug from raw.skeletons where status = 'accepted' order by slug"
_TOOLS = "select * from raw.tools where skeleton_id = ?"
_STATES = "select * from raw.initial_states where status = 'accepted' and skeleton_id = ? order by number"
_SCENARIOS = """
    select scenarios.* from raw.scenarios
    left join raw.initial_states on initial_states.initial_state_id = scenarios.initial_state_id
    where scenarios.status = 'accepted' and scenarios.skeleton_id = ?
    order by initial_states.number, scenarios.reference_length, scenarios.scenario_id
"""
_CHECKS = """
    select checks.* from raw.checks join raw.scenarios on scenarios.scenario_id = checks.scenario_id
    where scenarios.status = 'accepted' and scenarios.skeleton_id = ? order by checks.scenario_id, checks.number
"""
RowT = TypeVar("RowT", bound=Row)


@dataclass(frozen=True)
class Material:
    """The accepted rows that belong to one skeleton."""

    tools: tuple[Tool, ...] = ()
    """In no order that means anything."""
    initial_states: tuple[InitialState, ...] = ()
    scenarios: tuple[Scenario, ...] = ()
    """Grouped by initial state, short references first."""
    checks: tuple[Check, ...] = ()
    """Those of a scenario in their own order."""


def find_published(home: Path, name: str) -> tuple[Skeleton, Material]:
    """The published environment of this slug, environment id or skeleton id, and what belongs to it.

    Raises:
        UsageError: there is none, or several versions of it are published.
    """
    with _catalogue(home) as catalogue:
        found = _rows(catalogue, _SKELETONS, Skeleton, name)
        if len(found) == 1:
            return found[0], _material(catalogue, found[0].skeleton_id)
        if found:
            ids = ", ".join(each.skeleton_id for each in found)
            raise UsageError(f"Several versions of {name!r} are published in {home}. Choose one: {ids}.")
        slugs = [str(slug) for (slug,) in catalogue.sql(_SLUGS).fetchall()]
    raise UsageError(_unknown(home, name, slugs))


def material_of(home: Path, skeleton_id: str) -> Material:
    """All that a release holds for a skeleton; nothing when it is not in the release."""
    with _catalogue(home) as catalogue:
        return _material(catalogue, skeleton_id)


def near_matches(name: str, names: Sequence[str]) -> list[str]:
    """Those that were probably meant, the nearest first, then those that contain the name."""
    close = difflib.get_close_matches(name.lower(), names, n=4, cutoff=0.5)
    containing = [each for each in names if name.lower() in each] if len(name) >= _SHORTEST_PART else []
    return list(dict.fromkeys([*close, *containing]))[:_SHOWN]


def _catalogue(home: Path) -> "DuckDBPyConnection":
    from warehouse.query import connect  # a file needs no warehouse, and this import takes a while

    return connect(home)


def _material(catalogue: "DuckDBPyConnection", skeleton_id: str) -> Material:
    return Material(
        tools=_rows(catalogue, _TOOLS, Tool, skeleton_id),
        initial_states=_rows(catalogue, _STATES, InitialState, skeleton_id),
        scenarios=_rows(catalogue, _SCENARIOS, Scenario, skeleton_id),
        checks=_rows(catalogue, _CHECKS, Check, skeleton_id),
    )


def _rows(catalogue: "DuckDBPyConnection", sql: str, row: type[RowT], *parameters: object) -> tuple[RowT, ...]:
    found = catalogue.sql(sql, params=list(parameters)).to_arrow_table().to_pylist()
    # They passed the gates of their release, whose columns may be fewer than today's.
    return tuple(row.model_construct(**each) for each in found)


def _unknown(home: Path, name: str, slugs: Sequence[str]) -> str:
    if not slugs:
        return (
            f"There is no environment {name!r}: nothing is published in {home} yet. `envmill run` makes a release; "
            "a Python file is opened by its path, such as ./clinic.py."
        )
    near = near_matches(name, slugs)
    if near:
        return f"There is no environment {name!r} in {home}. Did you mean {' or '.join(near)}?"
    rest = f" and {len(slugs) - _SHOWN} more" if len(slugs) > _SHOWN else ""
    return f"There is no environment {name!r} in {home}. Published are: {', '.join(slugs[:_SHOWN])}{rest}."
