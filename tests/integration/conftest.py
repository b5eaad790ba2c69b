"""One Prefect server for all integration tests, and the way they call the command line."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from prefect.settings import PREFECT_API_URL, PREFECT_HOME, temporary_settings
from typer.testing import CliRunner, Result

from flows import composition
from flows.commands.registered import app
from flows.server import Server, await_server, start_server, stop_server
from tests.integration.town import TownAuthor
from warehouse.query import query


@pytest.fixture(scope="session")
def prefect_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A real server, started as `envmill run` does it; the commands find it as the configured one."""
    home = tmp_path_factory.mktemp("server")
    server = start_server(home)
    try:
        await_server(server, home)
        with temporary_settings({PREFECT_API_URL: server.api_url, PREFECT_HOME: home / "prefect"}):
            yield server
    finally:
        stop_server(server, home)


@pytest.fixture
def envmill() -> Callable[..., Result]:
    """Call the command line in this process."""

    def call(*arguments: object) -> Result:
        return CliRunner().invoke(app, [str(argument) for argument in arguments], catch_exceptions=False)

    return call


@pytest.fixture
def town(monkeypatch: pytest.MonkeyPatch) -> TownAuthor:
    """The author "town", chosen with --author town."""
    author = TownAuthor()
    monkeypatch.setitem(composition.AUTHORS, "town", lambda _sandbox, _plan, _stage: author)
    return author


def rows(home: Path, sql: str, *parameters: object) -> list[dict[str, Any]]:
    """The answer of the catalogue."""
    return list(query(home, sql, parameters).to_pylist())
