"""`envmill doctor`, the refusal of `envmill run` where nothing isolates, and --unsafe-no-sandbox."""

import json
import os
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from prefect.settings import PREFECT_API_URL, temporary_settings
from typer.testing import Result

from flows.checkup import examine_endpoint, examine_home, examine_server
from flows.composition import local_sandbox
from flows.server import Server
from tests.fakes.endpoint import FakeEndpoint
from tests.fakes.lesser_host import command
from tests.integration.conftest import rows
from tests.integration.town import SHED
from warehouse.layout import Layout

Envmill = Callable[..., Result]
PROJECT = Path(__file__).resolve().parents[2]
KEY = "sk-never-to-be-seen-again"


def _on_a_host_without(refused: str, *arguments: object, **variables: str) -> "subprocess.CompletedProcess[str]":
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ENVMILL_", "PREFECT_"))}
    return subprocess.run(
        command(refused, "-m", "flows", *map(str, arguments)),
        cwd=PROJECT,
        env={**kept, **variables},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


@pytest.fixture
def no_endpoint(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ENVMILL_LLM_BASE_URL", "ENVMILL_LLM_MODEL", "ENVMILL_LLM_API_KEY"):
        monkeypatch.delenv(name, raising=False)


def _configure(monkeypatch: pytest.MonkeyPatch, base_url: str, model: str = "scripted", key: str = KEY) -> None:
    monkeypatch.setenv("ENVMILL_LLM_BASE_URL", base_url)
    monkeypatch.setenv("ENVMILL_LLM_MODEL", model)
    monkeypatch.setenv("ENVMILL_LLM_API_KEY", key)


@contextmanager
def _answering(
    answer: Callable[[str | None], tuple[int, dict[str, str], str]],
) -> Iterator[tuple[str, list[str | None]]]:
    """A server that answers every GET this way: its address, and the keys that it was asked with."""
    keys: list[str | None] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            keys.append(self.headers["Authorization"])
            status, headers, body = answer(keys[-1])
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body.encode())

        def log_message(self, format: str, *args: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/v1", keys
        finally:
            server.shutdown()


def _parts(text: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(text)
    return found


def test_a_machine_where_all_is_well_gets_0_and_nothing_is_written(
    envmill: Envmill, monkeypatch: pytest.MonkeyPatch, prefect_server: Server, tmp_path: Path
) -> None:
    with FakeEndpoint(key=KEY) as endpoint:
        _configure(monkeypatch, endpoint.base_url)
        told = envmill("doctor", "--json", "--home", tmp_path / "home")

    assert told.exit_code == 0, told.output
    found = _parts(told.stdout)
    assert list(found) == ["works", "sandbox", "endpoint", "warehouse", "server"]
    assert [found[name]["works"] for name in ("sandbox", "endpoint", "warehouse", "server")] == [True] * 4
    assert found["sandbox"]["level"] in ("A", "B")
    assert (found["endpoint"]["state"], found["endpoint"]["is_model_listed"]) == ("reachable", True)
    assert (found["server"]["state"], found["server"]["api_url"]) == ("configured", prefect_server.api_url)
    assert KEY not in told.output
    assert not (tmp_path / "home").exists()


@pytest.mark.usefixtures("no_endpoint")
def test_people_read_a_level_each_layer_and_what_to_do(envmill: Envmill, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")

    told = envmill("doctor", "--home", tmp_path / "file" / "home")

    assert told.exit_code == 1, told.output
    for words in ("Sandbox: level", "seccomp", "Landlock", "attacks held", "can't be written", "choose another --home"):
        assert words in told.stdout
    assert "Something that a run needs does not work." in told.stdout


def test_without_landlock_the_doctor_says_b_and_0(tmp_path: Path) -> None:
    told = _on_a_host_without("landlock", "doctor", "--json", "--home", tmp_path)

    assert told.returncode == 0, told.stderr + told.stdout
    sandbox = _parts(told.stdout)["sandbox"]
    assert sandbox["level"] == "B"
    assert all(attack["contained"] for attack in sandbox["attacks"])


def test_without_isolation_the_doctor_says_none_and_1(tmp_path: Path) -> None:
    told = _on_a_host_without("seccomp,landlock", "doctor", "--home", tmp_path)

    assert told.returncode == 1, told.stderr
    assert "Sandbox: level none" in told.stdout
    assert "--unsafe-no-sandbox" in told.stdout
    assert "seccomp: use Linux" in told.stdout


def test_without_isolation_a_run_is_refused_with_1_before_anything_is_begun(tmp_path: Path) -> None:
    told = _on_a_host_without("seccomp", "run", "--profile", "tiny", "--home", tmp_path / "home")

    assert told.returncode == 1, told.stdout
    for words in ("no isolation", "envmill doctor", "--unsafe-no-sandbox", "seccomp: use Linux"):
        assert words in told.stderr
    assert "Traceback" not in told.stderr
    assert "Prefect" not in told.stdout
    assert not (tmp_path / "home").exists()


def test_a_run_without_isolation_says_so_in_every_row(prefect_server: Server, tmp_path: Path) -> None:
    order = ("run", "--profile", "tiny", "--no-corpus", "--topic", "dental practice", "--home", tmp_path)

    told = _on_a_host_without("seccomp", *order, "--unsafe-no-sandbox", PREFECT_API_URL=prefect_server.api_url)

    assert told.returncode == 0, told.stderr + told.stdout
    assert "WARNING" in told.stdout
    for table in ("raw.runs", "raw.skeleton_validations", "raw.initial_states", "raw.scenarios", "environments"):
        assert rows(tmp_path, f"select distinct sandbox from {table}") == [{"sandbox": "none"}], table


@pytest.mark.usefixtures("prefect_server", "town")
def test_where_the_machine_isolates_the_option_changes_nothing(envmill: Envmill, tmp_path: Path) -> None:
    order = ("run", "--author", "town", "--profile", "tiny", "--no-corpus", "--topic", SHED, "--home", tmp_path)

    told = envmill(*order, "--unsafe-no-sandbox")

    assert told.exit_code == 0, told.output
    assert "WARNING" not in told.output
    level = local_sandbox().level
    assert level != "none"
    assert rows(tmp_path, "select sandbox from raw.runs") == [{"sandbox": level}]
    assert rows(tmp_path, "select distinct sandbox from raw.scenarios") == [{"sandbox": level}]


@pytest.mark.usefixtures("no_endpoint")
def test_an_endpoint_that_is_not_configured_is_no_fault() -> None:
    report = examine_endpoint()

    assert (report.works, report.state) == (True, "not_configured")


def test_an_endpoint_is_asked_with_the_key_and_the_key_is_never_told(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeEndpoint(key=KEY, models=("other",)) as endpoint:
        _configure(monkeypatch, endpoint.base_url)
        report = examine_endpoint()

    assert (report.works, report.state, report.is_model_listed) == (True, "reachable", False)
    assert "other" in (report.advice or "")
    assert KEY not in str(report)


def test_an_endpoint_without_a_list_of_models_works(monkeypatch: pytest.MonkeyPatch) -> None:
    with FakeEndpoint(models=None) as endpoint:
        _configure(monkeypatch, endpoint.base_url)
        report = examine_endpoint()

    assert (report.works, report.state, report.is_model_listed) == (True, "reachable", None)


def test_a_refused_key_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    with _answering(lambda key: (401, {}, f"Incorrect API key provided: {key}")) as (base_url, _):
        _configure(monkeypatch, base_url)
        report = examine_endpoint()

    assert (report.works, report.state) == (False, "refused")
    assert "ENVMILL_LLM_API_KEY" in (report.advice or "")
    assert KEY not in str(report)


def test_the_key_is_sent_to_the_endpoint_and_not_where_it_points(monkeypatch: pytest.MonkeyPatch) -> None:
    with (
        _answering(lambda _: (200, {}, '{"data": [{"id": "scripted"}]}')) as (elsewhere, asked_elsewhere),
        _answering(lambda _: (302, {"Location": f"{elsewhere}/models"}, "")) as (base_url, asked),
    ):
        _configure(monkeypatch, base_url)
        report = examine_endpoint()

    assert (asked, asked_elsewhere) == ([f"Bearer {KEY}"], [])
    assert report.is_model_listed is None


def test_an_endpoint_that_does_not_answer_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    _configure(monkeypatch, "http://user:word@127.0.0.1:9/v1")

    report = examine_endpoint()

    assert (report.works, report.state, report.base_url) == (False, "unreachable", "http://127.0.0.1:9/v1")
    assert "word" not in str(report)


def test_half_an_endpoint_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    _configure(monkeypatch, "http://127.0.0.1:9/v1")
    monkeypatch.delenv("ENVMILL_LLM_MODEL")

    report = examine_endpoint()

    assert (report.works, report.state) == (False, "wrongly_configured")
    assert KEY not in str(report)


@pytest.mark.usefixtures("prefect_server", "town")
def test_a_release_that_can_not_be_read_is_a_fault(envmill: Envmill, tmp_path: Path) -> None:
    made = envmill("run", "--author", "town", "--profile", "tiny", "--no-corpus", "--topic", SHED, "--home", tmp_path)
    assert made.exit_code == 0, made.output

    report = examine_home(tmp_path)
    assert (report.works, report.release_number) == (True, 1)
    assert report.release_id is not None

    next(Layout(tmp_path).releases.rglob("scenarios.parquet")).write_bytes(b"PAR1")
    report = examine_home(tmp_path)
    assert report.works is False
    assert "can't be read" in report.detail


def test_a_configured_server_that_does_not_answer_is_a_fault(tmp_path: Path) -> None:
    with temporary_settings({PREFECT_API_URL: "http://127.0.0.1:9/api"}):
        report = examine_server(tmp_path)

    assert (report.works, report.state) == (False, "configured")
    assert "PREFECT_API_URL" in (report.advice or "")
