"""Final messages that lack a fact or tell another, and such that say the same otherwise."""

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from schemas.scenarios import TrialKind
from tasks.proof.news import FACT, News, listed, news_in, other, swapped

_STOCK = "Done."
_STOCK_REFUSALS = (
    "I'm sorry, but I can't do that.",
    "Unfortunately that is not possible, because the rules do not allow it.",
)
_OTHER_REASONS = (
    ("I can't do that. Please open a ticket.", None),
    ("I can't do that for this customer, member or order.", None),
    (
        "I was not able to start this, as everything is taken at the moment.",
        r"full|free|taken|capacity|room|place|left",
    ),
    ("It is pending approval, so I did not do it.", r"pending|approv|await|wait|review|request|submit|decid|confirm"),
    (
        "Sorry, the request is closed.",
        r"clos|complet|finish|(?<![a-z])(?:done|over|shut)(?![a-z])|ended|resolv|settled",
    ),
)
"""Refusals with the usual words of a reason, and where in the right message they may be the reason themselves."""
_UNSURE, _UNSURE_PER_CHECK = 1, 2
"""Wrong messages that have to fail only where a check asks for what is wrong with them."""
_MOST_FACTS = 6
_MARKS = ".,;:!?\"'()"


def wrong_messages(
    message: str, *, task: str, is_refusal: bool, checks: int, passes: Callable[[str], bool]
) -> Iterator[tuple[TrialKind, str, str, bool]]:
    """Kind, what is wrong, text, and whether it has to fail whatever the checks ask for; those that have to come first.

    A message with one other fact has to fail only where a check asks for that fact, which only the check knows.

    Args:
        message: The right message.
        task: What was asked for.
        is_refusal: Whether the right message says no.
        checks: How many checks of the answer there are.
        passes: Whether the checks hold of another message.
    """
    news = news_in(message, task)[:_MOST_FACTS]
    asked = [each for each in news if not passes(each.replaced(message, other(each.text)))]
    yield from _surely_wrong(message, task, asked, is_refusal=is_refusal)
    yield from islice(_other_facts(message), _UNSURE + _UNSURE_PER_CHECK * checks)


def _surely_wrong(
    message: str, task: str, asked: Sequence[News], *, is_refusal: bool
) -> Iterator[tuple[TrialKind, str, str, bool]]:
    if is_refusal:
        for text in stock_refusals(message):
            yield "stock_refusal", f'the message is "{text}"', text, True
    else:
        yield "wrong_answer", f'the message is "{_STOCK}"', _STOCK, True
    if FACT.search(message) is not None:
        # What was asked for may be none of the facts that are recognised here, such as a colour.
        known = "what only a look-up tells is left out of the message, and every other fact in it is another"
        yield "wrong_answer", known, other(_said_in(task, message)), True
    for what, text in (*listed(message, asked), *swapped(message, asked)):
        yield "wrong_answer", what, text, True


def _other_facts(message: str) -> Iterator[tuple[TrialKind, str, str, bool]]:
    facts = list(dict.fromkeys(found[0] for found in FACT.finditer(message)))
    if facts:
        yield "wrong_answer", "every fact in the message is another", other(message), False
    if len(facts) > 1:
        for fact in facts[:_MOST_FACTS]:
            text = re.sub(rf"(?<!\w){re.escape(fact)}(?!\w)", other(fact), message)
            yield "wrong_answer", f'the message says "{other(fact)}" for "{fact}"', text, False
    sentences = _sentences(message)
    if len(sentences) > 1:
        for number, sentence in enumerate(sentences[:_MOST_FACTS]):
            text = " ".join(each for at, each in enumerate(sentences) if at != number)
            yield "wrong_answer", f'the message lacks "{sentence}"', text, False


def stock_refusals(message: str) -> list[str]:
    """Refusals without the true reason, which the right message gives."""
    said = message.lower()
    others = [text for text, unless in _OTHER_REASONS if unless is None or not re.search(unless, said)]
    return [*_STOCK_REFUSALS, *others]


def reworded(message: str) -> Iterator[tuple[str, str]]:
    """What is otherwise, and the text: the same facts, in other company and another form."""
    yield (
        "the message has a greeting and a farewell",
        f"Hello, thank you for waiting. {message} Is there anything else?",
    )
    sentences = _sentences(message)
    lines = "\n".join(f"- {each}" for each in reversed(sentences))
    yield "the message is a list of its sentences, the last one first", f"Here is what I found:\n{lines}"


def _said_in(task: str, message: str) -> str:
    """The words of the message that the task holds, too."""
    said = {word.strip(_MARKS).lower() for word in task.split()}
    return " ".join(word for word in message.split() if word.strip(_MARKS).lower() in said)


def _sentences(message: str) -> list[str]:
    return [each for each in re.split(r"(?<=[.!?])\s+(?=[A-Z])", message.strip()) if each]
