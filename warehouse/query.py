"""Ask the warehouse in SQL, and reach nothing else."""

import re
from collections.abc import Sequence
from pathlib import Path

import duckdb
import pyarrow as pa

from schemas.catalog import TABLES
from schemas.errors import UsageError
from warehouse.answers import exact_answer
from warehouse.arrow import damaged
from warehouse.catalogue import as_pattern, define_views, main_views, quoted
from warehouse.layout import Layout

_NO_TABLE = re.compile(r"Table with name .* does not exist!(?P<guess>\nDid you mean \"(?P<meant>[^\"]+)\"\?)")


def connect(home: Path) -> duckdb.DuckDBPyConnection:
    """A new in-memory connection with views over the current release and the ledger of a home.

    `main` holds the marts and the tables, `raw` every table as it is. A home without a release, or one that does not
    exist, answers with empty tables. The release is the one that is current now; ledger rows are seen as they come.
    Nothing is written, and nothing outside the warehouse folder can be read or written: no other file, no attached
    database, no extension, and these settings are locked. Inside the folder DuckDB itself would still obey a COPY or
    an ATTACH; `query` refuses those.

    Raises:
        DamagedWarehouse: a file can't be read; the text of DuckDB names it.
    """
    layout = Layout(home)
    connection = duckdb.connect(":memory:")
    try:
        define_views(connection, layout)
    except (duckdb.InvalidInputException, duckdb.IOException) as error:
        connection.close()
        raise damaged(layout.root, str(error)) from error
    # DuckDB compares what a view says, which for an odd folder name is a pattern and not the name.
    folders = ", ".join(quoted(f"{each}/") for each in (layout.root, as_pattern(layout.root)))
    connection.execute("set TimeZone = 'UTC'")
    connection.execute(f"set allowed_directories = [{folders}]")
    connection.execute("set enable_external_access = false")
    connection.execute("set lock_configuration = true")
    return connection


def query(home: Path, sql: str, parameters: Sequence[object] = ()) -> pa.Table:
    """The answer to one SELECT (also DESCRIBE, SHOW TABLES, SUMMARIZE); how kinds are carried: `exact_answer`.

    Args:
        home: The home folder.
        sql: One statement; `?` stands for a parameter.
        parameters: Values for the question marks.

    Raises:
        UsageError: the text is no SQL, names what is not there, or does anything but read.
        DamagedWarehouse: a file can't be read.
    """
    with connect(home) as connection:
        try:
            statements = connection.extract_statements(sql)
            if not statements:
                raise UsageError('The query is empty. Ask one SELECT; `envmill sql "show tables"` lists what there is.')
            if len(statements) != 1 or statements[0].type != duckdb.StatementType.SELECT:
                raise UsageError(
                    "Only one SELECT at a time can be asked: the catalogue is read-only. "
                    "`show tables` lists the tables."
                )
            return exact_answer(connection.sql(sql, params=list(parameters) or None))
        except duckdb.Error as error:
            raise UsageError(
                f"{_of_ours(str(error))}\n`show tables` lists the tables, `describe <table>` their columns."
            ) from error


def _of_ours(said: str) -> str:
    """What DuckDB says, without its guess at one of its own tables where somebody looks for one of ours."""
    guessed = _NO_TABLE.search(said)
    if guessed is None or guessed["meant"].split(".")[-1] in {*main_views(), *(table.name for table in TABLES)}:
        return said
    return said.replace(guessed["guess"], "", 1)
