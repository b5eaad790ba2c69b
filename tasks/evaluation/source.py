"""Checks on the source of an environment class, by reading it and never running it."""

import ast
import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from schemas.logic_models import AttributeType, ItemType, LogicModel, Operation, Parameter
from tasks.evaluation.findings import Finding
from tasks.runtime.parsing import parse_module
from tasks.runtime.signature import ToolSignature, imports_of, tools_of
from tasks.sandbox.allowed import is_allowed, refusal
from tasks.sandbox.base import CodeRejected

_ANNOTATION_PROBLEMS = (
    "missing_annotation",
    "unsupported_annotation",
    "star_args",
    "star_kwargs",
    "positional_only",
    "async_method",
)
_DOCSTRING_PROBLEMS = ("missing_docstring", "missing_description", "unknown_description")
_ADDRESSES = ("id", "hash")
_tools = functools.lru_cache(4)(tools_of)
"""Several checks, and the next version's, ask for the same."""
_JSON_TYPES: Mapping[AttributeType | ItemType, str] = MappingProxyType(
    {
        "string": "string",
        "integer": "integer",
        "number": "number",
        "boolean": "boolean",
        "date": "string",
        "datetime": "string",
        "enum": "string",
        "list": "array",
        "reference": "string",
        "object": "object",
    }
)


@dataclass(frozen=True)
class Source:
    """The code as its author wrote it, and what it was to become."""

    code: str
    class_name: str
    model: LogicModel
    is_planned: bool = True
    """False when the model was derived from this code: there is nothing to compare them by."""


@dataclass(frozen=True)
class SourceReport:
    """What reading the code has shown."""

    checks_run: tuple[str, ...]
    """Reason codes in order; a check that needs what an earlier one did not find is not run."""
    findings: tuple[Finding, ...]
    tools: tuple[ToolSignature, ...]
    """The public methods, also when something is wrong with them; empty when the class can't be read."""


def read_source(source: Source) -> SourceReport:
    """Run every check that the code allows."""
    run: list[str] = []
    findings: list[Finding] = []
    for reason, check in _ON_CODE:
        run.append(reason)
        found = [Finding(reason, detail) for detail in check(source)]
        findings += found
        if found and reason in _BASIC:
            return SourceReport(tuple(run), tuple(findings), ())
    tools = _tools(source.code, source.class_name)
    for reason, check_tools in _ON_TOOLS if source.is_planned else _ON_FOREIGN_TOOLS:
        run.append(reason)
        findings += [Finding(reason, detail) for detail in check_tools(source.model, tools)]
    return SourceReport(tuple(run), tuple(findings), tools)


def parse_flaws(source: Source) -> Iterator[str]:
    """The code is Python."""
    try:
        imports_of(source.code)
    except CodeRejected as error:
        yield str(error)


def import_flaws(source: Source) -> Iterator[str]:
    """Only modules of the allow-list are imported, anywhere in the code."""
    for name in imports_of(source.code):
        if not is_allowed(name):
            yield refusal(name)


def class_flaws(source: Source) -> Iterator[str]:
    """The planned class is defined at the top of the module."""
    try:
        _tools(source.code, source.class_name)
    except CodeRejected as error:
        yield str(error)


