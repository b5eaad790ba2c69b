"""The author that asks a language model behind an OpenAI-compatible endpoint."""

from collections.abc import Iterator
from dataclasses import fields
from typing import TYPE_CHECKING, Any, cast

from prompts.library import load
from tasks.authors.base import (
    BadReply,
    DescribeTopic,
    DraftCode,
    DraftInitialStates,
    DraftLogicModel,
    DraftScenarios,
    JudgeTasks,
    Question,
    ReplyT,
    TaskJudgement,
    TaskJudgements,
)
from tasks.authors.llm.replies import Misfit, read_reply, without_thoughts
from tasks.authors.llm.settings import EndpointSettings

if TYPE_CHECKING:
    from tasks.authors.llm.endpoint import Completion

TEXTS_PER_REQUEST = 20
"""Texts that are judged by one request: more make one reply too long, and neighbours get mixed up."""
CHARACTERS_PER_REQUEST = 30_000
"""The same, for long texts. One text is always sent, however long."""

QUESTIONS: tuple[type[Question[Any]], ...] = (
    JudgeTasks,
    DescribeTopic,
    DraftLogicModel,
    DraftCode,
    DraftInitialStates,
    DraftScenarios,
)
_AGAIN = "answer_again"


class LlmAuthor:
    """Puts every question of `tasks.authors.base` as its prompt, and reads the reply. Safe to use from several threads.

    A reply that does not fit is asked for once more, with what was wrong.
    """

    def __init__(self, settings: EndpointSettings) -> None:
        # The client takes a second to import, which only those pay who ask a model.
        from tasks.authors.llm.endpoint import Endpoint

        self.name = settings.model
        self._endpoint = Endpoint(settings)
        self._prompts = {name: load(name) for name in (*(each.prompt for each in QUESTIONS), _AGAIN)}

    def ask(self, question: Question[ReplyT], *, seed: int) -> ReplyT:
        """Answer one question, by one request or two; by as many as needed for texts to judge.

        Raises:
            AuthorUnavailable: the endpoint can't be reached, is busy for too long, or refuses.
            BadReply: the second reply did not fit either, or there was not enough room for one.
        """
        if not isinstance(question, JudgeTasks):
            return self._reply(question, seed)
        judgements: list[TaskJudgement] = []
        for portion in _portions(question):
            judgements += self._reply(portion, seed).judgements
        return cast(ReplyT, TaskJudgements(judgements=tuple(judgements)))

    def _reply(self, question: Question[ReplyT], seed: int) -> ReplyT:
        from tasks.authors.llm.endpoint import Message

        inputs = {each.name: getattr(question, each.name) for each in fields(question)}
        asked = Message("user", self._prompts[question.prompt].render(**inputs))
        reply_type = None if isinstance(question, DraftCode) else question.reply_type
        first = self._endpoint.complete([asked], seed=seed, reply_type=reply_type)
        try:
            return _read(question, first)
        except Misfit as misfit:
            again = Message("user", self._prompts[_AGAIN].render(problem=str(misfit)))
        said = Message("assistant", without_thoughts(first.text) or "(nothing)")
        second = self._endpoint.complete([asked, said, again], seed=seed, reply_type=reply_type)
        try:
            return _read(question, second)
        except Misfit as misfit:
            raise BadReply(f"'{question.prompt}', asked twice of {self.name}: {misfit}") from misfit


def _read(question: Question[ReplyT], completion: "Completion") -> ReplyT:
    """The reply of a completion.

    Raises:
        Misfit: it does not fit; asking again may help.
        BadReply: it was declined or cut off; asking again would not.
    """
    if completion.refusal is not None:
        raise BadReply(f"'{question.prompt}' was declined: {completion.refusal[:300]}")
    if completion.is_cut_off:
        raise BadReply(
            f"The reply to '{question.prompt}' was cut off twice, at {completion.output_tokens or 'too few'} tokens. "
            "Allow more output tokens, or choose a model with a larger context."
        )
    return cast(ReplyT, read_reply(question, completion.text))


def _portions(question: JudgeTasks) -> Iterator[JudgeTasks]:
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
