"""Whether what an author gave can be stored as it is, and the nearest thing that can."""

import math
from collections.abc import Mapping
from typing import Any

from schemas.ids import canonical_json


def flaw_of(value: object) -> str | None:
    """Why a value is not plain JSON: NaN, infinity, half of a surrogate pair, a foreign type. Null when it is."""
    try:
        canonical_json(value).encode()
    except (TypeError, ValueError) as error:
        return str(error)
    return None


def plain_copy(value: Any) -> Any:
    """A copy that can be stored; equal to the value if that is plain JSON.

    NaN and infinity become null, halves of surrogate pairs are escaped, foreign types become their text.
    """
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {plain_copy(str(key)): plain_copy(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain_copy(each) for each in value]
    return value if value is None or isinstance(value, bool | int) else plain_copy(str(value))
