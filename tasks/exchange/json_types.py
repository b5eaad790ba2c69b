"""Annotations of foreign code as annotations that JSON can carry: an Enum becomes its values, a datetime a text."""

import ast
import json
from collections.abc import Mapping
from typing import Any

from tasks.runtime.parsing import parse_expression

_TEXTS = frozenset({"datetime", "date", "time", "Decimal", "UUID"})
_NUMBERS = frozenset({"timedelta"})
_LISTS = frozenset(
    {"tuple", "Tuple", "set", "Set", "frozenset", "FrozenSet", "Sequence", "Iterable", "Collection", "deque", "Deque"}
)
_DICTS = frozenset({"Mapping", "MutableMapping", "defaultdict", "DefaultDict", "OrderedDict", "Counter"})
_NAMED_TYPES = {
    "str": "str", "string": "str", "text": "str", "int": "int", "integer": "int", "float": "float", "number": "float",
    "bool": "bool", "boolean": "bool", "list": "list", "array": "list", "dict": "dict", "object": "dict",
}  # fmt: skip
_JSON_NAMES = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None"}


class JsonTypes(ast.NodeTransformer):
    """Rewrites annotations by what the classes of one module are."""

    def __init__(self, module: ast.Module) -> None:
        self._classes = {node.name: node for node in module.body if isinstance(node, ast.ClassDef)}

    def plain(self, annotation: ast.expr) -> ast.expr:
        """The annotation as JSON can carry it. The given tree stays as it is."""
        return self._rewritten(_expression(ast.unparse(annotation)))

    def _rewritten(self, node: ast.expr) -> ast.expr:
        made = self.visit(node)
        assert isinstance(made, ast.expr)
        return made

    def visit_Constant(self, node: ast.Constant) -> ast.expr:  # noqa: N802 - named by ast
        """A quoted annotation is read."""
        if isinstance(node.value, str):
            try:
                return self._rewritten(_expression(node.value))
            except SyntaxError:
                return node
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:  # noqa: N802
        """A class by its name."""
        return self._named(node.id) or node

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:  # noqa: N802
        """`datetime.date`."""
        return self._named(node.attr) or node

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:  # noqa: N802
        """`Sequence[int]`, `tuple[str, ...]`, `Mapping[str, int]`; what stands in a `Literal` is left alone."""
        name = node.value.id if isinstance(node.value, ast.Name) else getattr(node.value, "attr", "")
        if name == "Literal":
            return node
        inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        parts = [self._rewritten(each) for each in inner if not _is_ellipsis(each)]
        if name in _LISTS:
            distinct = {ast.unparse(each) for each in parts}
            return _expression(f"list[{distinct.pop()}]" if len(distinct) == 1 else "list")
        if name in _DICTS or name in ("dict", "Dict"):
            return _expression(f"dict[str, {ast.unparse(parts[-1])}]" if len(parts) == 2 else "dict")
        slice_ = ast.Tuple(parts, ast.Load()) if len(parts) > 1 else parts[0]
        return ast.Subscript(node.value, slice_, ast.Load())

    def _named(self, name: str) -> ast.expr | None:
        if name in self._classes:
            return self._of_class(self._classes[name])
        if name in _TEXTS:
            return _expression("str")
        if name in _NUMBERS:
            return _expression("float")
        if name in _LISTS:
            return _expression("list")
        return _expression("dict") if name in _DICTS else None

    def _of_class(self, node: ast.ClassDef) -> ast.expr | None:
        bases = [base.id if isinstance(base, ast.Name) else getattr(base, "attr", "") for base in node.bases]
        if any(base.endswith(("Enum", "Flag")) for base in bases):
            values = enum_values(node)
            return _expression(f"Literal[{', '.join(map(repr, values))}]" if values else "str")
        return None if "TypedDict" in bases else _expression("dict")


def enum_values(node: ast.ClassDef) -> list[Any]:
    """The plain values of an Enum, in order; a member made by `auto()` has none that could be read."""
    values = [each.value for each in node.body if isinstance(each, ast.Assign)]
    constants = [value.value for value in values if isinstance(value, ast.Constant)]
    return constants if len(constants) == len(values) else []


def annotation_of_words(text: str) -> str | None:
    """The annotation that a docstring means by "(str, optional)"; null when it means none of the simple ones."""
    return _NAMED_TYPES.get(text.partition(",")[0].strip().lower())


def annotation_of_schema(schema: Mapping[str, Any]) -> str:
    """The annotation of a JSON schema, as far as annotations can say it."""
    if schema.get("enum") and all(isinstance(each, str | int | bool) for each in schema["enum"]):
        return f"Literal[{', '.join(map(repr, schema['enum']))}]"
    named = schema.get("type", [])
    names = [named] if isinstance(named, str) else list(named)
    if isinstance(schema.get("anyOf"), list):
        return " | ".join(dict.fromkeys(annotation_of_schema(each) for each in schema["anyOf"]))
    parts = []
    for name in names:
        if name == "array":
            items = schema.get("items")
            parts.append(f"list[{annotation_of_schema(items)}]" if isinstance(items, Mapping) and items else "list")
        else:
            parts.append(_JSON_NAMES.get(name, "dict" if name == "object" else "Any"))
    return " | ".join(parts) if parts else "Any"


def literal_of_default(default: ast.expr) -> str | None:
    """The source of a default that is one plain value; null for a container, a name or a call."""
    try:
        value = ast.literal_eval(default)
        json.dumps(value, allow_nan=False)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return None
    return repr(value) if value is None or isinstance(value, str | int | float | bool) else None


def qualified(annotation: ast.expr) -> ast.expr:
    """`Literal` and its kin by the name under which every adapter knows the module `typing`."""

    class Names(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.expr:  # noqa: N802 - named by ast
            if node.id in ("Literal", "Optional", "Union", "Any", "List", "Dict", "Annotated"):
                return ast.Attribute(ast.Name("_envmill_typing"), node.id)
            return node

    made = Names().visit(parse_expression(ast.unparse(annotation)).body)
    assert isinstance(made, ast.expr)
    return made


def _is_ellipsis(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is Ellipsis


def _expression(text: str) -> ast.expr:
    return parse_expression(text).body
