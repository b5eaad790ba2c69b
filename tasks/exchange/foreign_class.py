"""What can be read of a foreign class without running it."""

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tasks.runtime.docstrings import Docstring, read_docstring
from tasks.runtime.methods import FunctionNode, has_decorator, methods_of
from tasks.runtime.parsing import parse_module
from tasks.runtime.signature import tools_of
from tasks.sandbox.base import CodeRejected

_RAISES = re.compile(r"^[ \t]*(?:Raises|Errors):[ \t]*\n((?:[ \t]+\S.*\n?|[ \t]*\n)*)", re.MULTILINE)
_RAISED = re.compile(r"^[ \t]*([A-Z]\w*)\b", re.MULTILINE)
_SPHINX_RAISES = re.compile(r":raises?\s+(\w+)")
_SPHINX_PARAMETER = re.compile(r":param\s+(?:\w+\s+)?(\w+)\s*:\s*([^\n]+)")
_TYPED_ENTRY = re.compile(r"^[ \t]+\*{0,2}(\w+)[ \t]*\(([^)]*)\)[ \t]*:", re.MULTILINE)


@dataclass(frozen=True)
class ForeignMethod:
    """One method, as its author wrote it."""

    node: FunctionNode
    docstring: Docstring | None
    """Null when there is none."""
    types: Mapping[str, str]
    """Parameter -> type, in the words of the docstring: "str, optional"."""
    raises: tuple[str, ...]
    """Names of the exceptions that its docstring announces."""
    reads: tuple[str, ...]
    """Attributes that it reads, helpers included, without leading underscores; sorted."""
    writes: tuple[str, ...]
    """The same for attributes that it sets or changes in place."""

    @property
    def parameters(self) -> tuple[tuple[ast.arg, ast.expr | None], ...]:
        """Parameters after `self`, each with its default or null; no star parameters."""
        return parameters_of(self.node)


@dataclass(frozen=True)
class ForeignClass:
    """One class of a module that parses."""

    code: str
    name: str
    module: ast.Module
    methods: Mapping[str, ForeignMethod]
    """The public ones, in source order, those of base classes in the same module first; no properties."""
    other_methods: frozenset[str]
    """Names of all others, private ones and properties."""
    annotations: Mapping[str, str]
    """Attribute -> annotation, from the class body and from `self.name: type = ...`."""
    constructor: tuple[tuple[ast.arg, ast.expr | None], ...]
    """Parameters of the constructor, or the fields of a dataclass."""
    set_at_start: frozenset[str]
    """Attributes that the constructor sets."""

    @property
    def meant_raises(self) -> tuple[tuple[int, int], ...]:
        """First and last line of every `raise` and `assert`: what they raise is meant to be seen by the caller."""
        nodes = [node for node in ast.walk(self.module) if isinstance(node, ast.Raise | ast.Assert)]
        return tuple((node.lineno, node.end_lineno or node.lineno) for node in nodes)


def read_class(code: str, name: str) -> ForeignClass:
    """Read one class.

    Raises:
        CodeRejected: "syntax_error" or "class_missing".
    """
    signatures = {tool.name: tool for tool in tools_of(_without_underscores(code), name)}
    module = parse_module(code)
    classes = {node.name: node for node in module.body if isinstance(node, ast.ClassDef)}
    methods = methods_of(classes[name], classes)
    public = {
        each: _method(node, signatures[each].reads, signatures[each].writes)
        for each, node in methods.items()
        if each in signatures
    }
    return ForeignClass(
        code=code,
        name=name,
        module=module,
        methods=public,
        other_methods=frozenset(methods) - frozenset(public),
        annotations=dict(_annotations(classes[name], classes)),
        constructor=_constructor(classes[name], methods),
        set_at_start=frozenset(_set_in(methods["__init__"])) if "__init__" in methods else frozenset(),
    )


def parameters_of(node: FunctionNode) -> tuple[tuple[ast.arg, ast.expr | None], ...]:
    """Parameters after the first, each with its default or null; no star parameters."""
    spec = node.args
    positional = [*spec.posonlyargs, *spec.args]
    defaults: list[ast.expr | None] = [None] * (len(positional) - len(spec.defaults)) + list(spec.defaults)
    skipped = 0 if has_decorator(node, "staticmethod") else 1
    return (*[*zip(positional, defaults, strict=True)][skipped:], *zip(spec.kwonlyargs, spec.kw_defaults, strict=True))


def _method(node: FunctionNode, reads: tuple[str, ...], writes: tuple[str, ...]) -> ForeignMethod:
    text = ast.get_docstring(node)
    if not text:
        return ForeignMethod(node, None, {}, (), reads, writes)
    google = read_docstring(text)
    sphinx = {name: " ".join(words.split()) for name, words in _SPHINX_PARAMETER.findall(text)}
    summary = google.summary.partition(":param ")[0].partition(":return")[0].partition(":raise")[0].strip()
    return ForeignMethod(
        node=node,
        docstring=Docstring(summary, {**sphinx, **google.parameters}),
        types=dict(_TYPED_ENTRY.findall(text)),
        raises=tuple(dict.fromkeys(_announced(text))),
        reads=reads,
        writes=writes,
    )


def _announced(text: str) -> Iterator[str]:
    for section in _RAISES.findall(f"{text}\n"):
        yield from _RAISED.findall(section)
    yield from _SPHINX_RAISES.findall(text)


def _annotations(node: ast.ClassDef, classes: Mapping[str, ast.ClassDef]) -> Iterator[tuple[str, str]]:
    for base in node.bases:
        if isinstance(base, ast.Name) and base.id in classes and base.id != node.name:
            yield from _annotations(classes[base.id], {name: each for name, each in classes.items() if name != base.id})
    for each in node.body:
        if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name):
            yield each.target.id, ast.unparse(each.annotation)
    for inner in ast.walk(node):
        if isinstance(inner, ast.AnnAssign) and isinstance(inner.target, ast.Attribute) and _is_of_self(inner.target):
            yield inner.target.attr, ast.unparse(inner.annotation)


def _constructor(
    node: ast.ClassDef, methods: Mapping[str, FunctionNode]
) -> tuple[tuple[ast.arg, ast.expr | None], ...]:
    if "__init__" in methods:
        return parameters_of(methods["__init__"])
    if not any("dataclass" in ast.unparse(each) for each in node.decorator_list):
        return ()
    fields = [each for each in node.body if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)]
    return tuple((ast.arg(each.target.id, each.annotation), each.value) for each in fields)  # type: ignore[union-attr]


def _set_in(node: FunctionNode) -> Iterator[str]:
    for each in ast.walk(node):
        targets = (
            each.targets if isinstance(each, ast.Assign) else [each.target] if isinstance(each, ast.AnnAssign) else []
        )
        yield from (target.attr for target in targets if isinstance(target, ast.Attribute) and _is_of_self(target))


def _is_of_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self"


def _without_underscores(code: str) -> str:
    """The same code with private attributes made public: an adapter shows them as part of the state.

    Code that does not parse comes back as it is.
    """
    try:
        tree = parse_module(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return code
    defined = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and _is_of_self(node) and node.attr not in defined:
            node.attr = node.attr.lstrip("_") or node.attr
    try:
        return ast.unparse(tree)
    except RecursionError:
        raise CodeRejected("syntax_error", "an expression is nested too deeply to be read") from None