def determinism_flaws(source: Source) -> Iterator[str]:
    """Nothing is asked that differs from process to process: addresses, hashes, the order of a set.

    Clock and chance do not: the sandbox simulates both.
    """
    tree = parse_module(source.code)
    nodes = list(ast.walk(tree))
    defined = {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
    for node in nodes:
        match node:
            case ast.Call(func=ast.Name(id=name)) if name in _ADDRESSES and name not in defined:
                yield f"line {node.lineno}: {name}() differs from process to process"
            case (
                ast.Call(func=ast.Name(id="list" | "tuple"), args=[inner])
                | ast.ListComp(generators=[ast.comprehension(iter=inner), *_])
            ) if _is_set(inner):
                yield f"line {node.lineno}: the order of a set differs from process to process; use sorted(...)"


def missing_tools(model: LogicModel, tools: Sequence[ToolSignature]) -> Iterator[str]:
    """Every planned operation is a public method."""
    names = [tool.name for tool in tools]
    for operation in model.operations:
        if operation.name not in names:
            yield f"the class has no public method '{operation.name}'"


def unplanned_tools(model: LogicModel, tools: Sequence[ToolSignature]) -> Iterator[str]:
    """Every public method is a planned operation."""
    planned = [operation.name for operation in model.operations]
    for tool in tools:
        if tool.name not in planned:
            yield f"line {tool.line}: '{tool.name}' is public but not planned; a helper's name starts with '_'"


def annotation_flaws(model: LogicModel, tools: Sequence[ToolSignature]) -> Iterator[str]:
    """Every parameter has a type that JSON can carry and can be given by name."""
    yield from _problems(tools, _ANNOTATION_PROBLEMS)


def docstring_flaws(model: LogicModel, tools: Sequence[ToolSignature]) -> Iterator[str]:
    """Every tool says what it does, and what each parameter is."""
    yield from _problems(tools, _DOCSTRING_PROBLEMS)


def schema_flaws(model: LogicModel, tools: Sequence[ToolSignature]) -> Iterator[str]:
    """Every planned tool takes the planned parameters."""
    signatures = {tool.name: tool for tool in tools}
    for operation in model.operations:
        if operation.name in signatures:
            yield from _signature_flaws(operation, signatures[operation.name].parameters)


def _is_set(node: ast.expr) -> bool:
    is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("set", "frozenset")
    return is_call or isinstance(node, ast.Set | ast.SetComp)


def _problems(tools: Sequence[ToolSignature], codes: tuple[str, ...]) -> Iterator[str]:
    for tool in tools:
        for problem in tool.problems:
            if problem.code in codes:
                yield f"{tool.name} (line {tool.line}): {problem.detail}"


def _signature_flaws(operation: Operation, schema: Mapping[str, Any]) -> Iterator[str]:
    properties, required = schema["properties"], schema["required"]
    planned = [parameter.name for parameter in operation.parameters]
    for name in properties:
        if name not in planned:
            yield f"{operation.name}: parameter '{name}' is not planned; planned are {', '.join(planned) or 'none'}"
    for parameter in operation.parameters:
        where = f"{operation.name}.{parameter.name}"
        if parameter.name not in properties:
            yield f"{where}: the method has no such parameter"
            continue
        if parameter.required and parameter.name not in required:
            yield f"{where}: planned as required, but the method has a default for it"
        if not parameter.required and parameter.name in required:
            yield f"{where}: planned as optional, but the method has no default for it"
        flaw = _type_flaw(parameter, properties[parameter.name])
        if flaw is not None:
            yield f"{where}: {flaw}"


def _type_flaw(parameter: Parameter, schema: Mapping[str, Any]) -> str | None:
    wanted = _JSON_TYPES[parameter.type]
    if not _is(schema, wanted):
        return f"planned as {parameter.type}, a JSON {wanted}, but annotated as {_described(schema)}"
    if parameter.type != "list":
        return _enum_flaw(parameter, schema) if parameter.type == "enum" else None
    items = schema.get("items", {})
    wanted = _JSON_TYPES[parameter.items or "string"]
    if not _is(items, wanted):
        return f"planned as a list of {parameter.items}, but its items are annotated as {_described(items)}"
    return _enum_flaw(parameter, items) if parameter.items == "enum" else None


def _enum_flaw(parameter: Parameter, schema: Mapping[str, Any]) -> str | None:
    values = [value for value in schema.get("enum", ()) if value is not None]
    if sorted(map(str, values)) == sorted(parameter.values):
        return None
    return f"planned values are {', '.join(parameter.values)}; annotated are {', '.join(map(str, values)) or 'none'}"


def _is(schema: Mapping[str, Any], wanted: str) -> bool:
    """Whether a schema is of one type, null aside."""
    named: str | list[str] = schema.get("type", [])
    names = [named] if isinstance(named, str) else named
    return [name for name in names if name != "null"] == [wanted]


def _described(schema: Mapping[str, Any]) -> str:
    named: str | list[str] = schema.get("type", "anything")
    return named if isinstance(named, str) else " or ".join(named)


_ON_CODE: tuple[tuple[str, Callable[[Source], Iterator[str]]], ...] = (
    ("does_not_parse", parse_flaws),
    ("forbidden_import", import_flaws),
    ("class_missing", class_flaws),
    ("nondeterministic_call", determinism_flaws),
)
_BASIC = ("does_not_parse", "class_missing")
"""Without these, nothing more can be said."""
_ON_TOOLS: tuple[tuple[str, Callable[[LogicModel, Sequence[ToolSignature]], Iterator[str]]], ...] = (
    ("tool_missing", missing_tools),
    ("tool_unplanned", unplanned_tools),
    ("annotation_missing", annotation_flaws),
    ("docstring_missing", docstring_flaws),
    ("schema_mismatch", schema_flaws),
)
_ON_FOREIGN_TOOLS = tuple(each for each in _ON_TOOLS if each[0] != "schema_mismatch")
"""A derived model leaves out what logic models have no word for, such as a parameter that is an object."""
SOURCE_CHECKS = tuple(reason for reason, _ in (*_ON_CODE, *_ON_TOOLS))
