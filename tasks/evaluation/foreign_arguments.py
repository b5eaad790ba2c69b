"""Arguments for tools of which only the schemas, the descriptions and the state are known."""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from random import Random
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn, SearchStrategy

from schemas.logic_models import LogicModel, Operation
from tasks.evaluation.arguments import ArgumentMaker, State
from tasks.evaluation.foreign_values import numbers_in, options_in, values_of
from tasks.evaluation.hints import Hints
from tasks.evaluation.texts import example_in, invented_text
from tasks.sandbox.base import Call

Schema = Mapping[str, Any]

_EXAMPLE = 0.5
"""Chance that an example of the author is taken as it is."""
_SMALL = (1, 1, 2, 3, 4, 5, 10, 12, 20, 50, 100)
_DAYS = (0, 1, 2, 3, 7, 14, 30, -1, -7)
_CLOCK = re.compile(r"HH:MM|\bclock\b|\btime of day\b", re.IGNORECASE)
_DAY = re.compile(r"YYYY-MM-DD|\bISO\b.{0,12}\bdate|\bdate\b", re.IGNORECASE)
_MOMENT = re.compile(r"YYYY-MM-DD[T ]HH|\bdate and time\b|\bdatetime\b|\btimestamp\b|\bISO 8601\b", re.IGNORECASE)
_STARTED = re.compile(r"^\d{4}-\d{2}-\d{2}")
_DEFAULT_NOW = "2025-01-01T00:00"
"""Where the clock of a session begins that no state sets."""
_MOST_SAID = 30


class ForeignHints(Hints):
    """Also keeps what refusals name as possible values, for every text of the tool: they rarely name a parameter."""

    def __init__(self) -> None:
        super().__init__()
        self.said: dict[str, list[str]] = {}

    def learn(self, operation: Operation, arguments: Mapping[str, Any], error: str | None) -> None:
        """See `Hints`."""
        super().learn(operation, arguments, error)
        if error is not None:
            given = {value for value in arguments.values() if isinstance(value, str)}
            known = self.said.setdefault(operation.name, [])
            known[:] = dict.fromkeys([*known, *(each for each in options_in(error) if each not in given)])
            del known[:-_MOST_SAID]


class ForeignArguments(ArgumentMaker):
    """Draws by the schemas of the tools. A derived logic model does not even name every parameter."""

    def __init__(
        self,
        model: LogicModel,
        rng: Random,
        schemas: Mapping[str, Schema],
        examples: Mapping[str, Sequence[Mapping[str, Any]]],
    ) -> None:
        """Prepare.

        Args:
            model: Derived from the code.
            rng: Draws.
            schemas: Tool -> JSON schema of its arguments.
            examples: Tool -> arguments that are known to be accepted in some state.
        """
        super().__init__(model, rng)
        self.hints: ForeignHints = ForeignHints()
        self.schemas, self.examples = schemas, examples

    def draw(
        self, operation: Operation, state: State, *, optional: float, chosen: Mapping[str, str] | None = None
    ) -> dict[str, Any]:
        """See `ArgumentMaker`."""
        return self.drawn(self._rng, operation, state, optional=optional, chosen=chosen or {})

    def drawn(
        self, rng: Random, operation: Operation, state: State, *, optional: float, chosen: Mapping[str, str]
    ) -> dict[str, Any]:
        """The same with chance of one's own."""
        examples = self.examples.get(operation.name, ())
        if examples and rng.random() < _EXAMPLE:
            return dict(rng.choice(examples))
        schema = self.schemas[operation.name]
        fixed = {
            parameter.name: key
            for collection, key in chosen.items()
            for parameter in operation.parameters
            if self.target(parameter) == collection
        }
        values: dict[str, Any] = {}
        for name, part in schema["properties"].items():
            if name in fixed:
                values[name] = fixed[name]
            elif name in schema["required"] or rng.random() < optional:
                values[name] = _Value(self, rng, operation, state, name, part).make()
        return values


