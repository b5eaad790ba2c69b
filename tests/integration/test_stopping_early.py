"""A command that is stopped before its work has begun ends with a sentence, and leaves no server behind."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from flows.interruption import GOODBYE, INTERRUPTED, STOPPED, ended_by_either_signal, uninterrupted
from schemas.settings import prefect_home

LONGEST_START_S = 180.0


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize(
    ("number", "command"), [(signal.SIGTERM, ("run", "--profile", "tiny")), (signal.SIGINT, ("deploy",))]
)
def test_a_signal_while_the_server_starts_stops_the_server_too(
    tmp_path: Path, number: signal.Signals, command: tuple[str, ...]
) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
    process = subprocess.Popen(
        [sys.executable, "-m", "flows", *command, "--home", str(tmp_path)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    record = prefect_home(tmp_path).server_record
    deadline = time.monotonic() + LONGEST_START_S
    while not record.exists() and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    server = json.loads(record.read_text())["pid"]
    assert _is_alive(server)

    process.send_signal(number)
    said, _ = process.communicate(timeout=LONGEST_START_S)

    assert process.returncode == INTERRUPTED, said
    assert "Traceback" not in said
    assert not _is_alive(server)
    assert not record.exists()


STOPPED_AT_AN_IMPORT = """
import signal, sys

class Stop:
    def find_spec(self, name, *_rest):
        if name == {module!r}:
            signal.raise_signal({number})

sys.meta_path.insert(0, Stop())
from flows.cli import main

main()
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize(("module", "sentence"), [("typer", STOPPED), ("flows.composition", GOODBYE)])
def test_a_signal_while_modules_are_imported_ends_with_130_and_a_sentence(
    tmp_path: Path, number: signal.Signals, module: str, sentence: str
) -> None:
    code = STOPPED_AT_AN_IMPORT.format(module=module, number=int(number))

    stopped = subprocess.run(
        [sys.executable, "-c", code, "run", "--home", tmp_path / "home"], capture_output=True, text=True
    )

    assert (stopped.returncode, stopped.stdout, stopped.stderr) == (INTERRUPTED, "", f"{sentence}\n")
    assert not (tmp_path / "home").exists()


def test_a_signal_in_the_middle_of_a_step_is_heard_at_its_end() -> None:
    done = []
    with pytest.raises(KeyboardInterrupt), ended_by_either_signal(), uninterrupted():
        signal.raise_signal(signal.SIGTERM)
        done.append("the step")

    assert done == ["the step"]
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
