"""Which story belongs to which id."""

from collections.abc import Callable
from pathlib import Path

from rich.console import Console

from flows.stories.environments import tell_logic_model, tell_skeleton, tell_tool
from flows.stories.origins import tell_seed_task, tell_topic
from flows.stories.page import Page
from flows.stories.reviews import tell_reviews
from flows.stories.runs import tell_attempts, tell_release, tell_run
from flows.stories.scenarios import tell_check, tell_initial_state, tell_scenario
from schemas.errors import UsageError

ALL_SLUGS = "select slug from environments"

Story = Callable[[Page, str], bool]

STORIES: dict[str, Story] = {
    "tsk_": tell_seed_task,
    "top_": tell_topic,
    "lgm_": tell_logic_model,
    "skl_": tell_skeleton,
    "env_": tell_skeleton,
    "tol_": tell_tool,
    "sta_": tell_initial_state,
    "scn_": tell_scenario,
    "chk_": tell_check,
    "run_": tell_run,
    "rel_": tell_release,
}
"""Prefix of an id -> its story. Anything else is taken for the slug of an environment."""


def tell(home: Path, item_id: str, console: Console) -> None:
    """Tell the story of an item of the current release, and what the ledger says of it.

    Raises:
        UsageError: nothing of this name is known.
    """
    page = Page(home, console)
    story = STORIES.get(item_id[:4], tell_skeleton)
    is_released = story(page, item_id)
    is_attempted = tell_attempts(page, item_id)
    # The story of a released item has its reviews in it.
    is_known = is_released or tell_reviews(page, item_id) or is_attempted
    if not is_known:
        raise UsageError(
            f"Nothing called {item_id!r} is in the current release or in the ledger. Ids begin with "
            f'{", ".join(STORIES)}; environments also go by their slug: envmill sql "{ALL_SLUGS}".'
        )
