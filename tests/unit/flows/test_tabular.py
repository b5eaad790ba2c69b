"""Answers of queries in the form that a program reads."""

import io
import json
from decimal import Decimal

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


def test_decimals_keep_every_digit_but_in_json_only_those_that_a_number_with_a_fraction_can_hold() -> None:
    numbers = [Decimal("3.25"), Decimal("12345678901234567890.00"), Decimal("2.00"), Decimal("0.00")]
    answer = pa.table({"n": pa.array(numbers, pa.decimal128(30, 2))})
    as_json, as_csv = io.StringIO(), io.StringIO()

    write_answer(answer, "json", as_json)
    write_answer(answer, "csv", as_csv)

    assert [row["n"] for row in json.loads(as_json.getvalue())] == [3.25, 12345678901234567890, 2.0, 0.0]
    assert as_csv.getvalue() == "n\n3.25\n12345678901234567890.00\n2.00\n0.00\n"
