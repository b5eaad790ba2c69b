"""Item keys: what an item was made from, and by which code."""

from functools import cache
from pathlib import Path
from typing import Any

from schemas.ids import digest

_ROOT = Path(__file__).resolve().parent.parent
_SOURCES = frozenset({".py", ".j2", ".md", ".json", ".csv", ".yaml"})
# Settings and errors decide how much is made and how trouble is told, never what an item contains.
_WITHOUT_EFFECT = frozenset({"schemas/settings.py", "schemas/errors.py", "schemas/runs.py", "schemas/llm_calls.py"})

_WRITING = ("schemas", "prompts", "tasks/authors", "tasks/runtime", "tasks/sandbox")
MAKES_READINGS = ("schemas", "tasks/topics")
MAKES_JUDGEMENTS = _WRITING
MAKES_TOPICS = (*_WRITING, "tasks/topics")
MAKES_SKELETONS = (*_WRITING, "tasks/skeletons", "tasks/evaluation")
MAKES_SCENARIOS = (*_WRITING, "tasks/evaluation", "tasks/scenarios", "tasks/proof")
PLAYS_SCENARIOS = ("schemas", "tasks/runtime", "tasks/sandbox", "tasks/proof", "tasks/probes")
PLAYS_WITH_MODEL = (*PLAYS_SCENARIOS, "prompts", "tasks/authors/llm")
_STAGES = ("tasks/topics", "tasks/skeletons", "tasks/evaluation", "tasks/scenarios", "tasks/proof")
MAKES_IMPORTS = ("schemas", "tasks/exchange", "tasks/imports", "tasks/runtime", "tasks/sandbox", *_STAGES)
MAKES_EVERYTHING = (*_WRITING, *_STAGES, "tasks/exchange", "tasks/imports", "tasks/probes")


@cache
def code_digest(makers: tuple[str, ...]) -> str:
    """Digest of the source files under these folders, by path and content, read once per process.

    Raises:
        FileNotFoundError: a folder does not exist.
    """
    files: list[tuple[str, str]] = []
    for folder in makers:
        if not (_ROOT / folder).is_dir():
            raise FileNotFoundError(f"{folder} is not a folder of the project")
        for path in (_ROOT / folder).rglob("*"):
            name = path.relative_to(_ROOT).as_posix()
            if path.suffix in _SOURCES and name not in _WITHOUT_EFFECT:
                files.append((name, digest(path.read_text(encoding="utf-8"))))
    return digest(sorted(files))


def item_key(step: str, makers: tuple[str, ...], *inputs: Any) -> str:
    """Same inputs, same code: same key, on every machine. Usable as a file name.

    Args:
        step: What is done, in words; becomes the readable start of the key.
        makers: Folders whose code makes the item.
        inputs: JSON values that decide the outcome: content, author, seed, amounts.
    """
    return f"{step.replace(' ', '-')}-{digest(step, code_digest(makers), *inputs)}"
