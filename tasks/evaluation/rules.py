"""Executes the predicates of a logic model on everything that was reached."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from schemas.ids import canonical_json
from schemas.logic_models import LogicModel, Rule, RuleKind
from tasks.evaluation.explore import Record
from tasks.evaluation.findings import Finding
from tasks.evaluation.observed import Observed
from tasks.sandbox.base import Call, CheckSession, CheckVerdict

# One message asks a rule about many cases at once; only a rule that does not hold in all of them is asked case by case.
# The predicate stands on lines of its own, so that a comment in it ends there.
_ON_STATE = "all((\n{predicate}\n) for at in cases for state in [states[at[0]]] for now in [state['now']])"
_ON_CHANGE = (
    "all((\n{predicate}\n) for at in cases for before, state in [(states[at[0]], states[at[1]])] "
    "for now in [state['now']])"
)
_ON_CALL = (
    "all((\n{predicate}\n) for at in cases for state, args in [(states[at[0]], calls[at[1]])] "
    "for now in [state['now']])"
)
_FORMS: Mapping[RuleKind, str] = MappingProxyType(
    {"invariant": _ON_STATE, "uniqueness": _ON_STATE, "transition": _ON_CHANGE, "precondition": _ON_CALL}
)
_REASONS: Mapping[RuleKind, str] = MappingProxyType(
    {
        "invariant": "invariant_broken",
        "uniqueness": "invariant_broken",
        "transition": "transition_broken",
        "precondition": "precondition_not_enforced",
    }
)
_CHARACTERS_PER_MESSAGE = 4_000_000


@dataclass(frozen=True)
class _Case:
    """One thing that a rule is asked about."""

    rule: Rule
    at: tuple[str, ...]
    """Digest of a state, of two states, or digest of a state and name of a call: what the rule's form needs."""
    text: str


@dataclass
class _Batch:
    """Cases for one message, by rule, and the states and calls that they need."""

    cases: dict[str, list[_Case]] = field(default_factory=dict)
    states: dict[str, Any] = field(default_factory=dict)
    calls: dict[str, Any] = field(default_factory=dict)


