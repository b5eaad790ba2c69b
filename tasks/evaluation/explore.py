"""Drives one instance of the class through calls and remembers every call and every state it reached."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from schemas.ids import canonical_json
from schemas.logic_models import LogicModel
from tasks.evaluation.findings import Finding
from tasks.evaluation.observed import Case, Observed
from tasks.evaluation.states import state_problems
from tasks.evaluation.terms import PLANNED, Terms
from tasks.runtime.state import state_digest
from tasks.sandbox.base import Call, CodeRejected, EnvironmentSession, Played, Reads
from tasks.sandbox.inside.attributes import lettered

State = dict[str, Any]


@dataclass(frozen=True)
class Trace:
    """Consecutive calls from one state."""

    start: str
    """Digest of the state before the first call."""
    calls: tuple[Observed, ...]


@dataclass
class Record:
    """All that was seen. `findings` holds what showed itself while looking: unfit states, code that does not load."""

    starts: list[str] = field(default_factory=list)
    """Digests of the loaded initial states."""
    states: dict[str, State] = field(default_factory=dict)
    """Digest -> state, for every state that was reached and is valid."""
    conditions: dict[tuple[str, str, str], list[tuple[str, str]]] = field(default_factory=dict)
    """(Collection, enum attribute, value) -> (digest of a state, id) of the records with this value: those of the
    initial states, and then each where it was changed."""
    observed: list[Observed] = field(default_factory=list)
    instances: list[tuple[str, int]] = field(default_factory=list)
    """(Digest of its state, number of calls observed before) of every fresh instance that was explored."""
    traces: list[Trace] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    def runs(self) -> Iterator[Trace]:
        """All calls, by the instance that they were made on."""
        ends = [*(count for _, count in self.instances[1:]), len(self.observed)]
        for (start, count), end in zip(self.instances, ends, strict=True):
            if end > count:
                yield Trace(start, tuple(self.observed[count:end]))

    def merge(self, other: "Record") -> None:
        """Append what was seen apart, on the same states."""
        count = len(self.observed)
        self.observed += other.observed
        self.instances += [(digest, count + number) for digest, number in other.instances]
        self.traces += other.traces
        self.findings += other.findings
        for condition, places in other.conditions.items():
            self.conditions.setdefault(condition, []).extend(places)

    def covered(self) -> frozenset[str]:
        """Tools with at least one successful call."""
        return frozenset(each.call.tool for each in self.observed if each.outcome == "success")


class Explorer:
    """One session, in a known state. Every method leaves the instance in a state that is valid and remembered."""

    def __init__(self, session: EnvironmentSession, model: LogicModel, record: Record, terms: Terms = PLANNED) -> None:
        self.record = record
        self._terms = terms
        self._session = session
        self._model = model
        self._current = ""
        self._is_fresh = False
        """Whether the next call begins with a fresh instance."""

    @property
    def position(self) -> str:
        """Digest of the state that the next call will meet."""
        return self._current

    @property
    def state(self) -> State:
        """The state that the next call will meet. Not to be changed."""
        return self.record.states[self._current]

    def load_default(self) -> bool:
        """Load the class without a config; whether that works."""
        return self._loaded(None, "without a config") is not None

    def load(self, state: State, number: int) -> bool:
        """Load an initial state, dump it, load the dump; whether it may be explored."""
        where = f"initial state {number}"
        if (flaw := _text_flaw(state)) is not None:
            return self._refuse("initial_state_invalid", f"{where}: {flaw}")
        if problems := self._problems(state):
            self.record.findings += [Finding("initial_state_invalid", f"{where}: {problem}") for problem in problems]
            return False
        dumped = self._loaded(state, where)
        again = self._loaded(dumped, f"{where}, loaded from a dump") if dumped is not None else None
        if dumped is None or again is None:
            return False
        known = ("now", *(each.collection for each in self._model.entities)) if self._terms.is_planned else state
        given = [name for name in known if name in state]
        if lost := _different(given, state, dumped):
            return self._refuse("state_does_not_survive", f"{where}: loading changes {', '.join(lost)}")
        if lost := _different(sorted({*dumped, *again}), dumped, again):
            return self._refuse("state_does_not_survive", f"{where}: loading a dump changes {', '.join(lost)}")
        self._current = state_digest(dumped)
        self._remember(self._current, dumped, {})
        self.record.starts.append(self._current)
        self._renew()
        return True

    def go_to(self, digest: str) -> None:
        """Continue from a remembered state, in a fresh instance if this one is in another state."""
        if self._current != digest:
            self._current = digest
            self._renew()

    def call(self, case: Case, call: Call) -> Observed:
        """Make one call and remember it. A state that contradicts the logic model is reported and left again."""
        played = self._played([call], reads="after")
        seen = Observed(case, call, played.results[0], self._current)
        self.record.observed.append(seen)
        if not seen.is_change:
            return seen
        if seen.after in self.record.states:
            self._current = seen.after
            return seen
        if seen.after is None or played.after is None:
            self._renew()
            return seen
        after = _sharing(played.after, self.state)
        problems = self._problems(after, since=self.state)
        for problem in problems:
            self._refuse("state_broken", f"after {seen}: {problem}")
        if problems:
            self._renew()
        else:
            self._remember(seen.after, after, self.state)
            self._current = seen.after
        return seen

    def calls_apart(self, case: Case, calls: Sequence[Call]) -> list[Observed]:
        """Make calls that should each leave the state alone, in one message; what they change is undone afterwards."""
        before, seen = self._current, []
        for call, result in zip(calls, self._played(calls).results, strict=True):
            seen.append(Observed(case, call, result, before))
            before = result.digest or before
        self.record.observed += seen
        if any(each.is_change for each in seen):
            self._renew()
        return seen

    def apart(self, start: str) -> "Explorer":
        """An explorer of the same session, in a fresh instance in a remembered state, with a record of its own.

        It shares the remembered states. Go to a state before this one is used again.
        """
        other = Explorer(
            self._session, self._model, Record(starts=self.record.starts, states=self.record.states), self._terms
        )
        self._current = ""
        other._current = start
        other._renew()
        return other

    def _problems(self, state: State, *, since: State | None = None) -> tuple[str, ...]:
        """What contradicts the logic model; of a derived one, only that a collection is none any more."""
        if self._terms.is_planned:
            return state_problems(self._model, state, since=since)
        return tuple(
            f"state attribute '{each.collection}' was an object of records by id and is none any more"
            for each in self._model.entities
            if not is_collection(state.get(each.collection))
        )

    def _loaded(self, state: State | None, where: str) -> State | None:
        """The state of a fresh instance; null when the class refuses it, which is then a finding."""
        try:
            self._session.init(state)
            return self._session.snapshot()
        except CodeRejected as error:
            self._refuse("state_not_json" if error.kind == "state_not_json" else "does_not_load", f"{where}: {error}")
            return None

    def _played(self, calls: Sequence[Call], *, reads: Reads = "nothing") -> Played:
        start = self.state if self._is_fresh else None
        self._is_fresh = False
        return self._session.play(start, calls, watch=True, reads=reads)

    def _remember(self, digest: str, state: State, before: State) -> None:
        self.record.states[digest] = state
        for entity in self._model.entities:
            names = [attribute.name for attribute in entity.attributes if attribute.type == "enum"]
            known = before.get(entity.collection, {})
            if known is state[entity.collection]:
                continue
            for key, record in state[entity.collection].items():
                for name in names if known.get(key) is not record else ():
                    if record.get(name) is not None:
                        place = self.record.conditions.setdefault((entity.collection, name, record[name]), [])
                        place.append((digest, key))

    def _renew(self) -> None:
        """Go on with a fresh instance in the current state, which is the last one that was in order."""
        self._is_fresh = True
        self.record.instances.append((self._current, len(self.record.observed)))

    def _refuse(self, reason: str, detail: str) -> bool:
        self.record.findings.append(Finding(reason, detail))
        return False


def is_collection(value: Any) -> bool:
    """Whether a value is an object of records by id."""
    return isinstance(value, dict) and all(isinstance(record, dict) for record in value.values())


def _text_flaw(state: State) -> str | None:
    """Why a state can't be sent as JSON; null when it can."""
    try:
        canonical_json(state).encode("utf-8")
    except (TypeError, ValueError) as error:
        return f"it is not plain JSON: {error}"
    return None


def _different(names: Iterable[str], one: State, other: State) -> list[str]:
    return [name for name in names if one.get(name) != other.get(name)]


def _sharing(state: State, other: State) -> State:
    """The state, with equal parts replaced by those of another state: hundreds of states then cost little memory."""
    shared: State = {}
    for name, value in state.items():
        known = other.get(name)
        if value is known or lettered(value) == lettered(known):
            shared[name] = known
        elif isinstance(value, dict) and isinstance(known, dict):
            shared[name] = {
                key: known[key] if key in known and lettered(each) == lettered(known[key]) else each
                for key, each in value.items()
            }
        else:
            shared[name] = value
    return shared
