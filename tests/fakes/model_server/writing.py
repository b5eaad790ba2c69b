"""Answers questions as well as the built-in author can, from what the question says and nothing else.

What belongs together is told by the topic, which the prompts show: asked for the code, the states and the scenarios of
one, in whichever order and process, it always has the same environment in mind.
"""

from collections.abc import Callable
from typing import Any

from pydantic import BaseModel

from schemas.ids import digest, seed_for
from schemas.lengths import USUAL_LENGTHS
from schemas.scenarios import ScenarioDraft
from tasks.authors.base import (
    CallJudgement,
    CallJudgements,
    CodeDraft,
    DescribeTopic,
    DraftScenarios,
    ExecutedCall,
    JudgeCalls,
    Question,
    RepairCode,
    RepairScenario,
    ScenariosDraft,
)
from tasks.authors.rules.author import RuleAuthor, environment_of
from tasks.sandbox.base import Sandbox

SEED = 20
"""Of everything that is written."""
_MOST_SCENARIOS = 24
"""On one state; a scenario to repair is looked for among so many."""


class Writer:
    """Safe to use from several threads. What it executes runs in the sandbox."""

    def __init__(self, sandbox: Sandbox) -> None:
        self._rules = RuleAuthor(sandbox)
        self._written: dict[str, tuple[ScenarioDraft, ...]] = {}
        """Scenarios by state. What another process has written is thought up again when it is asked for."""
        # The themes are read when the first question comes, which takes longer than some clients have patience.
        self._rules.ask(DescribeTopic("library"), seed=SEED)

    def answer(self, question: Question[Any]) -> BaseModel:
        """The best answer it has; always of the type that the question asks for."""
        answer = self._own.get(type(question))
        if answer is not None:
            return answer(self, question)
        written: BaseModel = self._rules.ask(question, seed=SEED)
        if isinstance(written, ScenariosDraft) and isinstance(question, DraftScenarios):
            self._written[digest(question.state)] = written.scenarios
        return written

    def _whole_code(self, question: RepairCode) -> CodeDraft:
        return CodeDraft(code=environment_of(question.topic, SEED).code)

    def _better_scenario(self, question: RepairScenario) -> ScenariosDraft:
        """What it has written for the same task; none when the task is not one of its own.

        How many are asked for only says where it stops, so the one in question is among many.
        """
        drafts = self._written.get(digest(question.state))
        if drafts is None:
            lengths = USUAL_LENGTHS.drawn(seed_for("lengths", question.state), _MOST_SCENARIOS)
            again = DraftScenarios(question.topic, question.logic_model, question.code, question.state, lengths)
            drafts = self._written[digest(question.state)] = self._rules.ask(again, seed=SEED).scenarios
        return ScenariosDraft(scenarios=tuple(each for each in drafts if each.task == question.scenario.task)[:1])

    def _verdicts(self, question: JudgeCalls) -> CallJudgements:
        changing = {each.name for each in question.logic_model.operations if each.kind == "state_change"}
        return CallJudgements(judgements=tuple(_verdict(each, each.case.tool in changing) for each in question.calls))

    _own: "dict[type[Question[Any]], Callable[[Writer, Any], BaseModel]]" = {
        RepairCode: _whole_code,
        RepairScenario: _better_scenario,
        JudgeCalls: _verdicts,
    }


def _verdict(call: ExecutedCall, is_change: bool) -> CallJudgement:
    """Pass exactly when what was expected has come, with changes where there should be some, and else without."""
    succeeded = isinstance(call.result, dict) and call.result.get("success") is True
    come = "success" if succeeded else "refused"
    if call.error is not None:
        return CallJudgement(number=call.number, verdict="fail", reason=f"It raised: {call.error}")
    if come != call.case.expected:
        return CallJudgement(number=call.number, verdict="fail", reason=f"Expected: {call.case.expected}; was: {come}.")
    if call.changes and not (succeeded and is_change):
        return CallJudgement(number=call.number, verdict="fail", reason=f"It has changed: {call.changes[0]}")
    # What the case says must hold afterwards has been checked: a value may be there already.
    if succeeded and is_change and not call.changes and call.case.holds is None:
        return CallJudgement(number=call.number, verdict="fail", reason="It says that it is done, but nothing is.")
    return CallJudgement(number=call.number, verdict="pass", reason=f"The call ended as planned: {come}.")
