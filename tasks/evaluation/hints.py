"""What refusals say about the values that a parameter may have: "minutes must be one of 30, 45, 60"."""

import re
from collections.abc import Mapping
from typing import Any

from schemas.logic_models import Operation, Parameter
from tasks.evaluation.texts import example_in

_NUMBER = re.compile(r"(?<![\w-])-?\d+(?:\.\d+)?(?![\w-])")
_DATE = re.compile(r"(?<!\d)\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2})?)?(?!\d)")
_KEPT = 12


class Hints:
    """Collects values per operation and parameter, the newest last."""

    def __init__(self) -> None:
        self._values: dict[tuple[str, str], list[Any]] = {}

    def learn(self, operation: Operation, arguments: Mapping[str, Any], error: str | None) -> None:
        """Take note of one call: of its numbers when it succeeded, of what the refusal says when it did not."""
        for parameter in operation.parameters:
            if error is not None:
                self._keep(operation, parameter, _values_in(error, parameter))
            elif parameter.type in ("integer", "number") and parameter.name in arguments:
                self._keep(operation, parameter, [arguments[parameter.name]])

    def of(self, operation: Operation, parameter: Parameter) -> list[Any]:
        """The values known so far; they have the parameter's type, not necessarily its approval."""
        return self._values.get((operation.name, parameter.name), [])

    def _keep(self, operation: Operation, parameter: Parameter, values: list[Any]) -> None:
        if values:
            known = self._values.setdefault((operation.name, parameter.name), [])
            known[:] = dict.fromkeys([*known, *values])
            del known[:-_KEPT]


def _values_in(error: str, parameter: Parameter) -> list[Any]:
    """Values of the parameter's type in a refusal that names the parameter."""
    if not re.search(rf"\b{re.escape(parameter.name)}\b", error):
        return []
    match parameter.type:
        case "integer":
            return [int(text) for text in _NUMBER.findall(error) if "." not in text]
        case "number":
            return [float(text) for text in _NUMBER.findall(error)]
        case "date":
            return [text[:10] for text in _DATE.findall(error)]
        case "datetime":
            return [text for text in _DATE.findall(error) if "T" in text]
        case "string":
            example = example_in(error)
            return [example] if example is not None else []
        case _:
            return []
