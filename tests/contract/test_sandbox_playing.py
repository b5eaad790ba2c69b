"""Calls on states in one message: the same as one request after the other, and nothing is sent twice."""

from typing import Any

import pytest

from schemas.ids import digest
from tasks.sandbox.base import Call, CodeRejected, EnvironmentSession, Sandbox
from tests.contract.sandbox_samples import SHELF, STATE

GARDEN = """
import copy


class Garden:
    def __init__(self, config=None):
        config = copy.deepcopy(config or {"beds": {}, "tools": {}})
        self.beds, self.tools = config["beds"], config["tools"]
        if "forbidden" in self.beds:
            raise ValueError("no such bed")

    def plant(self, bed, value):
        self.beds[bed] = value
        return {"success": True, "data": value}

    def turn(self):
        self.beds = dict(reversed(self.beds.items()))

    def spoil(self):
        self.beds = {1: 2}

    def plant_set(self):
        self.beds["a"]["rows"] = [{1}]

    def name_with_number(self):
        vars(self)[1] = 2

    def drop(self):
        del self.tools

    def copies(self):
        rows = [[1, 2], {"a": (3, [4])}]
        loop = []
        loop.append(loop)
        copied, ring = copy.deepcopy([rows, rows, {("k", 1): rows}]), copy.deepcopy(loop)
        return {
            "equal": copied == [rows, rows, {("k", 1): rows}],
            "shared": copied[0] is copied[1] is copied[2]["k", 1],
            "apart": copied[0] is not rows and copied[0][1]["a"][1] is not rows[1]["a"][1],
            "ring": ring[0] is ring is not loop,
        }
"""
BEDS: dict[str, Any] = {"beds": {"b": {"rows": [1]}, "a": {"rows": []}}, "tools": {"t": {"name": "Rake"}}}


@pytest.fixture
def garden(sandbox: Sandbox) -> Any:
    with sandbox.environment(GARDEN, "Garden") as session:
        yield session


def test_playing_is_the_same_as_one_request_after_the_other(shelf: EnvironmentSession) -> None:
    calls = [Call("add_book", {"title": "One"}), Call("fail", {"key": "none"}), Call("draw", {})]
    shelf.init(STATE)
    made, steps, left = shelf.snapshot(), shelf.steps(calls, watch=True), shelf.snapshot()

    for _ in range(2):
        played = shelf.play(STATE, calls, watch=True, reads="both")

        assert (played.before, played.results, played.after, played.flaw) == (made, steps, left, None)
        assert list(played.after or ()) == list(left)
    assert played.results[-1].digest == digest(left)


def test_what_no_call_has_changed_is_the_very_object_that_was_given(garden: EnvironmentSession) -> None:
    asked = garden.play(BEDS, [Call("plant", {"bed": "b", "value": {"rows": [1]}})], reads="both")
    changed = garden.play(None, [Call("plant", {"bed": "c", "value": {}})], reads="after").after

    assert asked.before is asked.after is BEDS
    assert changed is not None and changed["tools"] is BEDS["tools"]
    assert list(changed["beds"]) == ["b", "a", "c"]


@pytest.mark.parametrize(("value", "other"), [(1, True), (1, 1.0), (0, False), (None, 0), ([], {})])
def test_equal_values_of_other_types_are_changes(garden: EnvironmentSession, value: Any, other: Any) -> None:
    start = {"beds": {"a": value}, "tools": {}}
    played = garden.play(start, [Call("plant", {"bed": "a", "value": other})], watch=True, reads="after")

    assert played.after is not None
    assert type(played.after["beds"]["a"]) is type(other)
    assert played.results[0].digest == digest({"beds": {"a": other}, "tools": {}}) != digest(start)


def test_another_order_of_keys_is_a_change_but_the_same_digest(garden: EnvironmentSession) -> None:
    played = garden.play(BEDS, [Call("turn", {})], watch=True, reads="after")

    assert played.after is not None and list(played.after["beds"]) == ["a", "b"]
    assert played.results[0].digest == digest(BEDS)


