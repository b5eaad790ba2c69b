"""Replies in the forms of a chat-completions API."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from tasks.authors.base import CodeDraft

_CHARACTERS_PER_TOKEN = 4
_THOUGHT = '<think>\nLet me see. First I should read what is asked: {"a": 1} or `code`?\n</think>\n\n'


@dataclass(frozen=True)
class Skills:
    """What the endpoint can do besides answering."""

    schema: bool = True
    """JSON of a schema. Without, the parameter is refused."""
    tools: bool = True
    """Tool calls. Without, the parameter is refused."""
    usage: bool = True
    """Tells the tokens."""
    thinks: bool = False
    """Thinks aloud before it answers."""
    context_tokens: int | None = None
    """Longest prompt; null for any."""

    def refused(self, body: Mapping[str, Any]) -> tuple[str, str, str | None] | None:
        """Message, code and parameter of the refusal of a request; null when it is taken."""
        if not self.schema and "response_format" in body:
            return "response_format is not supported by this server", "unsupported", "response_format"
        if not self.tools and "tools" in body:
            return "tools are not supported by this server", "unsupported", "tools"
        longest, given = self.context_tokens, tokens_of(body["messages"])
        if longest is not None and given > longest:
            told = f"This model's maximum context length is {longest} tokens. Your messages have {given} tokens."
            return told, "context_length_exceeded", "messages"
        return None


@dataclass(frozen=True)
class Said:
    """What the model wrote, and how it ended."""

    text: str
    finish_reason: str = "stop"
    refusal: str | None = None
    call: tuple[str, str] | None = None
    """A tool that it wants to be called, and the arguments; null for none."""


def written(reply: BaseModel, body: Mapping[str, Any]) -> Said:
    """A reply as a model writes it: code in a fence, JSON bare where the endpoint holds it to that, else fenced too."""
    if isinstance(reply, CodeDraft):
        return Said(f"Here is the module.\n\n```python\n{reply.code}```\n")
    text = reply.model_dump_json()
    is_held = "response_format" in body or "tools" in body
    return Said(text if is_held else f"Here it is:\n\n```json\n{text}\n```\n")


def cut(said: Said, tokens: int) -> Said:
    """The beginning, where there is no room for all of it."""
    longest = tokens * _CHARACTERS_PER_TOKEN
    return said if len(said.text) <= longest else Said(said.text[:longest], "length")


def completion(said: Said, body: Mapping[str, Any], skills: Skills) -> dict[str, Any]:
    """The body of the response."""
    is_reply = "tool_choice" in body and said.refusal is None and said.text != ""
    thought = _THOUGHT if skills.thinks and said.text else ""
    message: dict[str, Any] = {"role": "assistant", "content": thought + said.text, "refusal": said.refusal}
    call = (body["tools"][0]["function"]["name"], said.text) if is_reply else said.call
    if call is not None:
        function = {"name": call[0], "arguments": call[1]}
        message |= {
            "content": thought or None,
            "tool_calls": [{"id": "call_1", "type": "function", "function": function}],
        }
    ended = "tool_calls" if call is not None and said.finish_reason == "stop" else said.finish_reason
    whole: dict[str, Any] = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": ended}],
    }
    if skills.usage:
        given, thought_tokens = tokens_of(body["messages"]), len(thought) // _CHARACTERS_PER_TOKEN
        taken = -(-len(said.text) // _CHARACTERS_PER_TOKEN) + thought_tokens
        whole["usage"] = {
            "prompt_tokens": given,
            "completion_tokens": taken,
            "total_tokens": given + taken,
            "prompt_tokens_details": {"cached_tokens": 0},
            "completion_tokens_details": {"reasoning_tokens": thought_tokens},
        }
    return whole


def error(message: str, *, code: str | None = None, param: str | None = None) -> dict[str, Any]:
    """The body of a refusal."""
    return {"error": {"message": message, "type": "error", "param": param, "code": code}}


def tokens_of(messages: Sequence[Mapping[str, str]]) -> int:
    """About as many as a tokenizer would count."""
    return len(json.dumps(messages, ensure_ascii=False)) // _CHARACTERS_PER_TOKEN
