"""Runs all attacks without a sandbox and writes what each got: `python -m ... FILE`. Proves that they are real.

Each attack gets a process of its own, forked from this one: it has the same variables, memory and open files, as code
that a host runs by `exec` has. Its parent is a process of its own too, for the attacks that kill their parent.
"""

import atexit
import ctypes
import json
import os
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from tasks.sandbox.selftest import HONEST_ANSWER
from tests.contract.attacks import naive
from tests.contract.attacks.attack import Attack, Goal
from tests.contract.attacks.catalogue import ATTACKS
from tests.contract.attacks.outcome import MIB, Outcome, why_not_plain, write_outcomes
from tests.contract.attacks.world import SECRET, World

_LONGEST_S = 20.0
_HANGS_S = 1.0
_POLL_S = 0.002
_CONNECTION = 3
_PR_SET_PDEATHSIG = 1
_REPORTS = 900
"""A file number that no attack closes or writes to; those that change the root can't open a file any more."""
_TOGETHER = (Goal.OUTLIVES, Goal.ANSWERS)


@dataclass
class Trial:
    """One attack under way."""

    attack: Attack
    reports: Path
    output: Path
    parent: int
    ended: bool = False

    def report(self) -> list[Any]:
        """What the process has reported so far."""
        return [json.loads(line) for line in self.reports.read_text().splitlines() if line.endswith("]")]

    def is_over(self) -> bool:
        """Whether its parent has ended or stopped."""
        self.ended = self.ended or os.waitpid(self.parent, os.WNOHANG | os.WUNTRACED) != (0, 0)
        return self.ended


def main() -> None:
    """Try them all."""
    expected = naive.honest_session()
    with closing(World()) as world, tempfile.TemporaryDirectory() as folder:
        alone = [attack for attack in ATTACKS if attack.goal not in _TOGETHER]
        together = [attack for attack in ATTACKS if attack.goal in _TOGETHER]
        outcomes = [_tried(attack, world, expected, Path(folder)) for attack in alone]
        outcomes += _tried_together(together, world, expected, Path(folder))
    write_outcomes(Path(sys.argv[1]), outcomes)


def _tried(attack: Attack, world: World, expected: str, folder: Path) -> Outcome:
    trial = _begin(attack, world, expected, folder)
    _wait(lambda: trial.is_over(), _LONGEST_S)
    _end(trial)
    damage = world.damage()
    if damage or attack.takes:
        world.repair()
    return _judged(trial, damage)


def _tried_together(attacks: list[Attack], world: World, expected: str, folder: Path) -> list[Outcome]:
    """For those that may hang: each must still be there, or have failed its host, when it has had its time."""
    trials: list[Trial] = []
    try:
        for attack in attacks:
            trials.append(_begin(attack, world, expected, folder))
        _wait(lambda: all(trial.report() for trial in trials), _LONGEST_S)
        _wait(lambda: [trial for trial in trials if not trial.is_over()] == [], _HANGS_S)
    finally:
        for trial in trials:
            _end(trial)
    return [_judged(trial, []) for trial in trials]


