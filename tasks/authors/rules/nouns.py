"""The words of a domain, in the forms that code and sentences need."""

import re
from dataclasses import dataclass

_SOUNDS_LIKE_YOU = re.compile(r"uni(?!n|m)|us[ae]|util|eu|on(?:e|ce)\b|ubi")
_SILENT_H = ("hour", "honest", "honour", "heir")
_SPELT = re.compile(r"[A-Z](?![a-z])")
"""The start of a code that is said letter by letter: "SMS", "X-ray"."""
_NAMED_WITH_A_VOWEL = "AEFHILMNORSX"


@dataclass(frozen=True)
class Noun:
    """One kind of record, named in the domain's own words."""

    one: str
    """Singular, snake case: "stock_item"."""
    many: str
    """Plural, snake case; also the state attribute: "stock_items"."""
    prefix: str
    """Ids look like "ITM-0001"."""
    label: str | None
    """Attribute that people call a record by; null where only its circumstances identify it."""

    @property
    def key(self) -> str:
        """Attribute with the record's own id: "stock_item_id"."""
        return f"{self.one}_id"

    @property
    def spoken(self) -> str:
        """ "stock item"."""
        return self.one.replace("_", " ")

    @property
    def spoken_many(self) -> str:
        """ "stock items"."""
        return self.many.replace("_", " ")

    @property
    def a(self) -> str:
        """ "a stock item", "an appointment"."""
        return with_article(self.spoken)

    @property
    def title(self) -> str:
        """ "StockItem"; names the type aliases of the class."""
        return "".join(part.capitalize() for part in self.one.split("_"))


def with_article(words: str) -> str:
    """ "appointment" -> "an appointment", "unit" -> "a unit"."""
    start = words.lower()
    if _SPELT.match(words):
        is_vowel = words[0] in _NAMED_WITH_A_VOWEL
    elif start[:1].isdigit():
        is_vowel = re.match(r"8|1[18](?!\d)", start) is not None
    else:
        is_vowel = start[:1] in tuple("aeiou") and not _SOUNDS_LIKE_YOU.match(start)
    return f"{'an' if is_vowel or start.startswith(_SILENT_H) else 'a'} {words}"


def plural(words: str) -> str:
    """ "stock item" -> "stock items", "supply" -> "supplies"; regular forms only."""
    if re.search(r"[^aeiou]y$", words):
        return f"{words[:-1]}ies"
    return f"{words}es" if re.search(r"(s|x|z|ch|sh)$", words) else f"{words}s"


def singular(word: str) -> str:
    """ "supplies" -> "supply"; regular forms only, anything else comes back as it is."""
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if re.search(r"(s|x|z|ch|sh)es$", word):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def words_of(identifier: str) -> str:
    """ "checked_in" -> "checked in"."""
    return identifier.replace("_", " ")


def joined(words: list[str], last: str = "and") -> str:
    """ "a, b and c"."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {last} {words[-1]}"
