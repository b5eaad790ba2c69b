"""What every sandbox must survive, and what must stay out of reach of the code in it."""

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tasks.sandbox.base import Call, CodeRejected, Sandbox, SessionDied
from tests.contract import sandbox_attacks as attacks
from tests.contract.sandbox_samples import SHELF


def death_of(sandbox: Sandbox, code: str, tool: str = "run") -> SessionDied:
    """How a session ends that calls this tool a few times."""
    with sandbox.environment(code, "Attack") as session, pytest.raises(SessionDied) as caught:
        session.init(None)
        for _ in range(3):
            session.step(tool, {})
    with pytest.raises(SessionDied):
        session.step("fine", {})
    return caught.value


def ask(sandbox: Sandbox, tool: str, **arguments: Any) -> Any:
    """What a probe inside the sandbox reports."""
    with sandbox.environment(attacks.PROBE, "Attack") as session:
        session.init(None)
        result = session.step(tool, arguments)
    assert result.error is None, result.error
    return result.result


def children() -> list[str]:
    """Processes whose parent is this one, zombies included."""
    task = Path("/proc/self/task")
    return [pid for each in task.iterdir() for pid in (each / "children").read_text().split()]


# Misbehaviour


def test_an_endless_loop_dies_of_the_wall_clock(impatient: Sandbox) -> None:
    assert death_of(impatient, attacks.LOOP).reason == "wall"


def test_an_endless_loop_while_loading_dies_of_the_wall_clock(impatient: Sandbox) -> None:
    with pytest.raises(SessionDied) as caught, impatient.environment(attacks.LOOP_ON_LOAD, "Attack"):
        pass

    assert caught.value.reason == "wall"


def test_an_endless_loop_dies_of_the_cpu_limit(implementation: Callable[..., Sandbox]) -> None:
    assert death_of(implementation(wall_s=30, cpu_s=0), attacks.LOOP).reason == "cpu"


def test_a_memory_bomb_is_a_result_and_the_session_goes_on(sandbox: Sandbox) -> None:
    with sandbox.environment(attacks.MEMORY, "Attack") as session:
        session.init(None)
        bomb, fine = session.steps([Call("run", {}), Call("fine", {})])

    assert (bomb.error or "").startswith("MemoryError")
    assert fine.result == {"success": True}


def test_a_closed_session_answers_no_more(sandbox: Sandbox) -> None:
    with sandbox.environment(SHELF, "Shelf") as session:
        session.init(None)

    with pytest.raises(SessionDied, match="the session was closed"):
        session.snapshot()


def test_dripping_bytes_gains_no_time(impatient: Sandbox) -> None:
    assert death_of(impatient, attacks.DRIP).reason == "wall"


def test_endless_recursion_is_a_result_and_the_session_goes_on(sandbox: Sandbox) -> None:
    with sandbox.environment(attacks.RECURSION, "Attack") as session:
        session.init(None)
        deep, fine = session.steps([Call("run", {}), Call("fine", {})])

    assert (deep.error or "").startswith("RecursionError")
    assert fine.result == {"success": True}


def test_system_exit_and_hostile_exceptions_are_results(sandbox: Sandbox) -> None:
    with sandbox.environment(attacks.SYSTEM_EXIT, "Attack") as session:
        session.init(None)
        left, evil, fine = session.steps([Call("run", {}), Call("evil_text", {}), Call("fine", {})])

    assert left.error == "SystemExit: 3 (line 4)"
    assert (evil.error or "").startswith("Evil: no text")
    assert fine.result == {"success": True}


def test_leaving_the_process_is_reported(sandbox: Sandbox) -> None:
    death = death_of(sandbox, attacks.EXIT)

    assert (death.reason, str(death)) == ("exit", "the code ended the process with exit code 3")


def test_a_crash_is_reported(sandbox: Sandbox) -> None:
    death = death_of(sandbox, attacks.SEGFAULT)

    assert death.reason == "crash"
    assert "SIGSEGV" in str(death)


def test_a_result_over_the_limit_ends_the_session(sandbox: Sandbox) -> None:
    assert death_of(sandbox, attacks.FLOOD).reason == "output"


def test_what_the_code_prints_goes_nowhere(sandbox: Sandbox, capfd: pytest.CaptureFixture[str]) -> None:
    with sandbox.environment(attacks.FLOOD, "Attack") as session:
        session.init(None)
        assert session.step("chatter", {}).result == {"success": True}

    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("code", [attacks.FORGED_REPLY, attacks.DOUBLE_REPLY, attacks.HANG_UP])
def test_a_forged_reply_ends_the_session(sandbox: Sandbox, code: str) -> None:
    assert death_of(sandbox, code).reason == "protocol"


def test_garbage_on_the_connection_ends_the_session(sandbox: Sandbox) -> None:
    assert death_of(sandbox, attacks.GARBAGE).reason == "output"


# Isolation


def test_no_secret_of_the_host_is_visible(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")

    seen = ask(sandbox, "environment")

    assert "OPENAI_API_KEY" not in seen["variables"]
    assert "sk-very-secret" not in str(seen)
    assert set(seen["variables"]) <= {"PYTHONHASHSEED", "LC_ALL", "LC_CTYPE"}


def test_no_open_file_is_inherited(sandbox: Sandbox, tmp_path: Path) -> None:
    with (tmp_path / "secret.txt").open("w") as file:
        os.set_inheritable(file.fileno(), True)

        assert ask(sandbox, "open_files") == {"count": 1}
        assert ask(sandbox, "standard_files") == {"are_null": [True, True, True]}


def test_nothing_can_be_written_and_no_process_started(sandbox: Sandbox, tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    target = tmp_path / "written.txt"

    assert ask(sandbox, "write", path=str(target))["error"] in ("OSError", "PermissionError", "FileNotFoundError")
    assert not target.exists() or target.stat().st_size == 0
    assert ask(sandbox, "fork")["error"] in ("BlockingIOError", "PermissionError", "OSError")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has anything to drop")
def test_root_is_dropped(sandbox: Sandbox, tmp_path: Path) -> None:
    private = tmp_path / "private.txt"
    private.write_text("secret")
    private.chmod(0o600)

    assert ask(sandbox, "user") == {"uid": 65534, "effective": 65534, "groups": []}
    assert "error" in ask(sandbox, "read", path=str(private))


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="needs /proc")
def test_no_process_and_no_file_is_left_behind(sandbox: Sandbox) -> None:
    processes, files = children(), len(os.listdir("/proc/self/fd"))  # noqa: PTH208 - a count of numbers

    for code in (attacks.EXIT, attacks.FLOOD, attacks.HANG_UP):
        death_of(sandbox, code)
    with pytest.raises(CodeRejected), sandbox.environment("x =", "Attack"):
        pass
    with sandbox.checks() as session:
        session.evaluate(["True"], {})

    assert children() == processes
    assert len(os.listdir("/proc/self/fd")) == files  # noqa: PTH208


def test_sessions_run_side_by_side_in_threads(sandbox: Sandbox) -> None:
    counts: list[int] = []

    def work(books: int) -> None:
        with sandbox.environment(SHELF, "Shelf") as session:
            session.init(None)
            session.steps([Call("add_book", {"title": "New"})] * books)
            counts.append(session.snapshot()["count"])

    threads = [threading.Thread(target=work, args=(number,)) for number in range(1, 7)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(counts) == [1, 2, 3, 4, 5, 6]
