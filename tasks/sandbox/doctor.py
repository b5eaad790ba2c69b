"""What this machine offers to keep generated code in, found out by doing it.

Nothing is tried in the calling process: sessions, the zygote and a process that is thrown away do it.
"""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

from schemas.errors import SandboxUnavailable
from tasks.sandbox.base import CodeRejected, Level, Sandbox, SessionDied
from tasks.sandbox.inside.lockdown import Layers
from tasks.sandbox.selftest import AttackResult, run_selftest

LayerName = Literal[
    "seccomp", "landlock", "no_new_privs", "user", "memory_limit", "cpu_limit", "pidfd", "user_namespaces"
]
LayerState = Literal["works", "missing", "not_used", "unknown"]

_TESTED_PROCESSORS = ("x86_64",)
_NEEDED: tuple[LayerName, ...] = ("seccomp", "no_new_privs", "memory_limit", "cpu_limit")
_TRIAL = Path(__file__).with_name("trial.py")
_TRIAL_S = 10.0
_SLACK_S = 1.5
"""By so much a request may go over its CPU time; see `CpuBudget`."""

_ADVICE: dict[LayerName, str] = {
    "seccomp": "seccomp: use Linux on x86_64 or aarch64 with CONFIG_SECCOMP_FILTER; in a container, take the default "
    "seccomp profile or one that allows prctl and seccomp. On macOS or Windows, run in a Linux container.",
    "landlock": "Landlock: use Linux 5.13 or later with 'landlock' in /sys/kernel/security/lsm (boot option lsm=...); "
    "in a container, a seccomp profile that allows the landlock calls. Where seccomp works, that holds alone.",
    "no_new_privs": "no_new_privs: allow prctl(PR_SET_NO_NEW_PRIVS) in the profile that this process runs under; "
    "seccomp and Landlock need it.",
    "user": "ordinary user: start envmill as an ordinary user, or let root's processes change their user "
    "(capabilities SETUID and SETGID).",
    "memory_limit": "memory limit: the system does not heed RLIMIT_AS; run in a container or cgroup with a limit.",
    "cpu_limit": "CPU limit: the system does not heed RLIMIT_CPU; only the wall-clock limit ends code that hangs.",
    "pidfd": "pidfd: nothing has to be done, the zygote ends processes instead (Linux 5.3 and a profile that allows "
    "pidfd_open would offer it).",
}

_GREEDY = """
class Greedy:
    def hold(self, mib: int) -> dict:
        return {"held": len(bytearray(mib * 1024 * 1024))}

    def spin(self) -> dict:
        while True:
            pass
"""


class Examinable(Sandbox, Protocol):
    """A sandbox that can say what it is made of. It must be allowed to run code where nothing isolates."""

    def layers(self) -> Layers:
        """What took effect, layer by layer."""


@dataclass(frozen=True, slots=True)
class LayerReport:
    """One layer, as it was found."""

    name: LayerName
    state: LayerState
    """not_used: the sandbox does without it, whether it is there or not. unknown: the machine was too busy to tell."""
    detail: str


@dataclass(frozen=True, slots=True)
class SandboxReport:
    """How well generated code is kept in on this machine."""

    level: Level
    kernel: str
    """Name and release of the system, such as "Linux 6.1.0"."""
    processor: str
    is_processor_tested: bool
    user_id: int
    container: str | None
    """What kind of container this is in; null when it is in none that can be told."""
    layers: tuple[LayerReport, ...]
    attacks: tuple[AttackResult, ...]
    """Results of the self-test; empty where the sandbox does not start."""
    advice: tuple[str, ...]
    """What to do, one line per layer that is missing."""
    problem: str | None
    """Why the sandbox does not start at all; null when it does."""

    @property
    def works(self) -> bool:
        """Whether code can be run safely: nothing that is needed is missing, and no attack got through."""
        missing = [layer for layer in self.layers if layer.name in _NEEDED and layer.state == "missing"]
        held = self.problem is None and all(attack.contained for attack in self.attacks)
        return self.level != "none" and not missing and held


def examine(sandbox: Examinable, *, memory_mib: int, cpu_s: int) -> SandboxReport:
    """Try every layer, then the attacks of the self-test. Takes a few seconds, and a process or two per attack.

    Args:
        sandbox: With `allow_unsafe`, so that its limits can be tried on any machine.
        memory_mib: Its limit of memory.
        cpu_s: Its limit of CPU time.
    """
    trial = _tried_aside()
    try:
        layers, level = sandbox.layers(), sandbox.level
    except SandboxUnavailable as error:
        return _report("none", trial, (), str(error))
    problem: str | None = None
    attacks: tuple[AttackResult, ...] = ()
    with ThreadPoolExecutor(max_workers=1) as pool:
        cpu = pool.submit(_cpu_limit, sandbox, cpu_s)
        memory = _memory_limit(sandbox, memory_mib)
        try:
            attacks = run_selftest(sandbox)
        except SandboxUnavailable as error:
            problem = str(error)
    return _report(level, (*_found(layers), memory, cpu.result(), *trial), attacks, problem)