class _Value:
    """One argument on its way."""

    def __init__(
        self, maker: ForeignArguments, rng: Random, operation: Operation, state: State, name: str, schema: Schema
    ) -> None:
        self._maker, self._rng, self._operation = maker, rng, operation
        self._state, self._name, self._schema = state, name, schema
        self._description = str(schema.get("description", ""))
        self._known = values_of(state)

    def make(self) -> Any:
        return self._of(self._schema)

    def _of(self, schema: Schema) -> Any:
        if schema.get("enum"):
            return self._rng.choice(list(schema["enum"]))
        if "anyOf" in schema:
            return self._of(self._rng.choice([each for each in schema["anyOf"] if each.get("type") != "null"]))
        named = schema.get("type", "string")
        kinds = [named] if isinstance(named, str) else [each for each in named if each != "null"]
        kind = self._rng.choice(kinds) if kinds else "null"
        return self._makers[kind](self, schema)

    def _text(self, schema: Schema) -> str:
        alike = self._known.alike(self._name, "string")
        said = [*options_in(self._description), *self._maker.hints.said.get(self._operation.name, ())]
        example = example_in(self._description)
        form = self._form()
        choices: list[tuple[int, Callable[[], str]]] = [
            (6 if alike else 0, lambda: self._one_of(alike)),
            (4 if said else 0, lambda: self._rng.choice(said)),
            (3 if example else 0, lambda: example or ""),
            (4 if form else 0, lambda: self._moment(form)),
            (1 if alike else 2, lambda: invented_text(self._name, self._rng)),
            (1, lambda: self._one_of(self._known.all("string") or [""])),
        ]
        return self._rng.choices([make for _, make in choices], [weight for weight, _ in choices])[0]()

    def _one_of(self, values: Sequence[Any]) -> str:
        """One of the values; what is searched for may be a part of one."""
        value = str(self._rng.choice(values))
        is_search = re.search(r"query|contains|keyword|pattern|search|text|prefix", self._name) is not None
        return self._rng.choice(value.split() or [""]) if is_search and self._rng.random() < 0.5 else value

    def _form(self) -> str:
        """How a moment is written here; empty for what is none."""
        if _MOMENT.search(self._description) or re.search(r"datetime|timestamp|_at$", self._name):
            return "moment"
        if _CLOCK.search(self._description) and not _DAY.search(self._description):
            return "clock"
        return "day" if _DAY.search(self._description) or re.search(r"(^|_)(date|day|on|until)$", self._name) else ""

    def _moment(self, form: str) -> str:
        if form == "clock":
            return f"{self._rng.randint(0, 23):02d}:{self._rng.choice((0, 15, 30, 45)):02d}"
        dates = [text for text in self._known.all("string") if _STARTED.match(text)]
        anchor = (
            self._rng.choice(dates)
            if dates and self._rng.random() < 0.7
            else str(self._state.get("now") or _DEFAULT_NOW)
        )
        try:
            moment = datetime.fromisoformat(anchor).replace(tzinfo=None) + timedelta(days=self._rng.choice(_DAYS))
        except (ValueError, OverflowError):
            moment = datetime.fromisoformat(_DEFAULT_NOW)
        if form == "day":
            return moment.date().isoformat()
        moment = moment.replace(
            hour=self._rng.randint(7, 20), minute=self._rng.choice((0, 30)), second=0, microsecond=0
        )
        return moment.isoformat(sep=" " if "DD HH" in self._description else "T", timespec="minutes")

    def _integer(self, schema: Schema) -> int:
        known = [each for each in self._known.alike(self._name, "integer") if not isinstance(each, bool)]
        named = [int(each) for each in numbers_in(self._description) if each.is_integer() and abs(each) < 10**9]
        if "default" in schema and type(schema["default"]) is int:
            named.append(schema["default"])
        roll = self._rng.random()
        if known and roll < 0.5:
            return int(self._rng.choice(known))
        if len(named) > 1 and roll < 0.75:
            return self._rng.randint(min(named), max(named))
        return self._rng.choice([*named, *_SMALL])

    def _number(self, schema: Schema) -> float:
        known = [float(each) for each in self._known.alike(self._name, "number")]
        named = [each for each in numbers_in(self._description) if abs(each) < 10**9]
        roll = self._rng.random()
        if known and roll < 0.5:
            return self._rng.choice(known)
        if len(named) > 1 and roll < 0.75:
            return round(self._rng.uniform(min(named), max(named)), 1)
        return self._rng.choice([*named, *_SMALL]) + self._rng.choice((0.0, 0.0, 0.5))

    def _list(self, schema: Schema) -> list[Any]:
        known = [each for each in self._known.alike(self._name, "array") if each]
        if known and self._rng.random() < 0.3:
            return list(self._rng.choice(known))
        items = {"description": self._description, **schema.get("items", {"type": "string"})}
        part = _Value(self._maker, self._rng, self._operation, self._state, self._name, items)
        return [part.make() for _ in range(self._rng.choice((1, 1, 2)))]

    def _object(self, schema: Schema) -> dict[str, Any]:
        if schema.get("properties"):
            required = schema.get("required", ())
            return {
                name: _Value(self._maker, self._rng, self._operation, self._state, name, part).make()
                for name, part in schema["properties"].items()
                if name in required or self._rng.random() < 0.5
            }
        known = self._known.alike(self._name, "object") or [
            record
            for collection in self._maker.entities
            for record in self._state.get(collection, {}).values()
            if isinstance(record, Mapping)
        ]
        if not known:
            return {}
        chosen = self._rng.choice(known)
        names = list(chosen)
        count = self._rng.choice((1, 1, 2, len(names)))
        return {name: chosen[name] for name in self._rng.sample(names, min(count, len(names)))}

    _makers: "Mapping[str, Callable[[_Value, Schema], Any]]" = {
        "string": _text,
        "integer": _integer,
        "number": _number,
        "boolean": lambda self, _schema: self._rng.random() < 0.5,
        "array": _list,
        "object": _object,
        "null": lambda _self, _schema: None,
    }


class ForeignStrategies:
    """Hypothesis strategies for calls of foreign tools; see `CallStrategies`."""

    def __init__(
        self, model: LogicModel, maker: ForeignArguments, successes: Mapping[str, Sequence[Mapping[str, Any]]]
    ) -> None:
        # What the maker has learned by now is fixed: a sequence must be drawn again the same way while it is shrunk.
        self._maker = ForeignArguments(model, Random(0), maker.schemas, {**maker.examples, **successes})
        self._maker.hints.said = {name: list(said) for name, said in maker.hints.said.items()}
        known = {name for name, each in successes.items() if each}
        weights = {
            each.name: (2 if each.kind == "state_change" else 1) * (1 if each.name in known else 2)
            for each in model.operations
        }
        self._operations = st.sampled_from([each for each in model.operations for _ in range(weights[each.name])])

    def calls(self, state: State) -> SearchStrategy[Call]:
        """One call on this state; its ids mostly exist in it."""
        return _calls(self._operations, self._maker, state)


@st.composite
def _calls(draw: DrawFn, operations: SearchStrategy[Operation], maker: ForeignArguments, state: State) -> Call:
    operation = draw(operations)
    rng = Random(draw(st.integers(0, 2**32)))
    return Call(operation.name, maker.drawn(rng, operation, state, optional=0.4, chosen={}))
