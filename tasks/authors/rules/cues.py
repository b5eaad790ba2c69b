"""Words and phrases found in a text, whatever its spelling, accents or script."""

import functools
import itertools
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

MAX_WORDS = 400
"""Only the first words of a text are looked at: what a task wants is said early."""

_REMEMBERED_WORDS = 50_000

_WORD = re.compile(r"\w+")
_UNSPACED = re.compile("[\u0e00-\u0eff\u1100-\u11ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_CLAUSE_TOKEN = re.compile(r"\d+(?:[.:,/]\d+)*\w*|\w+|[.,!?;:\n。，！？；：—–]+")
_CLAUSE_MARK = {",": ",", "，": ",", "—": ",", "–": ",", ":": ":", "：": ":"}
_CLAUSE_END = re.compile(r"[.,!?;:\n。，！？；：—–]")
_SENTENCE_END = re.compile(r"[.!?;:\n。！？；：]")
_LETTERS = str.maketrans({"đ": "d", "ł": "l", "ø": "o", "ı": "i", "æ": "ae", "œ": "oe"})

LabelT = TypeVar("LabelT")


@dataclass(frozen=True, slots=True)
class Words:
    """A text in the form in which cues are looked up."""

    folded: str
    """Lower case, without accents."""
    words: tuple[str, ...]
    starts: frozenset[int]
    """Positions of words that open a sentence or follow a comma."""
    sentences: frozenset[int]
    """Those of them that do not follow a comma."""


@dataclass(frozen=True, slots=True)
class Hit(Generic[LabelT]):
    """One cue, found."""

    start: int
    """Position of its first word; -1 for a cue in a script without blanks."""
    length: int
    """Number of its words; number of characters for a cue in a script without blanks."""
    label: LabelT


def fold(text: str) -> str:
    """Lower case, without accents: "Réserver" -> "reserver"."""
    decomposed = unicodedata.normalize("NFD", text.casefold().translate(_LETTERS))
    bare = "".join(character for character in decomposed if unicodedata.category(character) != "Mn")
    return unicodedata.normalize("NFC", bare)


def words_of(text: str) -> Words:
    """The first `MAX_WORDS` words of a text."""
    folded = fold(text)
    words: list[str] = []
    starts: set[int] = set()
    sentences: set[int] = set()
    end = 0
    for match in _WORD.finditer(folded):
        if len(words) == MAX_WORDS:
            break
        between = folded[end : match.start()]
        if not words or _CLAUSE_END.search(between):
            starts.add(len(words))
            if not words or _SENTENCE_END.search(between):
                sentences.add(len(words))
        words.append(match.group())
        end = match.end()
    return Words(folded, tuple(words), frozenset(starts), frozenset(sentences))


def clauses_of(text: Words) -> str:
    """The first `MAX_WORDS` words and the marks between them, for patterns of whole sentences.

    Lower case, without accents, one blank between any two, numbers whole: "I'm late, move 3.15?" -> ". i m late , move
    3.15 ? .". Marks are reduced to four: "?" asks, "," and ":" part clauses, "." ends a sentence. It begins and ends
    with a full stop, so that every sentence opens after a mark.
    """
    parts = ["."]
    for match in itertools.islice(_CLAUSE_TOKEN.finditer(text.folded), MAX_WORDS):
        token = match.group()
        if token[0].isalnum() or token[0] == "_":
            parts.append(token)
        else:
            parts.append("?" if "?" in token or "？" in token else _CLAUSE_MARK.get(token[0], "."))
    parts.append(". ")
    return " ".join(parts)


@dataclass(frozen=True, slots=True)
class _Cue(Generic[LabelT]):
    pattern: tuple[tuple[str, bool], ...]
    """Words, each with whether it stands for any ending."""
    label: LabelT

    def fits(self, words: Sequence[str], start: int) -> bool:
        """Whether it stands at `start`, where its first word is known to be."""
        if start + len(self.pattern) > len(words):
            return False
        for offset in range(1, len(self.pattern)):
            word, is_stem = self.pattern[offset]
            if not (words[start + offset].startswith(word) if is_stem else words[start + offset] == word):
                return False
        return True


class CueIndex(Generic[LabelT]):
    """Finds many cues at once.

    A cue is one or more words; a star after a word stands for any ending ("refund*"). A cue in a script that puts no
    blanks between words is found anywhere in the text.
    """

    def __init__(self, cues: Iterable[tuple[str, LabelT]]) -> None:
        """Take cues with what they stand for."""
        self._by_word: dict[str, list[_Cue[LabelT]]] = {}
        self._by_stem: dict[str, list[_Cue[LabelT]]] = {}
        self._anywhere: list[tuple[str, LabelT]] = []
        for spelling, label in cues:
            folded = fold(spelling)
            if _UNSPACED.search(folded):
                self._anywhere.append((folded, label))
                continue
            pattern = tuple((match[1], bool(match[2])) for match in re.finditer(r"(\w+)(\*?)", folded))
            word, is_stem = pattern[0]
            index = self._by_stem if is_stem else self._by_word
            index.setdefault(word, []).append(_Cue(pattern, label))
        self._stem_lengths = sorted({len(stem) for stem in self._by_stem})
        # Most words of a corpus come again and again.
        self._opened_by = functools.lru_cache(maxsize=_REMEMBERED_WORDS)(self._find_opened_by)

    def hits(self, text: Words) -> list[Hit[LabelT]]:
        """Every cue in the text, by position; cues may overlap and repeat."""
        found = [Hit(-1, len(cue), label) for cue, label in self._anywhere if cue in text.folded]
        for start, word in enumerate(text.words):
            for cue in self._opened_by(word):
                if len(cue.pattern) == 1 or cue.fits(text.words, start):
                    found.append(Hit(start, len(cue.pattern), cue.label))
        return found

    def _find_opened_by(self, word: str) -> tuple[_Cue[LabelT], ...]:
        """The cues whose first word this is."""
        stems = (word[:length] for length in self._stem_lengths if length <= len(word))
        return (*self._by_word.get(word, ()), *(cue for stem in stems for cue in self._by_stem.get(stem, ())))
