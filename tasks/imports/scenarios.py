"""Judges the scenarios of an imported environment: states loaded, checks executed, references proven."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from schemas.errors import SandboxUnavailable
from schemas.ids import canonical_json, make_id
from schemas.logic_models import LogicModel
from schemas.scenarios import Check, CheckDraft, InitialState, Scenario, ScenarioDraft, ScenarioValidation
from schemas.skeletons import Skeleton, Tool
from tasks.exchange.check_forms import NotACheck, as_check
from tasks.exchange.kept import KeptScenario
from tasks.imports.judging import AUTHOR, dumped
from tasks.imports.outcome import ImportOutcome, ScenarioFate
from tasks.proof.extra import Toolbox
from tasks.proof.identity import proof_digest
from tasks.proof.prove import Proof, prove
from tasks.proof.trials import WITHOUT_CHANGE, Solution
from tasks.runtime.environment import Environment, EnvironmentBroken, parameters_of
from tasks.runtime.episode import BindingError, play
from tasks.sandbox.base import CheckSession, CodeRejected, Sandbox, SessionDied
from tasks.scenarios.bench import Bench
from tasks.scenarios.drafts import DraftRules
from tasks.scenarios.guard import guard_check
from tasks.scenarios.plain_json import flaw_of
from tasks.scenarios.records import count_records
from tasks.scenarios.rows import ACCEPTED, Content, Fate, check_rows, scenario_id, scenario_row

UNPROVEN = "unproven"
"""Reason code of a scenario in which nothing is wrong but that nobody has shown how to solve it."""
_NO_CALLS: dict[str, Any] = {"calls": [], "messages": [], "final_message": ""}
_KIND = "imported"


class _Refused(Exception):
    """A scenario that can't be. `reason` is its code."""

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason


@dataclass
class _Rows:
    states: dict[str, InitialState] = field(default_factory=dict)
    scenarios: dict[str, Scenario] = field(default_factory=dict)
    checks: list[Check] = field(default_factory=list)
    trials: list[ScenarioValidation] = field(default_factory=list)
    fates: list[ScenarioFate] = field(default_factory=list)


def judge_scenarios(
    outcome: ImportOutcome, scenarios: Iterable[KeptScenario], states: Sequence[dict[str, Any]], *, sandbox: Sandbox
) -> ImportOutcome:
    """The outcome of an environment with those of its scenarios and of its other states.

    Reason codes beside those of the proof: environment_rejected, state_overwrites_method, state_refused,
    state_not_json, check_does_not_parse, check_missing, check_undefined_name, check_raises, check_out_of_time,
    no_check, no_op_passes, unproven; session_died and sandbox_unavailable (failed); same_scenario (duplicate).

    Raises:
        SandboxUnavailable: the sandbox can't be started at all.
    """
    model = LogicModel.model_validate_json(outcome.logic_model.model_json)
    judge = _Judge(outcome.skeleton, outcome.tools, model, sandbox)
    if outcome.status == "accepted":
        with Bench(sandbox, outcome.skeleton) as bench:
            judge.bench = bench
            for state in states:
                judge.keep_state(state)
            for scenario in scenarios:
                judge.judge(scenario)
            if not judge.rows.states:
                judge.keep_state(None)
    else:
        for scenario in scenarios:
            detail = f"its environment was not accepted: {outcome.reason}"
            judge.rows.fates.append(ScenarioFate(scenario.name, None, "rejected", "environment_rejected", detail))
    rows = judge.rows
    return replace(
        outcome,
        initial_states=tuple(rows.states.values()),
        scenarios=tuple(rows.scenarios.values()),
        checks=tuple(rows.checks),
        scenario_validations=tuple(rows.trials),
        fates=tuple(rows.fates),
    )


