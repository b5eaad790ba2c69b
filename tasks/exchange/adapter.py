"""Generates adapters: Python modules that make a foreign class an environment by the contract."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tasks.exchange.adapter_options import ARGUMENT, ATTRIBUTES, CONSTRUCTOR, DUMPS, LOADS, AdapterOptions
from tasks.exchange.foreign_class import ForeignClass, ForeignMethod
from tasks.exchange.json_types import (
    JsonTypes,
    annotation_of_schema,
    annotation_of_words,
    literal_of_default,
    qualified,
)
from tasks.runtime.annotations import Unsupported, definitions_of, schema_of
from tasks.runtime.parsing import parse_expression, parse_module


@dataclass(frozen=True, slots=True)
class Flaw:
    """What keeps foreign code from being used, for its author."""

    reason: str
    detail: str


@dataclass(frozen=True)
class Adapted:
    """A foreign class with its adapter."""

    code: str
    """The whole module."""
    class_name: str
    tools: tuple[str, ...]
    schemas: Mapping[str, Mapping[str, Any]]
    """Tool -> parameter -> JSON schema."""


def adapt(
    foreign: ForeignClass,
    options: AdapterOptions,
    *,
    declared: Mapping[str, Mapping[str, Any]] | None = None,
    default_state: Mapping[str, Any] | None = None,
) -> Adapted | tuple[Flaw, ...]:
    """The adapter of a class, or everything that keeps it from having one.

    Args:
        foreign: The class.
        options: How to use it.
        declared: Tool -> parameter -> JSON schema, for parameters that the code gives no usable type.
        default_state: What the environment starts from when it is given no state, where the class needs one.

    Reason codes: tool_missing, no_tools, annotation_missing, docstring_missing, constructor_needs_arguments,
    option_unknown.
    """
    writer = _Writer(foreign, options, declared or {}, default_state)
    flaws = tuple(writer.flaws())
    return flaws or writer.adapted()


class _Writer:
    def __init__(
        self,
        foreign: ForeignClass,
        options: AdapterOptions,
        declared: Mapping[str, Mapping[str, Any]],
        default_state: Mapping[str, Any] | None,
    ) -> None:
        self._foreign, self._options, self._declared = foreign, options, declared
        self._default_state = default_state
        self._types = JsonTypes(foreign.module)
        self._definitions = definitions_of([foreign.module.body])
        self._load = options.load or self._guessed_load()
        accessors = {self._load, options.dump}
        chosen = options.tools if options.tools is not None else tuple(foreign.methods)
        self._tools = tuple(each for each in chosen if options.tools is not None or each not in accessors)

    def flaws(self) -> Iterator[Flaw]:
        """Everything that keeps the class from being used."""
        methods = self._foreign.methods
        for name in self._tools:
            if name not in methods:
                yield Flaw("tool_missing", f"the class {self._foreign.name} has no public method '{name}'")
        if not self._tools:
            yield Flaw("no_tools", f"the class {self._foreign.name} has no public method, so it has no tool")
        for name in self._tools:
            if name in methods:
                yield from self._method_flaws(name, methods[name])
        yield from self._accessor_flaws()
        yield from self._constructor_flaws()

    def adapted(self) -> Adapted:
        """The module. Only for a class without flaws."""
        name = f"{self._foreign.name.lstrip('_')}Environment"
        schemas = {tool: self._schemas(tool, self._foreign.methods[tool]) for tool in self._tools}
        body = [self._docstring(), *self._settings(schemas), *(self._tool(tool) for tool in self._tools)]
        node = parse_module(f"class {name}(EnvmillAdapter):\n    pass").body[0]
        assert isinstance(node, ast.ClassDef)
        node.body = body
        text = ast.unparse(ast.fix_missing_locations(node))
        code = f"{self._foreign.code.rstrip()}\n\n\n{_body()}\n\n\n{text}\n"
        return Adapted(code, name, self._tools, schemas)

    def _guessed_load(self) -> str:
        """The state goes through the constructor where that needs arguments which it keeps as attributes."""
        missing = [argument.arg for argument in self._needed()]
        kept = self._foreign.set_at_start | frozenset(self._foreign.annotations)
        is_kept = missing and all(name in kept or f"_{name}" in kept for name in missing)
        return CONSTRUCTOR if is_kept else ATTRIBUTES

    def _needed(self) -> list[ast.arg]:
        """Parameters of the constructor that nobody has given yet."""
        return [
            argument
            for argument, default in self._foreign.constructor
            if default is None and argument.arg not in self._options.arguments
        ]

    def _method_flaws(self, name: str, method: ForeignMethod) -> Iterator[Flaw]:
        where = f"{name} (line {method.node.lineno})"
        if isinstance(method.node, ast.AsyncFunctionDef):
            yield Flaw("annotation_missing", f"{where}: a tool can't be async")
        for star, arg in (("*", method.node.args.vararg), ("**", method.node.args.kwarg)):
            if arg is not None:
                yield Flaw("annotation_missing", f"{where}: {star}{arg.arg} can't be declared to an agent")
        if method.docstring is None or not method.docstring.summary:
            yield Flaw("docstring_missing", f"{where}: no docstring says what the method does")
        for argument, _ in method.parameters:
            if self._annotation(name, method, argument) is None:
                what = "has no annotation" if argument.annotation is None else "has a type that JSON can't carry"
                yield Flaw("annotation_missing", f"{where}: parameter '{argument.arg}' {what}")

    def _accessor_flaws(self) -> Iterator[Flaw]:
        known = {*self._foreign.methods, *self._foreign.other_methods}
        for option, value, words in (
            ("load", self._load, LOADS),
            ("dump", self._options.dump, DUMPS),
        ):
            if value not in words and value not in known:
                choices = ", ".join(words)
                yield Flaw("option_unknown", f"{option}: {value!r} is neither {choices} nor a method of the class")

    def _constructor_flaws(self) -> Iterator[Flaw]:
        missing = [argument.arg for argument in self._needed()]
        if self._load == ARGUMENT:
            missing = missing[1:]
        if self._load == CONSTRUCTOR:
            missing = [name for name in missing if name not in (self._default_state or {})]
        if missing:
            names = ", ".join(missing)
            yield Flaw(
                "constructor_needs_arguments",
                f"the constructor of {self._foreign.name} needs {names}: give them under 'arguments', or give a state "
                "with these keys and 'load: constructor'",
            )

    def _annotation(self, tool: str, method: ForeignMethod, argument: ast.arg) -> str | None:
        """The annotation of a parameter in the adapter; null when nothing says its type."""
        if argument.annotation is not None:
            plain = self._types.plain(argument.annotation)
            if self._is_supported(plain):
                return ast.unparse(qualified(plain))
        words = method.types.get(argument.arg)
        said = annotation_of_words(words) if words is not None else None
        schema = self._declared.get(tool, {}).get(argument.arg)
        if said is None and schema:
            said = ast.unparse(qualified(parse_expression(annotation_of_schema(schema)).body))
        if said is None:
            default = next((each for name, each in method.parameters if name is argument), None)
            kind = type(default.value).__name__ if isinstance(default, ast.Constant) else ""
            said = kind if kind in ("str", "int", "float", "bool") and argument.annotation is None else None
        return said

    def _is_supported(self, annotation: ast.expr) -> bool:
        try:
            schema_of(annotation, self._definitions)
        except Unsupported:
            return False
        return True

    def _schemas(self, tool: str, method: ForeignMethod) -> dict[str, Any]:
        schemas = {}
        for argument, default in method.parameters:
            annotation = self._annotation(tool, method, argument) or "object"
            if self._is_left_out(default):
                annotation = f"{annotation} | None"
            schemas[argument.arg] = schema_of(parse_expression(annotation).body, self._definitions)
        return schemas

    def _is_left_out(self, default: ast.expr | None) -> bool:
        """Whether a default is no plain value: the adapter then has null for it, and leaves the argument out."""
        return default is not None and literal_of_default(default) is None

    def _settings(self, schemas: Mapping[str, Mapping[str, Any]]) -> list[ast.stmt]:
        specs: dict[str, Any] = {tool: self._spec(tool, schemas[tool]) for tool in self._tools}
        if self._load == CONSTRUCTOR:
            names = [argument.arg for argument, _ in self._foreign.constructor]
            kinds = {argument.arg: _text(argument.annotation) for argument, _ in self._foreign.constructor}
            specs["__init__"] = {"parameters": dict.fromkeys(names), "kinds": _without_none(kinds)}
        options = self._options
        values: dict[str, Any] = {
            "_load": self._load,
            "_dump": options.dump,
            "_fixed": options.arguments,
            "_default": self._default_state if self._load == CONSTRUCTOR else None,
            "_kinds": dict(self._foreign.annotations),
            "_specs": specs,
            "_refusals": options.exceptions,
            "_error_keys": options.error_keys,
            "_error_prefixes": options.error_prefixes,
            "_own_raises": self._foreign.meant_raises,
        }
        made: list[ast.stmt] = [_assignment("_original", self._foreign.name)]
        return made + [_assignment(name, repr(value)) for name, value in values.items()]

    def _spec(self, tool: str, schemas: Mapping[str, Any]) -> dict[str, Any]:
        method = self._foreign.methods[tool]
        kinds = {argument.arg: self._decoded(argument) for argument, _ in method.parameters}
        return {
            "parameters": dict(schemas),
            "kinds": _without_none(kinds),
            "left_out": [argument.arg for argument, default in method.parameters if self._is_left_out(default)],
            "by_position": [each.arg for each in method.node.args.posonlyargs if each.arg != "self"],
            "raises": list(method.raises),
        }

    def _decoded(self, argument: ast.arg) -> str | None:
        """The annotation by which JSON has to be turned into what the method takes; null where it is that already."""
        if argument.annotation is None:
            return None
        text = ast.unparse(argument.annotation)
        return None if text == ast.unparse(self._types.plain(argument.annotation)) and "float" not in text else text

    def _docstring(self) -> ast.stmt:
        node = next(each for each in self._foreign.module.body if getattr(each, "name", "") == self._foreign.name)
        text = ast.get_docstring(node) if isinstance(node, ast.ClassDef) else None
        return ast.Expr(ast.Constant(text or f"{self._foreign.name} as an environment."))

    def _tool(self, tool: str) -> ast.stmt:
        method = self._foreign.methods[tool]
        parameters = []
        for argument, default in method.parameters:
            annotation = self._annotation(tool, method, argument) or "object"
            given = None if default is None else literal_of_default(default)
            if self._is_left_out(default):
                annotation, given = f"{annotation} | None", "None"
            parameters.append(f"{argument.arg}: {annotation}" + ("" if given is None else f" = {given}"))
        taken = ", ".join(["self", *(["*"] if parameters else []), *parameters])
        passed = ", ".join(f"{argument.arg!r}: {argument.arg}" for argument, _ in method.parameters)
        lines = [
            f"def {tool}({taken}) -> dict[str, object]:",
            f"    {_indented(self._tool_docstring(tool, method))!r}",
            f"    return self._call({tool!r}, {{{passed}}})",
        ]
        return parse_module("\n".join(lines)).body[0]

    def _tool_docstring(self, tool: str, method: ForeignMethod) -> str:
        known = method.docstring.parameters if method.docstring else {}
        summary = method.docstring.summary if method.docstring else ""
        lines = []
        for argument, _ in method.parameters:
            declared = self._declared.get(tool, {}).get(argument.arg, {}).get("description")
            words = known.get(argument.arg) or (declared if isinstance(declared, str) else "")
            said = " ".join(words.split()) or f"The {argument.arg.replace('_', ' ').strip()}."
            lines.append(f"    {argument.arg}: {said}")
        return "\n".join([summary, "", "Args:", *lines, "        "]) if lines else summary


def _indented(text: str) -> str:
    """A docstring as it stands in a class."""
    return "\n".join(f"{'        ' if number and line else ''}{line}" for number, line in enumerate(text.split("\n")))


def _assignment(name: str, value: str) -> ast.stmt:
    return ast.Assign([ast.Name(name)], parse_expression(value).body, lineno=0)


def _text(annotation: ast.expr | None) -> str | None:
    return None if annotation is None else ast.unparse(annotation)


def _without_none(kinds: Mapping[str, str | None]) -> dict[str, str]:
    return {name: kind for name, kind in kinds.items() if kind is not None}


@cache
def _body() -> str:
    """The text of both bodies, without the words that are for readers of this project."""
    return "\n\n\n".join(_text_of(name) for name in ("codec_body.py", "adapter_body.py"))


def _text_of(name: str) -> str:
    text = Path(__file__).with_name(name).read_text(encoding="utf-8")
    lines = [line for line in text[text.index("import ") :].rstrip().splitlines() if not line.startswith("from tasks.")]
    return "\n".join(line.partition("  # noqa")[0].partition("  # type: ignore")[0] for line in lines)
