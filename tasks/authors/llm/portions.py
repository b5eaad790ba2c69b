"""Texts to judge, in portions that a model keeps apart and that fit into its context."""

from collections.abc import Iterator

from tasks.authors.base import JudgeTasks

TEXTS_PER_REQUEST = 20
"""Texts that are judged by one request: more make one reply too long, and neighbours get mixed up."""
CHARACTERS_PER_REQUEST = 30_000
"""The same, for long texts. One text is always sent, however long."""
SHORTEST_CUT = 500
"""Characters: a text that does not fit although it is no longer than this is not what is too long."""
_GAP = "\n[...]\n"


def portions(question: JudgeTasks) -> Iterator[JudgeTasks]:
    """The texts in their order, none left out; nothing for no texts."""
    texts: list[str] = []
    characters = 0
    for text in question.texts:
        if texts and (len(texts) == TEXTS_PER_REQUEST or characters + len(text) > CHARACTERS_PER_REQUEST):
            yield JudgeTasks(tuple(texts))
            texts, characters = [], 0
        texts.append(text)
        characters += len(text)
    if texts:
        yield JudgeTasks(tuple(texts))


def smaller(portion: JudgeTasks) -> tuple[JudgeTasks, ...]:
    """What to ask instead of a portion that is too long for the model; nothing when it can't be made shorter.

    Two halves of the texts; of a single text, its beginning and its end: what it is about stands in one of them.
    """
    texts = portion.texts
    if len(texts) > 1:
        middle = len(texts) // 2
        return JudgeTasks(texts[:middle]), JudgeTasks(texts[middle:])
    if not texts or len(texts[0]) <= SHORTEST_CUT:
        return ()
    kept = len(texts[0]) // 4
    return (JudgeTasks((texts[0][:kept] + _GAP + texts[0][-kept:],)),)
