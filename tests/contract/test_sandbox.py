"""What every sandbox must do: load code, make calls, keep states."""

from typing import Any

import pytest

from schemas.ids import digest
from tasks.sandbox.allowed import ALLOWED_MODULES
from tasks.sandbox.base import Call, CodeRejected, EnvironmentSession, Sandbox
from tests.contract.sandbox_samples import SHELF, STATE

# Loading


@pytest.mark.parametrize(
    ("code", "kind", "message"),
    [
        ("class Attack:\n    def run(self:\n", "syntax_error", "line 2"),
        ("x = 1\0", "syntax_error", "null"),
        ("x = '\ud800'", "syntax_error", ""),
        ("(" * 300 + ")" * 300, "syntax_error", "nested"),
        ("class Other: pass", "class_missing", "'Attack'"),
        ("Attack = 5", "class_missing", "'Attack'"),
        ("x = 1\ny = 1 / 0", "load_error", "ZeroDivisionError: division by zero (line 2)"),
        ("raise SystemExit(2)", "load_error", "SystemExit: 2 (line 1)"),
        ("import math\nimport requests", "import_refused", "module 'requests' is not available here; allowed: "),
        ("from os import path", "import_refused", "'os'"),
        ("from . import x", "import_refused", "'.'"),
        ("def f():\n    import sys", "import_refused", "line 2"),
        ("__import__('os')", "load_error", "module 'os' is not available here"),
        ("import json.tool", "load_error", "module 'json.tool' is not available here"),
        ("class Attack:\n    def __init__(self):\n        self.x = {}['y']", "init_error", "KeyError: 'y' (line 3)"),
    ],
)
def test_code_that_does_not_load_is_rejected_with_a_reason(
    sandbox: Sandbox, code: str, kind: str, message: str
) -> None:
    with pytest.raises(CodeRejected) as caught, sandbox.environment(code, "Attack") as session:
        session.init(None)

    assert caught.value.kind == kind
    assert message in str(caught.value)


def test_every_allowed_module_can_be_imported(sandbox: Sandbox) -> None:
    imports = "\n".join(f"import {name}" for name in ALLOWED_MODULES if name != "__future__")
    code = f"from __future__ import annotations\nimport collections.abc\n{imports}\nclass Attack: pass"

    with sandbox.environment(code, "Attack") as session:
        session.init(None)
        assert session.snapshot() == {}


# Calls


def test_a_step_returns_what_the_method_returns_and_never_shares_it(shelf: EnvironmentSession) -> None:
    first = shelf.step("add_book", {"title": "New"})
    first.result["data"].clear()
    second = shelf.step("add_book", {"title": "Newer"})

    assert list(second.result["data"]) == ["BOK-0002", "BOK-0001", "BOK-0003", "BOK-0004"]
    assert (second.error, second.digest) == (None, None)


def test_results_of_a_batch_do_not_see_later_changes(shelf: EnvironmentSession) -> None:
    first, second = shelf.steps([Call("add_book", {"title": "New"}), Call("add_book", {"title": "Newer"})])

    assert len(first.result["data"]) == 3
    assert len(second.result["data"]) == 4


def test_the_state_comes_back_as_it_was_given(shelf: EnvironmentSession) -> None:
    state = shelf.snapshot()

    assert state == {"books": STATE["books"], "count": 2}
    assert list(state["books"]) == ["BOK-0002", "BOK-0001"]


def test_init_starts_over(shelf: EnvironmentSession) -> None:
    shelf.step("add_book", {"title": "New"})
    shelf.init(STATE)
    assert len(shelf.snapshot()["books"]) == 2
    shelf.init(None)
    assert shelf.snapshot() == {"books": {}, "count": 0}


def test_reset_starts_over_from_the_last_init(shelf: EnvironmentSession) -> None:
    shelf.init(STATE, seed=7)
    first = shelf.steps([Call("draw", {}), Call("add_book", {"title": "New"})])
    shelf.reset()

    assert shelf.snapshot() == {"books": STATE["books"], "count": 2}
    assert shelf.steps([Call("draw", {}), Call("add_book", {"title": "New"})]) == first


def test_the_seed_decides_what_is_drawn(shelf: EnvironmentSession) -> None:
    drawn = []
    for seed in (7, 7, 8):
        shelf.init(STATE, seed=seed)
        drawn.append(shelf.step("draw", {}).result)

    assert drawn[0] == drawn[1] != drawn[2]