def _wait(is_over: Callable[[], bool], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not is_over() and time.monotonic() < deadline:
        time.sleep(_POLL_S)


def _begin(attack: Attack, world: World, expected: str, folder: Path) -> Trial:
    reports, output = folder / f"{attack.name}.reports", folder / f"{attack.name}.output"
    reports.touch()
    output.touch()
    parent = os.fork()
    if parent == 0:
        _be_parent(attack, {name: world.lures[name] for name in attack.takes}, expected, reports, output)
    return Trial(attack, reports, output, parent)


def _end(trial: Trial) -> None:
    """Kill all that the attack has started."""
    for pid in (-trial.parent, trial.parent):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    with suppress(ChildProcessError):
        os.waitpid(trial.parent, 0)


def _be_parent(attack: Attack, arguments: dict[str, Any], expected: str, reports: Path, output: Path) -> NoReturn:
    try:
        os.setsid()
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        opened = os.open(reports, os.O_WRONLY | os.O_APPEND)
        os.dup2(opened, _REPORTS, inheritable=False)
        os.close(opened)
        stream = os.open(output, os.O_WRONLY | os.O_APPEND)
        null = os.open(os.devnull, os.O_RDONLY)
        for source, number in ((null, 0), (stream, 1), (stream, 2)):
            os.dup2(source, number)
        ours, theirs = (end.detach() for end in socket.socketpair())
        child = os.fork()
        if child == 0:
            os.close(ours)
            _be_attacked(attack, arguments, expected, theirs)
        os.close(theirs)
        if attack.goal is Goal.ANSWERS:
            _report("started")
            answers = [naive.ask(ours, "run"), naive.ask(ours, "honest")]
            is_fine = answers[1] == HONEST_ANSWER and not any(map(why_not_plain, answers))
            _report("survived" if is_fine else "wrong answers")
        _report("status", os.waitpid(child, 0)[1])
    finally:
        os._exit(0)


def _be_attacked(attack: Attack, arguments: dict[str, Any], expected: str, connection: int) -> NoReturn:
    try:
        atexit._clear()  # what the parent asked for is not the attack's
        if attack.goal in _TOGETHER:
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)  # nothing may loop on
        if attack.goal is not Goal.ANSWERS:
            _report("started")
        _run(attack, arguments, expected, connection)
    except BaseException as error:  # noqa: BLE001 - whatever an attack raises is its outcome
        _report("raised", ascii(error)[:300])
    finally:
        os._exit(0)


def _run(attack: Attack, arguments: dict[str, Any], expected: str, connection: int) -> None:
    if attack.goal in (Goal.PASSES_BESIDE, Goal.PASSES_LATER):
        _report("passes", naive.false_check_passes_after(attack.code))
        return
    if attack.goal is Goal.ANSWERS or attack.name == "pass_a_file":
        os.dup2(connection, _CONNECTION)
    if attack.goal is Goal.ANSWERS:
        naive.serve(_CONNECTION, attack.code, arguments)
        return
    host = naive.NaiveHost(attack.code)
    match attack.goal:
        case Goal.SAYS | Goal.REMEMBERS:
            answers = [host.call(arguments) for _ in range(1 if attack.goal is Goal.SAYS else 2)]
            _report("answer", answers[-1])
        case Goal.DAMAGES:
            host.copy_by_pickle(arguments)
            atexit._run_exitfuncs()
        case Goal.BREAKS | Goal.OUTLIVES:
            host.text(arguments)
            host.instance = None
            _report("survived")
        case Goal.NOT_PLAIN:
            answer = host.call(arguments)
            _report("flaw", why_not_plain(answer) or why_not_plain(dict(vars(host.instance))))
        case Goal.FLOODS:
            text = host.text(arguments)
            sys.__stdout__.flush() if sys.__stdout__ is not None else None
            _report("length", len(text))
        case Goal.SPOILS:
            host.call(arguments)
            _report("same", naive.honest_session() == expected)


def _report(*words: Any) -> None:
    os.write(_REPORTS, (json.dumps(words) + "\n").encode())


def _judged(trial: Trial, damage: list[str]) -> Outcome:
    """Whether the attack reached its goal, and how one can tell."""
    attack, report = trial.attack, trial.report()
    told = {words[0]: words[-1] for words in report}
    detail = f"reported {report}, damage {damage}, {'ended' if trial.ended else 'had to be killed'}"
    match attack.goal:
        case Goal.SAYS | Goal.REMEMBERS:
            answer = told.get("answer")
            reached = isinstance(answer, dict) and answer["success"] is True
            reached = reached and (not attack.steals or SECRET in json.dumps(answer))
        case Goal.DAMAGES:
            reached = bool(damage)
        case Goal.BREAKS:
            reached = "survived" not in told
        case Goal.ANSWERS:
            reached = "started" in told and "survived" not in told
        case Goal.NOT_PLAIN:
            reached = told.get("flaw") is not None
        case Goal.FLOODS:
            reached = max(trial.output.stat().st_size, told.get("length", 0)) > MIB
        case Goal.SPOILS:
            reached = told.get("same") is not True
        case Goal.PASSES_BESIDE | Goal.PASSES_LATER:
            reached = told.get("passes") is True
        case Goal.OUTLIVES:
            reached = not trial.ended
    return Outcome(attack.name, reached, detail[:300])


if __name__ == "__main__":
    main()
