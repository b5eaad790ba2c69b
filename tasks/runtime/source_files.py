"""Finds the environment class in a Python file, by reading it."""

import ast
import json
import os
import re
from dataclasses import dataclass
from pathlib import Path

from schemas.errors import UsageError
from schemas.ids import make_id
from schemas.skeletons import Tool
from tasks.runtime.faults import EnvironmentFault, as_faults
from tasks.runtime.parsing import parse_module
from tasks.runtime.signature import tools_of

_PATH = re.compile(r"(?P<path>.+?\.py):(?P<class_name>\w+)")
_MAX_BYTES = 4 * 2**20


@dataclass(frozen=True, slots=True)
class ClassSource:
    """One class in a file."""

    path: Path
    code: str
    class_name: str
    tools: tuple[Tool, ...]
    """See `tool_rows`."""


def is_path(source: str) -> bool:
    """Whether a text names a file and not an environment of the catalogue, whose names hold neither dot nor slash."""
    return "." in source or "/" in source or os.sep in source


def read_class(source: str | Path) -> ClassSource:
    """The class that `clinic.py`, or `clinic.py:Clinic` when there are several, stands for.

    Raises:
        UsageError: the file can't be read, has no such class, or which one is meant can't be told.
        EnvironmentFault: the file does not parse (syntax_error).
    """
    path, code, class_name = chosen_class(source)
    with as_faults(str(path)):
        tools = tool_rows(code, class_name, make_id("skl", code, class_name))
    return ClassSource(path, code, class_name, tools)


def chosen_class(source: str | Path) -> tuple[Path, str, str]:
    """File, code and name of the class that `clinic.py` or `clinic.py:Clinic` stands for. See `read_class`."""
    match = _PATH.fullmatch(str(source))
    path = Path(match["path"]) if match else Path(source)
    code = text_of(path)
    if path.suffix != ".py":
        raise UsageError(f"{path} is no Python file: its name does not end in .py. Name one, such as ./clinic.py.")
    classes = _classes(path, code)
    return path, code, _named_class(path, match["class_name"], classes) if match else _only_class(path, code, classes)


def tool_rows(code: str, class_name: str, skeleton_id: str) -> tuple[Tool, ...]:
    """The public methods of a class as rows, in source order. A method in which no write is seen is a `query`.

    Raises:
        CodeRejected: "syntax_error" or "class_missing".
    """
    return tuple(
        Tool(
            tool_id=make_id("tol", skeleton_id, each.name),
            skeleton_id=skeleton_id,
            name=each.name,
            kind="state_change" if each.writes else "query",
            description=each.summary,
            parameters_json=json.dumps(each.parameters),
            reads=list(each.reads),
            writes=list(each.writes),
            enforces=[],
        )
        for each in tools_of(code, class_name)
    )


def text_of(path: Path) -> str:
    """A text file of at most 4 MiB.

    Raises:
        UsageError: it can't be read, or is longer.
    """
    try:
        with path.open("rb") as file:
            content = file.read(_MAX_BYTES + 1)
        if len(content) > _MAX_BYTES:
            raise UsageError(f"{path} is longer than {_MAX_BYTES // 2**20} MiB. Is it the right file?")
        return content.decode("utf-8-sig")
    except OSError as error:
        raise UsageError(f"Can't read {path}: {error.strerror or error}.") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"Can't read {path}: it is no UTF-8 text.") from error


def _classes(path: Path, code: str) -> list[ast.ClassDef]:
    try:
        return [node for node in parse_module(code).body if isinstance(node, ast.ClassDef)]
    except SyntaxError as error:
        raise EnvironmentFault("syntax_error", f"{path}: {error.msg} (line {error.lineno})") from error
    except (ValueError, RecursionError, MemoryError) as error:
        raise EnvironmentFault("syntax_error", f"{path}: {type(error).__name__}: {error}") from error


def _named_class(path: Path, name: str, classes: list[ast.ClassDef]) -> str:
    names = [node.name for node in classes]
    if name not in names:
        raise UsageError(f"{path} has no class {name!r}. It has {', '.join(names) or 'no class at all'}.")
    return name


def _only_class(path: Path, code: str, classes: list[ast.ClassDef]) -> str:
    """The one public class with tools that no other class of the file builds on."""
    bases = {base.id for node in classes for base in node.bases if isinstance(base, ast.Name)}
    names = [node.name for node in classes if not node.name.startswith("_") and node.name not in bases]
    with as_faults(str(path)):
        names = [name for name in names if tools_of(code, name)]
    if not names:
        raise UsageError(
            f"{path} has no public class with a public method. The public methods of a class are its tools."
            if code.strip()
            else f"There is nothing in {path}."
        )
    if len(names) > 1:
        raise UsageError(f"{path} holds several environments. Choose one: " + ", ".join(f"{path}:{n}" for n in names))
    return names[0]
