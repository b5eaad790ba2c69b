"""The server of a home: one at a time, waited for with a word and not for ever. A small program plays its part."""

import io
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from prefect.settings import PREFECT_API_URL, temporary_settings
from rich.console import Console

from flows import server
from flows.running import prefect_server
from flows.server import Server, ServerBusy, await_server, start_server, stop_server
from schemas.errors import ServerUnavailable

PROGRAM = """#!{python}
import http.server, os, sys, time

class Health(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        pass

print("speaking of", {folder!r}, flush=True)
while not os.path.exists({folder!r} + "/go"):
    if os.path.exists({folder!r} + "/fail"):
        sys.exit("address already in use")
    time.sleep(0.02)
http.server.HTTPServer(("127.0.0.1", int(sys.argv[-1])), Health).serve_forever()
"""


class Reader(io.StringIO):
    """A console's file that makes the server answer as soon as somebody is told to wait."""

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder

    def write(self, text: str) -> int:
        if "Waiting for it" in text:
            (self._folder / "go").touch()
        return super().write(text)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    program = tmp_path / "program"
    program.write_text(PROGRAM.format(python=sys.executable, folder=str(tmp_path)))
    program.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(program))
    return tmp_path / "home"


@pytest.fixture
def starting(home: Path) -> Iterator[Server]:
    """A server of this home that does not answer yet."""
    started = start_server(home)
    yield started
    stop_server(started, home)


def test_a_home_has_one_server_process_at_a_time(home: Path, starting: Server) -> None:
    with pytest.raises(ServerBusy, match=rf"starting or stopping the Prefect server of .*process {starting.pid}\)"):
        start_server(home)

    stop_server(starting, home)
    again = start_server(home)
    stop_server(again, home)
    assert again.pid != starting.pid


def test_the_server_that_another_command_is_starting_is_waited_for_and_shared(home: Path, starting: Server) -> None:
    reader = Reader(home.parent)

    with temporary_settings({PREFECT_API_URL: None}), prefect_server(home, Console(file=reader)) as shared:
        await_server(shared, home)

    assert shared == Server(starting.api_url, None)
    said = " ".join(reader.getvalue().split())
    assert said.count("Another command is starting or stopping the Prefect server") == 1
    assert "server.log" in said and "Starting a Prefect server" not in said
    assert server.is_healthy(starting.api_url), "whoever started it stops it"


def test_the_wait_for_a_server_has_a_limit_and_names_its_log(
    home: Path, starting: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "SAY_EVERY_S", 0.1)
    said: list[str] = []

    with pytest.raises(ServerUnavailable, match=r"(?s)did not answer within 0\.5 s\. The end of .*server\.log"):
        await_server(starting, home, timeout_s=0.5, say=said.append)

    assert said and all("Still waiting for the Prefect server" in each and "server.log" in each for each in said)


def test_a_server_that_ended_is_not_waited_for_even_where_another_answers_at_its_port(home: Path) -> None:
    started = start_server(home)
    (home.parent / "fail").touch()
    with pytest.raises(ServerUnavailable, match=r"(?s)ended before it answered\. .*address already in use"):
        await_server(started, home)
    stop_server(started, home)

    (home.parent / "fail").unlink()
    (home.parent / "go").touch()
    other = start_server(home)
    try:
        await_server(other, home)
        with pytest.raises(ServerUnavailable, match="ended before it answered"):
            await_server(Server(other.api_url, started.pid), home)
    finally:
        stop_server(other, home)
