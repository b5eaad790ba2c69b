import errno
import json
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tasks.sandbox.inside.seccomp import Instruction, program
from tasks.sandbox.inside.syscalls import PROCESSORS

ROOT = Path(__file__).parents[3]
CONFINED = Path(__file__).with_name("confined_process.py")
MACHINES = ("x86_64", "aarch64")
ALLOW, KILL, REFUSE = 0x7FFF0000, 0x80000000, 0x00050000
ARCHS = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
I386, ARM = 0x40000003, 0x40000028
HEADERS = {"x86_64": "x86_64-linux-gnu/asm/unistd_64.h", "aarch64": "asm-generic/unistd.h"}

# Checked by hand against the tables of the kernel: (x86_64, aarch64).
ALWAYS_ALLOWED = {
    "close": (3, 57),
    "munmap": (11, 215),
    "brk": (12, 214),
    "rt_sigreturn": (15, 139),
    "mremap": (25, 216),
    "exit": (60, 93),
    "getrlimit": (97, 163),
    "getrusage": (98, 165),
    "restart_syscall": (219, 128),
    "clock_gettime": (228, 113),
    "exit_group": (231, 94),
}
DEPENDS_ON_ARGUMENTS = {
    "read": (0, 63),
    "write": (1, 64),
    "mmap": (9, 222),
    "mprotect": (10, 226),
    "rt_sigaction": (13, 134),
    "madvise": (28, 233),
    "setitimer": (38, 103),
    "sendto": (44, 206),
    "recvfrom": (45, 207),
    "fcntl": (72, 25),
    "setrlimit": (160, 164),
    "futex": (202, 98),
    "prlimit64": (302, 261),
}
DENIED = {
    "openat": (257, 56),
    "newfstatat": (262, 79),
    "readlinkat": (267, 78),
    "faccessat": (269, 48),
    "statx": (332, 291),
    "openat2": (437, 437),
    "faccessat2": (439, 439),
    "open": (2, None),
    "stat": (4, None),
    "lstat": (6, None),
    "access": (21, None),
    "creat": (85, None),
    "readlink": (89, None),
}
FORBIDDEN = {
    "ioctl": (16, 29),
    "dup": (32, 23),
    "nanosleep": (35, 101),
    "socket": (41, 198),
    "sendmsg": (46, 211),
    "recvmsg": (47, 212),
    "clone": (56, 220),
    "execve": (59, 221),
    "kill": (62, 129),
    "ptrace": (101, 117),
    "rt_sigqueueinfo": (129, 138),
    "prctl": (157, 167),
    "tkill": (200, 130),
    "rt_sigprocmask": (14, 135),
    "tgkill": (234, 131),
    "keyctl": (250, 219),
    "unshare": (272, 97),
    "process_vm_readv": (310, 270),
    "seccomp": (317, 277),
    "getrandom": (318, 278),
    "memfd_create": (319, 279),
    "bpf": (321, 280),
    "userfaultfd": (323, 282),
    "pkey_mprotect": (329, 288),
    "io_uring_setup": (425, 425),
    "dup2": (33, None),
    "fork": (57, None),
    "poll": (7, None),
}
CLONE3 = 435


def decide(lines: Sequence[Instruction], machine_arch: int, number: int, *arguments: int) -> int:
    """Run the filter as the kernel would and return its action."""
    padded = [*arguments, 0, 0, 0, 0, 0, 0][:6]
    data = b"".join(value.to_bytes(4, "little") for value in (number, machine_arch)) + bytes(8)
    data += b"".join(value.to_bytes(8, "little") for value in padded)
    at, loaded = 0, 0
    while True:
        line = lines[at]
        at += 1
        match line.code:
            case 0x20:
                assert line.operand % 4 == 0 and line.operand < len(data)
                loaded = int.from_bytes(data[line.operand : line.operand + 4], "little")
            case 0x54:
                loaded &= line.operand
            case 0x15:
                at += line.if_true if loaded == line.operand else line.if_false
            case 0x35:
                at += line.if_true if loaded >= line.operand else line.if_false
            case code:
                assert code == 0x06
                return line.operand


