"""Messages between host and session: 4 bytes of length (big endian), then UTF-8 JSON. Both sides use this file."""

import json
import math
import struct
from typing import Any, NoReturn

HEADER = struct.Struct(">I")
EXIT_OUT_OF_MEMORY = 77
"""Exit code of a session process that ran out of memory outside the untrusted code."""
CONFINED = b"+"
"""What a session process says first, once it is confined and before it reads anything."""
EXIT_NOT_CONFINED = 98
"""Exit code of a session process that could not be confined; no untrusted code has run in it."""

encode_json = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode
"""JSON text with the keys in their own order, which a reader of a result or a state may depend on."""


encode_request = json.JSONEncoder(separators=(",", ":")).encode
"""Requests may also carry NaN, infinity and lone surrogates, so that code can be tried with them."""
decode_request = json.loads


def frame(text: str) -> bytes:
    """A message with this JSON text, which holds no lone surrogate."""
    body = text.encode("utf-8")
    return HEADER.pack(len(body)) + body


def body_length(header: bytes) -> int:
    """How many bytes follow a header."""
    length: int = HEADER.unpack(header)[0]
    return length


def decode_body(body: bytes | memoryview) -> Any:
    """The JSON value of a body that an untrusted sender wrote.

    Raises:
        ValueError: no JSON, or NaN, infinity (also as 1e999), a lone surrogate, or an integer of thousands of digits.
        RecursionError: nested too deeply.
    """
    text = str(body, "utf-8")
    value = _DECODER.decode(text)
    if "\\u" in text:  # only an escape can have brought in a lone surrogate
        encode_json(value).encode("utf-8")
    return value


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise ValueError(f"{digits} is out of range")
    return value


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")


_DECODER = json.JSONDecoder(parse_float=_finite, parse_constant=_refuse)