class RuleChecks:
    """Asks the executable rules of one model. What was found to hold is not asked again."""

    def __init__(
        self,
        session: CheckSession,
        model: LogicModel,
        states: Mapping[str, Any],
        defaults: Mapping[str, Mapping[str, Any]],
    ) -> None:
        """Prepare.

        Args:
            session: Where the predicates run.
            model: The rules.
            states: Digest -> valid state, of everything that is asked about; it may grow.
            defaults: Tool -> values of the arguments that a call leaves out.
        """
        self._session, self._states, self._defaults = session, states, defaults
        rules = [rule for rule in model.rules if rule.predicate is not None and rule.kind in _FORMS]
        self._on_state = [rule for rule in rules if _FORMS[rule.kind] == _ON_STATE]
        self._on_change = [rule for rule in rules if _FORMS[rule.kind] == _ON_CHANGE]
        self.preconditions = {
            operation.name: [rule for rule in rules if rule.kind == "precondition" and rule.id in operation.enforces]
            for operation in model.operations
        }
        """Tool -> the executable preconditions that it enforces."""
        self._held: set[tuple[str, tuple[str, ...]]] = set()
        self._calls: dict[str, str] = {}
        self._rules_checked: set[str] = set()

    @property
    def rules_checked(self) -> int:
        """Rules whose predicate was executed on at least one case."""
        return len(self._rules_checked)

    def findings(self, record: Record) -> tuple[Finding, ...]:
        """Ask every rule about every state, change and successful call of a record that it applies to."""
        found: list[Finding] = []
        for batch in self._batches(record):
            questions = list(batch.cases.values())
            for cases, verdict in zip(questions, self._ask(batch, questions), strict=True):
                self._rules_checked.add(cases[0].rule.id)
                if verdict.passed:
                    self._held.update((case.rule.id, case.at) for case in cases)
                else:
                    found += self._findings(batch, cases, record)
        return tuple(found)

    def broken_by(self, tool: str, state: str, arguments: Sequence[Mapping[str, Any]]) -> list[tuple[str, ...]]:
        """For each call of a tool on a state: ids of the preconditions that do not hold for it.

        One that can't be evaluated, for an id that does not exist, is not among them.
        """
        batch = _Batch()
        cases: list[tuple[int, _Case]] = []
        for number, given in enumerate(arguments):
            for rule in self.preconditions[tool]:
                case = _Case(rule, (state, self._call_name(tool, given)), "")
                self._add(batch, case, Call(tool, dict(given)))
                cases.append((number, case))
        broken: list[tuple[str, ...]] = [()] * len(arguments)
        if cases:
            for (number, case), verdict in zip(cases, self._ask(batch, [[case] for _, case in cases]), strict=True):
                if not verdict.passed and verdict.error is None:
                    broken[number] = (*broken[number], case.rule.id)
        return broken

    def _ask(self, batch: _Batch, questions: list[list[_Case]]) -> list[CheckVerdict]:
        """One verdict per list of cases of the same rule."""
        predicates = [_FORMS[cases[0].rule.kind].format(predicate=cases[0].rule.predicate) for cases in questions]
        own = [{"cases": [case.at for case in cases]} for cases in questions]
        return self._session.evaluate(predicates, {"states": batch.states, "calls": batch.calls}, own=own)

    def _findings(self, batch: _Batch, cases: list[_Case], record: Record) -> Iterator[Finding]:
        """The cases in which a rule does not hold or can't be evaluated."""
        verdicts = self._ask(batch, [[case] for case in cases])
        for case, verdict in zip(cases, verdicts, strict=True):
            rule = case.rule
            if verdict.error is not None:
                yield Finding("predicate_fails", f"rule '{rule.id}' {case.text}: {verdict.error}")
            elif not verdict.passed:
                is_given = len(case.at) == 1 and case.at[0] in record.starts
                reason = "initial_state_invalid" if is_given else _REASONS[rule.kind]
                yield Finding(reason, f"rule '{rule.id}' ({rule.text}) does not hold {case.text}")
            else:
                self._held.add((rule.id, case.at))

    def _batches(self, record: Record) -> Iterator[_Batch]:
        """All cases, each once, in portions that one message can carry."""
        if not record.starts:
            return
        most = max(2, _CHARACTERS_PER_MESSAGE // len(canonical_json(self._states[record.starts[0]])))
        batch = _Batch()
        known: set[tuple[str, tuple[str, ...]]] = set()
        for case, seen in self._cases(record):
            if (case.rule.id, case.at) in known or (case.rule.id, case.at) in self._held:
                continue
            known.add((case.rule.id, case.at))
            if len(batch.states) >= most:
                yield batch
                batch = _Batch()
            self._add(batch, case, seen.call if seen is not None else None)
        yield batch

    def _add(self, batch: _Batch, case: _Case, call: Call | None) -> None:
        batch.cases.setdefault(case.rule.id, []).append(case)
        is_call = case.rule.kind == "precondition"
        batch.states |= {digest: self._states[digest] for digest in (case.at[:1] if is_call else case.at)}
        if is_call and call is not None:
            batch.calls[case.at[1]] = {**self._defaults[call.tool], **call.arguments}

    def _cases(self, record: Record) -> Iterator[tuple[_Case, Observed | None]]:
        """In the order in which things happened."""
        for number, start in enumerate(record.starts, start=1):
            yield from ((_Case(rule, (start,), f"in initial state {number}"), None) for rule in self._on_state)
        for seen in record.observed:
            if seen.before not in self._states:
                continue
            if seen.outcome == "success" and self.preconditions[seen.call.tool]:
                text = f"before {seen}, which succeeded"
                at = (seen.before, self._call_name(seen.call.tool, seen.call.arguments))
                yield from ((_Case(rule, at, text), seen) for rule in self.preconditions[seen.call.tool])
            if seen.is_change and seen.after is not None and seen.after in self._states:
                text = f"after {seen}"
                yield from ((_Case(rule, (seen.after,), text), seen) for rule in self._on_state)
                yield from ((_Case(rule, (seen.before, seen.after), text), seen) for rule in self._on_change)

    def _call_name(self, tool: str, arguments: Mapping[str, Any]) -> str:
        """A short name: one for each tool with the same arguments."""
        key = canonical_json([tool, dict(arguments)])
        return self._calls.setdefault(key, str(len(self._calls)))
