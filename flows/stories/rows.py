"""Rows that have an id and no story of their own, column by column as their table declares them."""

import re

from flows.stories.page import Page
from schemas.row import Table

_PREFIX = re.compile(r"\^([a-z]{3}_)")
LONGEST_FACT = 200
"""Characters of a value that stands on one line."""


def prefix_of(table: Table) -> str | None:
    """What the ids of a table begin with, such as "tst_": its key's pattern says so. Null where rows have no own id."""
    patterns = (getattr(each, "pattern", None) for each in table.row.model_fields[table.key[0]].metadata)
    found = next((match for each in patterns if each and (match := _PREFIX.match(each))), None)
    return found[1] if found is not None else None


def tell_row(page: Page, table: Table, item_id: str) -> bool:
    """Everything that is known of a row; the ids in it can be shown in turn."""
    # Both names are declared in schemas/.
    found = page.ask(f"select * from raw.{table.name} where {table.key[0]} = ?", item_id)  # noqa: S608
    for row in found:
        page.title(f"Row of {table.name}", item_id)
        page.text(table.row.__doc__ or "")
        later = {}
        for column, value in row.items():
            if isinstance(value, str) and (column.endswith("_json") or "\n" in value or len(value) > LONGEST_FACT):
                later[column] = value
            elif column != table.key[0]:
                page.fact(column.removesuffix("_json").replace("_", " "), value)
        for column, value in later.items():
            page.heading(column.removesuffix("_json").replace("_", " ").capitalize())
            if column.endswith("_json"):
                page.json(value)
            else:
                page.text(value)
    return bool(found)
