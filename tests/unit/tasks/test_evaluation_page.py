"""The page on the evaluation names every reason code, in the order in which they decide."""

import re
from pathlib import Path

from tasks.evaluation.behaviour import BEHAVIOUR_CHECKS
from tasks.evaluation.planned import PLAN_REASONS
from tasks.evaluation.source import SOURCE_CHECKS

PAGE = Path(__file__).parents[3] / "docs" / "evaluation.md"


def reasons_under(heading: str) -> tuple[str, ...]:
    section = PAGE.read_text("utf-8").split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return tuple(re.findall(r"^\| `([a-z_]+)`", section, flags=re.MULTILINE))


def test_every_check_is_on_the_page_in_its_order() -> None:
    assert reasons_under("Checks by reading") == SOURCE_CHECKS
    assert reasons_under("Checks by running") == tuple(reason for reason, _ in BEHAVIOUR_CHECKS)
    assert reasons_under("The test plan") == PLAN_REASONS
