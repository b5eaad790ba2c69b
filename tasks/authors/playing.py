"""The other thing that a language model may be asked: to play a scenario, turn by turn, by calling tools."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol, runtime_checkable


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A call that a model asks for."""

    use_id: str
    """By which its result is told apart; unique in its turn."""
    tool: str
    arguments: str
    """As the model wrote them, usually the JSON text of an object."""


@dataclass(frozen=True, slots=True)
class Said:
    """One turn of the model: calls that it asks for, or else its final message."""

    text: str
    uses: tuple[ToolUse, ...] = ()
    ended: Literal["finished", "cut_off", "declined"] = "finished"
    """cut_off: there was not enough room for the turn, or for the conversation. declined: the model or a filter would
    not answer. Both end the episode without a message."""


@dataclass(frozen=True, slots=True)
class ToolAnswer:
    """What a call that the model asked for has shown."""

    use_id: str
    result: str
    """JSON text."""


@dataclass(frozen=True, slots=True)
class Conversation:
    """An episode so far, as the model sees it."""

    scenario_id: str
    """For the accounts."""
    policy: str
    task: str
    tools: tuple[Mapping[str, Any], ...]
    """Function declarations of the chat-completions interface."""
    turns: tuple[Said | ToolAnswer, ...] = ()
    """What came after the task; every call that was asked for is answered."""


@runtime_checkable
class Player(Protocol):
    """A language model that can call tools. Safe to use from several threads."""

    name: str
    """Of the model."""

    def turn(self, conversation: Conversation, *, seed: int) -> Said:
        """The next turn of the model.

        Raises:
            AuthorUnavailable: no turn could be had; BudgetExhausted where the budget is the reason.
        """
