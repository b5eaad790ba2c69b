"""The task text: what was planned, as somebody would ask for it."""

from random import Random

from tasks.authors.rules.nouns import joined
from tasks.authors.rules.spoken import pick

_OPENINGS = (
    "Hi, {}.",
    "Good morning! Could you {}?",
    "Please {}.",
    "I need you to {}.",
    "Quick one: {}.",
    "Hello, would you {}? Thanks.",
    "One thing for today: {}.",
)
_OPENINGS_LONG = (
    "Please {}.",
    "Hi, could you {}?",
    "I'd like you to {}.",
)
_MANY = (
    "There are a few things to do. First, {}.",
    "Three things, please. First, {}.",
    "Could you do this for us: {}?",
)
_NEXT = ("Then {}.", "After that, {}.", "Also, {}.", "And please {}.", "Next, {}.")
_LAST_OF_TWO = ("Then {}.", "After that, {}.", "Also, {}.", "And please {}.")
_LAST = ("Finally, {}.", "And then {}.", "Last of all, {}.", "Once that is done, {}.")
AGREED = (
    "Whatever has to be asked, checked or agreed first has been.",
    "Everybody concerned has agreed, and what had to be checked is checked.",
    "It is all checked and agreed with the people concerned.",
    "The people concerned know about it and have said yes; all checks are done.",
)
"""Said in every task: the agent's policy may ask for consent or a check that a single message could not give later."""
_CLOSINGS = ("", "", "", " Leave everything else as it is.", " Nothing else should change.", " Thank you!")


def task_text(rng: Random, asks: list[str]) -> str:
    """One clause a deed, in order, with an opening, and with the consent that policies ask for."""
    if len(asks) == 1:
        said = pick(rng, _OPENINGS).format(asks[0])
    elif len(asks) == 2 and rng.random() < 0.5:
        said = pick(rng, _OPENINGS_LONG).format(joined(asks, "and then"))
    elif len(asks) == 2:
        said = f"{pick(rng, _OPENINGS_LONG).format(asks[0])} {pick(rng, _LAST_OF_TWO).format(asks[1])}"
    else:
        middle = [pick(rng, _NEXT).format(each) for each in asks[1:-1]]
        said = " ".join([pick(rng, _MANY).format(asks[0]), *middle, pick(rng, _LAST).format(asks[-1])])
    return f"{said} {pick(rng, AGREED)}{pick(rng, _CLOSINGS)}"
