"""Extra attributes that a theme declares, and values for them."""

from dataclasses import dataclass
from datetime import date
from random import Random
from typing import Any, Literal

from schemas.logic_models import Attribute
from tasks.authors.rules.nouns import plural, words_of
from tasks.authors.rules.spec import Told
from tasks.authors.rules.spoken import day_words, euro_words, pick

_SHORT_UNITS = ("kg", "km", "min", "percent")
"""Units that have no plural."""
ExtraType = Literal["string", "integer", "number", "boolean", "date", "enum"]


@dataclass(frozen=True)
class Extra:
    """One attribute of a record beyond what its mechanic needs.

    Numbers lie between `lowest` and `highest` in steps of `step`. Dates lie that many days from today (negative: past).
    Texts come from `values`, the allowed values of an enum too.
    """

    name: str
    type: ExtraType
    description: str
    values: tuple[str, ...] = ()
    lowest: int = 0
    highest: int = 100
    step: int = 1
    unit: str | None = None
    changes: bool = False
    """Whether the update tool may change it."""

    @property
    def spoken(self) -> str:
        """ "birth date"; the unit at the end of a name is left out."""
        return words_of(self.name.removesuffix("_cents").removesuffix(f"_{self.unit}"))

    @property
    def title(self) -> str:
        """ "BirthDate"."""
        return "".join(part.capitalize() for part in self.name.split("_"))

    @property
    def hint(self) -> str:
        """The Python annotation of a plain parameter; enums are annotated with their alias."""
        return {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "date": "str"}[self.type]

    def attribute(self) -> Attribute:
        """The attribute as the logic model has it."""
        is_number = self.type in ("integer", "number")
        return Attribute(
            name=self.name,
            type=self.type,
            description=self.description,
            values=self.values if self.type == "enum" else (),
            minimum=self.lowest if is_number else None,
            maximum=self.highest if is_number else None,
            max_length=80 if self.type == "string" else None,
            unit=self.unit,
        )


def make_value(extra: Extra, rng: Random, now: str) -> Any:
    """A value that the attribute allows."""
    if extra.type in ("string", "enum"):
        return pick(rng, extra.values)
    if extra.type == "boolean":
        return rng.random() < 0.5
    steps = rng.randint(0, (extra.highest - extra.lowest) // extra.step)
    number = extra.lowest + steps * extra.step
    if extra.type == "date":
        return date.fromordinal(date.fromisoformat(now[:10]).toordinal() + number).isoformat()
    return number if extra.type == "integer" else float(number)


def told_value(extra: Extra, value: Any) -> Told:
    """A value and how a person says it."""
    if extra.type == "date":
        return Told(value, day_words(value))
    if extra.name.endswith("_cents"):
        return Told(value, euro_words(value))
    if extra.type == "boolean":
        return Told(value, "yes" if value else "no")
    if extra.type == "enum":
        return Told(value, words_of(value))
    shown = f"{value:g}" if extra.type == "number" else str(value)
    if extra.unit is None or extra.type not in ("integer", "number"):
        return Told(value, shown)
    return Told(value, f"{shown} {extra.unit if value == 1 or extra.unit in _SHORT_UNITS else plural(extra.unit)}")
