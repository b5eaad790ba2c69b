"""Program of a throw-away process that hardens itself and tells what it still can do: `confined_process.py ROOT MODE`.

It prints one JSON object. Started without site packages, like the process that sessions are forked from.
"""

# Each of these calls is meant to be one system call.
# ruff: noqa: PTH108, PTH115, PTH116, PTH208

import ctypes
import json
import mmap
import os
import resource
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import asdict

sys.path.insert(0, sys.argv[1])
from tasks.sandbox.allowed import ALLOWED_MODULES  # noqa: E402
from tasks.sandbox.inside import landlock, lockdown  # noqa: E402
from tasks.sandbox.inside.kernel import prctl, system_call  # noqa: E402
from tasks.sandbox.inside.syscalls import PROCESSORS  # noqa: E402

NOBODY = 65534
NEW_FILE = "/tmp/envmill-refused"
LIMITS = lockdown.Limits(memory_mib=512, cpu_s=3)


def outcome(act: Callable[[], object]) -> object:
    """What came of it: the name of the error or the returned value."""
    try:
        value = act()
    except OSError as error:
        return error.errno
    except Exception as error:  # noqa: BLE001 - the name is what is asked for
        return type(error).__name__
    return value if isinstance(value, str | int | bool | None) else repr(value)


def refusals(opened: int) -> dict[str, object]:
    in_thread = threading.Thread(target=print)
    return {
        "open": outcome(lambda: os.open("/etc/passwd", os.O_RDONLY)),
        "create": outcome(lambda: os.open(NEW_FILE, os.O_CREAT | os.O_WRONLY)),
        "stat": outcome(lambda: os.stat("/etc/passwd")),
        "list": outcome(lambda: os.listdir("/")),
        "readlink": outcome(lambda: os.readlink("/proc/self/exe")),
        "unlink": outcome(lambda: os.unlink(NEW_FILE)),
        "socket": outcome(lambda: socket.socket(socket.AF_INET, socket.SOCK_STREAM)),
        "datagrams": outcome(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM)),
        "unix_socket": outcome(lambda: socket.socketpair()),
        "fork": outcome(os.fork),
        "thread": outcome(in_thread.start),
        "exec": outcome(lambda: os.execv("/bin/true", ["true"])),
        "program": outcome(lambda: subprocess.run(["/bin/true"])),
        "kill_parent": outcome(lambda: os.kill(parent, 0)),
        "kill_self": outcome(lambda: os.kill(os.getpid(), 0)),
        "executable_memory": outcome(lambda: mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_EXEC)),
        "other_file": outcome(lambda: os.read(opened, 1)),
        "copy_of_file": outcome(lambda: os.dup(1)),
        "memory_file": outcome(lambda: os.memfd_create("x")),
        "clone3": outcome(lambda: system_call(435, 0, 0)),
        "ptrace": outcome(lambda: prctl(4, 1)),
        "random_bytes": outcome(lambda: os.getrandom(4)),
        "memory_limit": outcome(lambda: set_limit_again(resource.RLIMIT_AS)),
        "ignored_cpu_signal": outcome(lambda: signal.signal(signal.SIGXCPU, signal.SIG_IGN)),
        "blocked_cpu_signal": outcome(lambda: signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGXCPU])),
    }


def set_limit_again(limit: int) -> int:
    """Set a limit of this process to what it is, past the checks that Python makes itself."""
    pair = (ctypes.c_uint64 * 2)(*resource.getrlimit(limit))
    return system_call(PROCESSORS[machine].numbers["prlimit64"], 0, limit, ctypes.addressof(pair))


def too_deep(level: int = 0) -> int:
    return too_deep(level + 1)