def test_a_branch_goes_on_from_a_copy(shelf: EnvironmentSession) -> None:
    shelf.step("add_book", {"title": "Both"})
    with shelf.branch() as other:
        other.step("add_book", {"title": "Branch"})
        shelf.step("add_book", {"title": "Trunk"})

        assert [each["title"] for each in other.snapshot()["books"].values()] == ["Zoo", "Ähre 🌾", "Both", "Branch"]
    assert [each["title"] for each in shelf.snapshot()["books"].values()] == ["Zoo", "Ähre 🌾", "Both", "Trunk"]


def test_digests_agree_with_those_of_the_host(shelf: EnvironmentSession) -> None:
    before = shelf.snapshot()
    results = shelf.steps([Call("dates", {}), Call("add_book", {"title": 'Äß "\\" \u2028 🌾'})], watch=True)

    assert results[0].digest == digest(before)
    assert results[1].digest == digest(shelf.snapshot()) != results[0].digest


def test_a_long_batch_with_long_results_is_answered_in_full(shelf: EnvironmentSession) -> None:
    calls = [Call("add_book", {"title": "x" * 8000})] * 90

    results = shelf.steps(calls)

    assert [len(each.result["data"]) for each in results] == list(range(3, 93))


def test_two_processes_behave_alike(sandbox: Sandbox) -> None:
    def trace() -> list[Any]:
        with sandbox.environment(SHELF, "Shelf") as session:
            session.init(STATE)
            calls = [Call("draw", {}), Call("add_book", {"title": "New"}), Call("draw", {}), Call("dates", {})]
            return session.steps(calls, watch=True)

    assert trace() == trace()


def test_the_standard_library_works_behind_the_closed_imports(shelf: EnvironmentSession) -> None:
    assert shelf.step("dates", {}).result == {"day": "03.02.", "size": 2}


@pytest.mark.parametrize(
    ("tool", "arguments", "error"),
    [
        ("fail", {"key": "BOK-9"}, "KeyError: 'BOK-9' (line 29)"),
        ("fail", {}, "TypeError: Shelf.fail() missing 1 required positional argument: 'key'"),
        ("name_error", {}, "ModuleNotFoundError: module 'socket' is not available here"),
        ("_private", {}, "unknown_tool: '_private' is not a public method"),
        ("__init__", {}, "unknown_tool"),
        ("nowhere", {}, "unknown_tool"),
        ("size", {}, "unknown_tool"),
        ("LIMIT", {}, "unknown_tool"),
        ("books", {}, "unknown_tool"),
        ("not_a_method", {}, "unknown_tool"),
        ("spoil_state", {}, "state_not_json: a key of type int (keys must be text) at ['books']"),
    ],
)
def test_a_call_that_raises_is_a_result(
    shelf: EnvironmentSession, tool: str, arguments: dict[str, Any], error: str
) -> None:
    (result,) = shelf.steps([Call(tool, arguments)], watch=True)

    assert result.result is None
    assert error in (result.error or "")
    assert shelf.step("dates", {}).error is None


@pytest.mark.parametrize(
    ("kind", "error"),
    [
        ("nan", "not_json: nan is not a JSON number at ['x'][1]"),
        ("infinity", "not_json: inf"),
        ("set", "not_json: a set"),
        ("tuple", "not_json: a tuple"),
        ("bytes", "not_json: a bytes"),
        ("key", "not_json: a key of type int"),
        ("surrogate", "not_json: text with a lone surrogate"),
        ("surrogate_key", "not_json: text with a lone surrogate"),
        ("deep", "not_json: nested"),
        ("loop", "not_json: nested"),
        ("huge", "not_json: an integer of thousands of digits"),
        ("object", "not_json: a Shelf"),
        ("subclass", "not_json: a Size"),
        ("generator", "not_json: a generator"),
    ],
)
def test_a_result_that_is_not_json_is_refused(shelf: EnvironmentSession, kind: str, error: str) -> None:
    result = shelf.step("give", {"kind": kind})

    assert (result.result, (result.error or "")[: len(error)]) == (None, error)


def test_a_state_that_is_not_json_is_refused(shelf: EnvironmentSession) -> None:
    shelf.step("spoil_state", {})

    with pytest.raises(CodeRejected) as caught:
        shelf.snapshot()

    assert caught.value.kind == "state_not_json"


def test_code_can_be_tried_with_values_that_no_json_has(shelf: EnvironmentSession) -> None:
    results = shelf.steps([Call("fail", {"key": value}) for value in (float("nan"), float("inf"), "\ud800")])

    assert [each.error for each in results] == [f"KeyError: {name} (line 29)" for name in ("nan", "inf", "'\\ud800'")]