def answer(machine: str, number: int, *arguments: int) -> int:
    return decide(program(machine), ARCHS[machine], number, *arguments)


@pytest.mark.parametrize("machine", MACHINES)
def test_calls_are_answered_by_their_kind(machine: str) -> None:
    column = MACHINES.index(machine)

    def answers(calls: Mapping[str, tuple[int, int | None]]) -> set[int]:
        numbers = [pair[column] for pair in calls.values()]
        return {answer(machine, number) for number in numbers if number is not None}

    assert answers(ALWAYS_ALLOWED) == {ALLOW}
    assert answers(DENIED) == {REFUSE | errno.EACCES}
    assert answers(FORBIDDEN) == {REFUSE | errno.EPERM}
    assert answer(machine, CLONE3) == REFUSE | errno.ENOSYS


@pytest.mark.parametrize("machine", MACHINES)
def test_no_other_call_is_allowed_whatever_its_arguments(machine: str) -> None:
    column = MACHINES.index(machine)
    lines = program(machine)
    arguments = [[0] * 6, [1] * 6, [3] * 6, [9] * 6, [27] * 6, [0, 0, 3, 0x22], [0, 2, 4, 0, 0, 0], [2] * 6]

    found = {n for n in range(700) for values in arguments if decide(lines, ARCHS[machine], n, *values) == ALLOW}

    assert found == {pair[column] for pair in (ALWAYS_ALLOWED | DEPENDS_ON_ARGUMENTS).values()}


@pytest.mark.parametrize("machine", MACHINES)
def test_numbers_are_those_of_the_kernels_headers(machine: str) -> None:
    header = Path("/usr/include") / HEADERS[machine]
    if not header.exists():
        pytest.skip("the kernel's headers are not installed")
    defined = re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)\n", header.read_text())
    known = {name: int(number) for name, number in defined}
    known["newfstatat"] = known.get("newfstatat", known.get("fstatat", -1))

    assert {name: known.get(name) for name in PROCESSORS[machine].numbers} == dict(PROCESSORS[machine].numbers)


def test_calls_of_another_convention_kill_the_process() -> None:
    read = DEPENDS_ON_ARGUMENTS["read"]
    x86_64, aarch64 = program("x86_64"), program("aarch64")

    assert {decide(x86_64, arch, read[0]) for arch in (I386, ARM, ARCHS["aarch64"], 0)} == {KILL}
    assert {decide(aarch64, arch, read[1]) for arch in (I386, ARM, ARCHS["x86_64"], 0)} == {KILL}
    assert {answer("x86_64", number) for number in (0x40000000, 0x40000000 + 13, 0x400001FF, 0xFFFFFFFF)} == {KILL}
    assert answer("aarch64", 0x40000000) == REFUSE | errno.EPERM


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(
    ("name", "allowed", "refused"),
    [
        ("read", [(0,), (3,), (3 | 7 << 32,)], [(4,), (5,), (0xFFFFFFFF,)]),
        ("write", [(1,), (2,), (3,)], [(4,), (200,)]),
        ("recvfrom", [(3,)], [(4,)]),
        ("sendto", [(3, 1, 1, 0, 0, 0)], [(4,), (3, 1, 1, 0, 1), (3, 1, 1, 0, 1 << 32)]),
        ("fcntl", [(3, 1), (3, 3)], [(3, 0), (3, 2), (3, 4), (3, 8), (3, 10), (3, 1030)]),
        (
            "mmap",
            [(0, 9, 3, 0x22), (0, 9, 0, 0x4022), (0, 9, 1, 0x21)],
            [(0, 9, 7, 0x22), (0, 9, 4, 0x22), (0, 9, 1, 2)],
        ),
        ("mprotect", [(0, 9, 3), (0, 9, 0)], [(0, 9, 4), (0, 9, 5), (0, 9, 7)]),
        ("madvise", [(0, 9, 4), (0, 9, 8)], [(0, 9, 12), (0, 9, 100)]),
        ("rt_sigaction", [(27,)], [(24,), (11,), (2,)]),
        ("setitimer", [(2,)], [(0,), (1,)]),
        ("futex", [(9, 0), (9, 129), (9, 393)], [(9, 6), (9, 140), (9, 3), (9, 512)]),
        ("setrlimit", [(0, 9)], [(9, 9), (7, 9)]),
        (
            "prlimit64",
            [(0, 0, 9), (0, 9, 0), (0, 7, 0, 9)],
            [(1, 0, 9), (1, 0, 0), (0, 9, 9), (0, 7, 1 << 32), (0xFFFFFFFF, 0, 0)],
        ),
    ],
)
def test_arguments_decide(
    machine: str, name: str, allowed: list[tuple[int, ...]], refused: list[tuple[int, ...]]
) -> None:
    number = DEPENDS_ON_ARGUMENTS[name][MACHINES.index(machine)]

    assert {answer(machine, number, *values) for values in allowed} == {ALLOW}
    assert {answer(machine, number, *values) for values in refused} == {REFUSE | errno.EPERM}


