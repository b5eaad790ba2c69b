"""A few attacks that show within seconds whether a sandbox holds on this machine. `envmill doctor` runs them.

None does harm where it succeeds: it reads a file that was made for it, connects to a server that waits for it, starts a
program that does nothing.
"""

import os
import socket
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent, indent
from typing import Any

from tasks.sandbox.base import CodeRejected, Sandbox, SessionDied

MEANS = '''
import random

os = random._os
sys = os.sys


def module(name):
    """One that is loaded, built in, alive somewhere, or can still be found on the disk."""
    if name in sys.modules:
        return sys.modules[name]
    bootstrap = sys.modules["_frozen_importlib"]
    if name in sys.builtin_module_names:
        return bootstrap.BuiltinImporter.load_module(name)
    for found in module("gc").get_objects():
        if type(found) is type(sys) and found.__name__ == name:
            return found
    library = os.__file__.rpartition("/")[0]
    sys.path += [library, library + "/lib-dynload"]
    sys.meta_path[:] = [sys.modules["_frozen_importlib_external"].PathFinder, bootstrap.FrozenImporter]
    return sys.modules["builtins"].__import__(name)


def reached(data=None):
    return {"success": True, "data": data}

'''
"""How hostile code gets at the operating system: through the private names of an allowed module."""

HONEST_ANSWER = {"success": True, "data": "honest"}
_HONEST_METHOD = """
    def honest(self):
        return {"success": True, "data": "honest"}
"""
_HONEST_CODE = """
class Honest:
    def count(self, texts: list) -> dict:
        return {"counts": [len(text) for text in texts]}
"""
_HONEST_ARGUMENTS = {"texts": ["a", "bcd", ""]}
_HONEST_RESULT = {"counts": [1, 3, 0]}


@dataclass(frozen=True, slots=True)
class SelfTest:
    """One attack. Its code holds a class `Attack`; `run` returns {"success": true, ...} when it reached its goal."""

    name: str
    tries: str
    """In words, such as "reads a file of the host"."""
    code: str
    takes: tuple[str, ...] = ()
    """What `run` is told, by name: canary, folder (paths), tcp (a port), host (a process), machine (its processor)."""


@dataclass(frozen=True, slots=True)
class AttackResult:
    """What became of an attack."""

    name: str
    contained: bool
    detail: str
    """What stopped it, or what it got."""


def attack_code(body: str, takes: tuple[str, ...] = (), *, around: str = "", members: str = "") -> str:
    """Source of a class `Attack` whose `run` has this body.

    Args:
        body: Statements.
        takes: Parameters of `run`.
        around: Text of the module in front of the class.
        members: Text of the class behind `run`.
    """
    head = f"class Attack:\n    def run({', '.join(['self', *takes])}):\n"
    method = head + indent(dedent(body).strip("\n") or "pass", " " * 8)
    return "\n".join([MEANS, dedent(around), method, indent(dedent(members).strip("\n"), " " * 4), _HONEST_METHOD])


def _attack(name: str, tries: str, body: str, *takes: str) -> SelfTest:
    return SelfTest(name, tries, attack_code(body, takes), takes)


