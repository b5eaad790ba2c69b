"""Answers the host in a session process: one request, one reply, until the host hangs up."""

import os
from collections.abc import Callable, Mapping
from typing import Any

from tasks.sandbox.frames import CONFINED, HEADER, body_length, decode_request, encode_json, frame
from tasks.sandbox.inside.checks import Checks
from tasks.sandbox.inside.code import Refused
from tasks.sandbox.inside.environment import Environment
from tasks.sandbox.inside.lockdown import CpuBudget

_CHUNK = 1 << 16
Handlers = Mapping[str, Callable[..., str]]


def handlers_for(role: str, check_s: float, budget: CpuBudget) -> Handlers:
    """Operation -> what answers it with JSON text, for a session with an environment or with checks."""
    if role == "checks":
        checks = Checks(check_s, budget.renew)
        return {"check": checks.check, "evaluate": checks.evaluate}
    environment = Environment()
    return {
        "compile": environment.compile,
        "load": environment.load,
        "init": environment.init,
        "reset": environment.reset,
        "steps": environment.steps,
        "snapshot": environment.snapshot,
        "play": environment.play,
    }


def serve_session(connection: int, handlers: Handlers, budget: CpuBudget) -> None:
    """Serve until the host hangs up.

    A request is {"id", "op", ...}; a reply {"id", "ok": true, "value"} or {"id", "ok": false, "kind", "message"}.
    """
    os.write(connection, CONFINED)
    while (request := _receive(connection)) is not None:
        budget.renew()
        _send(connection, _reply(request, handlers))


def _reply(request: dict[str, Any], handlers: Handlers) -> str:
    request_id, handler = request.pop("id"), handlers[request.pop("op")]
    try:
        return f'{{"id":"{request_id}","ok":true,"value":{handler(**request)}}}'
    except Refused as refused:
        return encode_json({"id": request_id, "ok": False, "kind": refused.kind, "message": str(refused)})


def _receive(connection: int) -> dict[str, Any] | None:
    """The next request; null when the host hung up. The host sends one and waits, so nothing follows it."""
    data = bytearray()
    wanted = HEADER.size
    while len(data) < wanted:
        part = os.read(connection, max(wanted, _CHUNK))
        if not part:
            return None
        data += part
        if wanted == HEADER.size and len(data) >= wanted:
            wanted += body_length(bytes(data[: HEADER.size]))
    request: dict[str, Any] = decode_request(bytes(data[HEADER.size :]))
    return request


def _send(connection: int, text: str) -> None:
    rest = memoryview(frame(text))
    while rest:
        rest = rest[os.write(connection, rest) :]
