"""A text that changes needs a new version."""

from pathlib import Path

import pytest

from prompts.lock import lock_problems, rewrite
from schemas.errors import PromptError

ASK = "---\npurpose: Ask.\ninputs: []\nreply: Answer\nversion: 2\n---\nPlease.\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """One prompt, locked."""
    (tmp_path / "ask.md").write_text(ASK)
    rewrite(tmp_path)
    return tmp_path


def edit(folder: Path, old: str, new: str) -> None:
    path = folder / "ask.md"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))


def test_the_prompts_of_this_project_are_locked() -> None:
    assert lock_problems() == ()


def test_a_changed_text_under_its_old_version_is_refused_and_not_locked(folder: Path) -> None:
    edit(folder, "Please.", "Kindly.")
    before = (folder / "prompts.lock").read_text()

    assert lock_problems(folder) == (
        "Prompt 'ask' changed but is still version 2; give it version 3, then run `python -m prompts.lock`.",
    )
    with pytest.raises(PromptError, match="still version 2"):
        rewrite(folder)
    assert (folder / "prompts.lock").read_text() == before


def test_an_earlier_version_is_refused(folder: Path) -> None:
    edit(folder, "version: 2", "version: 1")
    with pytest.raises(PromptError, match="went back to version 1"):
        rewrite(folder)


def test_a_changed_text_with_a_new_version_is_locked(folder: Path) -> None:
    edit(folder, "Please.", "Kindly.")
    edit(folder, "version: 2", "version: 3")

    assert lock_problems(folder) == ("Prompt 'ask' has a new version; run `python -m prompts.lock`.",)
    rewrite(folder)
    assert lock_problems(folder) == ()


def test_new_and_removed_prompts_are_told(folder: Path) -> None:
    (folder / "ask.md").rename(folder / "beg.md")

    assert lock_problems(folder) == (
        "Prompt 'beg' is not locked; run `python -m prompts.lock`.",
        "Prompt 'ask' is gone; run `python -m prompts.lock`.",
    )
    rewrite(folder)
    assert lock_problems(folder) == ()
