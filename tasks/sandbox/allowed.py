"""What environment and check code may import."""

ALLOWED_MODULES = (
    "__future__",
    "abc",
    "bisect",
    "calendar",
    "collections",
    "copy",
    "dataclasses",
    "datetime",
    "decimal",
    "enum",
    "functools",
    "hashlib",
    "heapq",
    "itertools",
    "json",
    "math",
    "operator",
    "random",
    "re",
    "secrets",
    "statistics",
    "string",
    "textwrap",
    "time",
    "typing",
    "uuid",
)
"""Top-level names, sorted; their submodules (`collections.abc`) are allowed with them."""


def is_allowed(module: str) -> bool:
    """Whether a dotted module name is on the list."""
    return module.partition(".")[0] in ALLOWED_MODULES


def refusal(module: str) -> str:
    """The message for an author who asked for another module."""
    return f"module {module!r} is not available here; allowed: {', '.join(ALLOWED_MODULES)}"
