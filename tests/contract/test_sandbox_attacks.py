"""Every attack reaches its goal in an unprotected process, and none does in the sandbox, as root and as anyone else."""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tasks.sandbox.selftest import ATTACKS as SELFTEST
from tasks.sandbox.selftest import run_selftest
from tasks.sandbox.zygote import ZygoteSandbox
from tests.contract.attacks.attack import Goal
from tests.contract.attacks.catalogue import ATTACKS
from tests.contract.attacks.outcome import Outcome, read_outcomes
from tests.contract.attacks.world import NOBODY, SECRET, VARIABLE

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the attacks are made for Linux")

PROJECT = Path(__file__).resolve().parents[2]
LONGEST_S = 300
NAMES = [attack.name for attack in ATTACKS]
BY_NAME = {attack.name: attack for attack in ATTACKS}
REFUSED_ALSO_WITHOUT = ("PermissionError", "Function not implemented", "Operation not permitted", "No such file")
MISTAKES = ("AttributeError", "NameError", "TypeError", "IndexError", "SyntaxError", "UnboundLocalError", "ImportError")


def tried(runner: str, interpreter: str, project: Path, user: int | None = None) -> dict[str, Outcome]:
    """What all attacks get, by a process with a key among its variables that runs them."""
    folder = Path(tempfile.mkdtemp())
    try:
        report = folder / "outcomes.jsonl"
        report.touch()
        if user is not None:
            for path in (folder, report):
                os.chown(path, user, user)
        ended = subprocess.run(
            [interpreter, "-B", "-m", f"tests.contract.attacks.{runner}", str(report)],
            cwd=project,
            env={VARIABLE: SECRET, "PYTHONPATH": str(project), "PATH": os.defpath},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=LONGEST_S,
            user=user,
            group=user,
            extra_groups=None if user is None else [],
        )
        assert ended.returncode == 0, ended.stderr.decode()[-2000:]
        if runner == "sandboxed":
            assert (ended.stdout, ended.stderr) == (b"", b""), "an attack wrote to the output of the host"
        return read_outcomes(report)
    finally:
        shutil.rmtree(folder)


@pytest.fixture(scope="module")
def unprotected() -> dict[str, Outcome]:
    return tried("unprotected", sys.executable, PROJECT)


@pytest.fixture(scope="module")
def sandboxed() -> dict[str, Outcome]:
    return tried("sandboxed", sys.executable, PROJECT)


@pytest.fixture
def readable_project() -> Iterator[Path]:
    """A copy of what the sandbox and the attacks are made of, in a place that every user can read."""
    place = Path(tempfile.mkdtemp())
    try:
        for folder in ("schemas", "tasks/sandbox", "tests/contract"):
            shutil.copytree(PROJECT / folder, place / folder, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(PROJECT / "tasks/__init__.py", place / "tasks")
        for path in (place, *place.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
        yield place
    finally:
        shutil.rmtree(place)


def interpreter_of(user: int) -> str | None:
    """A Python 3.11 or later that this user can start; null when there is none."""
    found = (sys.executable, shutil.which("python3", path="/usr/local/bin:/usr/bin:/bin"))
    for each in filter(None, found):
        asked = [each, "-c", "import ctypes, sys; sys.exit(sys.version_info < (3, 11))"]
        try:
            if subprocess.run(asked, user=user, group=user, extra_groups=[], capture_output=True).returncode == 0:
                return each
        except PermissionError:
            continue
    return None


@pytest.mark.parametrize("name", NAMES)
def test_an_attack_succeeds_in_an_unprotected_process(unprotected: dict[str, Outcome], name: str) -> None:
    outcome = unprotected[name]

    is_refused = any(refusal in outcome.detail for refusal in REFUSED_ALSO_WITHOUT)
    if not outcome.reached and is_refused and BY_NAME[name].host_may_refuse:
        pytest.skip("this host refuses it to everyone")
    assert outcome.reached, outcome.detail


@pytest.mark.parametrize("name", NAMES)
def test_an_attack_fails_in_the_sandbox(sandboxed: dict[str, Outcome], name: str) -> None:
    outcome = sandboxed[name]

    assert not outcome.reached, outcome.detail
    assert not outcome.detail.startswith(MISTAKES), "it did not even get to try"


@pytest.mark.skipif(os.geteuid() != 0, reason="who is not root has tried them as an ordinary user already")
def test_all_attacks_fail_in_the_sandbox_of_an_ordinary_user(readable_project: Path) -> None:
    interpreter = interpreter_of(NOBODY)
    if interpreter is None:
        pytest.skip("no Python that an ordinary user can start")

    outcomes = tried("sandboxed", interpreter, readable_project, NOBODY)

    assert sorted(outcomes) == sorted(NAMES)
    assert [outcome for outcome in outcomes.values() if outcome.reached] == []


def test_the_self_test_finds_all_its_attacks_contained() -> None:
    sandbox = ZygoteSandbox()
    try:
        results = run_selftest(sandbox)
    finally:
        sandbox.close()

    assert [result.name for result in results] == [attack.name for attack in SELFTEST]
    assert [result for result in results if not result.contained] == []


def test_there_is_an_attack_for_every_goal() -> None:
    assert {attack.goal for attack in ATTACKS} == set(Goal)
    assert len(NAMES) == len(set(NAMES))
