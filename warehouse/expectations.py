"""From the declaration of a table to the Great Expectations suite that judges a batch of it."""

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from schemas.row import Table

if TYPE_CHECKING:
    from great_expectations import ExpectationSuite
    from great_expectations.expectations import Expectation

_SAID_ELSEWHERE = {"title", "description", "default", "type", "format", "items"}
"""Keywords of a column's JSON schema that the type gate covers or that say nothing about values."""


def suite_of(table: Table) -> "ExpectationSuite":
    """Everything that the declaration says about single rows, the key and the size of a batch.

    Raises:
        TypeError: a column is declared with a rule that no expectation stands for.
    """
    # Importing Great Expectations takes 6 s or more; only gates pay for it.
    from great_expectations import ExpectationSuite

    return ExpectationSuite(name=table.name, expectations=[*_whole_table(table), *_columns(table)])


def _whole_table(table: Table) -> "Iterator[Expectation]":
    from great_expectations import expectations as gxe

    yield gxe.ExpectTableColumnsToMatchOrderedList(column_list=list(table.row.model_fields))
    if table.min_rows:
        yield gxe.ExpectTableRowCountToBeBetween(min_value=table.min_rows)
    if len(table.key) > 1:
        yield gxe.ExpectCompoundColumnsToBeUnique(column_list=list(table.key))
    else:
        yield gxe.ExpectColumnValuesToBeUnique(column=table.key[0])


def _columns(table: Table) -> "Iterator[Expectation]":
    from great_expectations import expectations as gxe

    for column, declared in column_rules(table).items():
        if not declared.pop("nullable"):
            yield gxe.ExpectColumnValuesToNotBeNull(column=column)
        bounds = {bound: declared.pop(name) for name, bound in _BOUNDS.items() if name in declared}
        if bounds:
            yield gxe.ExpectColumnValuesToBeBetween(column=column, **bounds)
        lengths = {bound: declared.pop(name) for name, bound in _LENGTHS.items() if name in declared}
        if lengths:
            yield gxe.ExpectColumnValueLengthsToBeBetween(column=column, **lengths)
        if "enum" in declared:
            yield gxe.ExpectColumnValuesToBeInSet(column=column, value_set=declared.pop("enum"))
        if "const" in declared:
            yield gxe.ExpectColumnValuesToBeInSet(column=column, value_set=[declared.pop("const")])
        if "pattern" in declared:
            yield gxe.ExpectColumnValuesToMatchRegex(column=column, regex=_as_python(declared.pop("pattern")))
        if declared:
            raise TypeError(
                f"{table.name}.{column} is declared with {sorted(declared)}, which no gate checks. "
                "Add an expectation for it in warehouse/expectations.py, or use a range, pattern, length or Literal."
            )


_GROUP = re.compile(r"(?P<kept>\\.|\[\^?\]?(?:\\.|[^\]\\])*\])|\((?!\?)", re.DOTALL)
"""An escape or a character class, which stay as they are; or the bracket that opens a capturing group."""


def _as_python(pattern: str) -> str:
    """The same rule for Python's engine: its `$` lets a line break follow, and pandas warns of groups that capture."""
    plain = _GROUP.sub(lambda match: match["kept"] or "(?:", pattern)
    return plain.removesuffix("$") + r"\Z" if plain.endswith("$") and not plain.endswith(r"\$") else plain


_BOUNDS = {"minimum": "min_value", "maximum": "max_value"}
_LENGTHS = {"minLength": "min_value", "maxLength": "max_value"}


def column_rules(table: Table) -> dict[str, dict[str, Any]]:
    """Column -> its rules by JSON schema keyword, and `nullable`. What the type gate covers is left out."""
    properties: Mapping[str, dict[str, Any]] = table.row.model_json_schema()["properties"]
    return {column: _rules(declared) for column, declared in properties.items()}


def _rules(declared: Mapping[str, Any]) -> dict[str, Any]:
    options = [each for each in declared.get("anyOf", ()) if each != {"type": "null"}]
    is_nullable = len(options) < len(declared.get("anyOf", ()))
    merged = {**declared, **(options[0] if len(options) == 1 else {})}
    rules = {name: value for name, value in merged.items() if name not in _SAID_ELSEWHERE and name != "anyOf"}
    return {**rules, "nullable": is_nullable}
