"""The language of predicates: one Python expression over plain data, restricted by its syntax tree."""

import ast
from types import MappingProxyType

from schemas.logic_models import RuleKind
from tasks.runtime.parsing import parse_expression

NAMES_OF_KIND = MappingProxyType(
    {
        "invariant": ("state", "now"),
        "uniqueness": ("state", "now"),
        "precondition": ("state", "args", "now"),
        "transition": ("before", "state", "now"),
    }
)
"""What a predicate may read, by the kind of its rule."""

FUNCTIONS = (
    "abs",
    "all",
    "any",
    "bool",
    "date",
    "datetime",
    "dict",
    "enumerate",
    "float",
    "int",
    "isinstance",
    "len",
    "list",
    "max",
    "min",
    "range",
    "round",
    "set",
    "sorted",
    "str",
    "sum",
    "timedelta",
    "tuple",
    "zip",
)
"""What a predicate may call by name; `date`, `datetime` and `timedelta` are those of the module datetime."""

METHODS = (
    "combine",
    "count",
    "date",
    "difference",
    "endswith",
    "fromisoformat",
    "get",
    "index",
    "intersection",
    "isalpha",
    "isdigit",
    "isoformat",
    "issubset",
    "items",
    "join",
    "keys",
    "lower",
    "removeprefix",
    "removesuffix",
    "replace",
    "split",
    "startswith",
    "strftime",
    "strip",
    "time",
    "title",
    "total_seconds",
    "union",
    "upper",
    "values",
    "weekday",
)
"""What a predicate may call on a value. None of them changes anything."""

ATTRIBUTES = ("day", "days", "hour", "minute", "month", "seconds", "year")
"""What a predicate may read of a date, a moment or a span of time."""

_MAX_LENGTH = 2000
_NODES = (
    ast.Expression,
    ast.BoolOp,
    ast.And,
    ast.Or,
    ast.BinOp,
    ast.Add,
    ast.Sub,
    ast.Mult,
    ast.Div,
    ast.FloorDiv,
    ast.Mod,
    ast.BitAnd,
    ast.BitOr,
    ast.UnaryOp,
    ast.Not,
    ast.USub,
    ast.UAdd,
    ast.Compare,
    ast.cmpop,
    ast.IfExp,
    ast.Call,
    ast.keyword,
    ast.Name,
    ast.expr_context,
    ast.Constant,
    ast.Subscript,
    ast.Slice,
    ast.Attribute,
    ast.List,
    ast.Tuple,
    ast.Set,
    ast.Dict,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
    ast.comprehension,
    ast.Lambda,
    ast.arguments,
    ast.arg,
    ast.JoinedStr,
    ast.FormattedValue,
)


def predicate_problem(text: str, kind: RuleKind) -> str | None:
    """Why a text is not a predicate of this kind of rule; null when it is one."""
    if len(text) > _MAX_LENGTH:
        return f"it is longer than {_MAX_LENGTH} characters"
    try:
        tree = parse_expression(text.strip())
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        return f"it is not a Python expression ({error})"
    return _forbidden_node(tree) or _unknown_name(tree, (*NAMES_OF_KIND[kind], *FUNCTIONS))


def keys_read(text: str, name: str) -> tuple[str, ...]:
    """The constant keys that a parsed predicate reads of a name: `args["days"]` or `args.get("days")` -> "days"."""
    found: dict[str, None] = {}
    for node in ast.walk(parse_expression(text.strip())):
        match node:
            case ast.Subscript(value=ast.Name(id=owner), slice=ast.Constant(value=str(key))) if owner == name:
                found[key] = None
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=owner), attr="get"), args=[ast.Constant(value=str(key)), *_]
            ) if owner == name:
                found[key] = None
    return tuple(found)


def _forbidden_node(tree: ast.Expression) -> str | None:
    for node in ast.walk(tree):
        if not isinstance(node, _NODES):
            return f"{type(node).__name__} is not allowed in a predicate"
        if isinstance(node, ast.Attribute) and node.attr not in METHODS + ATTRIBUTES:
            return f"'.{node.attr}' is not allowed in a predicate"
    return None


def _unknown_name(tree: ast.Expression, allowed: tuple[str, ...]) -> str | None:
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    bound = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    bound |= {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    for node in names:
        if node.id not in bound and node.id not in allowed:
            return f"the name '{node.id}' is unknown; known are {', '.join(allowed)}"
    return None
