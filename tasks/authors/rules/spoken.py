"""How a person says a value: dates, moments, money, quantities."""

from datetime import date, datetime
from random import Random

from tasks.authors.rules.spec import Told, World


def day_words(day: str) -> str:
    """ "2025-06-19" -> "Thursday 19 June 2025"."""
    parsed = date.fromisoformat(day)
    return f"{parsed:%A} {parsed.day} {parsed:%B %Y}"


def moment_words(moment: str) -> str:
    """ "2025-06-19T14:30" -> "Thursday 19 June 2025 at 14:30"."""
    parsed = datetime.fromisoformat(moment)
    return f"{parsed:%A} {parsed.day} {parsed:%B %Y} at {parsed:%H:%M}"


def euro_words(cents: int) -> str:
    """6050 -> "60.50 euros"; 6000 -> "60 euros"."""
    if cents == 100:
        return "1 euro"
    return f"{cents // 100} euros" if cents % 100 == 0 else f"{cents // 100}.{cents % 100:02d} euros"


def told_day(day: str) -> Told:
    """A day as value and words."""
    return Told(day, day_words(day))


def told_moment(moment: str) -> Told:
    """A moment as value and words."""
    return Told(moment, moment_words(moment))


def told_euros(cents: int) -> Told:
    """An amount of money as value and words."""
    return Told(cents, euro_words(cents))


def told_text(text: str) -> Told:
    """A text that is said as it is, in quotation marks."""
    return Told(text, f'"{text}"')


def told_word(value: str) -> Told:
    """An enum value, said with blanks for underscores."""
    return Told(value, value.replace("_", " "))


def later_day(world: World, fewest: int, most: int) -> str:
    """A day between `fewest` and `most` days after the world's today."""
    today = date.fromisoformat(world.now[:10])
    return date.fromordinal(today.toordinal() + world.rng.randint(fewest, most)).isoformat()


def pick(rng: Random, options: tuple[str, ...] | list[str]) -> str:
    """One of the options."""
    return options[rng.randrange(len(options))]
