"""The page on the tables says what the code says."""

from pathlib import Path

from schemas.catalog import TABLES
from warehouse.catalogue import mart_texts
from warehouse.tables_page import render

PAGE = Path(__file__).parents[3] / "docs" / "tables.md"


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text("utf-8") == render(), "run: python -m warehouse.tables_page > docs/tables.md"


def test_the_page_has_every_table_view_and_column() -> None:
    page = render()

    for table in TABLES:
        assert f"### {table.name}\n\n{table.row.__doc__}\n" in page
        for column in table.row.model_fields:
            assert f"| `{column}` |" in page
    for text in mart_texts().values():
        assert text.splitlines()[0].removeprefix("-- ") in page
