"""Tries calls of the system that the sandbox can do without. Started by path, in a process that is thrown away.

It prints one JSON object: name of the call -> why it is refused, null when it works.
"""

import ctypes
import json
import os
import signal
from collections.abc import Callable

_CLONE_NEWUSER = 0x10000000
_NOT_OFFERED = 255


def main() -> None:
    """Try all and print what came of it."""
    print(json.dumps({"pidfd": _refusal(_use_handle), "user_namespaces": _refusal(_enter_namespace)}))


def _refusal(attempt: Callable[[], None]) -> str | None:
    try:
        attempt()
    except OSError as error:
        return error.strerror or str(error)
    except AttributeError:
        return "this system or this Python has no such call"
    return None


def _use_handle() -> None:
    """Open a handle of a child and end the child through it."""
    child = os.fork()
    if child == 0:
        signal.pause()
    try:
        signal.pidfd_send_signal(os.pidfd_open(child), signal.SIGKILL)
    finally:
        os.kill(child, signal.SIGKILL)  # it is not waited for yet, so that its number is still its own
        os.waitpid(child, 0)


def _enter_namespace() -> None:
    """Let a child enter a user namespace of its own."""
    library = ctypes.CDLL(None, use_errno=True)
    child = os.fork()
    if child == 0:
        code = _NOT_OFFERED
        try:
            code = 0 if library.unshare(_CLONE_NEWUSER) == 0 else ctypes.get_errno()
        finally:
            os._exit(code)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if code == _NOT_OFFERED:
        raise AttributeError("unshare")
    if code != 0:
        raise OSError(code, os.strerror(code))


if __name__ == "__main__":
    main()
