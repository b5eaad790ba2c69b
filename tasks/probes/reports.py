"""What an agent without words of its own says at the end: what its calls have shown."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tasks.runtime.episode import PlayedCall

_LONGEST = 1000
_CENTS = 100


def report_on(calls: Sequence[PlayedCall]) -> str:
    """What the calls have shown, plainly: values with their names, amounts in cents also in whole units."""
    told = "; ".join(fact for call in calls for fact in _facts(call))
    return f"{told[:_LONGEST]}." if told else "Nothing was found."


def _facts(call: PlayedCall) -> Iterator[str]:
    if call.outcome != "done":
        yield f"It was not possible: {call.result.get('error', 'it was refused')}"
        return
    if "message" in call.result:
        yield str(call.result["message"])
    yield from _values(call.result.get("data"))


def _values(data: Any) -> Iterator[str]:
    if isinstance(data, list):
        for each in data:
            yield from _values(each)
    elif isinstance(data, Mapping):
        for name, value in data.items():
            yield f"{name.replace('_', ' ')}: {_shown(name, value)}"
    elif data is not None:
        yield str(data)


def _shown(name: str, value: Any) -> str:
    if name.endswith("_cents") and isinstance(value, int):
        return f"{value / _CENTS:.2f}".removesuffix(".00")
    return str(value).replace("_", " ")
