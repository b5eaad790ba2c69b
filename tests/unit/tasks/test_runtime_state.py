"""Digests and differences of states."""

import pytest

from tasks.runtime.state import Change, difference, state_digest


def test_a_digest_ignores_the_order_of_keys_and_nothing_else() -> None:
    assert state_digest({"a": 1, "b": {"c": 2, "d": 3}}) == state_digest({"b": {"d": 3, "c": 2}, "a": 1})
    assert len({state_digest({"a": value}) for value in (1, 1.0, True, "1", None, [1], [])}) == 7


def test_equal_states_do_not_differ() -> None:
    assert difference({"a": {"b": [1, {"c": 2}]}}, {"a": {"b": [1, {"c": 2}]}}) == ()


def test_every_leaf_that_differs_is_a_change() -> None:
    before = {"items": {"b": {"n": 1, "tags": ["x"]}, "a": {"n": 1}}, "count": 1, "gone": {"x": {"y": 1}}, "null": None}
    after = {
        "items": {"b": {"n": 2, "tags": ["x", "y"]}, "c": {"n": None, "more": {}}, "a": {"n": 1}},
        "count": 1,
        "null": 0,
    }

    assert difference(before, after) == (
        Change(("gone", "x", "y"), 1, None, "removed"),
        Change(("items", "b", "n"), 1, 2, "changed"),
        Change(("items", "b", "tags"), ["x"], ["x", "y"], "changed"),
        Change(("items", "c", "more"), None, {}, "added"),
        Change(("items", "c", "n"), None, None, "added"),
        Change(("null",), None, 0, "changed"),
    )


@pytest.mark.parametrize(("before", "after"), [(1, True), (1, 1.0), ("1", 1), ([1], {"x": 1}), ({"x": 1}, None)])
def test_types_count(before: object, after: object) -> None:
    assert difference({"a": before}, {"a": after}) == (Change(("a",), before, after, "changed"),)


def test_an_emptied_object_loses_its_leaves() -> None:
    assert difference({"a": {"b": 1}}, {"a": {}}) == (Change(("a", "b"), 1, None, "removed"),)
    assert difference({}, {"a": {}}) == (Change(("a",), None, {}, "added"),)
    assert difference({"a": {}}, {}) == (Change(("a",), {}, None, "removed"),)
