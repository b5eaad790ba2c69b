"""Loads untrusted source text and describes what it raises."""

import ast
import sys
from types import CodeType, ModuleType

from tasks.sandbox.inside.imports import fresh_builtins, refused_import

_LONGEST_MESSAGE = 500
_LONGEST_NAME = 100
_NAME = vars(type)["__name__"]


class Refused(Exception):
    """The host asked for something that the code does not allow. `kind` is a reason code."""

    def __init__(self, kind: str, message: str) -> None:
        super().__init__(message)
        self.kind = kind


def compiled(code: str, file_name: str) -> CodeType:
    """Byte code of a module.

    Raises:
        Refused: "syntax_error" or "import_refused".
    """
    try:
        tree = ast.parse(code, file_name)
        if problem := refused_import(tree):
            raise Refused("import_refused", problem)
        return compile(tree, file_name, "exec", dont_inherit=True)
    except SyntaxError as error:
        raise Refused("syntax_error", f"{error.msg} (line {error.lineno})") from None
    except (ValueError, RecursionError, MemoryError, OverflowError) as error:
        raise Refused("syntax_error", f"{type(error).__name__}: {error}") from None


def fresh_module(name: str) -> ModuleType:
    """An empty module that untrusted code can be executed in. It is registered, as dataclasses need it to be."""
    module = ModuleType(name)
    vars(module)["__builtins__"] = fresh_builtins()
    sys.modules[name] = module
    return module


def described(error: BaseException, file_name: str) -> str:
    """Such as "KeyError: 'x' (line 12)"; the line is the innermost one of the untrusted file, if there is one.

    Called where the error is handled. Its class, its text and its attributes are untrusted code too.
    """
    line = None
    trace = sys.exc_info()[2]
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file_name:
            line = trace.tb_lineno
        trace = trace.tb_next
    try:
        text = str.__str__(str(error))
    except BaseException:  # noqa: BLE001 - `__str__` is untrusted code
        text = "no text"
    text = text[:_LONGEST_MESSAGE].encode("utf-8", "backslashreplace").decode()
    named = type_name(error) + (f": {text}" if text else "")
    return f"{named} (line {line})" if line else named


def type_name(value: object) -> str:
    """Name of the type of a value, as it was given, whatever a metaclass says; at most 100 characters."""
    name: str = _NAME.__get__(type(value))
    return str.__str__(name)[:_LONGEST_NAME].encode("utf-8", "backslashreplace").decode()
