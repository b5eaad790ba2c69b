"""What a prompt asks, read back from its text alone.

A prompt is its template with values in it. So the template is laid over the text: where it has words of its own, the
text must have the same; where it has a value, the fenced block or number that stands there is read.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from jinja2 import Environment
from pydantic import TypeAdapter

from prompts.library import load
from tasks.authors.base import (
    DescribeTopic,
    DraftCode,
    DraftInitialStates,
    DraftLogicModel,
    DraftScenarios,
    DraftTestPlan,
    JudgeCalls,
    JudgeTasks,
    Question,
    RepairCode,
    RepairScenario,
)

QUESTIONS: tuple[type[Question[Any]], ...] = (
    JudgeTasks,
    DescribeTopic,
    DraftLogicModel,
    DraftCode,
    RepairCode,
    DraftTestPlan,
    JudgeCalls,
    DraftInitialStates,
    DraftScenarios,
    RepairScenario,
)
"""All that may be asked."""

_OPENING = re.compile(r"(`{3,})(json|python)\n")
_NUMBER = re.compile(r"-?\d+")


class NotAPrompt(Exception):
    """The text is none of the prompts; the message says how far it went like the nearest one."""


@dataclass(frozen=True)
class _Words:
    text: str


@dataclass(frozen=True)
class _Value:
    name: str
    is_length: bool
    """It says how long the value is, not what it is."""


@dataclass(frozen=True)
class _Option:
    """A part that stands there or not."""

    pieces: "tuple[_Piece, ...]"


_Piece = _Words | _Value | _Option


@dataclass(frozen=True)
class _Place:
    """How far the text was read, and what was found on the way."""

    at: int
    values: dict[str, Any]


class _Mismatch(Exception):
    def __init__(self, at: int) -> None:
        super().__init__(f"the text is another one from character {at} on")
        self.at = at


@lru_cache(maxsize=256)
def read_question(text: str) -> Question[Any]:
    """The question that a rendered prompt asks.

    Raises:
        NotAPrompt: the text is none of them.
    """
    farthest, nearest = -1, ""
    for kind in QUESTIONS:
        try:
            place = _laid_over(_pieces(kind.prompt), text, _Place(0, {}))
        except _Mismatch as mismatch:
            if mismatch.at > farthest:
                farthest, nearest = mismatch.at, kind.prompt
            continue
        asked: Question[Any] = TypeAdapter(kind).validate_python(place.values)
        return asked
    raise NotAPrompt(f"The text is like the prompt '{nearest}' up to character {farthest}, and then is not.")


def _laid_over(pieces: Sequence[_Piece], text: str, place: _Place) -> _Place:
    for piece in pieces:
        match piece:
            case _Words():
                if not text.startswith(piece.text, place.at):
                    raise _Mismatch(place.at)
                place = _Place(place.at + len(piece.text), place.values)
            case _Value():
                place = _value(piece, text, place)
            case _Option():
                try:
                    place = _laid_over(piece.pieces, text, place)
                except _Mismatch:
                    continue  # it was left out
    return place


def _value(piece: _Value, text: str, place: _Place) -> _Place:
    if number := _NUMBER.match(text, place.at):
        found = {} if piece.is_length else {piece.name: int(number[0])}
        return _Place(number.end(), place.values | found)
    opening = _OPENING.match(text, place.at)
    if opening is None:
        raise _Mismatch(place.at)
    closing = re.compile(rf"^{opening[1]}(?!`)", re.MULTILINE).search(text, opening.end())
    if closing is None:
        raise _Mismatch(place.at)
    block = text[opening.end() : closing.start()]
    return _Place(closing.end(), place.values | {piece.name: _read(opening[2], block, piece.name)})


def _read(language: str, block: str, name: str) -> Any:
    if language == "python":
        return block
    value = json.loads(block)
    is_lines_of_code = name == "code" and isinstance(value, list)
    return "\n".join(value) if is_lines_of_code else value


@cache
def _pieces(prompt: str) -> tuple[_Piece, ...]:
    tokens = Environment(trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True, autoescape=False).lex(
        load(prompt).text
    )
    return tuple(_parsed(iter([(kind, value) for _, kind, value in tokens if kind != "whitespace"])))


def _parsed(tokens: Iterator[tuple[str, str]]) -> Iterator[_Piece]:
    """The pieces up to the end of the template, or of the option that was begun."""
    for kind, value in tokens:
        if kind == "data":
            yield _Words(value)
        elif kind == "variable_begin":
            said = _until(tokens, "variable_end")
            yield _Value(said[0], is_length=said[-1] == "length")
        elif kind == "block_begin":
            said = _until(tokens, "block_end")
            if said[0] == "endif":
                return
            if said[0] != "if":
                raise NotAPrompt(f"A template with '{said[0]}' can't be read back so far.")
            yield _Option(tuple(_parsed(tokens)))


def _until(tokens: Iterator[tuple[str, str]], end: str) -> list[str]:
    said: list[str] = []
    for kind, value in tokens:
        if kind == end:
            return said
        said.append(value)
    raise NotAPrompt("A template ends in the middle of a tag.")
