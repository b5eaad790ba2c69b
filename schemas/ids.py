"""Identities. `key` says what an item was made from, `id` what it contains; neither knows a clock."""

import hashlib
import json
import re
import unicodedata
from typing import Any


def canonical_json(value: Any) -> str:
    """The one JSON text of a value: keys sorted, no blanks, NaN refused, non-ASCII kept.

    Raises:
        ValueError: the value holds NaN or infinity.
        TypeError: the value is not plain JSON.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def digest(*parts: Any) -> str:
    """32 hex digits that depend on every part and their order. Parts are JSON values."""
    return text_digest(canonical_json(list(parts)))


def text_digest(canonical: str) -> str:
    """What `digest` says of the parts whose canonical JSON list this is."""
    return hashlib.blake2b(canonical.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def make_id(prefix: str, *parts: Any) -> str:
    """`prefix_` and 16 hex digits. The same parts give the same id on every machine."""
    return f"{prefix}_{digest(*parts)[:16]}"


def slugify(text: str) -> str:
    """ "Dog grooming, salon bookings" -> "dog-grooming-salon-bookings". Empty when nothing is left."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")


def seed_for(*parts: Any) -> int:
    """A seed for `random.Random`, drawn from the parts; independent of the order in which items are made."""
    return int(digest("seed", *parts)[:15], 16)
