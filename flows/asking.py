"""Questions to a language model as task runs of their own, so that people see what an item waits for."""

from dataclasses import dataclass
from functools import cache
from typing import Any, cast

from prefect import task
from prefect.tasks import Task
from prefect.utilities.annotations import quote

from flows.composition import Kit
from flows.watching import watch
from tasks.authors.base import Author, Question, ReplyT
from tasks.authors.playing import Conversation, Player, Said
from tasks.policies import QUESTION


def in_tasks(kit: Kit) -> Author:
    """The author of a kit for use inside the task of an item.

    What a language model is asked becomes a task run, named after the prompt, inside the item's own and on its thread.
    The built-in author answers in no time and is returned as it is.
    """
    return _InTasks(kit.author.name, kit.author) if kit.asks_model else kit.author


@dataclass
class _InTasks:
    name: str
    author: Author

    def ask(self, question: Question[ReplyT], *, seed: int) -> ReplyT:
        """See `Author`. Raises what the author raises."""
        watch().count_task_run()
        # Quoted: Prefect need not search them for task runs to wait for.
        reply = _task_for(question.prompt)(_label(question), quote(self.author), quote(question), seed)
        return cast(ReplyT, reply)


def player_in_tasks(kit: Kit) -> Player:
    """The player of a kit for use inside the task of an item: each turn of a model becomes a task run inside it.

    Raises:
        ValueError: the author of the kit can't play.
    """
    if kit.player is None:
        raise ValueError(f"the author {kit.author.name!r} can't play scenarios; ask it for no --probe-attempts")
    return _PlayerInTasks(kit.player.name, kit.player) if kit.asks_model else kit.player


@dataclass
class _PlayerInTasks:
    name: str
    player: Player

    def turn(self, conversation: Conversation, *, seed: int) -> Said:
        """See `Player`. Raises what the player raises."""
        watch().count_task_run()
        label = f"{conversation.scenario_id}, turn {len(conversation.turns) + 1}"
        return cast(Said, _turn_task()(label, quote(self.player), quote(conversation), seed))


@cache
def _turn_task() -> Task[..., Any]:
    return task(name="play scenario", **QUESTION)(_turn)


def _turn(label: str, player: Player, conversation: Conversation, seed: int) -> Said:
    return player.turn(conversation, seed=seed)


@cache
def _task_for(prompt: str) -> Task[..., Any]:
    return task(name=prompt.replace("_", " "), **QUESTION)(_ask)


def _ask(label: str, author: Author, question: Question[Any], seed: int) -> Any:
    return author.ask(question, seed=seed)


def _label(question: Question[Any]) -> str:
    """ "dental-practice", or "dental-practice, round 2" for a repair."""
    number = getattr(question, "round", None)
    return question.subject if number is None else f"{question.subject}, round {number}"
