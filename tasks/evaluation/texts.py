"""Texts that look like what a parameter asks for, by its name and description."""

import re
from collections.abc import Callable
from random import Random

_EXAMPLE = re.compile(
    r"(?:such as|e\.g\.|for example|like)[ :]+(\"[^\"]+\"|'[^']+'|`[^`]+`|[^\s,;)]+(?: \d[\d ]*)?)", re.I
)
_GIVEN = ("Ines", "Jonas", "Mira", "Tomasz", "Leila", "Oscar", "Yuki", "Paula", "Samir", "Edith")
_FAMILY = ("Berger", "Castillo", "Dahl", "Eriksen", "Fofana", "Grant", "Horvat", "Ito", "Jansen", "Kaplan")
_WORDS = ("blue", "small", "northern", "spare", "early", "quiet", "second", "wooden", "weekly", "open")
_THINGS = ("note", "parcel", "visit", "garden", "order", "window", "bridge", "lesson", "basket", "signal")


def example_in(description: str) -> str | None:
    """What a description gives as an example ("such as ada@example.org"); null when it gives none."""
    found = _EXAMPLE.search(description)
    return found[1].strip("\"'`").rstrip(".") if found else None


def invented_text(name: str, rng: Random) -> str:
    """A new text for a parameter of this name; two draws rarely agree."""
    tokens = name.lower().split("_")
    for words, make in _MAKERS:
        if any(token in words for token in tokens):
            return make(rng)
    return f"{rng.choice(_WORDS)} {rng.choice(_THINGS)} {rng.randint(1, 999)}"


def _person(rng: Random) -> str:
    return f"{rng.choice(_GIVEN)} {rng.choice(_FAMILY)}"


def _email(rng: Random) -> str:
    return f"{rng.choice(_GIVEN).lower()}{rng.randint(1, 9999)}@example.org"


def _phone(rng: Random) -> str:
    return f"+4930{rng.randint(1_000_000, 9_999_999)}"


def _code(rng: Random) -> str:
    return f"{rng.choice('ABCDEFGH')}{rng.choice('KLMNPQRS')}-{rng.randint(100, 9999)}"


def _clock(rng: Random) -> str:
    return f"{rng.randint(8, 18):02d}:{rng.choice((0, 15, 30, 45)):02d}"


def _title(rng: Random) -> str:
    return f"{rng.choice(_WORDS).capitalize()} {rng.choice(_THINGS)} {rng.randint(1, 99)}"


_MAKERS: tuple[tuple[frozenset[str], Callable[[Random], str]], ...] = (
    (frozenset({"email", "mail"}), _email),
    (frozenset({"phone", "mobile", "telephone"}), _phone),
    (frozenset({"code", "sku", "serial", "barcode", "plate", "number", "reference", "isbn"}), _code),
    (frozenset({"time", "start_time", "end_time", "opens", "closes"}), _clock),
    (
        frozenset({"url", "link", "website"}),
        lambda rng: f"https://example.org/{rng.choice(_THINGS)}/{rng.randint(1, 99)}",
    ),
    (frozenset({"currency"}), lambda rng: "EUR"),
    (frozenset({"country"}), lambda rng: "NL"),
    (frozenset({"postcode", "zip"}), lambda rng: str(rng.randint(10_000, 99_999))),
    (frozenset({"name", "person", "guest", "contact", "author", "owner"}), _person),
    (frozenset({"title", "subject", "label", "topic"}), _title),
)
"""Words in a parameter's name, the more telling ones first, and what to invent for it."""
