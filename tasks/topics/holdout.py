"""Hold-outs: benchmark texts that nothing may come too close to, because somebody wants to evaluate on them.

Close is what shares much of its wording with a held-out text, or its meaning. The limits were read off real requests
(`python -m tests.benchmarks.holdout --corpora FOLDER`). Of held-out requests with other names, numbers and polite words
in them 22 of 22 are found, of those said in quite other words 17 of 22. Of 695 requests that were taken from no
benchmark, 5 are too close to one of 3,409 held-out texts, each of which asks for much the same; of 3,135 pairs of
requests from one field of life 4 are, all of them one wish said twice. In scripts without blanks between words, and in
languages other than English, wording and meaning are known less well.
"""

import base64
import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from schemas.errors import UnreadableCorpus
from tasks.topics.corpus import CorpusReading
from tasks.topics.embeddings import Embedder, Vectors
from tasks.topics.normalise import normalise
from tasks.topics.reading import read_corpus

REASON = "too_close_to_holdout"
"""Reason code of what is dropped."""
SAME_MEANING = 0.7
"""Cosine of the sentence embeddings from which a text is too close."""
SAME_WORDS = 0.4
"""Share of common sequences of three words, of those of the text that has fewer, from which a text is too close."""

_SEQUENCE = 3
_FEWEST_IN_COMMON = 3
"""Sequences; with fewer, texts share no more than a phrase such as "I'd like to know if"."""
_WORD = re.compile(r"\d[\d.,:/-]*|[\w'’]+")
"""A number, an amount, a date or a time; or a word."""


@dataclass(frozen=True, slots=True)
class HeldOut:
    """The texts of one hold-out, ready to be compared with."""

    name: str
    """Of the file, without its folder."""
    lines: tuple[int, ...]
    """Where each text stands: line (text formats) or row number, from 1."""
    texts: tuple[str, ...]
    """Normalised; never empty."""
    vectors: str
    """Their embeddings, row by row, as base64 of little-endian 32-bit floats."""


@dataclass(frozen=True, slots=True)
class Closeness:
    """How close a text comes to the nearest held-out one."""

    name: str
    line: int
    meaning: float
    """Cosine of the two, at most 1."""
    words: float
    """Share of common word sequences, 0 to 1."""

    @property
    def detail(self) -> str:
        """For a person. The held-out text itself is not quoted: it would get into the release."""
        return f"{self.name}:{self.line} says nearly the same (meaning {self.meaning:.2f}, words {self.words:.2f})"


def read_holdout(path: Path, *, task_column: str | None = None) -> CorpusReading:
    """The texts of a hold-out, in any form that a corpus has. All of it has to be readable, so that all is held out.

    Raises:
        UnreadableCorpus: the file can't be read as task texts, or not wholly.
    """
    try:
        reading = read_corpus(path, task_column=task_column)
    except UnreadableCorpus as error:
        text = str(error).replace("--task-column", "--holdout-column")
        raise UnreadableCorpus(f"A hold-out can't be read. {text}") from error
    if reading.broken:
        first = reading.broken[0]
        raise UnreadableCorpus(
            f"The hold-out {path} has {len(reading.broken):,} line{'' if len(reading.broken) == 1 else 's'} without a "
            "readable text; the first is line "
            f"{first.line} ({first.reason}: {first.detail}). What can't be read can't be held out: mend or remove them."
        )
    return reading


def hold_out(reading: CorpusReading, embedder: Embedder) -> HeldOut:
    """The texts of a hold-out with their embeddings; about 10 ms each."""
    texts = tuple(normalise(record.text) for record in reading.records)
    vectors = np.ascontiguousarray(embedder.embed(texts), dtype="<f4")
    lines = tuple(record.line for record in reading.records)
    return HeldOut(reading.corpus, lines, texts, base64.b64encode(vectors.tobytes()).decode("ascii"))


def too_close(texts: Sequence[str], held_out: Sequence[HeldOut], embedder: Embedder) -> tuple[Closeness | None, ...]:
    """Per text: the held-out text that it comes nearest to, if it comes too close; else null. About 10 ms each."""
    places = [(each.name, line) for each in held_out for line in each.lines]
    if not places or not texts:
        return (None,) * len(texts)
    known = _Wording([text for each in held_out for text in each.texts])
    meanings = embedder.embed(texts) @ np.concatenate([_vectors(each) for each in held_out]).T
    return tuple(_closeness(places, meaning, known.shares(text)) for text, meaning in zip(texts, meanings, strict=True))


def _closeness(places: Sequence[tuple[str, int]], meaning: Vectors, words: dict[int, float]) -> Closeness | None:
    candidates = {int(meaning.argmax()), *words}
    excess = {each: max(meaning[each] / SAME_MEANING, words.get(each, 0.0) / SAME_WORDS) for each in candidates}
    nearest = min(candidates, key=lambda each: (-excess[each], each))
    if excess[nearest] < 1:
        return None
    name, line = places[nearest]
    return Closeness(name, line, round(float(meaning[nearest]), 2), round(words.get(nearest, 0.0), 2))


class _Wording:
    """Which held-out texts have which sequences of words."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._having: dict[tuple[str, ...], list[int]] = defaultdict(list)
        self._counts: list[int] = []
        for number, text in enumerate(texts):
            sequences = _sequences(text)
            self._counts.append(len(sequences))
            for sequence in sequences:
                self._having[sequence].append(number)

    def shares(self, text: str) -> dict[int, float]:
        """Number of a held-out text -> share of common sequences; those with too few are missing."""
        sequences = _sequences(text)
        common: dict[int, int] = defaultdict(int)
        for sequence in sequences:
            for number in self._having.get(sequence, ()):
                common[number] += 1
        return {
            number: count / min(len(sequences), self._counts[number])
            for number, count in common.items()
            if count >= _FEWEST_IN_COMMON
        }


def _sequences(text: str) -> frozenset[tuple[str, ...]]:
    """Of three words, all numbers being one word; of a shorter text the whole of it."""
    words = tuple("0" if word[0].isdigit() else word for word in _WORD.findall(text.casefold()))
    starts = range(max(1, len(words) - _SEQUENCE + 1))
    return frozenset(words[start : start + _SEQUENCE] for start in starts) if words else frozenset()


def _vectors(held_out: HeldOut) -> Vectors:
    numbers = np.frombuffer(base64.b64decode(held_out.vectors), dtype="<f4")
    return numbers.reshape(len(held_out.texts), -1)
