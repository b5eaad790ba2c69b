"""Answers the host: one request, one reply, until the host hangs up."""

import os
from collections.abc import Callable
from typing import Any

from tasks.sandbox.frames import EXIT_OUT_OF_MEMORY, HEADER, body_length, decode_request, encode_json, frame
from tasks.sandbox.inside.checks import Checks
from tasks.sandbox.inside.code import Refused
from tasks.sandbox.inside.environment import Environment
from tasks.sandbox.inside.imports import close_imports
from tasks.sandbox.inside.lockdown import Limits, lock, renew_cpu

_CHUNK = 1 << 20


def serve(connection: int) -> None:
    """Lock the process as the first request says, then serve the others.

    A request is {"id", "op", ...}; a reply {"id", "ok": true, "value"} or {"id", "ok": false, "kind", "message"}.
    """
    close_imports()
    first = _receive(connection)
    if first is None:
        return
    limits = Limits(memory_mib=first["memory_mib"], cpu_s=first["cpu_s"])
    try:
        lock(limits)
    except (OSError, ValueError) as error:
        _send(connection, _refusal(first["id"], "lockdown", str(error)))
        return
    handlers = _handlers(first["role"], first["check_s"])
    _send(connection, _answer(first["id"], "null"))
    try:
        while (request := _receive(connection)) is not None:
            renew_cpu(limits)
            _send(connection, _reply(request, handlers))
    except MemoryError:
        os._exit(EXIT_OUT_OF_MEMORY)


def _handlers(role: str, check_s: float) -> dict[str, Callable[..., str]]:
    if role == "checks":
        checks = Checks(check_s)
        return {"check": checks.check, "evaluate": checks.evaluate}
    environment = Environment()
    return {
        "load": environment.load,
        "init": environment.init,
        "steps": environment.steps,
        "snapshot": environment.snapshot,
    }


def _reply(request: dict[str, Any], handlers: dict[str, Callable[..., str]]) -> str:
    request_id, handler = request.pop("id"), handlers[request.pop("op")]
    try:
        return _answer(request_id, handler(**request))
    except Refused as refused:
        return _refusal(request_id, refused.kind, str(refused))


def _answer(request_id: str, value: str) -> str:
    return f'{{"id":{encode_json(request_id)},"ok":true,"value":{value}}}'


def _refusal(request_id: str, kind: str, message: str) -> str:
    return encode_json({"id": request_id, "ok": False, "kind": kind, "message": message})


def _receive(connection: int) -> dict[str, Any] | None:
    header = _read(connection, HEADER.size)
    if header is None:
        return None
    body = _read(connection, body_length(header))
    if body is None:
        return None
    request: dict[str, Any] = decode_request(body)
    return request


def _read(connection: int, count: int) -> bytes | None:
    """Exactly so many bytes; null when the host hung up."""
    parts: list[bytes] = []
    while count:
        part = os.read(connection, min(count, _CHUNK))
        if not part:
            return None
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def _send(connection: int, text: str) -> None:
    rest = memoryview(frame(text))
    while rest:
        rest = rest[os.write(connection, rest) :]
