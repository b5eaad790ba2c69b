"""From code to tools."""

from typing import Any

import pytest

from tasks.runtime.signature import ToolSignature, imports_of, tools_of
from tasks.sandbox.base import CodeRejected

HEAD = """
import functools
from datetime import date as day
from typing import Annotated, Any, Literal, Optional, TypedDict, Union
import typing

Kind = Literal["dog", "cat"]
Alias = Kind
Other: "TypeAlias" = list[Kind]
Level = Literal[1, 2]
Loop = list["Loop"]
WORDS = ("a", "b")


class Line(TypedDict):
    item_id: str
    count: int


class Partial(TypedDict, total=False):
    note: str


def tool(kind):
    def decorate(method):
        @functools.wraps(method)
        def call(self, **given):
            return method(self, **given)
        return call
    return decorate


raise RuntimeError("this code must never run")
"""


def tools(body: str, head: str = HEAD) -> dict[str, ToolSignature]:
    """The tools of a class `Shop` with this body."""
    lines = "\n".join(f"    {line}" for line in body.strip("\n").splitlines())
    return {tool.name: tool for tool in tools_of(f"{head}\n\nclass Shop:\n{lines}\n", "Shop")}


def schema(annotation: str) -> dict[str, Any]:
    """The schema of one required parameter."""
    tool = tools(f"def run(self, x: {annotation}):\n    pass")["run"]
    assert [each.code for each in tool.problems] == ["missing_docstring"], tool.problems
    return dict(tool.parameters["properties"]["x"])


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        ("str", {"type": "string"}),
        ("int", {"type": "integer"}),
        ("float", {"type": "number"}),
        ("bool", {"type": "boolean"}),
        ("dict", {"type": "object"}),
        ("dict[str, Any]", {"type": "object"}),
        ("dict[str, int]", {"type": "object", "additionalProperties": {"type": "integer"}}),
        ("list", {"type": "array"}),
        ("list[str]", {"type": "array", "items": {"type": "string"}}),
        ("list[list[int]]", {"type": "array", "items": {"type": "array", "items": {"type": "integer"}}}),
        ("typing.List[float]", {"type": "array", "items": {"type": "number"}}),
        ("Any", {}),
        ("Literal['a', 'b']", {"type": "string", "enum": ["a", "b"]}),
        ("Literal['a', 1, None]", {"type": ["string", "integer", "null"], "enum": ["a", 1, None]}),
        ("Kind", {"type": "string", "enum": ["dog", "cat"]}),
        ("Alias", {"type": "string", "enum": ["dog", "cat"]}),
        ("Level", {"type": "integer", "enum": [1, 2]}),
        ("Other", {"type": "array", "items": {"type": "string", "enum": ["dog", "cat"]}}),
        ("'Kind'", {"type": "string", "enum": ["dog", "cat"]}),
        ("str | None", {"type": ["string", "null"]}),
        ("Optional[int]", {"type": ["integer", "null"]}),
        ("Kind | None", {"type": ["string", "null"], "enum": ["dog", "cat", None]}),
        ("None | list[str]", {"type": ["array", "null"], "items": {"type": "string"}}),
        ("Union[int, str, None]", {"type": ["integer", "string", "null"]}),
        ("list[str] | Kind", {"anyOf": [
            {"type": "array", "items": {"type": "string"}}, {"type": "string", "enum": ["dog", "cat"]},
        ]}),
        ("Annotated[str, 'a name']", {"type": "string"}),
        ("Line", {
            "type": "object",
            "properties": {"item_id": {"type": "string"}, "count": {"type": "integer"}},
            "required": ["item_id", "count"],
            "additionalProperties": False,
        }),
        ("list[Partial]", {"type": "array", "items": {
            "type": "object", "properties": {"note": {"type": "string"}}, "required": [], "additionalProperties": False,
        }}),
    ],
)  # fmt: skip
def test_an_annotation_becomes_a_schema(annotation: str, expected: dict[str, Any]) -> None:
    assert schema(annotation) == expected