ATTACKS: tuple[SelfTest, ...] = (
    _attack("read_a_file", "reads a file of the host", "return reached(open(canary).read())", "canary"),
    _attack("list_a_folder", "lists a folder of the host", "return reached(os.listdir(folder))", "folder"),
    _attack(
        "write_a_file",
        "writes a new file",
        'open(folder + "/new", "w").write("x")\nreturn reached()',
        "folder",
    ),
    _attack(
        "read_own_variables",
        "looks for environment variables that it has no use for",
        """
        found = sorted(set(os.environ) - {"PYTHONHASHSEED", "LC_ALL", "LC_CTYPE", "TZ"})
        return reached([os.environ[name] for name in found]) if found else {"success": False, "error": "there are none"}
        """,
    ),
    _attack(
        "read_the_variables_of_the_host",
        "reads the environment variables of the host process",
        'return reached(len(open(f"/proc/{host}/environ", "rb").read()))',
        "host",
    ),
    _attack(
        "connect",
        "connects to a server on this machine",
        """
        socket = module("_socket")
        socket.socket(socket.AF_INET, socket.SOCK_STREAM).connect(("127.0.0.1", tcp))
        return reached()
        """,
        "tcp",
    ),
    _attack(
        "fork",
        "starts a second process",
        """
        child = os.fork()
        if child == 0:
            os._exit(0)
        return reached(os.waitpid(child, 0)[1])
        """,
    ),
    _attack(
        "spawn",
        "runs a program",
        'child = os.posix_spawn("/bin/sh", ["sh", "-c", ":"], {})\nreturn reached(os.waitpid(child, 0)[1])',
    ),
    _attack(
        "start_a_thread",
        "starts a thread that goes on after the call",
        """
        thread = module("_thread")
        done = thread.allocate_lock()
        done.acquire()
        thread.start_new_thread(done.release, ())
        return reached(done.acquire(timeout=5))
        """,
    ),
    _attack(
        "signal_the_host",
        "may send signals to the host process (signal 0 asks only)",
        "os.kill(host, 0)\nreturn reached()",
        "host",
    ),
    _attack(
        "execute_own_code",
        "maps memory that can be written and executed, and runs machine code of its own",
        """
        ctypes = module("ctypes")
        function = ctypes.CDLL(None, use_errno=True).mmap
        function.restype = ctypes.c_void_p
        function.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
        address = function(None, 4096, 7, 0x22, -1, 0)
        if address == ctypes.c_void_p(-1).value:
            raise OSError(ctypes.get_errno(), "mmap")
        codes = {"x86_64": b"\\xb8\\x2a\\0\\0\\0\\xc3", "aarch64": b"\\x40\\x05\\x80\\x52\\xc0\\x03\\x5f\\xd6"}
        ctypes.memmove(address, codes[machine], len(codes[machine]))
        return reached(ctypes.CFUNCTYPE(ctypes.c_int)(address)())
        """,
        "machine",
    ),
    _attack(
        "overflow_the_stack",
        "lets C code call itself until the stack is full",
        """
        chain = iter(())
        for _ in range(200_000):
            chain = filter(None, chain)
        next(chain, None)
        """,
    ),
    _attack("leave", "ends the process without a word", "os._exit(3)"),
    _attack(
        "reply_with_a_guess",
        "writes a reply under an id that it made up",
        """
        value = '[{"result":{"forged":true},"error":null,"digest":null}]'
        reply = f'{{"id":"{"0" * 16}","ok":true,"value":{value}}}'.encode()
        for number in range(3, 64):
            try:
                os.write(number, len(reply).to_bytes(4, "big") + reply)
            except OSError:
                pass
        """,
    ),
    _attack("patch_a_builtin", "replaces len for everyone", 'sys.modules["builtins"].len = lambda of: 1'),
)


def run_selftest(sandbox: Sandbox) -> tuple[AttackResult, ...]:
    """Try every attack, each in a session of its own, and an honest session after it. Takes about half a second.

    Raises:
        SandboxUnavailable: the sandbox does not start.
    """
    with _targets() as targets:
        return tuple(_tried(sandbox, attack, targets) for attack in ATTACKS)


@contextmanager
def _targets() -> Iterator[dict[str, str | int]]:
    """A file, an empty folder and a server, open to all users: nothing but the sandbox protects them."""
    with tempfile.TemporaryDirectory(prefix="envmill-doctor-") as place, socket.socket() as server:
        canary, folder = Path(place) / "canary.txt", Path(place) / "folder"
        canary.write_text("canary")
        folder.mkdir()
        Path(place).chmod(0o755)
        canary.chmod(0o666)
        folder.chmod(0o777)
        server.bind(("127.0.0.1", 0))
        server.listen()
        yield {
            "canary": str(canary),
            "folder": str(folder),
            "tcp": server.getsockname()[1],
            "host": os.getpid(),
            "machine": os.uname().machine,
        }


def _tried(sandbox: Sandbox, attack: SelfTest, targets: dict[str, str | int]) -> AttackResult:
    result = _attacked(sandbox, attack, {name: targets[name] for name in attack.takes})
    if result.contained and not _is_honest(sandbox):
        return AttackResult(attack.name, False, "an honest session behaves differently afterwards")
    return result


def _attacked(sandbox: Sandbox, attack: SelfTest, arguments: dict[str, Any]) -> AttackResult:
    try:
        with sandbox.environment(attack.code, "Attack") as session:
            session.init(None)
            step = session.step("run", arguments)
            honest = session.step("honest", {})
    except SessionDied as death:
        return AttackResult(attack.name, True, f"its session died ({death.reason}): {death}")
    except CodeRejected as rejected:
        return AttackResult(attack.name, False, f"it could not be tried: {rejected}")
    if isinstance(step.result, dict) and step.result.get("success") is True:
        return AttackResult(attack.name, False, f"it {attack.tries}: {step.result.get('data')!r:.100}")
    if honest.result != HONEST_ANSWER:
        return AttackResult(attack.name, False, f"it answered for another call: {honest.result!r:.100}")
    return AttackResult(attack.name, True, step.error or "it got nothing")


def _is_honest(sandbox: Sandbox) -> bool:
    try:
        with sandbox.environment(_HONEST_CODE, "Honest") as session:
            session.init(None)
            return bool(session.step("count", _HONEST_ARGUMENTS).result == _HONEST_RESULT)
    except (SessionDied, CodeRejected):
        return False
