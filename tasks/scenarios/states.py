"""Initial states of one skeleton: drafted by the author, validated, and loaded by the class itself."""

from collections.abc import Mapping, Sequence
from typing import Any

from schemas.errors import SandboxUnavailable
from schemas.ids import canonical_json, make_id
from schemas.logic_models import LogicModel
from schemas.row import Status
from schemas.scenarios import InitialState
from schemas.skeletons import Skeleton
from tasks.sandbox.base import CheckSession, CodeRejected, EnvironmentSession, SessionDied
from tasks.scenarios.bench import Bench
from tasks.scenarios.plain_json import plain_copy
from tasks.scenarios.records import Finding, count_records, state_finding

MOST_EQUAL_SHARE = 0.9
"""A state with a larger share of records that another state has too, under the same id, is not distinct."""


class StateJudge:
    """Decides on one state after another; remembers the accepted ones, so that later ones must differ from them.

    Reason codes beside those of `state_finding`: same_state (duplicate); beyond_count, state_not_distinct,
    invariant_raises, invariant_broken, state_refused, state_not_kept, skeleton_not_loaded (rejected); session_died,
    sandbox_unavailable (failed).
    """

    def __init__(self, skeleton: Skeleton, logic_model: LogicModel, *, author: str, count: int, sandbox: str) -> None:
        self._skeleton, self._model = skeleton, logic_model
        self._author, self._count, self._sandbox = author, count, sandbox
        self._accepted: list[Mapping[str, Any]] = []
        self._ids: set[str] = set()
        self._number = 0

    def judge(self, state: dict[str, Any], bench: Bench) -> InitialState:
        """The row of a drafted state. Afterwards the bench holds the environment's session, if the state was loaded."""
        self._number += 1
        if (finding := state_finding(state, self._model)) is not None:
            return self._row(state, "rejected", finding)
        if self._is_known(state):
            return self._row(state, "duplicate", Finding("same_state", "An earlier state has the same content."))
        if (finding := self._comparison(state)) is not None:
            return self._row(state, "rejected", finding)
        try:
            finding = rule_finding(state, self._model, bench.fresh_checks())
            finding = finding or loading_finding(state, bench.environment())
        except CodeRejected as error:
            finding = Finding("skeleton_not_loaded", f"{error.kind}: {error}")
        except SessionDied as died:
            return self._row(state, "failed", Finding("session_died", f"{died.reason}: {died}"))
        except SandboxUnavailable as error:
            return self._row(state, "failed", Finding("sandbox_unavailable", str(error)))
        if finding is not None:
            return self._row(state, "rejected", finding)
        self._accepted.append(state)
        return self._row(state, "accepted", None)

    def _is_known(self, state: Mapping[str, Any]) -> bool:
        text = canonical_json(state)
        return any(canonical_json(each) == text for each in self._accepted)

    def _comparison(self, state: Mapping[str, Any]) -> Finding | None:
        if len(self._accepted) >= self._count:
            return Finding("beyond_count", f"{self._count} states were asked for and accepted before this one.")
        share = max((equal_share(state, each, self._model) for each in self._accepted), default=0.0)
        if share > MOST_EQUAL_SHARE:
            return Finding("state_not_distinct", f"{share:.0%} of its records are in another state too.")
        return None

    def _row(self, state: Mapping[str, Any], status: Status, finding: Finding | None) -> InitialState:
        text = canonical_json(plain_copy(state))
        state_id = make_id("sta", self._skeleton.skeleton_id, text)
        if state_id in self._ids:  # a twin's row has to be kept beside the first one
            state_id = make_id("sta", self._skeleton.skeleton_id, text, self._number)
        self._ids.add(state_id)
        return InitialState(
            initial_state_id=state_id,
            skeleton_id=self._skeleton.skeleton_id,
            number=self._number,
            author=self._author,
            record_count=count_records(state, self._model),
            state_json=text,
            status=status,
            reason=finding.reason if finding else None,
            detail=finding.detail if finding else None,
            sandbox=self._sandbox,
        )


def rule_finding(state: Mapping[str, Any], logic_model: LogicModel, checks: CheckSession) -> Finding | None:
    """The first invariant or uniqueness rule that does not hold in a state; null when all do.

    Raises:
        SessionDied: the process with the predicates is gone.
    """
    rules = [each for each in logic_model.rules if each.kind in ("invariant", "uniqueness") and each.predicate]
    verdicts = checks.evaluate([str(rule.predicate) for rule in rules], {"state": state, "now": state["now"]})
    for rule, verdict in zip(rules, verdicts, strict=True):
        if verdict.error is not None:
            return Finding("invariant_raises", f"{rule.id}: {verdict.error}")
        if not verdict.passed:
            return Finding("invariant_broken", f"{rule.id}: {rule.text}")
    return None


def loading_finding(state: dict[str, Any], environment: EnvironmentSession) -> Finding | None:
    """Whether the class takes a state and gives it back unchanged.

    Raises:
        SessionDied: the process with the class is gone.
    """
    try:
        environment.init(state)
        kept = environment.snapshot()
    except CodeRejected as error:
        return Finding("state_refused", f"{error.kind}: {error}")
    names = sorted({*state, *kept})
    lost = [name for name in names if canonical_json(state.get(name)) != canonical_json(kept.get(name))]
    if lost:
        return Finding("state_not_kept", f"After loading, these differ from the state: {', '.join(lost)}.")
    return None


def equal_share(one: Mapping[str, Any], other: Mapping[str, Any], logic_model: LogicModel) -> float:
    """Of the records of `one`, the share that `other` holds too: same collection, same id, same values. 0 to 1."""
    collections: Sequence[str] = [entity.collection for entity in logic_model.entities]
    total = sum(len(one[name]) for name in collections)
    equal = sum(other[name].get(key) == record for name in collections for key, record in one[name].items())
    return equal / total if total else 0.0
