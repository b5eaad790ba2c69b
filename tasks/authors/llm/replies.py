"""What a model wrote, read as what was asked for.

Models think aloud, wrap JSON in fences, and say something nice before it. That is passed over; what is left must fit.
"""

import json
import re
from typing import Any

from pydantic import BaseModel, ValidationError

from tasks.authors.base import (
    BadReply,
    CallJudgements,
    CodeDraft,
    DraftCode,
    JudgeCalls,
    JudgeTasks,
    Question,
    RepairCode,
    TaskJudgements,
)
from tasks.authors.llm.modes import REPLY_TOOL

_THOUGHTS = re.compile(r"\s*<(think|thinking|thought|reasoning)>.*?(</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_END_OF_THOUGHT = re.compile(r"</(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
# A fence that is indented by four blanks or more belongs to the text inside. One that is never closed ends at the end.
_BLOCK = re.compile(r"^ {0,3}(`{3,}|~{3,})[^\n`]*\n(.*?)(?:^ {0,3}\1[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_CALL = re.compile(rf'\s*\{{\s*"name"\s*:\s*"{REPLY_TOOL}"')
_PROBLEMS_SHOWN = 8
_SHOWN = 80


class Misfit(Exception):
    """A reply is not what was asked for. The text says why, for the model that wrote it."""


class CutOff(BadReply):
    """There was not enough room for the reply, not even the second time."""


class Declined(BadReply):
    """The model, or a filter, would not answer."""


class TooLong(BadReply):
    """The question does not fit into the model's context."""


def read_reply(question: Question[Any], text: str) -> BaseModel:
    """The reply in a text, of the question's type.

    Raises:
        Misfit: there is none.
    """
    said = without_thoughts(text)
    if not said:
        raise Misfit("The answer is empty.")
    if isinstance(question, DraftCode | RepairCode):
        return CodeDraft(code=_code(said, question.logic_model.class_name))
    reply = _json(said, question.reply_type)
    if isinstance(question, JudgeTasks) and isinstance(reply, TaskJudgements):
        _require_all_judged(question, reply)
    if isinstance(question, JudgeCalls) and isinstance(reply, CallJudgements):
        _require_same_calls(question, reply)
    return reply


def without_thoughts(text: str) -> str:
    """The text after its thoughts; empty when it holds nothing else.

    Thoughts stand in tags at the beginning. Some endpoints keep the opening tag for themselves.
    """
    while found := _THOUGHTS.match(text):
        text = text[found.end() :]
    text = text.strip()
    if not text.startswith(("{", "[", "`", "~")) and (end := _END_OF_THOUGHT.search(text)):
        text = text[end.end() :].strip()
    return text


def _json(text: str, kind: type[BaseModel]) -> BaseModel:
    """The first candidate that fits; if none does, what is wrong with the likeliest one."""
    problem: ValidationError | None = None
    for candidate in _candidates(text):
        try:
            return kind.model_validate_json(candidate)
        except ValidationError as error:
            problem = problem if problem is not None and not _is_no_json(problem) else error
    if problem is None or _is_no_json(problem):
        why = f" ({_shown(problem.errors()[0]['msg'])})" if problem is not None else ""
        raise Misfit(f"The answer holds no complete JSON object{why}. Give one JSON object and nothing else.")
    raise Misfit(f"The JSON does not fit: {_told(problem)}")


def _candidates(text: str) -> list[str]:
    """Where the object may be: the whole text, a fenced block (the last one first), all between the outer braces."""
    blocks = [found[2] for found in _BLOCK.finditer(text)]
    start, end = text.find("{"), text.rfind("}")
    candidates = [text, *reversed(blocks), text[start : end + 1]]
    return [_called_with(each) for each in dict.fromkeys(candidates) if each.lstrip().startswith("{")]


def _called_with(text: str) -> str:
    """The arguments, where the text is a call of the tool `reply` that the endpoint did not recognise as one."""
    if not _CALL.match(text):
        return text
    try:
        call = json.loads(text)
    except (ValueError, RecursionError):
        return text
    arguments = call.get("arguments", call.get("parameters"))
    return json.dumps(arguments) if isinstance(arguments, dict) else text


def _code(text: str, class_name: str) -> str:
    """The last fenced block that defines the class; the whole text where it is bare code."""
    defines = re.compile(rf"^class {re.escape(class_name)}\b", re.MULTILINE)
    blocks = [found[2] for found in _BLOCK.finditer(text)]
    found = [each for each in blocks or [text] if defines.search(each)]
    if not found:
        raise Misfit(f"No fenced block defines `class {class_name}`. Give the whole module as one fenced Python block.")
    return found[-1].strip() + "\n"


def _require_all_judged(question: JudgeTasks, reply: TaskJudgements) -> None:
    asked, given = len(question.texts), len(reply.judgements)
    if given != asked:
        raise Misfit(f"There are {given} judgements for {asked} texts. Give exactly one per text, in their order.")
    for number, each in enumerate(reply.judgements, start=1):
        if each.is_stateful and each.environment is None:
            raise Misfit(f"Judgement {number} calls its text stateful, but its environment is null. Name one.")


def _require_same_calls(question: JudgeCalls, reply: CallJudgements) -> None:
    asked = [each.number for each in question.calls]
    given = [each.number for each in reply.judgements]
    if given != asked:
        raise Misfit(
            f"The calls {_listed(asked)} were to be judged, and the judgements are of {_listed(given)}. "
            "Give exactly one per call, in their order."
        )


def _listed(numbers: list[int]) -> str:
    return _shown(", ".join(map(str, numbers))) or "none"


def _is_no_json(error: ValidationError) -> bool:
    return error.errors(include_url=False)[0]["type"] == "json_invalid"


def _told(error: ValidationError) -> str:
    problems = error.errors(include_url=False, include_context=False)
    told = [
        f"{'.'.join(map(str, each['loc'])) or 'the object'}: {each['msg']}, got {_shown(repr(each['input']))}"
        for each in problems[:_PROBLEMS_SHOWN]
    ]
    more = len(problems) - len(told)
    return "; ".join(told) + (f"; and {more} more problems" if more else "") + "."


def _shown(text: str) -> str:
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."
