"""The import system that untrusted code meets. It is feedback for authors, not a wall: the process is the wall."""

import ast
import builtins
import contextlib
import importlib
import sys
import warnings
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

from tasks.sandbox.allowed import ALLOWED_MODULES, is_allowed, refusal

_LAZY = ("_strptime", "unicodedata")
_LAZY_SINCE_3_12 = ("_pylong", "annotationlib", "string.templatelib")
"""Modules that built-in functions import on behalf of their caller, such as `datetime.strptime` or a long division.

The newer ones are missing in some versions of Python.
"""
_CODECS = (
    "ascii", "latin_1", "iso8859_15", "cp1252", "utf_7", "utf_16", "utf_16_be", "utf_16_le", "utf_32", "utf_32_be",
    "utf_32_le", "utf_8_sig", "unicode_escape", "raw_unicode_escape", "idna", "punycode", "hex_codec", "base64_codec",
    "rot_13",
)  # fmt: skip


class _Closed:
    """The only finder that is left: it finds nothing."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        """Refuse by name.

        Raises:
            ModuleNotFoundError: always.
        """
        raise ModuleNotFoundError(refusal(name), name=name)


def close_imports() -> None:
    """Load all that may be imported, then let nothing else be found: the same for every user and machine."""
    for name in (*ALLOWED_MODULES, "collections.abc", *_LAZY, *(f"encodings.{codec}" for codec in _CODECS)):
        importlib.import_module(name)
    for name in _LAZY_SINCE_3_12:
        with contextlib.suppress(ModuleNotFoundError):
            importlib.import_module(name)
    sys.path.clear()
    sys.meta_path[:] = [_Closed()]
    warnings.simplefilter("ignore")


def refused_import(tree: ast.AST) -> str | None:
    """The first import statement that is not allowed, as a message with its line; null when there is none."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = ["." * node.level + (node.module or "")]
        else:
            continue
        for name in names:
            if not is_allowed(name):
                return f"{refusal(name)} (line {node.lineno})"
    return None


def _import(
    name: str,
    globals: Mapping[str, object] | None = None,
    locals: Mapping[str, object] | None = None,
    fromlist: Sequence[str] | None = (),
    level: int = 0,
) -> ModuleType:
    """`__import__` for untrusted code: refuses what is not allowed, even when it is loaded already."""
    if level != 0 or not (is_allowed(name) or name in (*_LAZY, *_LAZY_SINCE_3_12)):
        raise ModuleNotFoundError(refusal("." * level + name), name=name)
    return builtins.__import__(name, globals, locals, fromlist, level)


def fresh_builtins() -> dict[str, Any]:
    """A copy of the built-in names with the import above."""
    return {**vars(builtins), "__import__": _import}
