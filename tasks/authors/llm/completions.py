"""What a chat completion says, however the endpoint puts it."""

import json
from collections.abc import Iterator
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidatorFunctionWrapHandler, WrapValidator

from tasks.authors.llm.modes import REPLY_TOOL
from tasks.authors.llm.outcomes import Answer, Usage
from tasks.authors.playing import ToolUse


def answer_in(body: object) -> Answer | None:
    """The answer in the body of a chat completion; null when it is none, whatever its status was."""
    try:
        read = _Body.model_validate(body)
    except ValidationError:
        return None
    choice = read.choices[0]
    is_filtered = choice.finish_reason == "content_filter"
    refusal = choice.message.refusal or ("a content filter stepped in" if is_filtered else None)
    return Answer(
        text=_sendable(_called(choice.message) or _written(choice.message.content)),
        finish_reason=choice.finish_reason,
        refusal=_sendable(refusal) if refusal is not None else None,
        usage=read.usage.as_usage() if read.usage is not None else Usage(),
        uses=tuple(_uses(choice.message)),
    )


def _unless_odd(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
    try:
        return handler(value)
    except ValidationError:
        return None


_OrNull = WrapValidator(_unless_odd)
"""A count that makes no sense is unknown; the reply is good all the same."""
_Count = Annotated[Annotated[int, Field(ge=0)] | None, _OrNull]


class _Lenient(BaseModel):
    """No endpoint is held to more than what is read here."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class _Function(_Lenient):
    name: str | None = None
    arguments: str | dict[str, Any] | None = None


class _ToolCall(_Lenient):
    id: str | None = None
    function: _Function | None = None


class _Message(_Lenient):
    content: str | list[Any] | None = None
    refusal: str | None = None
    tool_calls: list[_ToolCall] | None = None


class _Choice(_Lenient):
    message: _Message
    finish_reason: str | None = None


class _InputDetails(_Lenient):
    cached_tokens: _Count = None


class _OutputDetails(_Lenient):
    reasoning_tokens: _Count = None


class _Usage(_Lenient):
    prompt_tokens: _Count = None
    completion_tokens: _Count = None
    prompt_tokens_details: Annotated[_InputDetails | None, _OrNull] = None
    completion_tokens_details: Annotated[_OutputDetails | None, _OrNull] = None

    def as_usage(self) -> Usage:
        in_details, out_details = self.prompt_tokens_details, self.completion_tokens_details
        return Usage(
            input_tokens=self.prompt_tokens,
            output_tokens=self.completion_tokens,
            cached_tokens=in_details.cached_tokens if in_details is not None else None,
            reasoning_tokens=out_details.reasoning_tokens if out_details is not None else None,
        )


class _Body(_Lenient):
    choices: list[_Choice] = Field(min_length=1)
    usage: Annotated[_Usage | None, _OrNull] = None


def _uses(message: _Message) -> Iterator[ToolUse]:
    """Every call of a tool; one without an id gets one."""
    for number, call in enumerate(message.tool_calls or (), start=1):
        if call.function is not None and call.function.name:
            given = call.function.arguments
            text = json.dumps(given) if isinstance(given, dict) else given or ""
            yield ToolUse(_sendable(call.id or f"call-{number}"), _sendable(call.function.name), _sendable(text))


def _called(message: _Message) -> str:
    """What the tool `reply` was called with; empty when it was not."""
    for call in message.tool_calls or ():
        if call.function is not None and call.function.name == REPLY_TOOL:
            given = call.function.arguments
            return json.dumps(given) if isinstance(given, dict) else given or ""
    return ""


def _written(content: str | list[Any] | None) -> str:
    """Some endpoints write in parts, thoughts among them; only parts of text count."""
    if not isinstance(content, list):
        return content or ""
    parts = [part for part in content if isinstance(part, dict) and part.get("type", "text") == "text"]
    return "".join(str(part.get("text") or "") for part in parts)


def _sendable(text: str) -> str:
    """Half of a surrogate pair could be neither sent back nor kept."""
    return text.encode("utf-8", "replace").decode("utf-8")
