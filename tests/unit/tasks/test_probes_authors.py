"""Which authors play scenarios: what is declared is what is so, and attempts at a scenario never vanish."""

from datetime import UTC, datetime
from typing import Any, cast

import pytest

from flows.asking import player_in_tasks
from flows.composition import AUTHORS, Kit
from flows.plan import RunPlan
from flows.probe_scenarios import _items, _Stand
from flows.probing import CAN_PLAY, Probes, check_probes
from schemas.errors import UsageError
from tasks.authors.base import Author
from tasks.authors.llm.author import LlmAuthor
from tasks.authors.rules.author import RuleAuthor
from tests.fakes.authors import ScriptedAuthor
from tests.fakes.lending_shed_cases import cases
from tests.fakes.lending_shed_scenarios import SKELETON, TOOLS
from tests.fakes.sandbox import SANDBOX


class Plan:
    """What the items need to know of a run."""

    seed = 0


CLASSES: dict[str, type[Author]] = {"rules": RuleAuthor, "llm": LlmAuthor}


def test_every_author_says_beforehand_whether_it_plays_and_says_so_rightly() -> None:
    assert CAN_PLAY.keys() == AUTHORS.keys() == CLASSES.keys()
    assert {name: hasattr(each, "turn") for name, each in CLASSES.items()} == dict(CAN_PLAY)


@pytest.mark.parametrize(("author", "is_refused"), [("rules", True), ("llm", False)])
def test_attempts_of_an_author_that_does_not_play_are_refused_with_what_to_do(author: str, is_refused: bool) -> None:
    check_probes(Probes(model_attempts=0), author)
    if not is_refused:
        check_probes(Probes(model_attempts=2), author)
        return
    with pytest.raises(UsageError, match=r"--author rules is none. Add --author llm\."):
        check_probes(Probes(model_attempts=2), author)


def test_attempts_of_an_author_that_turns_out_not_to_play_are_begun_and_say_so() -> None:
    nothing = cast(Any, None)
    kit = Kit(
        author=ScriptedAuthor({}), player=None, asks_model=False, author_key="scripted", texts_per_question=1,
        sandbox=SANDBOX, embedder=nothing, store=nothing, clock=lambda: datetime.now(UTC), end_accounts=lambda: None,
    )  # fmt: skip
    own = {SKELETON.skeleton_id: list(cases())}
    stand = _Stand((SKELETON,), {SKELETON.skeleton_id: list(TOOLS)}, own, (), ())

    items = _items(stand, kit, cast(RunPlan, Plan()), 3, is_model=True)

    assert [item.arguments["cases"] for item in items] == [cases()]
    with pytest.raises(ValueError, match="'scripted' can't play scenarios"):
        player_in_tasks(kit)
