"""Prompts as files: what is asked, what goes in, what comes back.

A file is YAML front matter between two lines of three hyphens, then the text, a Jinja template:

    ---
    purpose: Write the class that a logic model plans.
    inputs: [topic, logic_model]
    reply: CodeDraft
    version: 1
    ---
    You write ... {{ logic_model | as_json }}

Only whole numbers are filled in as they are. Everything else passes `as_json` or `as_code`, so that no text of a corpus
or of a model can end its own fence and go on as if it were the prompt.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from jinja2 import Environment, StrictUndefined, TemplateError, meta
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from prompts.fences import Fenced, as_code, as_json
from schemas.errors import PromptError
from schemas.ids import digest

FOLDER = Path(__file__).resolve().parent
"""Where the prompts lie."""

_FENCE = "---\n"


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt file, read."""

    name: str
    """File name without its ending."""
    version: int
    """Counts the changes of the file, from 1."""
    purpose: str
    inputs: tuple[str, ...]
    """Names of everything that is filled in."""
    reply: str
    """Name of the type that answers it."""
    text: str
    """The template, without the front matter."""
    digest: str
    """Of the whole file."""

    def render(self, **inputs: Any) -> str:
        """The text with these inputs: records, JSON values, and texts.

        Raises:
            PromptError: an input is missing or unknown, or can't be written as JSON.
        """
        missing = [name for name in self.inputs if name not in inputs]
        unknown = [name for name in inputs if name not in self.inputs]
        if missing or unknown:
            wrong = [f"lacks {', '.join(missing)}"] * bool(missing) + [f"has no {', '.join(unknown)}"] * bool(unknown)
            wanted = ", ".join(self.inputs) or "nothing"
            raise PromptError(f"Prompt '{self.name}' {' and '.join(wrong)}. It declares: {wanted}.")
        try:
            return _environment().from_string(self.text).render(inputs)
        except TemplateError as error:
            raise PromptError(f"Prompt '{self.name}' can't be filled in: {error}") from error


def load(name: str, folder: Path = FOLDER) -> Prompt:
    """Read one prompt.

    Raises:
        PromptError: there is no such file, or it is malformed.
    """
    if name not in names(folder):
        raise PromptError(f"There is no prompt '{name}'. There are: {', '.join(names(folder)) or 'none'}.")
    content = (folder / f"{name}.md").read_text(encoding="utf-8")
    front, text = _parted(name, content)
    _require_declared(name, front.inputs, text)
    return Prompt(
        name=name,
        version=front.version,
        purpose=front.purpose,
        inputs=front.inputs,
        reply=front.reply,
        text=text,
        digest=digest(content),
    )


def names(folder: Path = FOLDER) -> tuple[str, ...]:
    """All prompts of a folder, sorted."""
    return tuple(sorted(path.stem for path in folder.glob("*.md")))


class _FrontMatter(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    purpose: str = Field(min_length=1)
    inputs: tuple[str, ...]
    reply: str = Field(pattern=r"^[A-Za-z]+$")
    version: int = Field(ge=1)


def _parted(name: str, content: str) -> tuple[_FrontMatter, str]:
    opening, *rest = content.split(_FENCE, 2)
    if opening or len(rest) != 2:
        raise PromptError(f"Prompt '{name}' must begin with front matter between two lines of three hyphens.")
    try:
        return _FrontMatter.model_validate(yaml.safe_load(rest[0])), rest[1].strip() + "\n"
    except (yaml.YAMLError, ValidationError) as error:
        raise PromptError(f"Prompt '{name}' has malformed front matter: {error}") from error


def _require_declared(name: str, inputs: tuple[str, ...], text: str) -> None:
    """What the template uses must be what the front matter declares, no more and no less."""
    try:
        used = meta.find_undeclared_variables(_environment().parse(text))
    except TemplateError as error:
        raise PromptError(f"Prompt '{name}' is not a template: {error}") from error
    if used != set(inputs):
        raise PromptError(
            f"Prompt '{name}' declares {', '.join(sorted(inputs)) or 'no input'} "
            f"but uses {', '.join(sorted(used)) or 'none'}. Correct `inputs` in its front matter."
        )


def _environment() -> Environment:
    made = Environment(
        undefined=StrictUndefined,
        finalize=_only_safe,
        autoescape=False,  # the reader is no browser; `_only_safe` is what keeps texts apart
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters |= {"as_json": as_json, "as_code": as_code}
    return made


def _only_safe(value: object) -> object:
    if isinstance(value, Fenced) or type(value) is int:
        return value
    raise PromptError(f"{value!r:.60} must pass `as_json` or `as_code` before it stands in a prompt.")
