"""How sessions end, what the host is told about it, and that it goes on."""

import threading
from collections.abc import Callable

import pytest

from tasks.sandbox.base import Call, Sandbox, SessionDied
from tasks.sandbox.selftest import MEANS
from tests.contract import sandbox_attacks as attacks
from tests.contract.sandbox_samples import SHELF

CHECK = MEANS + "\ndef check(initial_state, final_state, trajectory):\n"
FALSE_CHECK = "def check(initial_state, final_state, trajectory):\n    return False\n"


def death_of(sandbox: Sandbox, code: str, tool: str = "run") -> SessionDied:
    """How a session ends that calls this tool a few times."""
    with sandbox.environment(code, "Attack") as session, pytest.raises(SessionDied) as caught:
        session.init(None)
        for _ in range(3):
            session.step(tool, {})
    with pytest.raises(SessionDied):
        session.step("fine", {})
    return caught.value


# What ends a session


def test_an_endless_loop_dies_of_the_wall_clock(impatient: Sandbox) -> None:
    assert death_of(impatient, attacks.LOOP).reason == "wall"


def test_an_endless_loop_while_loading_dies_of_the_wall_clock(impatient: Sandbox) -> None:
    with pytest.raises(SessionDied) as caught, impatient.environment(attacks.LOOP_ON_LOAD, "Attack"):
        pass

    assert caught.value.reason == "wall"


def test_an_endless_loop_dies_of_the_cpu_limit_and_what_it_used_is_told(implementation: Callable[..., Sandbox]) -> None:
    death = death_of(implementation(wall_s=30, cpu_s=0), attacks.LOOP)

    assert death.reason == "cpu"
    assert death.usage is not None
    assert 0 < death.usage.cpu_s < 5
    assert 1 < death.usage.peak_mib < 500


@pytest.mark.parametrize(
    ("code", "reason", "message"),
    [
        (attacks.EXIT, "exit", "the code ended the process with exit code 3"),
        (attacks.SEGFAULT, "crash", "SIGSEGV"),
        (attacks.FLOOD, "output", "a reply is longer than 1 MiB"),
        (attacks.GARBAGE, "output", "a reply is longer than 1 MiB"),
        (attacks.FORGED_REPLY, "protocol", "repl"),
        (attacks.HANG_UP, "protocol", "the process closed its connection and went on"),
    ],
)
def test_the_reason_of_an_end_is_told(sandbox: Sandbox, code: str, reason: str, message: str) -> None:
    death = death_of(sandbox, code)

    assert death.reason == reason
    assert message in str(death)
    assert death.usage is not None


def test_a_closed_session_answers_no_more(sandbox: Sandbox) -> None:
    with sandbox.environment(SHELF, "Shelf") as session:
        session.init(None)

    with pytest.raises(SessionDied, match="the session was closed") as caught:
        session.snapshot()

    assert caught.value.usage is None


# What does not


def test_a_memory_bomb_is_a_result_and_the_session_goes_on(sandbox: Sandbox) -> None:
    with sandbox.environment(attacks.MEMORY, "Attack") as session:
        session.init(None)
        bomb, fine = session.steps([Call("run", {}), Call("fine", {})])

    assert (bomb.error or "").startswith("MemoryError")
    assert fine.result == {"success": True}


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


# Checks


@pytest.mark.parametrize(
    "body",
    [
        "    os._exit(98)\n",
        "    module('_signal').setitimer(2, 0)\n    while True:\n        pass\n",
        "    module('_signal').signal(27, module('_signal').SIG_IGN)\n    while True:\n        pass\n",
        "    own = sys._getframe()\n"
        "    while 'request_id' not in own.f_locals:\n"
        "        own = own.f_back\n"
        '    reply = \'{"id":"%s","ok":false,"kind":"x","message":"y"}\' % own.f_locals[\'request_id\']\n'
        "    os.write(3, len(reply).to_bytes(4, 'big') + reply.encode())\n"
        "    os._exit(0)\n",
    ],
    ids=["leaves", "stops_its_timer", "ignores_its_timer", "forges_a_refusal"],
)
def test_whatever_a_hostile_check_does_is_its_own_verdict(impatient: Sandbox, body: str) -> None:
    with impatient.checks() as checks:
        hostile, honest = checks.check([CHECK + body, FALSE_CHECK], {}, {}, {})

    assert (hostile.passed, bool(hostile.error)) == (False, True)
    assert (honest.passed, honest.error) == (False, None)


# Side by side


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
