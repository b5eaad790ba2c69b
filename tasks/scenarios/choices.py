"""Whether a task tells which of several found records is meant.

A reference may bind to one element of a longer list only if a reader of the task could have picked it: by a value that
the task says and that the others lack, or by a word such as "first" or "cheapest".
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from schemas.scenarios import ReferenceStep
from tasks.scenarios.records import Finding
from tasks.scenarios.said import Meaning, TaskText, plain

_ORDER_WORDS = re.compile(
    r"\b(first|second|third|last|next|previous|any|either|whichever|all|every|each|both|most|least|earlier|later|soon|sooner|"
    r"(earli|lat|soon|new|old|young|larg|small|bigg|high|low|cheap|long|short|clos|near|heavi|light|fast|slow|b|wor)e?st)\b"
)
"""Words that order the results or take several of them."""


def choice_finding(
    task: str, reference: Sequence[ReferenceStep], results: Sequence[Any], state: Mapping[str, Any]
) -> Finding | None:
    """The first binding whose element of a list the task does not single out; null when there is none.

    `results` are the results of the steps, `state` is the initial state; it says what ids in an element stand for.
    """
    text = TaskText(task, str(state.get("now", "")))
    if _ORDER_WORDS.search(plain(task)):
        return None
    for number, step in enumerate(reference):
        for name, binding in step.bindings.items():
            chosen, others = _alternatives(results[binding.step], binding.path)
            twin = next((each for each in others if not _tells_apart(text, chosen, each, state)), None)
            if twin is not None:
                return Finding(
                    "description_ambiguous",
                    f'Step {number} takes "{name}" from one of {len(others) + 1} results of step {binding.step}, and '
                    "nothing in the task says which one.",
                )
    return None


def _alternatives(result: Any, path: Sequence[str | int]) -> tuple[Any, list[Any]]:
    """The element at the last list index on the path, and its siblings; no siblings where the path meets no list."""
    chosen, others = None, []
    for part in path:
        if isinstance(part, int) and isinstance(result, list):
            chosen, others = result[part], [each for at, each in enumerate(result) if at != part % len(result)]
        result = result[part]
    return chosen, others


def _tells_apart(text: TaskText, chosen: Any, other: Any, state: Mapping[str, Any]) -> bool:
    theirs = _facts(other, state)
    return any(
        theirs.get(name) != value and text.unsaid(value, Meaning(name, is_enum=True)) is None
        for name, value in _facts(chosen, state).items()
    )


def _facts(element: Any, state: Mapping[str, Any]) -> dict[str, Any]:
    """The texts and numbers of an element, and those of the records that its ids name."""
    if not isinstance(element, Mapping):
        return {"": element}
    facts = {name: value for name, value in element.items() if _is_fact(value)}
    for name, value in element.items():
        record = _record(value, state)
        if record is not None:
            facts |= {f"{name}.{inner}": each for inner, each in record.items() if _is_fact(each)}
    return facts


def _is_fact(value: Any) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool) and value != ""


def _record(key: Any, state: Mapping[str, Any]) -> Mapping[str, Any] | None:
    if not isinstance(key, str):
        return None
    collections = (each for each in state.values() if isinstance(each, Mapping))
    return next((each[key] for each in collections if isinstance(each.get(key), Mapping)), None)
