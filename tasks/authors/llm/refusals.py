"""Why an endpoint refuses a request: what it says is read as a reason."""

import re
from collections.abc import Mapping
from typing import Any

from tasks.authors.llm.outcomes import Failure

_MENTIONS = {
    "response_format": re.compile(r"response.?format|json.?schema|structured.?output|guided|grammar", re.IGNORECASE),
    "tools": re.compile(r"\btools?\b|tool.?(?:choice|use|call)|function.?call", re.IGNORECASE),
    "temperature": re.compile(r"\btemperature\b", re.IGNORECASE),
    "seed": re.compile(r"\bseed\b", re.IGNORECASE),
    "max_tokens": re.compile(r"\bmax_tokens\b", re.IGNORECASE),
}
"""Parameters that some endpoints refuse, and how the refusal speaks of them."""
_ALSO_NAMED = {"tool_choice": "tools", "parallel_tool_calls": "tools"}
_REFUSALS = (400, 404, 422)
_BEYOND_CONTEXT = re.compile(
    r"context.?(?:length|window|size)|exceed_context|maximum context|max_model_len|reduce the length|too many tokens"
    r"|(?:prompt|input|request|messages?) (?:is|are) too (?:long|large)|input.{0,40}exceeds? the (?:maximum|limit)",
    re.IGNORECASE,
)
_FILTERED = ("content_filter", "content_policy_violation")


def to_blame(failure: Failure, sent: Mapping[str, Any], *, is_known: bool) -> str | None:
    """The parameter because of which an endpoint refuses a request; null when it has another reason.

    Args:
        failure: What it says.
        sent: The request.
        is_known: It took such a request before. If not, a refusal without a reason means that it can't hold a model to
            a type in this way.
    """
    if failure.status not in _REFUSALS or is_too_long(failure) or is_filtered(failure):
        return None
    if failure.param is not None:
        named = _ALSO_NAMED.get(failure.param, failure.param)
        return named if named in _MENTIONS and named in sent else None
    for name, mention in _MENTIONS.items():
        if name in sent and mention.search(failure.said):
            return name
    if is_known or failure.status == 404:
        return None
    return next((name for name in ("response_format", "tools") if name in sent), None)


def is_too_long(failure: Failure) -> bool:
    """The request is longer than the model's context."""
    if failure.status not in (400, 413, 422) or failure.param in _MENTIONS:
        return False
    told = f"{failure.code or ''} {failure.said}"
    return failure.status == 413 or _BEYOND_CONTEXT.search(told) is not None


def is_filtered(failure: Failure) -> bool:
    """A filter of the endpoint declined the question."""
    return failure.status in (400, 403, 422) and failure.code in _FILTERED
