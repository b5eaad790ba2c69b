"""What was seen of one executed call."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from schemas.ids import canonical_json
from tasks.sandbox.base import Call, StepResult

Outcome = Literal["success", "refusal", "exception", "fault"]
"""fault: the call could not be made, because what it needs could not be brought about."""
Case = Literal[
    "positive",
    "negative",
    "breaks_rule",
    "missing_argument",
    "unknown_argument",
    "wrong_type",
    "bad_value",
    "sequence",
]
State = Mapping[str, Any]

_SHOWN_TEXT = 40
_LONGEST_TEXT = 1000
_NOT_JSON = "not_json: "
_STATE_NOT_JSON = "state_not_json: "


@dataclass(frozen=True, slots=True)
class Observed:
    """One executed call, and the digests of the state around it."""

    case: Case
    call: Call
    result: StepResult
    before: str
    """Digest of the state that the call met."""

    @property
    def after(self) -> str | None:
        """Digest of the state that it left; null when that state was not JSON."""
        return self.result.digest

    @property
    def is_change(self) -> bool:
        """Whether the state differs afterwards."""
        return self.after != self.before

    @property
    def outcome(self) -> Outcome:
        """How it ended. What is neither a success nor an exception counts as a refusal, also when it is malformed."""
        if self.result.error is not None:
            return "exception"
        returned = self.result.result
        return "success" if isinstance(returned, dict) and returned.get("success") is True else "refusal"

    @property
    def error(self) -> str | None:
        """What a refusal says, at most 1,000 characters; null when it says nothing, or when the call did not refuse."""
        returned = self.result.result
        text = returned.get("error") if isinstance(returned, dict) else None
        return text[:_LONGEST_TEXT] if isinstance(text, str) else None

    @property
    def result_flaw(self) -> str | None:
        """Why the returned value was no JSON; null when it was, or when the call raised."""
        return _after_prefix(self.result.error, _NOT_JSON)

    @property
    def state_flaw(self) -> str | None:
        """Why the state was no JSON afterwards; null when it was."""
        return _after_prefix(self.result.error, _STATE_NOT_JSON)

    @property
    def raised(self) -> str | None:
        """What the method raised, such as "KeyError: 'x' (line 12)"; null when it returned."""
        is_flaw = self.result_flaw is not None or self.state_flaw is not None
        return None if is_flaw else self.result.error

    def __str__(self) -> str:
        return f"{self.call.tool}({shown_arguments(self.call.arguments)})"


def contract_problem(result: Any) -> str | None:
    """Why a returned value breaks the contract of results; null when it follows it."""
    if not isinstance(result, dict) or not isinstance(result.get("success"), bool):
        return "a result must be an object with 'success': true or false"
    if result["success"]:
        return None if "data" in result or "message" in result else "a success needs 'data' or 'message'"
    error = result.get("error")
    return None if isinstance(error, str) and error.strip() else "a refusal needs a text in 'error'"


def shown_arguments(arguments: Any) -> str:
    """Arguments as JSON text, with long texts shortened."""
    return canonical_json(_shortened(arguments))


def _shortened(value: Any) -> Any:
    if isinstance(value, str) and len(value) > _LONGEST_TEXT:
        return f"{value[:_SHOWN_TEXT]}... ({len(value)} characters)"
    if isinstance(value, list):
        return [_shortened(each) for each in value]
    if isinstance(value, dict):
        return {name: _shortened(each) for name, each in value.items()}
    return value


def _after_prefix(text: str | None, prefix: str) -> str | None:
    return text.removeprefix(prefix) if text is not None and text.startswith(prefix) else None
