"""The task text: what was planned, as somebody would ask for it."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from tasks.authors.rules.answers import Fact
from tasks.authors.rules.describe import with_articles
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
    "Several things, please. First, {}.",
    "Could you do this for us: {}?",
)
_NEXT = ("Then {}.", "After that, {}.", "Also, {}.", "And please {}.", "Next, {}.")
_LAST_OF_TWO = ("Then {}.", "After that, {}.", "Also, {}.", "And please {}.")
_LAST = ("Finally, {}.", "And then {}.", "Last of all, {}.", "Once that is done, {}.")
AGREED = (
    "Everybody concerned has agreed.",
    "All of this is agreed and checked.",
    "Yes, I have asked around and it is fine with them.",
    "The people concerned have said yes; the checks are done.",
    "I have checked what has to be checked first, and nobody has anything against it.",
    "You have the consent that you need for this.",
    "I confirm whatever has to be confirmed first.",
    "No need to ask back: all that has to be settled first is settled.",
    "Everyone whom this concerns knows what it means and agrees to it.",
    "Those whom it concerns were told and are happy with it.",
    "It has all been talked over and confirmed.",
    "Consider everything that you have to ask for first as given.",
    "It is cleared with everyone, checks included.",
    "The conditions for this are met; I have seen to that.",
)
"""Said where a policy asks for consent or a confirmation that a single message could not give later."""
_CLOSINGS = ("", "", "", " Leave everything else as it is.", " Nothing else should change.", " Thank you!")


_TELLS = ("Then tell me {}.", "And let me know {}.", "When it is done, tell me {}.", "I also want to know {}.")
_QUESTIONS = ("Could you tell me {}?", "Hi, please tell me {}.", "I need to know {}.", "Quick question: tell me {}.")
_REFUSED_OPENINGS = ("Hi, {}.", "Please {}.", "Could you {}?", "I'd like you to {}.", "Good morning! Please {}.")
_WHY = (
    " If that can't be done, tell me exactly why.",
    " If there is something against it, say what it is.",
    " Should that not work, I want to know the reason.",
)


@dataclass(frozen=True)
class Wish:
    """One thing that a person wants, for a conversation."""

    says: str
    """Without any detail: "set the overdraft of an account"."""
    details: tuple[str, ...]
    """One each: "account: the savings account of Anna Smith"."""


def task_text(rng: Random, asks: list[str], tells: Sequence[str] = (), *, is_agreed: bool = False) -> str:
    """One clause a deed, in order, with an opening.

    `tells` is what the person wants to be told at the end. `is_agreed` adds the consent that a policy asks for.
    """
    if len(asks) == 1:
        said = pick(rng, _OPENINGS).format(asks[0])
    elif len(asks) == 2 and rng.random() < 0.5 and not any(";" in each or " - " in each for each in asks):
        said = pick(rng, _OPENINGS_LONG).format(joined(asks, "and then"))
    elif len(asks) == 2:
        said = f"{pick(rng, _OPENINGS_LONG).format(asks[0])} {pick(rng, _LAST_OF_TWO).format(asks[1])}"
    else:
        middle = [pick(rng, _NEXT).format(each) for each in asks[1:-1]]
        said = " ".join([pick(rng, _MANY).format(asks[0]), *middle, pick(rng, _LAST).format(asks[-1])])
    told = f" {pick(rng, _TELLS).format(joined(list(tells)))}" if tells else ""
    agreed = f" {pick(rng, AGREED)}" if is_agreed else ""
    return with_articles(f"{said}{told}{agreed}{pick(rng, _CLOSINGS)}")


def question_text(rng: Random, tells: Sequence[str]) -> str:
    """A question that needs look-ups only."""
    return with_articles(pick(rng, _QUESTIONS).format("; ".join(tells)))


def refusal_text(rng: Random, asks: Sequence[str]) -> str:
    """A wish that can't be granted, asked for like any other, and the wish for the reason."""
    return with_articles(pick(rng, _REFUSED_OPENINGS).format(joined(list(asks))) + pick(rng, _WHY))


def user_goal(wishes: Sequence[Wish], facts: Sequence[Fact] = ()) -> str:
    """What a person wants, knows, and says only when asked, for a conversation.

    Where there are several wishes, each detail names the one that it belongs to. `facts` are what the person wants to
    be told at the end.
    """
    if len(wishes) == 1:
        lines = [f"You want the agent to {wishes[0].says}."]
        details = [f"- {each}" for each in dict.fromkeys(wishes[0].details)]
    else:
        lines = [f"You want the agent to do {len(wishes)} things, in this order:"]
        lines += [f"Wish {number}: {wish.says}." for number, wish in enumerate(wishes, start=1)]
        details = [
            f"- for wish {number}, {each}"
            for number, wish in enumerate(wishes, start=1)
            for each in dict.fromkeys(wish.details)
        ]
    if facts:
        lines.append(f"At the end you want to be told {joined([each.vague for each in facts])}.")
    asked = [each.asks for each in facts if each.asks != each.vague]
    details += [f"- what you want to be told{_number(asked, at)}: {each}" for at, each in enumerate(asked, start=1)]
    if details:
        lines += ["You say this only when you are asked for it, one thing at a time:", *details]
    lines.append("When asked, you agree to whatever follows from this. You know no ids and nothing else on record.")
    return with_articles("\n".join(lines))


def _number(them: Sequence[str], at: int) -> str:
    return f" ({at} of {len(them)})" if len(them) > 1 else ""
