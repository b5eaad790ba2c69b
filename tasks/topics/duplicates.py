"""Which texts say the same as an earlier one, letter for letter or nearly so."""

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from datasketch import MinHash, MinHashLSH

NEAR_SIMILARITY = 0.7
"""Jaccard similarity of character 5-grams from which two texts are near duplicates.

Read off pairs of real requests: above it, texts ask for the same thing in nearly the same words, with another article,
name or number; around 0.6 they begin to ask for another thing ("theater events" against "musical events").
"""

_SHINGLE = 5
_PERMUTATIONS = 80
_BANDS, _ROWS = 20, 4
"""A pair at `NEAR_SIMILARITY` shares a band, and so is compared, with a probability of 0.996."""
_SEED = 1


@dataclass(frozen=True, slots=True)
class Repeat:
    """A text that says the same as an earlier one."""

    index: int
    original: int
    """Index of the text that stays: always the earliest, and never itself a repeat."""
    kind: Literal["exact_duplicate", "near_duplicate"]
    similarity: float


def find_repeats(texts: Sequence[str]) -> tuple[Repeat, ...]:
    """Every text that repeats an earlier one, in order. The earliest of a group stays; nothing depends on a clock.

    Exact means equal after case folding. Near means at least `NEAR_SIMILARITY`, measured exactly: the hashing only
    finds the candidates.
    """
    first_with: dict[str, int] = {}
    index = MinHashLSH(num_perm=_PERMUTATIONS, params=(_BANDS, _ROWS))
    repeats = []
    for position, text in enumerate(texts):
        folded = text.casefold()
        if folded in first_with:
            repeats.append(Repeat(position, first_with[folded], "exact_duplicate", 1.0))
            continue
        shingles = _shingles(folded)
        sketch = _sketch(shingles)
        near = [
            (earlier, similarity)
            for earlier in sorted(index.query(sketch))
            if (similarity := _jaccard(shingles, _shingles(texts[earlier].casefold()))) >= NEAR_SIMILARITY
        ]
        if near:
            original, similarity = near[0]
            first_with[folded] = original
            repeats.append(Repeat(position, original, "near_duplicate", similarity))
        else:
            first_with[folded] = position
            index.insert(position, sketch)
    return tuple(repeats)


def _shingles(folded: str) -> frozenset[str]:
    return frozenset(folded[start : start + _SHINGLE] for start in range(max(1, len(folded) - _SHINGLE + 1)))


def _sketch(shingles: frozenset[str]) -> MinHash:
    sketch = MinHash(num_perm=_PERMUTATIONS, seed=_SEED, hashfunc=zlib.crc32)
    sketch.update_batch([shingle.encode() for shingle in shingles])
    return sketch


def _jaccard(left: frozenset[str], right: frozenset[str]) -> float:
    shared = len(left & right)
    return shared / (len(left) + len(right) - shared)
