"""The author that asks a language model behind an OpenAI-compatible endpoint, and the player that lets it play."""

import json
import time
from collections.abc import Callable
from dataclasses import fields
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, NoReturn, cast

from prompts.library import Prompt, load
from schemas.llm_calls import LlmCall
from schemas.row import Stage
from tasks.authors.base import (
    BadReply,
    DescribeTopic,
    DraftCode,
    DraftInitialStates,
    DraftLogicModel,
    DraftScenarios,
    DraftTestPlan,
    JudgeCalls,
    JudgeTasks,
    Question,
    RepairCode,
    RepairScenario,
    ReplyT,
    TaskJudgement,
    TaskJudgements,
)
from tasks.authors.llm.accounts import Accounts, Entry
from tasks.authors.llm.budget import Budget, Price
from tasks.authors.llm.cache import Cache, NoCache, StoredReply
from tasks.authors.llm.limiter import Limiter
from tasks.authors.llm.portions import portions, smaller
from tasks.authors.llm.replies import CutOff, Declined, Misfit, TooLong, read_reply, without_thoughts
from tasks.authors.llm.settings import EndpointSettings
from tasks.authors.playing import Conversation, Said, ToolAnswer, ToolUse

if TYPE_CHECKING:
    from tasks.authors.llm.endpoint import Message
    from tasks.authors.llm.taped import Tape

QUESTIONS: tuple[type[Question[Any]], ...] = (
    JudgeTasks,
    DescribeTopic,
    DraftLogicModel,
    DraftCode,
    RepairCode,
    DraftTestPlan,
    JudgeCalls,
    DraftInitialStates,
    DraftScenarios,
    RepairScenario,
)
MOST_AT_A_TIME = 64
"""Requests under way, where no limiter says otherwise."""
_AGAIN = "answer_again"
_PLAY = "play_scenario"
_NO_RUN = "run_none"


def _utc_now() -> datetime:
    return datetime.now(UTC)


def _not_written(_call: LlmCall) -> None:
    """For an author outside a run: nobody keeps accounts."""


class _Unfit(Exception):
    """A reply does not fit: what it was, and why it does not."""

    def __init__(self, reply: StoredReply, misfit: Misfit) -> None:
        super().__init__(str(misfit))
        self.reply = reply