def test_an_unknown_processor_has_no_filter() -> None:
    with pytest.raises(OSError, match="riscv64"):
        program("riscv64")


linux_only = pytest.mark.skipif(sys.platform != "linux", reason="the layers are Linux's")


def run_confined(mode: str) -> dict[str, Any]:
    command = [sys.executable, "-S", "-s", "-P", "-B", str(CONFINED), str(ROOT), mode]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={}) as process:
        assert process.stdout is not None and process.stdin is not None
        give_in = threading.Timer(20, process.stdin.close)
        give_in.start()
        text = process.stdout.read()  # ends when no process is left that could write
        give_in.cancel()
    assert process.returncode == 0
    found: dict[str, Any] = json.loads(text)
    return found


@linux_only
@pytest.mark.parametrize("mode", ["whole", "whole_as_nobody", "filter_alone"])
def test_confined_code_can_compute_and_do_nothing_else(mode: str) -> None:
    found = run_confined(mode)

    assert found["filtered"] and not found["root"]
    refusals = found["refusals"]
    assert {refusals.pop(name) for name in ("open", "create", "stat", "list", "readlink")} == {errno.EACCES}
    assert refusals.pop("clone3") == errno.ENOSYS
    assert refusals.pop("thread") == "RuntimeError"
    assert refusals == dict.fromkeys(refusals, errno.EPERM)
    assert found["ordinary"] == {
        "json": '{"a": [1, 2.5, null, "\\u00fc"]}',
        "strptime": "Thursday",
        "decimal": "0.125",
        "re": "June <19>",
        "dataclass": "Point(x=1)",
        "sha256": "e3b0c442",
        "uuid5": "4f3f2898",
        "random": 140891,
        "large": 200 << 20,
        "too_large": "MemoryError",
        "many": True,
        "recursion": "RecursionError",
        "timer": "rang",
        "cpu_limit": True,
        "files_limit": 16,
    }


@linux_only
def test_what_took_effect_is_reported() -> None:
    layers = run_confined("whole")["layers"]

    assert (layers["root_kept"], layers["no_new_privs"], layers["seccomp_refused"]) == (None, True, None)
    assert (layers["landlock_abi"] is None) == (layers["landlock_refused"] is not None)


@linux_only
def test_landlock_alone_refuses_files_and_keeps_what_is_open() -> None:
    found = run_confined("landlock_alone")
    if found["version"] is None:
        pytest.skip("this kernel refuses Landlock")

    assert (found["open"], found["list"], found["create"]) == (errno.EACCES,) * 3
    assert found["bind"] == (errno.EACCES if found["version"] >= 4 else None)
    assert found["kept"] == "00"


@linux_only
def test_a_session_that_needs_the_filter_does_not_start_without_it() -> None:
    found = run_confined("no_privileges_given_up")
    if found["no_new_privs"]:
        pytest.skip("this process was started without the right to gain privileges")

    assert (found["needed"], found["not_needed"]) == (errno.EACCES, False)


@linux_only
def test_used_up_cpu_time_ends_the_process_and_can_not_be_ignored() -> None:
    assert run_confined("spinning") == {"end": -signal.SIGXCPU}


@linux_only
def test_a_session_ends_with_the_process_that_forked_it() -> None:
    assert run_confined("orphaned") == {"child": "."}
