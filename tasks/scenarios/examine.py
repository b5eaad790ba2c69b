"""Decides on the drafted scenarios of one initial state, one after another."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from schemas.errors import AuthorUnavailable, SandboxUnavailable
from schemas.logic_models import LogicModel
from schemas.scenarios import Check, CheckDraft, InitialState, Scenario, ScenarioDraft, ScenarioValidation
from schemas.skeletons import Tool
from tasks.authors.base import Evidence
from tasks.proof.extra import toolbox_of
from tasks.proof.identity import proof_digest
from tasks.proof.prove import Proof, prove
from tasks.proof.trials import WITHOUT_CHANGE, Solution
from tasks.proof.verdicts import rows_of
from tasks.runtime.environment import Environment, parameters_of
from tasks.sandbox.base import CheckSession, CodeRejected, SessionDied
from tasks.scenarios.bench import Bench
from tasks.scenarios.complete import complete_checks
from tasks.scenarios.drafts import DraftRules
from tasks.scenarios.plain_json import flaw_of, plain_copy
from tasks.scenarios.records import Finding
from tasks.scenarios.refine import needed_checks, without_wrong_state_checks
from tasks.scenarios.rows import ACCEPTED, Content, Fate, check_rows, scenario_id, scenario_row
from tasks.scenarios.said import plain


@dataclass(frozen=True, slots=True)
class Examined:
    """The rows of one drafted scenario."""

    scenario: Scenario
    checks: tuple[Check, ...]
    trials: tuple[ScenarioValidation, ...]
    repaired: ScenarioDraft | None = None
    """The draft with checks that follow from its reference instead of those that the proof showed to be wrong; null
    where only the author can help."""


REPAIR_ROUNDS = 2
"""How often a rejected draft is repaired: its checks of the state by what follows, all else by its author."""
_MOST_PROOFS = 3
"""How often the checks of one version are proven, each time without those that added nothing before."""
_BEYOND_REPAIR = frozenset({"beyond_count", "skeleton_not_loaded"})
"""Nothing is wrong with the draft itself."""
Repair = Callable[[dict[str, Any], ScenarioDraft, tuple[Evidence, ...], int], ScenarioDraft | None]
"""Initial state, draft, what was found, number of the round -> another draft; null when there is none."""


class Examiner:
    """Remembers which tasks were accepted for a skeleton, so that none is told twice.

    Reason codes beside those of `DraftRules`, `complete_checks` and `prove`: same_task (duplicate); draft_not_json,
    beyond_count, skeleton_not_loaded (rejected); session_died, sandbox_unavailable, author_unavailable,
    budget_exhausted (failed).
    """

    def __init__(
        self, logic_model: LogicModel, tools: tuple[Tool, ...], *, author: str, count: int, repair: Repair
    ) -> None:
        """Examine for one skeleton.

        Args:
            logic_model: Its plan.
            tools: Its tools.
            author: Who writes, for the rows.
            count: Scenarios that are wanted per state.
            repair: Asks the author for another version of a rejected draft. May raise AuthorUnavailable.
        """
        self._model, self._tools, self._repair = logic_model, tools, repair
        self._author, self._count = author, count
        self._toolbox = toolbox_of(logic_model, tools)
        self._tasks: set[str] = set()
        self._ids: set[str] = set()

    def examine(self, state: InitialState, drafts: Sequence[ScenarioDraft], bench: Bench) -> list[Examined]:
        """The rows of the drafts on one accepted state and of their repairs, in their order."""
        start: dict[str, Any] = json.loads(state.state_json)
        rules = DraftRules(self._model, self._tools, start)
        rows: list[Examined] = []
        for draft in drafts:
            rows += self._versions(state, draft, start, rules, bench, has_enough=self._is_enough(rows))
        return rows

    def _is_enough(self, rows: Sequence[Examined]) -> bool:
        return sum(each.scenario.status == "accepted" for each in rows) >= self._count

    def _versions(
        self,
        state: InitialState,
        draft: ScenarioDraft,
        start: dict[str, Any],
        rules: DraftRules,
        bench: Bench,
        *,
        has_enough: bool,
    ) -> list[Examined]:
        """The rows of a draft and of its repairs: until one is accepted, or the author has nothing new to say."""
        versions: list[Examined] = []
        tried: list[ScenarioDraft] = []
        following: ScenarioDraft | None = draft
        while following is not None and following not in tried:
            tried.append(following)
            content, fate = self._formed(following, rules, has_enough=has_enough)
            content = replace(content, parent=versions[-1].scenario if versions else None)
            versions.append(
                self._tried(state, content, start, bench) if fate is None else self._unplayed(state, content, fate)
            )
            row = versions[-1].scenario
            if row.status != "rejected" or row.reason in _BEYOND_REPAIR or len(versions) > REPAIR_ROUNDS:
                break
            if (following := versions[-1].repaired) is not None:
                continue
            try:
                following = self._repair(start, content.draft, _evidence(versions[-1]), len(versions))
            except AuthorUnavailable as error:
                versions[-1] = _unrepaired(versions[-1], error)
                break
        return versions

    def _formed(self, draft: ScenarioDraft, rules: DraftRules, *, has_enough: bool) -> tuple[Content, Fate | None]:
        """The content with its reference trimmed, and its fate if it need not be played."""
        draft = draft.model_copy(update={"checks": tuple(map(_authored, draft.checks))})
        content = Content(draft, draft.reference, draft.checks)
        if (flaw := flaw_of(draft.model_dump())) is not None:
            draft = ScenarioDraft.model_validate(plain_copy(draft.model_dump()))
            fate = Fate("rejected", "draft_not_json", f"The draft is not plain JSON: {flaw}.")
            return Content(draft, draft.reference, draft.checks), fate
        if (finding := rules.shape_finding(draft)) is not None:
            return content, _rejected(finding)
        reference = draft.reference if draft.kind in WITHOUT_CHANGE else rules.trimmed(draft.reference)
        writes = tuple(number for number, step in enumerate(reference) if rules.is_write(step))
        content = replace(content, reference=reference, write_steps=writes)
        if (finding := rules.finding(draft.task, reference, kind=draft.kind)) is not None:
            return content, _rejected(finding)
        if has_enough:
            return content, Fate("rejected", "beyond_count", f"{self._count} scenarios per state were asked for.")
        if plain(draft.task) in self._tasks:
            return content, Fate("duplicate", "same_task", "An accepted scenario of this skeleton has the same task.")
        return content, None

    def _tried(self, state: InitialState, content: Content, start: dict[str, Any], bench: Bench) -> Examined:
        try:
            return self._proven(state, content, start, bench)
        except SessionDied as died:
            fate = Fate("failed", "session_died", f"{died.reason}: {died}")
        except SandboxUnavailable as error:
            fate = Fate("failed", "sandbox_unavailable", str(error))
        except CodeRejected as error:
            fate = Fate("rejected", "skeleton_not_loaded", f"{error.kind}: {error}")
        bench.discard()
        return self._unplayed(state, content, fate)

    def _proven(self, state: InitialState, content: Content, start: dict[str, Any], bench: Bench) -> Examined:
        environment = Environment(bench.environment(), parameters_of(self._tools))
        checks = bench.fresh_checks()
        complete = complete_checks(content, start, self._model, environment, checks)
        if isinstance(complete, Finding):
            return self._unplayed(state, content, _rejected(complete))
        proof = self._proof(state, content, complete, start, environment, checks)
        for _ in range(_MOST_PROOFS - 1):
            needed = needed_checks(complete, proof.needs)
            if needed == complete:
                break
            complete = needed
            proof = self._proof(state, content, complete, start, environment, checks)
        content = replace(content, checks=complete)
        scenario = self._new_id(state, content)
        fate = Fate(proof.status, proof.reason, proof.detail)
        if fate == ACCEPTED:
            self._tasks.add(plain(content.draft.task))
        row = scenario_row(scenario, state, content, fate, author=self._author)
        rows = check_rows(scenario, complete)
        proven = {
            "proof_digest": proof_digest(bench.skeleton, state, row, rows),
            "written_fields": list(proof.written_fields),
        }
        row = row.model_copy(update=proven)
        trials = rows_of(scenario, proof.tried)
        return Examined(row, rows, trials, without_wrong_state_checks(content.draft, complete, proof))

    def _proof(
        self,
        state: InitialState,
        content: Content,
        complete: tuple[CheckDraft, ...],
        start: dict[str, Any],
        environment: Environment,
        checks: CheckSession,
    ) -> Proof:
        """The proof with these checks."""
        scenario = scenario_id(state, replace(content, checks=complete))
        solution = Solution(
            scenario_id=scenario,
            state=start,
            reference=content.reference,
            final_message=content.draft.final_message,
            checks=check_rows(scenario, complete),
            write_steps=content.write_steps,
            kind=content.draft.kind,
            task=content.draft.task,
        )
        return prove(solution, environment, checks, self._toolbox)

    def _unplayed(self, state: InitialState, content: Content, fate: Fate) -> Examined:
        """The rows of a scenario without a proof."""
        scenario = self._new_id(state, content)
        row = scenario_row(scenario, state, content, fate, author=self._author)
        return Examined(row, check_rows(scenario, content.checks), ())

    def _new_id(self, state: InitialState, content: Content) -> str:
        twin, scenario = 0, scenario_id(state, content)
        while scenario in self._ids:  # drafts with the same content are rows of their own
            twin += 1
            scenario = scenario_id(state, content, twin=twin)
        self._ids.add(scenario)
        return scenario


def _authored(check: CheckDraft) -> CheckDraft:
    """The check as what it is, whatever its author says."""
    return check.model_copy(update={"origin": "author"})


def _rejected(finding: Finding) -> Fate:
    return Fate("rejected", finding.reason, finding.detail)


def _unrepaired(examined: Examined, error: AuthorUnavailable) -> Examined:
    """A rejected draft whose repair could not be asked for: nothing is decided yet."""
    row = examined.scenario
    detail = f"{row.reason}: {row.detail} Its repair could not be asked for: {error}"
    fate = {"status": "failed", "reason": error.reason, "detail": detail}
    return replace(examined, scenario=row.model_copy(update=fate))


def _evidence(examined: Examined) -> tuple[Evidence, ...]:
    """What an author is told to repair: the decision, and every trial that did not end as it should."""
    row = examined.scenario
    found = [Evidence(reason=row.reason or "rejected", detail=row.detail or "")]
    found += [
        Evidence(reason=trial.trial, detail=trial.detail)
        for trial in examined.trials
        if not trial.is_as_expected and trial.detail and trial.detail != row.detail
    ]
    return tuple(found)