class _Judge:
    bench: Bench

    def __init__(self, skeleton: Skeleton, tools: tuple[Tool, ...], model: LogicModel, sandbox: Sandbox) -> None:
        self._skeleton, self._tools, self._model, self._sandbox = skeleton, tools, model, sandbox
        self._methods = {tool.name for tool in tools}
        self.rows = _Rows()

    def keep_state(self, state: dict[str, Any] | None) -> None:
        """An initial state that no scenario needs, null for the class's own; one that it refuses is left out."""
        try:
            self._state(state)
        except (_Refused, SessionDied):
            self.bench.discard()

    def judge(self, kept: KeptScenario) -> None:
        """Decide on one scenario."""
        try:
            self._decide(kept)
            return
        except _Refused as error:
            fate = ScenarioFate(kept.name, None, "rejected", error.reason, str(error))
        except SessionDied as died:
            fate = ScenarioFate(kept.name, None, "failed", "session_died", f"{died.reason}: {died}")
        except SandboxUnavailable as error:
            fate = ScenarioFate(kept.name, None, "failed", "sandbox_unavailable", str(error))
        self.bench.discard()
        self.rows.fates.append(fate)

    def _decide(self, kept: KeptScenario) -> None:
        state = self._state(kept.state)
        start: dict[str, Any] = json.loads(state.state_json)
        content, fate = self._own(kept, start) if kept.own else self._foreign(kept, start)
        scenario = scenario_id(state, content)
        if scenario in self.rows.scenarios:
            detail = "a scenario with the same content came before"
            self.rows.fates.append(ScenarioFate(kept.name, scenario, "duplicate", "same_scenario", detail))
            return
        checks = check_rows(scenario, content.checks)
        written: tuple[str, ...] = ()
        if fate == ACCEPTED:
            proof = self._proof(scenario, content, start, checks)
            fate, written = Fate(proof.status, proof.reason, proof.detail), proof.written_fields
            self.rows.trials += proof.trials
        row = scenario_row(scenario, state, content, fate, author=AUTHOR)
        row = row.model_copy(update={"written_fields": list(written)})
        if content.reference:
            row = row.model_copy(update={"proof_digest": proof_digest(self._skeleton, state, row, checks)})
        self.rows.scenarios[scenario] = row
        self.rows.checks += checks
        self.rows.fates.append(ScenarioFate(kept.name, scenario, fate.status, fate.reason, fate.detail))

    def _state(self, given: dict[str, Any] | None) -> InitialState:
        """The row of a state, as the class holds it: whole, also where the given one names some attributes only."""
        if given is not None and (flaw := flaw_of(given)) is not None:
            raise _Refused("state_not_json", f"the state is no plain JSON: {flaw}")
        if clashes := sorted(self._methods & (given or {}).keys()):
            detail = f"the state has a key {clashes[0]!r}, which would overwrite the method of that name"
            raise _Refused("state_overwrites_method", detail)
        state = dumped(self._environment_session(), given)
        if isinstance(state, CodeRejected):
            raise _Refused("state_not_json" if state.kind == "state_not_json" else "state_refused", str(state))
        text = canonical_json(state)
        key = make_id("sta", self._skeleton.skeleton_id, text)
        if key not in self.rows.states:
            self.rows.states[key] = InitialState(
                initial_state_id=key,
                skeleton_id=self._skeleton.skeleton_id,
                number=len(self.rows.states) + 1,
                author=AUTHOR,
                record_count=count_records(state, self._model),
                state_json=text,
                status="accepted",
                sandbox=self._sandbox.level,
            )
        return self.rows.states[key]

    def _environment_session(self) -> Any:
        try:
            return self.bench.environment()
        except CodeRejected as error:
            raise _Refused("state_refused", str(error)) from error

    def _foreign(self, kept: KeptScenario, start: dict[str, Any]) -> tuple[Content, Fate]:
        """Checks without a reference: executed on the state that nothing was done to, and told apart by the answer."""
        codes, fate = [], None
        for number, check in enumerate(kept.checks, start=1):
            try:
                codes.append(as_check(check))
            except NotACheck as error:
                codes.append(check.code)
                fate = fate or Fate("rejected", error.reason, f"check {number} ({_short(check.text)}): {error}")
        kinds = ["goal"] * len(codes)
        if fate is None:
            kinds, fate = self._kinds(kept, codes, start)
        checks = tuple(
            CheckDraft(kind="guard" if kind == "guard" else "goal", text=check.text, code=code)
            for kind, check, code in zip(kinds, kept.checks, codes, strict=True)
        )
        draft = ScenarioDraft(kind=_KIND, task=kept.task, reference=(), final_message="", checks=checks)
        return Content(draft, (), checks), fate

    def _kinds(self, kept: KeptScenario, codes: Sequence[str], start: dict[str, Any]) -> tuple[list[str], Fate]:
        """Per check: goal, or guard where it holds already; and the fate of the scenario."""
        if not codes:
            return [], Fate("rejected", "no_check", "the scenario has no check, so nothing says when it is solved")
        verdicts = self.bench.fresh_checks().check(codes, start, start, _NO_CALLS)
        kinds = ["guard" if verdict.passed else "goal" for verdict in verdicts]
        for number, (check, verdict) in enumerate(zip(kept.checks, verdicts, strict=True), start=1):
            if verdict.error is not None:
                is_late = verdict.error.startswith("timeout:")
                where = f"check {number} ({_short(check.text)}), on the initial state"
                reason = "check_out_of_time" if is_late else "check_raises"
                return kinds, Fate("failed" if is_late else "rejected", reason, f"{where}: {verdict.error}")
        held = [str(number) for number, kind in enumerate(kinds, start=1) if kind == "guard"]
        if len(held) == len(kinds):
            return kinds, Fate("rejected", "no_op_passes", "every check holds before anything is done")
        noted = f"; checks {', '.join(held)} hold at the start and count as guards" if held else ""
        return kinds, Fate("rejected", UNPROVEN, f"there is no reference solution that could prove it{noted}")

    def _own(self, kept: KeptScenario, start: dict[str, Any]) -> tuple[Content, Fate]:
        """A reference and its checks, ready to be proven."""
        own = kept.own
        assert own is not None
        draft = ScenarioDraft(
            kind=own.kind,
            task=kept.task,
            reference=own.reference,
            final_message=own.final_message,
            checks=own.checks,
            user_goal=own.user_goal,
        )
        content = Content(draft, own.reference, own.checks)
        rules = DraftRules(self._model, self._tools, start)
        if (finding := rules.shape_finding(draft)) is not None:
            return content, Fate("rejected", finding.reason, finding.detail)
        writes = tuple(number for number, step in enumerate(own.reference) if rules.is_write(step))
        if not writes and own.kind not in WITHOUT_CHANGE:
            return content, Fate("rejected", "no_write", "no step of the reference changes the state")
        content = replace(content, write_steps=writes)
        if writes and not any(check.kind == "guard" for check in own.checks):
            content = replace(content, checks=(*own.checks, self._guard(content, start)))
        return content, ACCEPTED

    def _guard(self, content: Content, start: dict[str, Any]) -> CheckDraft:
        """What every scenario has: nothing else has changed."""
        environment = Environment(self.bench.environment(), parameters_of(self._tools))
        try:
            environment.reset(start)
            episode = play(environment, content.reference, final_message=content.draft.final_message)
        except (BindingError, EnvironmentBroken, CodeRejected) as error:
            raise _Refused("environment_raises", f"{type(error).__name__}: {error}") from error
        return guard_check(self._model, start, episode.final_state)

    def _proof(self, scenario: str, content: Content, start: dict[str, Any], checks: tuple[Check, ...]) -> Proof:
        solution = Solution(
            scenario_id=scenario,
            state=start,
            reference=content.reference,
            final_message=content.draft.final_message,
            checks=checks,
            write_steps=content.write_steps,
            kind=content.draft.kind,
            task=content.draft.task,
        )
        session: CheckSession = self.bench.fresh_checks()
        environment = Environment(self.bench.environment(), parameters_of(self._tools))
        return prove(solution, environment, session, Toolbox(self._model, self._tools, parameters_of(self._tools)))


def _short(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:57]}..."
