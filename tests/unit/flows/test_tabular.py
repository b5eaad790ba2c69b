"""Answers of queries in the form that a program reads."""

import io
import json

import pyarrow as pa

from flows.tabular import write_answer


def test_numbers_that_json_has_no_form_for_are_null_wherever_they_stand() -> None:
    odd = [float("nan"), float("inf"), 0.5]
    answer = pa.table({"plain": odd, "list": [odd, [], None], "record": [{"a": -number} for number in odd]})
    out = io.StringIO()

    write_answer(answer, "json", out)

    assert json.loads(out.getvalue(), parse_constant=lambda name: f"not JSON: {name}") == [
        {"plain": None, "list": [None, None, 0.5], "record": {"a": None}},
        {"plain": None, "list": [], "record": {"a": None}},
        {"plain": 0.5, "list": None, "record": {"a": -0.5}},
    ]