@pytest.mark.parametrize(
    "annotation", ["day", "Unknown", "tuple[str, int]", "set[str]", "dict[int, str]", "Loop", "Literal[WORDS]", "5"]
)
def test_an_annotation_that_json_cannot_carry_is_a_problem(annotation: str) -> None:
    tool = tools(f'def run(self, x: {annotation}):\n    """Run.\n\n    Args:\n        x: Something.\n    """')["run"]

    assert [(each.code, each.parameter) for each in tool.problems] == [("unsupported_annotation", "x")]
    assert tool.parameters["properties"]["x"] == {"description": "Something."}


def test_a_function_declaration_is_complete() -> None:
    tool = tools(
        '''
def _helper(self):
    pass

@tool("state_change")
def book(self, pet_id: str, *, kind: Kind = "dog", note: str | None = None, tags: list[str] = []) -> dict:
    """Book an appointment,
    if there is room.

    Not on Sundays.

    Args:
        pet_id: Whose appointment: the id,
            not the name.
        kind (str, optional): What it is: one of two.
        note: Anything else.

    Returns:
        success: whether it worked.
    """
'''
    )["book"]

    assert tool.summary == "Book an appointment, if there is room. Not on Sundays."
    assert tool.parameters == {
        "type": "object",
        "properties": {
            "pet_id": {"type": "string", "description": "Whose appointment: the id, not the name."},
            "kind": {
                "type": "string",
                "enum": ["dog", "cat"],
                "description": "What it is: one of two.",
                "default": "dog",
            },
            "note": {"type": ["string", "null"], "description": "Anything else."},
            "tags": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["pet_id"],
        "additionalProperties": False,
    }
    assert [(each.code, each.parameter) for each in tool.problems] == [("missing_description", "tags")]


def test_only_public_methods_are_tools_in_source_order() -> None:
    found = tools(
        """
LIMIT = 3

def __init__(self, config=None):
    self.x = {}

def zebra(self): pass

@property
def size(self): return 1

def _private(self): pass

@staticmethod
def plain(text: str): pass

def apple(self): pass
"""
    )

    assert list(found) == ["zebra", "plain", "apple"]
    assert found["plain"].parameters["required"] == ["text"]


def test_inherited_methods_are_tools_too() -> None:
    code = """
class Base:
    def first(self): pass
    def second(self): self.a = 1

class Shop(Base):
    def third(self): self.second()
    def first(self, x: int): pass
"""
    found = tools_of(code, "Shop")

    assert [tool.name for tool in found] == ["first", "second", "third"]
    assert found[0].parameters["required"] == ["x"]
    assert found[2].writes == ("a",)


def test_what_cannot_be_declared_is_a_problem() -> None:
    tool = tools(
        '''
async def run(self, a, /, b: int, *rest, **others):
    """Run.

    Args:
        b: A number.
        c: Nothing.
    """
'''
    )["run"]

    assert [(each.code, each.parameter) for each in tool.problems] == [
        ("async_method", None),
        ("positional_only", "a"),
        ("star_args", "rest"),
        ("star_kwargs", "others"),
        ("missing_annotation", "a"),
        ("missing_description", "a"),
        ("unknown_description", "c"),
    ]


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("class Shop(:", "syntax_error"),
        ("x = 1", "class_missing"),
        ("class Shop:\n    def run(self): x = " + "+".join(["self.y"] * 800), "syntax_error"),
        ("class Shop:\n    def run(self): x = " + "+".join(["self.y"] * 90_000), "syntax_error"),
    ],
)
def test_code_without_the_class_is_rejected(code: str, kind: str) -> None:
    with pytest.raises(CodeRejected) as caught:
        tools_of(code, "Shop")

    assert caught.value.kind == kind


def test_imports_are_found_anywhere() -> None:
    code = "import json, os.path\nfrom . import x\ndef f():\n    from collections.abc import Mapping\n"

    assert imports_of(code) == (".", "collections.abc", "json", "os.path")
