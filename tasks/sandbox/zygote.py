"""The sandbox: a hardened process per session, forked from a zygote that was started with nothing to steal.

Level A: the kernel refuses files (Landlock) and all system calls that a session has no use for (seccomp). Level B: by
seccomp alone. Where neither is to be had, code runs only if that was allowed explicitly, and the level says "none".
"""

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager

from schemas.errors import SandboxUnavailable
from tasks.sandbox.base import CheckSession, EnvironmentSession, Level
from tasks.sandbox.inside.lockdown import Layers
from tasks.sandbox.sessions import WorkerChecks, WorkerEnvironment
from tasks.sandbox.spawner import Limits, Role, Spawner
from tasks.sandbox.worker import Worker

_CACHED_CLASSES = 512


class ZygoteSandbox:
    """Opens sessions in processes of their own. Starts nothing before it is needed; threads may share it."""

    def __init__(
        self,
        wall_s: float = 30.0,
        cpu_s: int = 10,
        memory_mib: int = 512,
        frame_mib: int = 4,
        *,
        check_s: float = 2.0,
        allow_unsafe: bool = False,
    ) -> None:
        """Set the limits.

        Args:
            wall_s: Seconds that one request may take; a batch of calls is one request. The backstop for `cpu_s`, which
                is the limit that does not depend on how busy the machine is.
            cpu_s: Seconds of CPU that one request may take, to about one second.
            memory_mib: Address space of the process.
            frame_mib: Longest reply.
            check_s: Seconds of CPU for one check or predicate; taking longer is an error, and the session goes on.
            allow_unsafe: Run code also where the system isolates nothing.
        """
        self._limits = Limits(wall_s, cpu_s, memory_mib, frame_mib, check_s)
        self._allow_unsafe = allow_unsafe
        self._lock = threading.Lock()
        self._spawners: dict[int, Spawner] = {}
        self._byte_codes: OrderedDict[bytes, str] = OrderedDict()

    @property
    def level(self) -> Level:
        """How well the host isolates.

        Raises:
            SandboxUnavailable: the zygote can't be started, or nothing isolates and `allow_unsafe` was not given.
        """
        level = level_of(self.layers())
        if level == "none" and not self._allow_unsafe:
            raise SandboxUnavailable(
                "This machine offers no isolation that is good enough to run generated code: seccomp is refused. "
                "`envmill doctor` says what is missing; --unsafe-no-sandbox runs the code all the same."
            )
        return level

    def layers(self) -> Layers:
        """What took effect, layer by layer.

        Raises:
            SandboxUnavailable: the zygote can't be started.
        """
        return self._spawner(0).layers()

    def environment(
        self, code: str, class_name: str, *, hash_seed: int = 0
    ) -> AbstractContextManager[EnvironmentSession]:
        """A session with the class loaded; not yet initialised.

        Raises:
            CodeRejected: "syntax_error", "import_refused", "load_error" or "class_missing".
            SessionDied: the module hung or ended the process while it was loaded.
            SandboxUnavailable: the process can't be started or confined.
        """
        return self._environment(code, class_name, hash_seed)

    def checks(self) -> AbstractContextManager[CheckSession]:
        """A session for checks and predicates.

        Raises:
            SandboxUnavailable: the process can't be started or confined.
        """
        return self._checks()

    def close(self) -> None:
        """End all sessions and the zygotes; the next session starts another. Dropping the sandbox does the same."""
        with self._lock:
            spawners = list(self._spawners.values())
        for spawner in spawners:
            spawner.close()

    def worker(self, role: Role, hash_seed: int = 0) -> Worker:
        """A fresh session process; the caller closes it.

        Raises:
            SandboxUnavailable: it can't be started.
        """
        needs_filter = self.level != "none"
        return Worker(self._spawner(hash_seed).spawn(role, self._limits, needs_filter=needs_filter), self._limits)

    @contextmanager
    def _environment(self, code: str, class_name: str, hash_seed: int) -> Iterator[EnvironmentSession]:
        with closing(self.worker("environment", hash_seed)) as worker:
            byte_code = self._byte_code(code, worker)
            worker.ask("load", refusals=("load_error", "class_missing"), byte_code=byte_code, class_name=class_name)
            with closing(WorkerEnvironment(worker, lambda: self._environment(code, class_name, hash_seed))) as session:
                yield session

    @contextmanager
    def _checks(self) -> Iterator[CheckSession]:
        with closing(WorkerChecks(lambda: self.worker("checks"))) as session:
            yield session

    def _byte_code(self, code: str, worker: Worker) -> str:
        """Byte code from the cache, else compiled by a process that has run nothing yet; the host never reads it."""
        key = hashlib.sha256(code.encode("utf-8", "surrogatepass")).digest()
        with self._lock:
            if key in self._byte_codes:
                self._byte_codes.move_to_end(key)
                return self._byte_codes[key]
        byte_code = worker.ask("compile", refusals=("syntax_error", "import_refused"), code=code)
        if not isinstance(byte_code, str):
            worker.refute("byte code is no text")
        with self._lock:
            self._byte_codes[key] = byte_code
            if len(self._byte_codes) > _CACHED_CLASSES:
                self._byte_codes.popitem(last=False)
        return byte_code

    def _spawner(self, hash_seed: int) -> Spawner:
        with self._lock:
            return self._spawners.setdefault(hash_seed, Spawner(hash_seed))


def level_of(layers: Layers) -> Level:
    """The level that these layers make. Landlock alone is none: it leaves processes, threads and UDP open."""
    if layers.seccomp_refused is not None or not layers.no_new_privs:
        return "none"
    return "B" if layers.landlock_abi is None else "A"
