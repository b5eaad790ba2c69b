"""Hypothesis strategies for calls: values that fit the schema of a tool and the state that the call will meet.

What a strategy draws depends on the state, on what was known when the strategies were made, and on Hypothesis's
choices, never on what other sequences did: only so can a sequence be drawn again while it is shrunk.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from random import Random
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from schemas.logic_models import LogicModel, Operation, Parameter
from tasks.evaluation.arguments import ArgumentMaker, State, records_in
from tasks.evaluation.states import is_date, is_moment
from tasks.evaluation.texts import example_in, invented_text
from tasks.runtime.signature import ToolSignature
from tasks.sandbox.base import Call

_MOST_VALUES = 12
"""Values of one attribute that are offered, the newest: large states would slow every draw down."""
_INVENTED = 4
_DAYS = 400
_TEXTS = ("", " ", "Žofie 張偉", "'; --", "x" * 300)
_KNOWN_WEIGHT = 3
"""How much more often a value is offered that a call has succeeded with."""


class CallStrategies:
    """What may be called next, for one class."""

    def __init__(
        self,
        model: LogicModel,
        tools: Sequence[ToolSignature],
        maker: ArgumentMaker,
        successes: Mapping[str, Sequence[Mapping[str, Any]]],
    ) -> None:
        """Fix what is known.

        Args:
            model: The plan.
            tools: The methods, with the schemas of their arguments.
            maker: Knows which collection a parameter points into and which attribute it is about.
            successes: Tool -> arguments of calls that succeeded; one that has none yet is called more often.
        """
        self._model = model
        self._maker = maker
        self._schemas = {tool.name: tool.parameters["properties"] for tool in tools}
        self._required = {tool.name: tuple(tool.parameters["required"]) for tool in tools}
        self._known = {name: tuple(each) for name, each in successes.items()}
        weighted = [each for each in model.operations for _ in range(self._weight(each))]
        self._operations = st.sampled_from(weighted)

    def calls(self, state: State) -> SearchStrategy[Call]:
        """One call on this state; its ids mostly exist in it."""
        return _calls(self._operations, self._arguments, state)

    def _weight(self, operation: Operation) -> int:
        return (2 if operation.kind == "state_change" else 1) * (1 if self._known.get(operation.name) else 2)

    def _arguments(self, draw: DrawFn, operation: Operation, state: State) -> dict[str, Any]:
        values: dict[str, Any] = {}
        chosen: list[tuple[str, Mapping[str, Any]]] = []
        targets = {each.name: self._maker.target(each) for each in operation.parameters}
        for parameter in sorted(operation.parameters, key=lambda each: targets[each.name] is None):
            if parameter.name not in self._required[operation.name] and draw(st.booleans()):
                continue
            target = targets[parameter.name]
            if target is None:
                values[parameter.name] = draw(self._values(operation, parameter, state))
                continue
            key = draw(st.sampled_from(self._ids(target, state, chosen)))
            values[parameter.name] = key
            if (record := records_in(state, target).get(key)) is not None:
                chosen.append((target, record))
        return {each.name: values[each.name] for each in operation.parameters if each.name in values}

    def _ids(self, target: str, state: State, chosen: Sequence[tuple[str, Mapping[str, Any]]]) -> list[str]:
        """Ids that exist, those more often that a chosen record refers to, and at last one that does not."""
        records = records_in(state, target)
        prefix = next(each.id_prefix for each in self._model.entities if each.collection == target)
        related = [
            record[attribute.name]
            for collection, record in chosen
            for attribute in self._maker.entities[collection].attributes
            if attribute.type == "reference" and attribute.to == target and record.get(attribute.name) in records
        ]
        return [*related * max(1, len(records)), *records, f"{prefix}-9999999"]

    def _values(self, operation: Operation, parameter: Parameter, state: State) -> SearchStrategy[Any]:
        schema = self._schemas[operation.name][parameter.name]
        options = schema.get("enum") or ()
        if options:
            return st.sampled_from(list(options))
        known = [each[parameter.name] for each in self._known.get(operation.name, ()) if parameter.name in each]
        fitting = self._makers[parameter.type](self, operation, parameter, state)
        return st.one_of(fitting, *([st.sampled_from(known)] * _KNOWN_WEIGHT if known else ()))

    def _integers(self, operation: Operation, parameter: Parameter, state: State) -> SearchStrategy[int]:
        attribute, values = self._maker.like(operation, parameter, "integer", state)
        low = math.ceil(attribute.minimum) if attribute and attribute.minimum is not None else -1
        high = math.floor(attribute.maximum) if attribute and attribute.maximum is not None else max(low, 0) + 200
        return st.one_of(
            st.integers(low, max(low, high)),
            st.sampled_from([low, high, low - 1, high + 1, *values[-_MOST_VALUES:]]),
        )

    def _numbers(self, operation: Operation, parameter: Parameter, state: State) -> SearchStrategy[float]:
        attribute, values = self._maker.like(operation, parameter, "number", state)
        low = attribute.minimum if attribute and attribute.minimum is not None else -1.0
        high = attribute.maximum if attribute and attribute.maximum is not None else max(low, 0.0) + 200.0
        tenths = st.integers(math.ceil(low * 10), max(math.ceil(low * 10), math.floor(high * 10)))
        return st.one_of(tenths.map(lambda each: each / 10), st.sampled_from([low, high, *values[-_MOST_VALUES:]]))

    def _dates(self, operation: Operation, parameter: Parameter, state: State) -> SearchStrategy[str]:
        now = datetime.fromisoformat(str(state["now"]))
        _, values = self._maker.like(operation, parameter, parameter.type, state)
        is_day = parameter.type == "date"
        texts = [str(each) for each in values[-_MOST_VALUES:] if is_date(each) or is_moment(each)]
        form = _day_text if is_day else _moment_text(str(state["now"]))
        near = st.integers(0, 14 if is_day else 14 * 96)
        far = st.integers(-_DAYS, _DAYS) if is_day else st.integers(-_DAYS * 96, _DAYS * 96)
        unit = timedelta(days=1) if is_day else timedelta(minutes=15)
        start = now if is_day else now.replace(minute=now.minute // 15 * 15)
        moments = st.one_of(near, far).map(lambda count: form(_moved(start, count, unit)))
        return st.one_of(moments, *([st.sampled_from(texts)] if texts else ()))

    def _texts(self, operation: Operation, parameter: Parameter, state: State) -> SearchStrategy[str]:
        _, values = self._maker.like(operation, parameter, "string", state)
        own = [str(each) for each in values[-_MOST_VALUES:]]
        parts = [each.split()[0] for each in own if each.split()]
        example = example_in(parameter.description)
        rng = Random(parameter.name)
        invented = [invented_text(parameter.name, rng) for _ in range(_INVENTED)]
        usual = [*([example] if example else ()), *invented, *own, *(parts if operation.kind == "query" else ())]
        return st.one_of(st.sampled_from(usual), st.sampled_from(usual), st.sampled_from(_TEXTS))

    def _lists(self, operation: Operation, parameter: Parameter, state: State) -> SearchStrategy[list[Any]]:
        if parameter.items == "object":
            _, existing = self._maker.like(operation, parameter, "list", state)
            return st.sampled_from([*(each for each in existing[-_MOST_VALUES:] if each), [{}]])
        if parameter.items == "enum":
            items: SearchStrategy[Any] = st.sampled_from(list(parameter.values))
        elif parameter.items == "reference":
            items = st.sampled_from(self._ids(parameter.to or "", state, ()))
        else:
            items = self._makers[parameter.items or "string"](self, operation, parameter, state)
        return st.lists(items, max_size=3)

    _makers: "Mapping[str, Callable[[CallStrategies, Operation, Parameter, State], SearchStrategy[Any]]]" = {
        "string": _texts,
        "integer": _integers,
        "number": _numbers,
        "boolean": lambda self, operation, parameter, state: st.booleans(),
        "date": _dates,
        "datetime": _dates,
        "enum": lambda self, operation, parameter, state: st.sampled_from(list(parameter.values)),
        "list": _lists,
        "reference": lambda self, operation, parameter, state: st.sampled_from(
            self._ids(parameter.to or "", state, ())
        ),
    }


@st.composite
def _calls(
    draw: DrawFn,
    operations: SearchStrategy[Operation],
    arguments: Callable[[DrawFn, Operation, State], dict[str, Any]],
    state: State,
) -> Call:
    operation = draw(operations)
    return Call(operation.name, arguments(draw, operation, state))


def _moved(moment: datetime, count: int, unit: timedelta) -> datetime:
    """So many units later; the same moment where the calendar ends before."""
    try:
        return moment + count * unit
    except OverflowError:
        return moment


def _day_text(moment: datetime) -> str:
    return moment.date().isoformat()


def _moment_text(now: str) -> Callable[[datetime], str]:
    """Moments in the form in which the environment writes its own clock."""
    timespec = "seconds" if len(now) > len("2025-06-19T10:00") else "minutes"
    return lambda moment: moment.isoformat(timespec=timespec)
