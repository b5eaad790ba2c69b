"""Which story belongs to which id."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType

from rich.console import Console

from flows.stories.environments import tell_logic_model, tell_skeleton, tell_tool
from flows.stories.origins import tell_seed_task, tell_topic
from flows.stories.page import Page
from flows.stories.reviews import tell_reviews
from flows.stories.rows import prefix_of, tell_row
from flows.stories.runs import tell_attempts, tell_release, tell_run
from flows.stories.scenarios import tell_check, tell_initial_state, tell_scenario
from schemas.catalog import TABLES
from schemas.errors import UsageError
from schemas.row import Table

ALL_SLUGS = "select slug from environments"

Story = Callable[[Page, str], bool]

_OWN: Mapping[str, Story] = MappingProxyType(
    {
        "topics": tell_topic,
        "seed_tasks": tell_seed_task,
        "logic_models": tell_logic_model,
        "skeletons": tell_skeleton,
        "tools": tell_tool,
        "initial_states": tell_initial_state,
        "scenarios": tell_scenario,
        "checks": tell_check,
        "runs": tell_run,
        "releases": tell_release,
    }
)
"""Tables whose rows have a story of their own; of all others, the row is told."""


def stories() -> dict[str, Story]:
    """Prefix of an id -> its story, for every table that gives ids. Anything else is taken for a slug."""
    told: dict[str, Story] = {
        prefix: _OWN.get(table.name, partial(_row, table)) for table in TABLES if (prefix := prefix_of(table))
    }
    return told | {"env_": tell_skeleton}


def _row(table: Table, page: Page, item_id: str) -> bool:
    return tell_row(page, table, item_id)


def tell(home: Path, item_id: str, console: Console) -> None:
    """Tell the story of an item of the current release, and what the ledger says of it.

    A number stands for the release of this number.

    Raises:
        UsageError: nothing of this name is known.
    """
    page = Page(home, console)
    known = stories()
    if item_id.isdecimal():
        released = page.ask("select release_id from raw.releases where number = ?", int(item_id))
        item_id = str(released[0]["release_id"]) if released else item_id
    story = known.get(item_id[:4], tell_skeleton)
    is_released = story(page, item_id)
    is_attempted = tell_attempts(page, item_id)
    # The story of a released item has its reviews in it.
    is_known = is_released or tell_reviews(page, item_id) or is_attempted
    if not is_known and not page.ask("select * from raw.current_release"):
        raise UsageError(
            f"There is no release in {home} yet, and nothing called {item_id!r} in its ledger. `envmill run --home "
            f"{home}` makes a release; --home names another home."
        )
    if not is_known:
        raise UsageError(
            f"Nothing called {item_id!r} is in the current release or in the ledger. Ids begin with "
            f'{", ".join(known)}; environments also go by their slug: envmill sql "{ALL_SLUGS}".'
        )