def test_an_attribute_that_is_gone_is_not_in_the_state(garden: EnvironmentSession) -> None:
    garden.play(BEDS, ())

    assert garden.play(None, [Call("drop", {})], reads="after").after == {"beds": BEDS["beds"]}


def test_states_that_share_parts_are_told_apart(garden: EnvironmentSession) -> None:
    other = {**BEDS, "tools": {"t": {"name": "Hoe"}}}
    for start in (BEDS, other, BEDS, {"tools": other["tools"], "beds": {}}):
        assert garden.play(start, (), reads="after").after == start
        garden.play(None, [Call("plant", {"bed": "x", "value": 1})])


def test_a_state_that_is_no_json_any_more_is_a_flaw(garden: EnvironmentSession) -> None:
    played = garden.play(BEDS, [Call("spoil", {})], reads="both")

    assert played.before == BEDS
    assert played.after is None
    assert "a key of type int" in str(played.flaw)
    with pytest.raises(CodeRejected, match="a key of type int") as caught:
        garden.play(None, (), reads="both")
    assert caught.value.kind == "state_not_json"
    assert garden.play(BEDS, (), reads="after").after == BEDS


def test_attributes_whose_names_are_no_texts_are_no_json(garden: EnvironmentSession) -> None:
    played = garden.play({}, [Call("name_with_number", {})], watch=True, reads="after")

    assert played.results[0].error == "state_not_json: a key of type int (keys must be text)"
    assert (played.results[0].digest, played.after) == (None, None)
    assert played.flaw == "a key of type int (keys must be text)"


def test_a_flaw_deep_in_the_state_is_told_with_its_place(garden: EnvironmentSession) -> None:
    played = garden.play(BEDS, [Call("plant_set", {})], watch=True, reads="after")

    assert played.results[0].error == "state_not_json: a set is not plain JSON at ['beds']['a']['rows'][0]"


def test_a_state_that_the_class_refuses_leaves_the_session_in_order(garden: EnvironmentSession) -> None:
    garden.play(BEDS, ())
    with pytest.raises(CodeRejected, match="no such bed") as caught:
        garden.play({**BEDS, "beds": {"forbidden": {}}}, [Call("turn", {})])

    assert caught.value.kind == "init_error"
    assert garden.play(BEDS, (), reads="after").after == BEDS


def test_many_calls_with_long_results_are_all_made_before_the_state_is_read(shelf: EnvironmentSession) -> None:
    calls = [Call("add_book", {"title": "x" * 8000})] * 90
    played = shelf.play(STATE, calls, reads="both")

    assert [len(each.result["data"]) for each in played.results] == list(range(3, 93))
    assert played.before == {"books": STATE["books"], "count": 2}
    assert played.after is not None and played.after["count"] == 92
    assert played.after == shelf.snapshot()


def test_a_reset_goes_back_to_the_state_that_was_played_from(garden: EnvironmentSession) -> None:
    garden.play(BEDS, [Call("plant", {"bed": "c", "value": {}})])
    garden.reset()

    assert garden.snapshot() == BEDS


def test_branches_do_not_see_what_earlier_ones_did(sandbox: Sandbox) -> None:
    with sandbox.environment(SHELF, "Shelf") as shelf:
        shelf.init(STATE)
        for title in ("first", "second"):
            with shelf.branch() as other, shelf.branch() as third:
                other.step("add_book", {"title": title})

                assert other.snapshot()["count"] == 3
                assert third.snapshot() == shelf.snapshot()


def test_deep_copies_share_what_was_shared_and_nothing_else(garden: EnvironmentSession) -> None:
    garden.init(None)

    assert garden.step("copies", {}).result == dict.fromkeys(("equal", "shared", "apart", "ring"), True)
