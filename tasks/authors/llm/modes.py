"""The ways to hold a model to the type of its reply, and what is sent for each.

A reply is asked for as JSON of a schema; where the endpoint refuses that, as the call of a tool; where it refuses that
too, in words alone, which every prompt has anyway. An endpoint that silently ignores what it does not know is no
trouble: the reply is read from the text.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from pydantic import BaseModel

ReplyMode = Literal["json_schema", "tool", "json", "text"]
"""`text`: the reply has no schema."""
REPLY_TOOL = "reply"
"""The tool whose arguments are the reply."""
_LARGEST_SEED = 2**31


@dataclass(frozen=True, slots=True)
class Order:
    """One request in our words."""

    model: str
    messages: tuple[Mapping[str, Any], ...]
    seed: int
    temperature: float | None
    max_tokens: int | None
    reply_type: type[BaseModel] | None
    """Null for a reply without a schema."""
    tools: tuple[Mapping[str, Any], ...] = ()
    """Declarations of functions that the model may call; not together with a type."""

    def mode(self, refused: frozenset[str]) -> ReplyMode:
        """How an endpoint that refuses this is held to the type."""
        if self.reply_type is None:
            return "text"
        if "response_format" not in refused:
            return "json_schema"
        return "json" if "tools" in refused else "tool"

    def shaped(self, refused: frozenset[str]) -> dict[str, Any]:
        """The request as it is sent, without what the endpoint refuses."""
        request: dict[str, Any] = {"model": self.model, "messages": list(self.messages)}
        optional = {"seed": self.seed % _LARGEST_SEED, "temperature": self.temperature, "max_tokens": self.max_tokens}
        for name, value in optional.items():
            if value is not None and name not in refused:
                request[name] = value
        if self.max_tokens is not None and "max_tokens" in refused:
            request["max_completion_tokens"] = self.max_tokens  # the newer name of the same thing
        if self.tools:
            request["tools"] = list(self.tools)
        mode = self.mode(refused)
        if mode == "json_schema" and self.reply_type is not None:
            # Not strict: strict mode refuses objects with free keys, which states and settings are.
            schema = {"name": self.reply_type.__name__, "schema": schema_of(self.reply_type), "strict": False}
            request["response_format"] = {"type": "json_schema", "json_schema": schema}
        elif mode == "tool" and self.reply_type is not None:
            function = {"name": REPLY_TOOL, "description": "Give the answer.", "parameters": schema_of(self.reply_type)}
            request["tools"] = [{"type": "function", "function": function}]
            request["tool_choice"] = {"type": "function", "function": {"name": REPLY_TOOL}}
        return request


@cache
def schema_of(reply_type: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of a reply. Shared: not to be changed."""
    return reply_type.model_json_schema()
