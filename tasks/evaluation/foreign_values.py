"""Every value that stands in a state, by the names under which it stands: what is known where there is no plan."""

import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from schemas.ids import canonical_json

_AFFIX = re.compile(r"^(new|old|from|to|source|target|src|dest|destination|origin|my|the|current|other)_|"
                    r"_(name|id|ids|key|code|number|query|contains|prefix|text|filter)$")  # fmt: skip
_MOST_PER_NAME = 200
_DEEPEST = 12


class StateValues:
    """The values of one state."""

    def __init__(self, state: Mapping[str, Any]) -> None:
        self._named: dict[str, dict[str, Any]] = {}
        self._walk("", state, 0)

    def alike(self, name: str, kind: str) -> list[Any]:
        """Values of a JSON type whose name is that of a parameter, or nearly; those with the nearest name only."""
        bare = bare_name(name)
        for wanted in dict.fromkeys((name, bare, singular(bare), f"{singular(bare)}_id", bare.split("_")[-1])):
            found = self._of(kind, wanted)
            if found:
                return found
        ending = [each for key in self._named if key.endswith(f"_{bare}") for each in self._of(kind, key)]
        return ending[:_MOST_PER_NAME]

    def all(self, kind: str) -> list[Any]:
        """Values of a JSON type, whatever their name."""
        return [each for key in self._named for each in self._of(kind, key)][:_MOST_PER_NAME]

    def _of(self, kind: str, name: str) -> list[Any]:
        return [value for value in self._named.get(name, {}).values() if is_a(value, kind)]

    def _walk(self, name: str, value: Any, depth: int) -> None:
        if depth > _DEEPEST:
            return
        if isinstance(value, Mapping):
            self._add(name, value)
            for key, inner in value.items():
                self._add(singular(name), key)
                self._add(name, key)
                if key.isdecimal() and len(key) < 19:
                    self._add(singular(name), int(key))
                self._walk(key, inner, depth + 1)
        elif isinstance(value, list):
            self._add(name, value)
            for inner in value:
                self._walk(singular(name), inner, depth + 1)
        else:
            self._add(name, value)

    def _add(self, name: str, value: Any) -> None:
        known = self._named.setdefault(name, {})
        if len(known) < _MOST_PER_NAME:
            known.setdefault(canonical_json(value), value)


def bare_name(name: str) -> str:
    """ "new_file_name" -> "file"."""
    while (shorter := _AFFIX.sub("", name)) != name and shorter:
        name = shorter
    return name


def singular(name: str) -> str:
    """ "categories" -> "category"; a guess that errs on unusual words."""
    if name.endswith("ies") and len(name) > 4:
        return f"{name[:-3]}y"
    if name.endswith(("ses", "xes", "ches", "shes")):
        return name[:-2]
    return name[:-1] if name.endswith("s") and not name.endswith("ss") else name


def is_a(value: Any, kind: str) -> bool:
    """Whether a value is of a JSON type."""
    match kind:
        case "string":
            return isinstance(value, str)
        case "integer":
            return type(value) is int
        case "number":
            return type(value) in (int, float)
        case "boolean":
            return isinstance(value, bool)
        case "array":
            return isinstance(value, list)
        case "object":
            return isinstance(value, Mapping)
        case _:
            return value is None


@lru_cache(maxsize=64)
def _of_text(text: str) -> StateValues:
    return StateValues(json.loads(text))


def values_of(state: Mapping[str, Any]) -> StateValues:
    """The values of a state; of states met lately they are remembered."""
    return _of_text(canonical_json(state))


_QUOTED = re.compile(r"'([^'\n]{1,60})'|\"([^\"\n]{1,60})\"|`([^`\n]{1,60})`")
_OPTIONS = re.compile(
    r"(?:one of|either|options(?: are)?|choices(?: are)?|allowed(?: values)?(?: are)?|valid(?: \w+)?(?: are)?|"
    r"supported(?: \w+)?(?: are)?|choose from|possible values(?: are)?|must be|can be|available(?: \w+)?)"
    r"\s*:?\s*[\[({]?\s*([^.;\n\])}]+)",
    re.IGNORECASE,
)
_SEPARATOR = re.compile(r"\s*(?:,|\bor\b|\band\b|/|\|)\s*")
_PLAIN_WORD = re.compile(r"[\w+:-]{1,40}")


def options_in(text: str) -> list[str]:
    """Values that a text names as possible: quoted ones, and the words of a list such as "one of: red, green"."""
    found = [next(filter(None, each)) for each in _QUOTED.findall(text)]
    for listed in _OPTIONS.findall(text):
        words = [each.strip(" '\"`") for each in _SEPARATOR.split(listed)]
        if len(words) > 1:
            found += [each for each in words if _PLAIN_WORD.fullmatch(each)]
    return list(dict.fromkeys(found))


def numbers_in(text: str) -> Iterator[float]:
    """Numbers that a text names."""
    for each in re.findall(r"(?<![\w.-])-?\d+(?:\.\d+)?(?![\w-]|\.\d)", text):
        yield float(each)