def ordinary() -> dict[str, object]:
    import dataclasses
    import datetime
    import decimal
    import hashlib
    import random
    import re
    import uuid

    point = dataclasses.make_dataclass("Point", [("x", int)])
    return {
        "json": outcome(lambda: json.dumps(json.loads('{"a": [1, 2.5, null, "\\u00fc"]}'))),
        "strptime": outcome(lambda: datetime.datetime.strptime("2025-06-19", "%Y-%m-%d").strftime("%A")),
        "decimal": outcome(lambda: str(decimal.Decimal(1) / 8)),
        "re": outcome(lambda: re.sub(r"(?P<day>\d+)", r"<\g<day>>", "June 19")),
        "dataclass": outcome(lambda: repr(point(1))),
        "sha256": outcome(lambda: hashlib.sha256(b"").hexdigest()[:8]),
        "uuid5": outcome(lambda: str(uuid.uuid5(uuid.NAMESPACE_DNS, "a"))[:8]),
        "random": outcome(lambda: random.Random(1).randrange(10**6)),
        "large": outcome(lambda: len(bytearray(200 << 20))),
        "too_large": outcome(lambda: len(bytearray(8 << 30))),
        "many": outcome(lambda: sum(len(part) for part in [bytes(1000)] * 10 + [str(n) for n in range(300_000)]) > 0),
        "recursion": outcome(too_deep),
        "timer": outcome(timer),
        "cpu_limit": outcome(lambda: 3 <= resource.getrlimit(resource.RLIMIT_CPU)[0] <= 20),
        "files_limit": outcome(lambda: resource.getrlimit(resource.RLIMIT_NOFILE)[1]),
    }


def timer() -> str:
    """Interrupts a loop by CPU time, as checks are."""
    rung: list[int] = []
    signal.signal(signal.SIGPROF, lambda number, _: rung.append(number))
    signal.setitimer(signal.ITIMER_PROF, 0.01)
    while not rung:
        too_long = sum(range(1000))
        assert too_long
    return "rang"


def become_nobody() -> None:
    if os.geteuid() == 0:
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)


def confined(layers: lockdown.Layers | None) -> dict[str, object]:
    opened = max(4, os.open("/dev/null", os.O_RDONLY)) if layers is None else 4
    filtered = lockdown.confine(LIMITS, needs_filter=True)
    found = {"refusals": refusals(opened), "ordinary": ordinary()}
    return {"filtered": filtered, "layers": layers and asdict(layers), "root": os.geteuid() == 0, **found}


def landlocked() -> dict[str, object]:
    """Landlock alone, without the filter."""
    kept = os.open("/dev/zero", os.O_RDONLY)
    become_nobody()
    prctl(38, 1)
    try:
        version = landlock.restrict()
    except OSError:
        return {"version": None}
    with socket.socket() as listener:
        bound = outcome(lambda: listener.bind(("127.0.0.1", 0)))
    return {
        "version": version,
        "open": outcome(lambda: os.open("/etc/passwd", os.O_RDONLY)),
        "list": outcome(lambda: os.listdir("/")),
        "create": outcome(lambda: os.open(NEW_FILE, os.O_CREAT | os.O_WRONLY)),
        "bind": bound,
        "kill_parent": outcome(lambda: os.kill(os.getppid(), 0)),
        "kept": outcome(lambda: os.read(kept, 1).hex()),
    }


def unprivileged() -> dict[str, object]:
    """Without `give_up` the kernel refuses the filter to anyone but root."""
    become_nobody()
    return {
        "no_new_privs": prctl(39),
        "needed": outcome(lambda: lockdown.confine(LIMITS, needs_filter=True)),
        "not_needed": outcome(lambda: lockdown.confine(LIMITS, needs_filter=False)),
    }


def spinning() -> dict[str, object]:
    """Uses up its CPU time, and will not be stopped by an exception."""
    lockdown.give_up()
    child = os.fork()
    if child == 0:
        lockdown.confine(lockdown.Limits(memory_mib=512, cpu_s=0), needs_filter=True)
        outcome(lambda: signal.signal(signal.SIGXCPU, signal.SIG_IGN))
        while True:
            pass
    return {"end": os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])}


def orphaned() -> dict[str, object]:
    """Ends while its child waits for input."""
    lockdown.give_up()
    ready, tell = os.pipe()
    if os.fork() == 0:
        os.dup2(tell, 3)
        lockdown.confine(LIMITS, needs_filter=True)
        os.write(3, b".")
        os.read(0, 1)
        os.write(1, b"survived")
        os._exit(0)
    return {"child": os.read(ready, 1).decode()}


def main() -> dict[str, object]:
    match sys.argv[2]:
        case "whole":
            return confined(lockdown.give_up())
        case "whole_as_nobody":
            become_nobody()
            return confined(lockdown.give_up())
        case "filter_alone":
            become_nobody()
            prctl(38, 1)
            return confined(None)
        case "landlock_alone":
            return landlocked()
        case "no_privileges_given_up":
            return unprivileged()
        case "spinning":
            return spinning()
        case other:
            assert other == "orphaned"
            return orphaned()


for name in (*ALLOWED_MODULES, "_strptime"):
    __import__(name)
parent, machine = os.getppid(), os.uname().machine
print(json.dumps(main()), flush=True)
