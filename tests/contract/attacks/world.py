"""What attacks are after: a file, a folder, servers, a process of the same user; and whether they got at it."""

import contextlib
import ctypes
import errno
import os
import platform
import shutil
import signal
import socket
import tempfile
from pathlib import Path

SECRET = "sk-canary-5d0c2f7e91"
VARIABLE = "OPENAI_API_KEY"
NOBODY = 65534
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE = 1, 4
_MODE = 0o666


class World:
    """Everything belongs to the user whom sessions run as, so that not the user but the sandbox protects it."""

    def __init__(self) -> None:
        self._held = ctypes.create_string_buffer(SECRET.encode(), 64)
        self._place = Path(tempfile.mkdtemp(prefix="envmill-attacks-"))
        self._place.chmod(0o755)
        self._canary, self._folder = self._place / "canary" / "canary.txt", self._place / "folder"
        self._canary.parent.mkdir()
        self._folder.mkdir()
        self._give(self._canary.parent, 0o777)
        self._give(self._folder, 0o777)
        self._write_canary()
        self._opened = os.open(self._canary, os.O_RDONLY)
        os.set_inheritable(self._opened, True)
        self._abstract = f"envmill-attacks-{os.getpid()}"
        self._servers = [
            _server(socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", 0)),
            _server(socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", 0)),
            _server(socket.AF_UNIX, socket.SOCK_STREAM, str(self._place / "server")),
            _server(socket.AF_UNIX, socket.SOCK_STREAM, f"\0{self._abstract}"),
        ]
        self._give(self._place / "server", 0o777)
        self._victim = self._start_victim()

    @property
    def lures(self) -> dict[str, str | int]:
        """What attacks take as arguments, by name."""
        return {
            "canary": str(self._canary),
            "folder": str(self._folder),
            "host": os.getpid(),
            "victim": self._victim,
            "address": ctypes.addressof(self._held),
            "opened": self._opened,
            "tcp": self._servers[0].getsockname()[1],
            "udp": self._servers[1].getsockname()[1],
            "unix": str(self._place / "server"),
            "abstract": self._abstract,
            "machine": platform.machine(),
        }

    def damage(self) -> list[str]:
        """What has changed since the world was made or repaired, in words."""
        found = [f"{path.name} appeared in the folder" for path in sorted(self._folder.iterdir())]
        try:
            status = self._canary.stat()
            if self._canary.read_text() != SECRET or status.st_mode & 0o777 != _MODE or status.st_mtime == 1:
                found.append("the file was changed")
        except FileNotFoundError:
            found.append("the file is gone")
        if any(map(_was_reached, self._servers)):
            found.append("something was sent to a server")
        if os.waitpid(self._victim, os.WNOHANG | os.WUNTRACED) != (0, 0):
            found.append("the other process was stopped or killed")
        return found

    def repair(self) -> None:
        """Make the world as it was."""
        for path in self._folder.iterdir():
            path.rmdir() if path.is_dir() and not path.is_symlink() else path.unlink()
        self._write_canary()
        self._end_victim()
        self._victim = self._start_victim()

    def close(self) -> None:
        """Leave nothing behind."""
        self._end_victim()
        for server in self._servers:
            server.close()
        os.close(self._opened)
        shutil.rmtree(self._place)

    def _write_canary(self) -> None:
        self._canary.unlink(missing_ok=True)
        self._canary.write_text(SECRET)
        self._give(self._canary, _MODE)

    def _give(self, path: Path, mode: int) -> None:
        path.chmod(mode)
        if os.geteuid() == 0:
            os.chown(path, NOBODY, NOBODY)

    def _start_victim(self) -> int:
        """A process with the same variables, memory and open files, and the user of sessions."""
        ready, tell = os.pipe()
        pid = os.fork()
        if pid == 0:
            try:
                os.setsid()
                if os.geteuid() == 0:
                    os.setgroups([])
                    os.setgid(NOBODY)
                    os.setuid(NOBODY)
                library = ctypes.CDLL(None)
                library.prctl(_PR_SET_DUMPABLE, 1, 0, 0, 0)  # a change of user had cleared it
                library.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
                os.write(tell, b"x")
                while True:
                    signal.pause()
            finally:
                os._exit(1)
        os.close(tell)
        os.read(ready, 1)
        os.close(ready)
        return pid

    def _end_victim(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self._victim, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self._victim, 0)


def _server(family: int, kind: int, address: tuple[str, int] | str) -> socket.socket:
    server = socket.socket(family, kind)
    server.bind(address)
    server.setblocking(False)
    if kind == socket.SOCK_STREAM:
        server.listen(8)
    return server


def _was_reached(server: socket.socket) -> bool:
    """Whether anything came in; takes it out."""
    try:
        if server.type == socket.SOCK_DGRAM:
            server.recv(1)
        else:
            server.accept()[0].close()
    except OSError as error:
        if error.errno in (errno.EAGAIN, errno.EWOULDBLOCK):
            return False
        raise
    return True
