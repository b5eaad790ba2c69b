"""From the code of an environment class to its tools, by reading the code and never running it."""

import ast
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from tasks.runtime.annotations import Definitions, Unsupported, definitions_of, schema_of
from tasks.runtime.attributes import Accesses, accesses_of
from tasks.runtime.docstrings import read_docstring
from tasks.runtime.methods import FunctionNode, class_constants, has_decorator, methods_of
from tasks.runtime.parsing import parse_module
from tasks.sandbox.base import CodeRejected

_REMEMBERED = 64
"""Modules: each is asked about several times in a row."""

ProblemCode = Literal[
    "missing_annotation",
    "unsupported_annotation",
    "star_args",
    "star_kwargs",
    "positional_only",
    "async_method",
    "missing_docstring",
    "missing_description",
    "unknown_description",
]


@dataclass(frozen=True)
class SignatureProblem:
    """Something that keeps a method from being a good tool."""

    code: ProblemCode
    parameter: str | None
    """Null when the problem is with the method as a whole."""
    detail: str


@dataclass(frozen=True)
class ToolSignature:
    """A public method, as an agent sees it, and what it touches."""

    name: str
    summary: str
    """The docstring before its first section, on one line; empty when there is none."""
    parameters: dict[str, Any]
    """JSON schema of the arguments, as in an OpenAI function declaration. A parameter with a problem is not typed."""
    reads: tuple[str, ...]
    """Public attributes of `self` that are read, helpers included; sorted."""
    writes: tuple[str, ...]
    """Public attributes of `self` that are set or changed in place, helpers included; sorted."""
    line: int
    problems: tuple[SignatureProblem, ...]


def tools_of(code: str, class_name: str) -> tuple[ToolSignature, ...]:
    """The public methods of a class in source order; those of base classes in the same module come first.

    Raises:
        CodeRejected: "syntax_error" or "class_missing".
    """
    module = _parsed(code)
    classes = {node.name: node for node in module.body if isinstance(node, ast.ClassDef)}
    if class_name not in classes:
        raise CodeRejected("class_missing", f"the module has no class {class_name!r}")
    try:
        return _signatures(module, classes[class_name], classes)
    except RecursionError:
        raise CodeRejected("syntax_error", "an expression is nested too deeply to be read") from None


@lru_cache(maxsize=_REMEMBERED)
def imports_of(code: str) -> tuple[str, ...]:
    """Names of all modules that the code imports anywhere, sorted; relative ones start with a dot.

    Raises:
        CodeRejected: "syntax_error".
    """
    names: set[str] = set()
    for node in ast.walk(_parsed(code)):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            names.add("." * node.level + (node.module or ""))
    return tuple(sorted(names))


def _signatures(
    module: ast.Module, node: ast.ClassDef, classes: Mapping[str, ast.ClassDef]
) -> tuple[ToolSignature, ...]:
    definitions = definitions_of([module.body, node.body])
    methods = methods_of(node, classes)
    accesses = accesses_of(methods, module, class_constants(node, classes))
    return tuple(
        _signature(method, definitions, accesses[name])
        for name, method in methods.items()
        if not name.startswith("_") and not has_decorator(method, "property", "cached_property", "setter")
    )


def _parsed(code: str) -> ast.Module:
    try:
        return parse_module(code)
    except SyntaxError as error:
        raise CodeRejected("syntax_error", f"{error.msg} (line {error.lineno})") from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise CodeRejected("syntax_error", f"{type(error).__name__}: {error}") from None


def _signature(method: FunctionNode, definitions: Definitions, accesses: Accesses) -> ToolSignature:
    text = ast.get_docstring(method) or ""
    docstring = read_docstring(text)
    properties: dict[str, Any] = {}
    required: list[str] = []
    problems = _method_problems(method, has_text=bool(text))
    for argument, default in _arguments(method):
        schema, flaw = _typed(argument, definitions)
        if flaw:
            problems.append(flaw)
        if description := docstring.parameters.get(argument.arg):
            schema["description"] = description
        elif text:
            detail = f"the Args section says nothing about {argument.arg!r}"
            problems.append(SignatureProblem("missing_description", argument.arg, detail))
        if default is None:
            required.append(argument.arg)
        else:
            schema |= _default(default)
        properties[argument.arg] = schema
    for name in docstring.parameters:
        if name not in properties:
            detail = f"the Args section describes {name!r}, which is no parameter"
            problems.append(SignatureProblem("unknown_description", name, detail))
    return ToolSignature(
        name=method.name,
        summary=docstring.summary,
        parameters={
            "type": "object",
            "properties": properties,
            "required": required,
            "additionalProperties": False,
        },
        reads=accesses.reads,
        writes=accesses.writes,
        line=method.lineno,
        problems=tuple(problems),
    )


def _arguments(method: FunctionNode) -> list[tuple[ast.arg, ast.expr | None]]:
    """Parameters after `self`, each with its default or null."""
    spec = method.args
    positional = [*spec.posonlyargs, *spec.args]
    defaults: list[ast.expr | None] = [None] * (len(positional) - len(spec.defaults)) + list(spec.defaults)
    skipped = 0 if has_decorator(method, "staticmethod") else 1
    return [*zip(positional, defaults, strict=True)][skipped:] + [*zip(spec.kwonlyargs, spec.kw_defaults, strict=True)]


def _typed(argument: ast.arg, definitions: Definitions) -> tuple[dict[str, Any], SignatureProblem | None]:
    if argument.annotation is None:
        detail = f"parameter {argument.arg!r} has no annotation"
        return {}, SignatureProblem("missing_annotation", argument.arg, detail)
    try:
        return dict(schema_of(argument.annotation, definitions)), None
    except Unsupported as part:
        detail = f"parameter {argument.arg!r}: {part} is no type of a JSON argument"
        return {}, SignatureProblem("unsupported_annotation", argument.arg, detail)


def _default(default: ast.expr) -> dict[str, Any]:
    """The default as part of the schema, if it is a plain constant; null says nothing to a caller and is left out."""
    try:
        value = ast.literal_eval(default)
    except (ValueError, TypeError, RecursionError, MemoryError):
        return {}
    is_plain = type(value) in (str, int, bool) or (type(value) is float and math.isfinite(value))
    return {"default": value} if is_plain else {}


def _method_problems(method: FunctionNode, *, has_text: bool) -> list[SignatureProblem]:
    problems = []
    if not has_text:
        problems.append(SignatureProblem("missing_docstring", None, "the method has no docstring"))
    if isinstance(method, ast.AsyncFunctionDef):
        problems.append(SignatureProblem("async_method", None, "a tool can't be async"))
    for argument in method.args.posonlyargs[1:]:
        detail = f"parameter {argument.arg!r} can't be given by name"
        problems.append(SignatureProblem("positional_only", argument.arg, detail))
    for star, code in ((method.args.vararg, "star_args"), (method.args.kwarg, "star_kwargs")):
        if star is not None:
            stars = "*" if code == "star_args" else "**"
            detail = f"{stars}{star.arg} can't be declared to an agent"
            problems.append(SignatureProblem(code, star.arg, detail))  # type: ignore[arg-type]
    return problems
