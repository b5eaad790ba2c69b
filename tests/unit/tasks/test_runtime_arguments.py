"""Arguments against schemas."""

from typing import Any

import pytest

from tasks.runtime.arguments import problem_with

SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "count": {"type": "integer"},
        "price": {"type": "number"},
        "is_paid": {"type": "boolean"},
        "kind": {"type": "string", "enum": ["dog", "cat"]},
        "maybe": {"type": ["string", "null"], "enum": ["a", "b", None]},
        "tags": {"type": "array", "items": {"type": "string"}},
        "lines": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {"item_id": {"type": "string"}, "count": {"type": "integer"}},
                "required": ["item_id"],
                "additionalProperties": False,
            },
        },
        "prices": {"type": "object", "additionalProperties": {"type": "number"}},
        "level": {"type": "integer", "enum": [1, 2]},
        "either": {"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "string", "enum": ["all"]}]},
        "anything": {},
    },
    "required": ["name"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    "arguments",
    [
        {"count": 3, "price": 3, "is_paid": False},
        {"price": 3.5, "kind": "cat", "maybe": None, "tags": []},
        {"tags": ["a"], "lines": [{"item_id": "x"}, {"item_id": "y", "count": 2}], "prices": {"x": 1, "y": 0.5}},
        {"either": [1, 2]},
        {"either": "all", "anything": {"a": [None, True, {"b": 1.5}]}, "level": 2},
        {"name": "x" * 100_000, "count": 10**30},
    ],
)
def test_arguments_that_fit_have_no_problem(arguments: dict[str, Any]) -> None:
    assert problem_with({"name": "Rex", **arguments}, SCHEMA) is None


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"name": 5}, "Argument 'name' must be a string, not 5."),
        ({"name": None}, "Argument 'name' must be a string, not None."),
        ({"count": True}, "Argument 'count' must be an integer, not True."),
        ({"count": 3.0}, "Argument 'count' must be an integer, not 3.0."),
        ({"count": "3"}, "Argument 'count' must be an integer, not '3'."),
        ({"price": False}, "Argument 'price' must be a number, not False."),
        ({"price": float("nan")}, "Argument 'price' must be a number, not nan."),
        ({"price": float("-inf")}, "Argument 'price' must be a number, not -inf."),
        ({"is_paid": 1}, "Argument 'is_paid' must be true or false, not 1."),
        ({"kind": "bird"}, "Argument 'kind' must be one of 'dog', 'cat', not 'bird'."),
        ({"maybe": "c"}, "Argument 'maybe' must be one of 'a', 'b', null, not 'c'."),
        ({"level": True}, "Argument 'level' must be one of 1, 2, not True."),
        ({"tags": "a"}, "Argument 'tags' must be a list, each of it a string, not 'a'."),
        ({"tags": ["a", 2]}, "Argument 'tags[1]' must be a string, not 2."),
        ({"tags": ("a",)}, "Argument 'tags' must be a list, each of it a string, not ('a',)."),
        ({"lines": [{"count": 1}]}, "Argument 'lines[0]' lacks 'item_id': a string."),
        ({"lines": [{"item_id": "x", "n": 1}]}, "Argument 'lines[0]' has an unknown key 'n'. Allowed: item_id, count."),
        ({"lines": [{"item_id": "x", "count": "1"}]}, "Argument 'lines[0].count' must be an integer, not '1'."),
        ({"prices": {"x": "1"}}, "Argument 'prices.x' must be a number, not '1'."),
        ({"either": "some"}, "Argument 'either' must be a list, each of it an integer or one of 'all', not 'some'."),
        ({"anything": {"a": float("nan")}}, "Not a JSON value: nan is not a JSON number at ['anything']['a']."),
        ({"anything": {1}}, "Not a JSON value: a set is not plain JSON at ['anything']."),
        ({"name": "\ud800"}, "Not a JSON value: text with a lone surrogate at ['name']."),
    ],
)
def test_an_argument_that_does_not_fit_is_named_with_what_is_allowed(arguments: dict[str, Any], problem: str) -> None:
    assert problem_with({"name": "Rex", **arguments}, SCHEMA) == problem


def test_missing_and_unknown_arguments_are_named() -> None:
    small = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {}}, "required": ["a"]}

    assert problem_with({}, small) == "Missing argument 'a': an integer."
    assert problem_with({"a": 1, "c": 2}, small) == "Unknown argument 'c'. Allowed: a, b."
    assert problem_with({"a": 1}, {"type": "object", "properties": {}}) == "Unknown argument 'a'. Allowed: none."


def test_long_values_are_cut_in_messages() -> None:
    problem = problem_with({"name": "Rex", "kind": "x" * 100_000}, SCHEMA)

    assert problem is not None
    assert len(problem) < 200