class LlmAuthor:
    """Puts every question of `tasks.authors.base` as its prompt, and reads the reply. Safe to use from several threads.

    A reply that does not fit is asked for once more, with what was wrong.

    Args:
        settings: The endpoint and its model.
        run_id: Of the run that asks.
        stage: In which it asks; null outside a run.
        log: Takes one row for each request, also for one that was found answered and one that broke.
        cache: Keeps replies, and what the endpoint refuses.
        budget: What may be spent.
        limiter: How many requests may be under way.
        price: Of the model, for the accounts; null where nobody knows.
        clock: With a time zone.
        sleep: Waits this many seconds between two attempts.
        tape: Keeps every exchange with the endpoint, or answers in its place; null for neither.
    """

    def __init__(
        self,
        settings: EndpointSettings,
        *,
        run_id: str = _NO_RUN,
        stage: Stage | None = None,
        log: Callable[[LlmCall], None] = _not_written,
        cache: Cache | None = None,
        budget: Budget | None = None,
        limiter: Limiter | None = None,
        price: Price | None = None,
        clock: Callable[[], datetime] = _utc_now,
        sleep: Callable[[float], None] = time.sleep,
        tape: "Tape | None" = None,
    ) -> None:
        # The client takes a second to import, which only those pay who ask a model.
        from tasks.authors.llm.endpoint import Endpoint

        self.name = settings.model
        self._endpoint = Endpoint(
            settings,
            cache=cache or NoCache(),
            budget=budget or Budget(),
            limiter=limiter or Limiter(MOST_AT_A_TIME),
            clock=clock,
            sleep=sleep,
            tape=tape,
        )
        self._accounts = Accounts(model=settings.model, run_id=run_id, stage=stage, log=log, clock=clock, price=price)
        self._prompts: dict[str, Prompt] = {}

    def ask(self, question: Question[ReplyT], *, seed: int) -> ReplyT:
        """Answer one question, by one request or two; by as many as needed for texts to judge.

        Raises:
            AuthorUnavailable: the endpoint can't be reached, is busy for too long, or refuses; BudgetExhausted where
                the budget is the reason.
            UsageError: the tape is to answer, and does not hold the question.
            HomeNotWritable: the tape can't keep what was said.
            BadReply: the second reply did not fit either, it was declined, there was not enough room for it, or the
                question does not fit into the model's context.
        """
        if not isinstance(question, JudgeTasks):
            return self._reply(question, seed)
        judgements = [each for portion in portions(question) for each in self._judged(portion, seed)]
        return cast(ReplyT, TaskJudgements(judgements=tuple(judgements)))

    def _judged(self, portion: JudgeTasks, seed: int) -> tuple[TaskJudgement, ...]:
        """One judgement per text; of a text that is too long for the model, by its beginning and its end."""
        try:
            return self._reply(portion, seed).judgements
        except TooLong:
            parts = smaller(portion)
            if not parts:
                raise
        return tuple(each for part in parts for each in self._judged(part, seed))

    def _reply(self, question: Question[ReplyT], seed: int) -> ReplyT:
        from tasks.authors.llm.endpoint import Message

        inputs = {each.name: getattr(question, each.name) for each in fields(question)}
        asked = Message("user", self._prompt(question.prompt).render(**inputs))
        try:
            return self._turn(question, (asked,), seed, is_repeat=False)
        except _Unfit as unfit:
            said = Message("assistant", without_thoughts(unfit.reply.text) or "(nothing)")
            again = Message("user", self._prompt(_AGAIN).render(problem=str(unfit)))
        try:
            return self._turn(question, (asked, said, again), seed, is_repeat=True)
        except _Unfit as unfit:
            raise BadReply(f"'{question.prompt}', asked twice of {self.name}: {unfit}") from unfit

    def _turn(
        self, question: Question[ReplyT], messages: "tuple[Message, ...]", seed: int, *, is_repeat: bool
    ) -> ReplyT:
        """One request and its row."""
        from tasks.authors.llm.endpoint import Request

        prompt = self._prompt(question.prompt)
        reply_type = None if isinstance(question, DraftCode | RepairCode) else question.reply_type
        request = Request(messages, prompt.digest, reply_type, seed)
        key = self._endpoint.key_of(request)
        reply: StoredReply | None = None
        try:
            with self._accounts.entry(Entry(prompt, question.subject, key, seed, is_repeat)) as meter:
                reply = self._endpoint.complete(request, key, meter)
                return _read(question, reply)
        except Misfit as misfit:
            if reply is None:
                raise
            raise _Unfit(reply, misfit) from misfit

    def turn(self, conversation: Conversation, *, seed: int) -> Said:
        """The model's next turn in an episode, by one request.

        Raises:
            AuthorUnavailable, UsageError, HomeNotWritable: as for `ask`.
        """
        from tasks.authors.llm.endpoint import Request

        prompt = self._prompt(_PLAY)
        request = Request(_messages(conversation, prompt), prompt.digest, None, seed, conversation.tools)
        key = self._endpoint.key_of(request)
        try:
            with self._accounts.entry(Entry(prompt, conversation.scenario_id, key, seed, is_repeat=False)) as meter:
                reply = self._endpoint.complete(request, key, meter)
                _require_whole(_PLAY, reply)
        except Declined:
            return Said("", ended="declined")
        except (CutOff, TooLong):
            return Said("", ended="cut_off")
        uses = tuple(ToolUse(*each) for each in json.loads(reply.uses_json or "[]"))
        return Said(without_thoughts(reply.text), uses)

    def _prompt(self, name: str) -> Prompt:
        """Each is read when it is first asked."""
        if name not in self._prompts:
            self._prompts[name] = load(name)
        return self._prompts[name]

    def __reduce__(self) -> NoReturn:
        raise TypeError("An author holds the key of its endpoint and is never written down. Build it anew.")


def _read(question: Question[ReplyT], reply: StoredReply) -> ReplyT:
    """What the model was asked for.

    Raises:
        Misfit: it does not fit; asking again may help.
        BadReply: it was declined or cut off; asking again would not.
    """
    _require_whole(question.prompt, reply)
    return cast(ReplyT, read_reply(question, reply.text))


def _require_whole(prompt: str, reply: StoredReply) -> None:
    if reply.refusal is not None:
        raise Declined(f"'{prompt}' was declined: {reply.refusal[:300]}")
    if reply.finish_reason == "length":
        raise CutOff(
            f"The reply to '{prompt}' was cut off twice, at {reply.output_tokens or 'too few'} tokens. "
            "Allow more output tokens, or choose a model with a larger context."
        )


def _messages(conversation: Conversation, prompt: Prompt) -> "tuple[Message, ...]":
    """Who the model is and by which rules it works, the task, and what came after it."""
    from tasks.authors.llm.endpoint import Message

    told = [Message("system", prompt.render(policy=conversation.policy)), Message("user", conversation.task)]
    for turn in conversation.turns:
        match turn:
            case Said():
                told.append(Message("assistant", turn.text, turn.uses))
            case ToolAnswer():
                told.append(Message("tool", turn.result, answers=turn.use_id))
    return tuple(told)