def advice_on(layers: Layers) -> tuple[str, ...]:
    """What to do about the layers that are missing, one line for each."""
    return tuple(_ADVICE[layer.name] for layer in _found(layers) if layer.state == "missing")


def _report(
    level: Level, layers: tuple[LayerReport, ...], attacks: tuple[AttackResult, ...], problem: str | None
) -> SandboxReport:
    system = os.uname()
    is_tested = system.machine in _TESTED_PROCESSORS
    advice = [_ADVICE[layer.name] for layer in layers if layer.state == "missing"]
    if not is_tested:
        advice.append(f"processor: untested on this processor ({system.machine}); trust the self-test alone.")
    escaped = [attack.name for attack in attacks if not attack.contained]
    if escaped and level != "none":
        advice.append(f"self-test: do not run generated code here, and report what got through: {', '.join(escaped)}.")
    return SandboxReport(
        level=level,
        kernel=f"{system.sysname} {system.release}",
        processor=system.machine,
        is_processor_tested=is_tested,
        user_id=os.geteuid(),
        container=_container(),
        layers=layers,
        attacks=attacks,
        advice=tuple(advice),
        problem=problem,
    )


def _found(layers: Layers) -> tuple[LayerReport, ...]:
    """What the zygote found out about itself and a session for trial."""
    user = "root was given up" if os.geteuid() == 0 else f"not root (user {os.geteuid()})"
    return (
        _layer("seccomp", layers.seccomp_refused, "a session's system calls are filtered"),
        _layer("landlock", layers.landlock_refused, f"no file can be opened (ABI {layers.landlock_abi})"),
        _layer("no_new_privs", None if layers.no_new_privs else "refused", "no program can gain privileges"),
        _layer("user", layers.root_kept, user),
    )


def _layer(name: LayerName, refusal: str | None, works: str) -> LayerReport:
    return LayerReport(name, "works" if refusal is None else "missing", works if refusal is None else refusal)


def _memory_limit(sandbox: Sandbox, memory_mib: int) -> LayerReport:
    """Take a quarter of the limit, which must be granted, and twice as much, which must not."""
    try:
        with sandbox.environment(_GREEDY, "Greedy") as session:
            session.init(None)
            little = session.step("hold", {"mib": memory_mib // 4})
            much = session.step("hold", {"mib": memory_mib * 2})
    except (SandboxUnavailable, SessionDied, CodeRejected) as error:
        return LayerReport("memory_limit", "missing", f"it could not be tried: {error}")
    if little.error is not None:
        return LayerReport("memory_limit", "missing", f"{memory_mib // 4} MiB are refused: {little.error}")
    if much.error is None or not much.error.startswith("MemoryError"):
        return LayerReport("memory_limit", "missing", f"{memory_mib * 2} MiB are granted under a limit of {memory_mib}")
    return LayerReport("memory_limit", "works", "more than the limit is refused, and the session goes on")


def _cpu_limit(sandbox: Sandbox, cpu_s: int) -> LayerReport:
    try:
        with sandbox.environment(_GREEDY, "Greedy") as session:
            session.init(None)
            session.step("spin", {})
    except SessionDied as died:
        if died.reason == "cpu":
            return LayerReport("cpu_limit", "works", "a process that uses up its time is ended")
        if died.reason == "wall" and (died.usage is None or died.usage.cpu_s < cpu_s + _SLACK_S):
            return LayerReport("cpu_limit", "unknown", "the machine is too busy to reach the limit; try again")
        return LayerReport("cpu_limit", "missing", f"a loop under a limit of {cpu_s} s: {died}")
    except (SandboxUnavailable, CodeRejected) as error:
        return LayerReport("cpu_limit", "missing", f"it could not be tried: {error}")
    return LayerReport("cpu_limit", "missing", "an endless loop came to an end")


def _tried_aside() -> tuple[LayerReport, ...]:
    """Calls that the sandbox can do without, tried in a process of their own."""
    command = [sys.executable, "-S", "-s", "-P", "-B", str(_TRIAL)]
    try:
        done = subprocess.run(command, env={}, capture_output=True, timeout=_TRIAL_S, check=True)
        found: dict[str, str | None] = json.loads(done.stdout)
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        found = dict.fromkeys(("pidfd", "user_namespaces"), f"it could not be tried: {error}")
    refusal = found["user_namespaces"]
    return (
        _layer("pidfd", found["pidfd"], "a process can't be mistaken for another"),
        LayerReport("user_namespaces", "not_used", "available" if refusal is None else f"refused: {refusal}"),
    )


def _container() -> str | None:
    for path, kind in (("/.dockerenv", "docker"), ("/run/.containerenv", "podman")):
        if Path(path).exists():
            return kind
    try:
        return Path("/run/systemd/container").read_text().strip() or None
    except (OSError, ValueError):
        pass
    try:
        groups = Path("/proc/1/cgroup").read_text()
    except (OSError, ValueError):
        return None
    kinds = {"kubepods": "kubernetes", "docker": "docker", "containerd": "containerd", "lxc": "lxc"}
    return next((kind for mark, kind in kinds.items() if mark in groups), None)
