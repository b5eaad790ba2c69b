"""Which text each version of a prompt has. `python -m prompts.lock` writes it down anew.

A changed text under an old version is refused, because rows would then name a version that says something else.
"""

import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from prompts.library import FOLDER, Prompt, load, names
from schemas.errors import PromptError

FILE_NAME = "prompts.lock"


@dataclass(frozen=True, slots=True)
class Locked:
    """What is written down of one prompt."""

    version: int
    digest: str


def lock_problems(folder: Path = FOLDER) -> tuple[str, ...]:
    """How the lock and the prompts disagree, one sentence each; empty when they agree.

    Raises:
        PromptError: a prompt is malformed.
    """
    locked = _read(folder)
    problems = _text_problems(folder)
    for name in names(folder):
        if name not in locked:
            problems.append(f"Prompt '{name}' is not locked; run `python -m prompts.lock`.")
        elif locked[name].version < load(name, folder).version:
            problems.append(f"Prompt '{name}' has a new version; run `python -m prompts.lock`.")
    problems += [
        f"Prompt '{name}' is gone; run `python -m prompts.lock`." for name in locked if name not in names(folder)
    ]
    return tuple(problems)


def rewrite(folder: Path = FOLDER) -> None:
    """Write down every prompt as it is now.

    Raises:
        PromptError: a text changed but its version did not, or a prompt is malformed. Nothing is written then.
    """
    if problems := _text_problems(folder):
        raise PromptError(" ".join(problems))
    prompts = {name: load(name, folder) for name in names(folder)}
    lines = {name: asdict(Locked(prompt.version, prompt.digest)) for name, prompt in prompts.items()}
    (folder / FILE_NAME).write_text(json.dumps(lines, indent=2) + "\n", encoding="utf-8")


def main() -> int:
    """Rewrite the lock of this project; 1 when a text changed without a new version."""
    try:
        rewrite()
    except PromptError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    print(f"{len(names())} prompts locked.")
    return 0


def _text_problems(folder: Path) -> list[str]:
    """Texts that changed under an old version."""
    locked = _read(folder)
    known = [load(name, folder) for name in names(folder) if name in locked]
    return [problem for prompt in known if (problem := _text_problem(prompt, locked[prompt.name])) is not None]


def _text_problem(prompt: Prompt, locked: Locked) -> str | None:
    is_older = prompt.version < locked.version
    if not is_older and (prompt.version > locked.version or prompt.digest == locked.digest):
        return None
    change = f"went back to version {prompt.version}" if is_older else f"changed but is still version {prompt.version}"
    return f"Prompt '{prompt.name}' {change}; give it version {locked.version + 1}, then run `python -m prompts.lock`."


def _read(folder: Path) -> dict[str, Locked]:
    path = folder / FILE_NAME
    if not path.exists():
        return {}
    return {name: Locked(**entry) for name, entry in json.loads(path.read_text(encoding="utf-8")).items()}


if __name__ == "__main__":
    sys.exit(main())
