"""Final messages that lack a fact, and such that say the same otherwise."""

import re
from collections.abc import Iterator

from schemas.scenarios import TrialKind

_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_FACT = re.compile(
    rf"\d[\d.,:-]*\d|\d|\b(?:{'|'.join((*_MONTHS, *_DAYS))})\b|(?<=[\w,;:] )[A-Z][\w'-]+(?: [A-Z][\w'-]+)*"
)
"""Numbers, amounts, dates, times; names within a sentence."""
_STOCK = "Done."
_STOCK_REFUSALS = (
    "I'm sorry, but I can't do that.",
    "Unfortunately that is not possible, because the rules do not allow it.",
)
_MOST_FACTS = 6
_MARKS = ".,;:!?\"'()"


def wrong_messages(message: str, *, task: str, is_refusal: bool) -> Iterator[tuple[TrialKind, str, str, bool]]:
    """Kind, what is wrong, text, and whether it has to fail whatever the checks ask for.

    A message with one other fact has to fail only where a check asks for that fact, which only the check knows.
    """
    if is_refusal:
        for text in _STOCK_REFUSALS:
            yield "stock_refusal", f'the message is "{text}"', text, True
    else:
        yield "wrong_answer", f'the message is "{_STOCK}"', _STOCK, True
    facts = list(dict.fromkeys(found[0] for found in _FACT.finditer(message)))
    if facts:
        changed = _FACT.sub(lambda found: _other(found[0]), message)
        # What was asked for may be none of the facts that are recognised here, such as a colour.
        yield "wrong_answer", "every fact in the message is another", changed, False
        known = "what only a look-up tells is left out of the message, and every other fact in it is another"
        yield "wrong_answer", known, _FACT.sub(lambda found: _other(found[0]), _said_in(task, message)), True
    if len(facts) > 1:
        for fact in facts[:_MOST_FACTS]:
            text = re.sub(rf"(?<!\w){re.escape(fact)}(?!\w)", _other(fact), message)
            yield "wrong_answer", f'the message says "{_other(fact)}" for "{fact}"', text, False
    sentences = _sentences(message)
    if len(sentences) > 1:
        for number, sentence in enumerate(sentences[:_MOST_FACTS]):
            text = " ".join(each for at, each in enumerate(sentences) if at != number)
            yield "wrong_answer", f'the message lacks "{sentence}"', text, False


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


def _other(fact: str) -> str:
    if fact in _MONTHS:
        return _MONTHS[(_MONTHS.index(fact) + 1) % len(_MONTHS)]
    if fact in _DAYS:
        return _DAYS[(_DAYS.index(fact) + 1) % len(_DAYS)]
    if fact[0].isdigit():
        return re.sub(r"\d", lambda digit: str(int(digit[0]) % 9 + 1), fact)
    return "Somebody Else"
