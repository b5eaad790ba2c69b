"""Data inside a prompt: fenced, and unable to leave its fence."""

import json
import re
from typing import Any

from pydantic import BaseModel

from schemas.errors import PromptError

# A backtick could end the fence, an exotic line break could hide one, half of a surrogate pair can't be sent, and a
# chat template may read "<|im_end|>", "</think>" or "[INST]" as a command. As an escape, each is the same JSON and
# nothing else.
_ESCAPED = re.compile(r"[`\x7f-\x9f\u2028\u2029\ud800-\udfff]|<(?=[|\uff5c/!A-Za-z_])|\[(?=/?[A-Z_]+\])")
# The same in code, which has no escapes: blanks that are no part of Python's layout count too, `(?P<name>` does not.
_UNFIT_FOR_CODE = re.compile(
    r"[^\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\U0010ffff]"
    r"|(?<!\(\?P)<(?:[|\uff5c/!]|[A-Za-z_]+>)|\[/[A-Z_]+\]|\[(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|TOOL_[A-Z]+)\]"
)
_BACKTICKS = re.compile(r"`+")


class Fenced(str):
    """A text that may stand in a prompt as it is."""

    __slots__ = ()


def as_json(value: Any) -> Fenced:
    """A block of JSON: one element of a list, or one field of an object, per line; fields at their default left out.

    Raises:
        PromptError: the value can't be written as JSON.
    """
    try:
        text = _ESCAPED.sub(_escape, _lines(_plain(value) if isinstance(value, BaseModel) else value))
    except (TypeError, ValueError) as error:
        raise PromptError(f"{type(value).__name__} can't be written as JSON: {error}") from error
    return Fenced(f"```json\n{text}\n```")


def as_code(text: str) -> Fenced:
    """A block of Python whose fence is longer than any run of backticks in it.

    Code that no fence can hold safely becomes a block of JSON instead: the list of its lines.
    """
    if _UNFIT_FOR_CODE.search(text):
        return as_json(text.split("\n"))
    longest = max((len(run) for run in _BACKTICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    line_end = "" if text.endswith("\n") else "\n"
    return Fenced(f"{fence}python\n{text}{line_end}{fence}")


def _lines(plain: Any) -> str:
    if isinstance(plain, list | tuple) and plain:
        return "[\n" + ",\n".join(_line(each) for each in plain) + "\n]"
    if isinstance(plain, dict) and plain:
        return "{\n" + ",\n".join(f"{_line(name)}: {_line(each)}" for name, each in plain.items()) + "\n}"
    return _line(plain)


def _line(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, default=_plain)


def _plain(value: Any) -> Any:
    if isinstance(value, BaseModel):
        return value.model_dump(exclude_defaults=True)
    raise TypeError(f"{type(value).__name__} is no JSON value")


def _escape(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"
