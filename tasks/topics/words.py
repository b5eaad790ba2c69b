"""A text as the words and word pairs that can describe it."""

import re
from functools import cache
from importlib import resources

import yaml

_WORD = re.compile(r"[^\W\d_](?:[\w'’-]*\w)?")
_UNSPACED = re.compile("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]+")
"""Scripts that put no blank between words: Thai, Lao, Japanese, Chinese."""


@cache
def stop_words() -> frozenset[str]:
    """Words that say nothing about a topic, in the languages of `stop_words.yaml`, case-folded."""
    text = resources.files("tasks.topics").joinpath("stop_words.yaml").read_text(encoding="utf-8")
    by_language: dict[str, str] = yaml.safe_load(text)
    return frozenset(word.casefold() for words in by_language.values() for word in words.split())


def phrases(text: str) -> list[str]:
    """Single words and pairs of neighbouring words, case-folded, in order of appearance, repeats included.

    Stop words, single letters and numbers are no words, and no pair reaches across one. In scripts without blanks the
    "words" are pairs of characters, and there are no longer phrases.
    """
    folded = text.casefold()
    stops = stop_words()
    found: list[str] = []
    previous, previous_end = "", -1
    for match in _WORD.finditer(_UNSPACED.sub(" ", folded)):
        word = match.group()
        if len(word) < 2 or word in stops:
            previous = ""
            continue
        found.append(word)
        if previous and folded[previous_end : match.start()].isspace():
            found.append(f"{previous} {word}")
        previous, previous_end = word, match.end()
    for run in _UNSPACED.findall(folded):
        found.extend(run[start : start + 2] for start in range(max(1, len(run) - 1)))
    return found
