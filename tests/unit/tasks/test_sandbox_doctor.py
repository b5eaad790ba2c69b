"""What the doctor finds here, and on machines with less, which are imitated by having the kernel refuse calls."""

import functools
import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tasks.sandbox.doctor import advice_on
from tasks.sandbox.inside.lockdown import Layers
from tests.fakes.lesser_host import command

PROJECT = Path(__file__).resolve().parents[3]

EXAMINE = """
import dataclasses, json
from tasks.sandbox.doctor import examine
from tasks.sandbox.zygote import ZygoteSandbox

report = examine(ZygoteSandbox(wall_s=WALL, cpu_s=1, memory_mib=256, allow_unsafe=True), memory_mib=256, cpu_s=1)
print(json.dumps({"works": report.works, **dataclasses.asdict(report)}))
"""

USE = """
import json
from tasks.sandbox.base import SessionDied
from tasks.sandbox.zygote import ZygoteSandbox

CODE = '''
import random


class Desk:
    def __init__(self, config=None):
        self.n = 0

    def add(self) -> dict:
        self.n += 1
        return {"n": self.n}

    def hang(self) -> dict:
        while True:
            pass

    def leave(self) -> dict:
        random._os._exit(3)
'''
sandbox = ZygoteSandbox(wall_s=0.5, cpu_s=5)
told = {"level": sandbox.level, "ends": [], "counts": []}
for _ in range(2):
    with sandbox.environment(CODE, "Desk") as desk:
        desk.init(None)
        told["counts"].append(desk.step("add", {}).result["n"])
        try:
            desk.step("hang", {})
        except SessionDied as died:
            told["ends"].append(died.reason)
for _ in range(20):
    with sandbox.environment(CODE, "Desk") as desk:
        desk.init(None)
        try:
            desk.step("leave", {})
        except SessionDied as died:
            told["ends"].append(died.reason)
with sandbox.checks() as checks:
    verdict = checks.check(["def check(i, f, t):\\n    return f['n'] == 1"], {"n": 0}, {"n": 1}, {})[0]
    told["passed"] = verdict.passed
sandbox.close()
print(json.dumps(told))
"""


def _on_a_host_without(refused: str, program: str) -> dict[str, Any]:
    done = subprocess.run(
        command(refused, "-c", program), cwd=PROJECT, capture_output=True, text=True, check=True, timeout=120
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@functools.cache
def _examined(refused: str) -> dict[str, Any]:
    # Only where the CPU limit is not heeded does the other limit of time end the loop.
    return _on_a_host_without(refused, EXAMINE.replace("WALL", "8" if refused == "limits" else "60"))


def _states(report: dict[str, Any]) -> dict[str, str]:
    return {layer["name"]: layer["state"] for layer in report["layers"]}


def _assert_all_held(report: dict[str, Any]) -> None:
    assert len(report["attacks"]) >= 12
    assert [attack for attack in report["attacks"] if not attack["contained"]] == []
    assert report["works"] is True


def test_this_machine_is_examined_layer_by_layer() -> None:
    report = _examined("")

    assert report["level"] in ("A", "B")
    states = _states(report)
    needed = ("seccomp", "no_new_privs", "user", "memory_limit", "cpu_limit")
    assert {name: states[name] for name in needed} == dict.fromkeys(needed, "works")
    assert states["user_namespaces"] == "not_used"
    assert report["problem"] is None
    _assert_all_held(report)


def test_without_landlock_the_level_is_b_and_every_attack_is_held() -> None:
    report = _examined("landlock")

    assert (report["level"], _states(report)["landlock"]) == ("B", "missing")
    assert [line for line in report["advice"] if line.startswith("Landlock:")] != []
    _assert_all_held(report)


@pytest.mark.parametrize("refused", ["seccomp", "landlock,seccomp", "no_new_privs"])
def test_without_a_filter_the_level_is_none_and_attacks_get_through(refused: str) -> None:
    report = _examined(refused)

    assert (report["level"], report["works"]) == ("none", False)
    assert "execute_own_code" in [attack["name"] for attack in report["attacks"] if not attack["contained"]]
    assert _states(report)["seccomp"] == "missing"
    assert [line for line in report["advice"] if line.startswith("seccomp:")] != []


def test_without_pidfd_and_namespaces_nothing_that_is_needed_is_missing() -> None:
    report = _examined("pidfd,namespaces")

    states = _states(report)
    assert (states["pidfd"], states["user_namespaces"]) == ("missing", "not_used")
    detail = next(layer["detail"] for layer in report["layers"] if layer["name"] == "user_namespaces")
    assert detail.startswith("refused")
    assert report["level"] == _examined("")["level"]
    _assert_all_held(report)


def test_a_processor_without_a_filter_is_called_untested_and_the_level_is_none() -> None:
    report = _examined("processor")

    assert (report["processor"], report["is_processor_tested"], report["level"]) == ("i686", False, "none")
    assert [line for line in report["advice"] if "untested on this processor (i686)" in line] != []


def test_limits_that_the_system_ignores_are_noticed_by_going_over_them() -> None:
    report = _examined("limits")

    states = _states(report)
    assert states["memory_limit"] == "missing"
    assert states["cpu_limit"] in ("missing", "unknown")
    assert report["works"] is False


@pytest.mark.parametrize(("refused", "levels"), [("", ("A", "B")), ("landlock", ("B",)), ("pidfd", ("A", "B"))])
def test_sessions_run_hung_ones_are_killed_and_every_end_is_told(refused: str, levels: tuple[str, ...]) -> None:
    told = _on_a_host_without(refused, USE)

    assert told["level"] in levels
    assert (told["counts"], told["passed"]) == ([1, 1], True)
    assert told["ends"] == ["wall"] * 2 + ["exit"] * 20


def test_there_is_one_line_of_advice_per_missing_layer() -> None:
    nothing = Layers(root_kept="x", no_new_privs=False, landlock_abi=None, landlock_refused="x", seccomp_refused="x")
    everything = Layers(root_kept=None, no_new_privs=True, landlock_abi=7, landlock_refused=None, seccomp_refused=None)

    assert [line.partition(":")[0] for line in advice_on(nothing)] == [
        "seccomp", "Landlock", "no_new_privs", "ordinary user"
    ]  # fmt: skip
    assert all("\n" not in line for line in advice_on(nothing))
    assert advice_on(everything) == ()
